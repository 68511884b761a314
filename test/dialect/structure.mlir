// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

// The producer is printed; an entry's hints and other attributes too.
// CHECK-LABEL: cuda_tile.module @structure attributes {producer = "hand"} {
cuda_tile.module @structure attributes {producer = "hand"} {
  // CHECK: entry @entry_no_arguments() {
  // CHECK-NEXT: return
  entry @entry_no_arguments() {
  }

  // CHECK: entry @entry_arguments(%arg0: tile<ptr<f32>> {llvm.noalias}, %arg1: tile<i32>) {
  entry @entry_arguments(%p: !cuda_tile.tile<!cuda_tile.ptr<f32>> {llvm.noalias}, %n: tile<i32>) {
    return
  }

  // CHECK: entry @entry_hints() optimization_hints=<default = {}, sm_100 = {num_cta_in_cga = 2, occupancy = 4}> {
  entry @entry_hints() optimization_hints=<sm_100 = {num_cta_in_cga = 2, occupancy = 4}, default = {}> {
    return
  }

  // CHECK: entry @entry_attributes() attributes {tileas.plan = {num_warps = 4 : i64}, tileas.target = "sm_90"} {
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

  // CHECK: global @numbers <f32: [1.500000e+00, 2.500000e+00]> : tile<2xf32>
  global public @numbers <f32: [1.5, 2.5]> : tile<2xf32>
  // CHECK: global private constant @table alignment = 128 <i32: [1, 2]> : tile<2xi32> {tileas.facts = "hot"}
  global private constant @table alignment = 128 <i32: [1, 2]> : tile<2xi32> {tileas.facts = "hot"}
  // CHECK: global constant @zeros <i8: 0> : tile<64xi8>
  cuda_tile.global constant @zeros <i8: 0> : tile<64xi8>

  // CHECK: entry @get_global
  entry @get_global() {
    // CHECK: %0 = get_global @numbers : tile<ptr<f32>>
    %0 = get_global @numbers : tile<ptr<f32>>
    return
  }
}
