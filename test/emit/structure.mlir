// Family structure and the kernel's frame: launch bounds, parameters, block numbers.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s

// CHECK: .target sm_80
cuda_tile.module @kernels {
  // Tokens cost nothing: a kernel without accesses is a return.
  // CHECK-LABEL: .entry nothing(
  // CHECK: .param .u64 .ptr .global
  // CHECK-SAME: nothing_param_0
  // CHECK: .param .u8 nothing_param_1
  // CHECK: .param .align 2 .b8 nothing_param_2[2]
  // CHECK: .param .u64 nothing_param_3
  // CHECK: .reqntid 32
  // CHECK: {
  // CHECK-NOT: {{[a-z]+}}
  // CHECK: ret;
  entry @nothing(%p: tile<ptr<f32>>, %b: tile<i1>, %h: tile<f16>, %n: tile<i64>) {
    %t = make_token : token
    %u = make_token : token
    %j = join_tokens %t, %u : token
    return
  }

  // CHECK-LABEL: .entry grid(
  // CHECK-DAG: %ctaid.y
  // CHECK-DAG: %nctaid.z
  // CHECK: st.global
  entry @grid(%p: tile<ptr<i32>>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %a, %b, %c = get_num_tile_blocks : tile<i32>
    %s = muli %y, %c : tile<i32>
    %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
