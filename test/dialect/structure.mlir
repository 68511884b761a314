// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

// The producer is printed; an entry's hints and other attributes too.
// CHECK-LABEL: cuda_tile.module @structure attributes {producer = "hand"} {
cuda_tile.module @structure attributes {producer = "hand"} {
  // CHECK: entry @entry_no_arguments() {
  // CHECK-NEXT: return
  entry @entry_no_arguments() {
  }

  // CHECK: entry @entry_arguments(%arg0: tile<ptr<f32>> {tileas.noalias}, %arg1: tile<i32>) {
  entry @entry_arguments(%p: !cuda_tile.tile<!cuda_tile.ptr<f32>> {tileas.noalias}, %n: tile<i32>) {
    return
  }

  // CHECK: entry @entry_hints() optimization_hints=<default = {}, sm_100 = {num_cta_in_cga = 2, occupancy = 4}> {
  entry @entry_hints() optimization_hints=<sm_100 = {num_cta_in_cga = 2, occupancy = 4}, default = {}> {
    return
  }

  // CHECK: entry @entry_attributes() optimization_hints=<> attributes {tileas.plan = {num_warps = 4 : i64}, tileas.target = "sm_90"} {
  entry @entry_attributes() optimization_hints=<> attributes {tileas.target = "sm_90", tileas.plan = {num_warps = 4 : i64}} {
    return
  }

  // CHECK: entry @grid
  entry @grid() {
    // CHECK: %blockId_x, %blockId_y, %blockId_z = get_tile_block_id : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    // CHECK: %gridSize_x, %gridSize_y, %gridSize_z = get_num_tile_blocks : tile<i32>
    %u, %v, %w = get_num_tile_blocks : tile<i32>
    return
  }
}
