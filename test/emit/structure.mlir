// Family structure and the kernel's frame: launch bounds, parameters, block numbers.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx --no-line-info | FileCheck %s
// RUN: cuda-tile-compile %s --gpu sm_90 --emit=ptx --no-line-info \
// RUN:   | FileCheck %s --check-prefix=NEW

// CHECK: .target sm_80
// CHECK: .visible .global .align 4 .b8 table[8] = {5, 0, 0, 0, 250, 255, 255, 255};
cuda_tile.module @kernels {
  global @table <i32: [5, -6]> : tile<2xi32>

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

  // CHECK-LABEL: .entry variables(
  // CHECK: ld.global.b32 {{.*}}, [table+4];
  entry @variables(%p: tile<ptr<i32>>) {
    %g = get_global @table : tile<ptr<i32>>
    %one = constant <i32: 1> : tile<i32>
    %h = offset %g, %one : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %x, %t = load_ptr_tko weak %h : tile<ptr<i32>> -> tile<i32>, token
    %u = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // One thread allocates, all take the address or trap; one frees it at the end.
  // CHECK-LABEL: .entry heap(
  // CHECK: malloc
  // CHECK: st.shared.b64
  // CHECK: bar.warp.sync
  // CHECK: ld.shared.b64
  // CHECK: bar.warp.sync
  // CHECK: free
  // CHECK: ret;
  // CHECK: trap;
  entry @heap(%n: tile<i32>) {
    %a = alloca num_elem = 4, alignment = 16 : tile<ptr<i32>>
    %t = store_ptr_tko weak %a, %n : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // NEW-LABEL: .entry dependent(
  // NEW: griddepcontrol.wait;
  // NEW-NEXT: griddepcontrol.launch_dependents;
  // CHECK-LABEL: .entry dependent(
  // CHECK-NOT: griddepcontrol
  // CHECK: ret;
  entry @dependent() {
    %a = gdc_wait_tko : token
    %b = gdc_launch_dependents_tko token=%a : token
    return
  }
}
