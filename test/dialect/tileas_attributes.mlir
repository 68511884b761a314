// RUN: cuda-tile-opt %s | FileCheck %s
// Attributes that passes put on ops stand where ODS says; facts on any op.

// CHECK: module attributes {tileas.done = ["narrowed"]}
module attributes {tileas.done = ["narrowed"]} {
  cuda_tile.module @m {
    // CHECK: entry @written() attributes {tileas.abi = "plain", tileas.choice = ["a"], tileas.estimate = {registers = 8 : i64}, tileas.maps = [{}], tileas.plan = {num_warps = 4 : i64}, tileas.remarks = [], tileas.scratch = 0 : i64, tileas.shared_bytes = 8 : i64, tileas.target = "sm_80"}
    entry @written() attributes {tileas.abi = "plain", tileas.choice = ["a"], tileas.estimate = {registers = 8 : i64}, tileas.maps = [{}], tileas.plan = {num_warps = 4 : i64}, tileas.remarks = [], tileas.scratch = 0 : i64, tileas.shared_bytes = 8 : i64, tileas.target = "sm_80"} {
      // CHECK: make_token {tileas.facts = "nothing"}
      %t = make_token {tileas.facts = "nothing"} : token
      return
    }
  }
}
