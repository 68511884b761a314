// Attributes of arguments come back from 13.5 on; hints of an entry in every version.
// RUN: cuda-tile-translate -test-cudatile-roundtrip -no-implicit-module -bytecode-version=13.5 %s | FileCheck %s
// RUN: cuda-tile-translate -mlir-to-cudatilebc -no-implicit-module -bytecode-version=13.5 %s -o %t
// RUN: cuda-tile-translate -cudatilebc-to-mlir %t | FileCheck %s

// CHECK:      entry @noted(%arg0: tile<ptr<f32>> {cuda_tile.note = "out", cuda_tile.sizes = [1 : i32, 2 : i32]}, %arg1: tile<i32>) optimization_hints=<sm_100 = {occupancy = 2{{.*}}}> {
// CHECK:      entry @plain(%arg0: tile<i32>) {
cuda_tile.module @kernels {
  entry @noted(%p: tile<ptr<f32>> {cuda_tile.note = "out", cuda_tile.sizes = [1 : i32, 2 : i32]}, %n: tile<i32>) optimization_hints=<sm_100 = {occupancy = 2}> {
    return
  }
  entry @plain(%n: tile<i32>) {
    return
  }
}
