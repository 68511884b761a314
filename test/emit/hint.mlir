// Family hint: printing through scratch memory, assertions that name their line.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s
// RUN: cuda-tile-opt %s --cuda-tile-plan=gpu=sm_80 --cuda-tile-place --cuda-tile-stage --cuda-tile-order --cuda-tile-ring --cuda-tile-roles --cuda-tile-skew --cuda-tile-count --cuda-tile-allocate | FileCheck %s --check-prefix=SCRATCH

// CHECK-DAG: .extern .func (.param .b32 func_retval0) vprintf
// CHECK-DAG: .extern .func __assertfail
cuda_tile.module @kernels {
  // A scalar is printed by one thread, without scratch memory.
  // CHECK-LABEL: .entry scalar(
  // CHECK-NOT: bar.sync
  // CHECK: @%{{.*}} bra
  // CHECK: vprintf
  // CHECK-NOT: vprintf
  // CHECK: ret;
  // SCRATCH-LABEL: entry @scalar
  // SCRATCH-NOT: tileas.scratch
  // SCRATCH-SAME: tileas.shared_bytes = 0
  entry @scalar(%n: tile<i32>) {
    %t = print_tko "n = %d\n", %n : tile<i32> -> token
    return
  }

  // 256 elements at a time, each in 8 bytes; a loop prints them.
  // CHECK-LABEL: .entry tile(
  // CHECK: bar.sync
  // CHECK: st.shared.b64
  // CHECK: bar.sync
  // CHECK: ld.shared.{{.*}}b64
  // CHECK: vprintf
  // CHECK: ret;
  // SCRATCH-LABEL: entry @tile
  // SCRATCH-SAME: tileas.scratch = 0
  // SCRATCH-SAME: tileas.shared_bytes = 2048
  entry @tile() {
    %i = iota : tile<1024xi32>
    %t = print_tko "%d", %i : tile<1024xi32> -> token
    return
  }

  // A print is no access: the load needs no barrier for it, but waits for the store.
  // SCRATCH-LABEL: entry @order
  // SCRATCH: store_ptr_tko
  // SCRATCH-NEXT: print_tko
  // SCRATCH-NEXT: tileas.barrier
  // SCRATCH-NEXT: load_ptr_tko
  entry @order(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %a = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token
    %b = print_tko "n = %d\n", %n token=%a : tile<i32> -> token
    %m, %c = load_ptr_tko weak %p token=%b : tile<ptr<i32>> -> tile<i32>, token
    return
  }

  // CHECK-LABEL: .entry check(
  // CHECK: vprintf
  // CHECK: __assertfail
  // CHECK: ret;
  entry @check(%n: tile<i32>) {
    %i = iota : tile<64xi32>
    %m = reshape %n : tile<i32> -> tile<1xi32>
    %k = broadcast %m : tile<1xi32> -> tile<64xi32>
    %c = cmpi less_than %i, %k, signed : tile<64xi32> -> tile<64xi1>
    assert %c, "small" : tile<64xi1>
    return
  }
}
