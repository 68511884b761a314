// Family convert: one rounding each, and none that LLVM or the chip would add.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s
// RUN: cuda-tile-compile %s --gpu sm_90 --emit=ptx | FileCheck %s --check-prefix=SM90

cuda_tile.module @kernels {
  // CHECK-LABEL: .entry numbers(
  // CHECK: cvt.rn.f32.s32
  // CHECK: cvt.rzi.u32.f32
  entry @numbers(%p: tile<ptr<i32>>, %x: tile<i32>) {
    %a = itof %x signed : tile<i32> -> tile<f32>
    %b = mulf %a, %a : tile<f32>
    %c = ftoi %b unsigned : tile<f32> -> tile<i32>
    %s = store_ptr_tko weak %p, %c : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // Two f32 become a pair of f16 in one instruction.
  // CHECK-LABEL: .entry pairs(
  // CHECK: cvt.rn.f16x2.f32
  // CHECK-NOT: cvt.rn.f16.f32
  // CHECK: ret
  entry @pairs(%p: tile<ptr<f32>>, %q: tile<ptr<f16>>) {
    %a = assume div_by<16>, %p : tile<ptr<f32>>
    %b = assume div_by<16>, %q : tile<ptr<f16>>
    %t = make_tensor_view %a, shape = [256], strides = [1] : tensor_view<256xf32, strides=[1]>
    %u = make_tensor_view %b, shape = [256], strides = [1] : tensor_view<256xf16, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>
    %w = make_partition_view %u : partition_view<tile=(256), tensor_view<256xf16, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z] : partition_view<tile=(256), tensor_view<256xf32, strides=[1]>>, tile<i32> -> tile<256xf32>, token
    %y = ftof %x : tile<256xf32> -> tile<256xf16>
    %s = store_view_tko weak %y, %w[%z] : tile<256xf16>, partition_view<tile=(256), tensor_view<256xf16, strides=[1]>>, tile<i32> -> token
    return
  }

  // True read as signed is -1.
  // CHECK-LABEL: .entry truth(
  // CHECK: selp.b32 {{.*}}-1, 0
  entry @truth(%p: tile<ptr<i32>>, %x: tile<i32>, %y: tile<i32>) {
    %a = cmpi less_than %x, %y, signed : tile<i32> -> tile<i1>
    %b = exti %a signed : tile<i1> -> tile<i32>
    %s = store_ptr_tko weak %p, %b : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // Bytes travel four to a register; a chip that converts pairs does, others shift.
  // CHECK-LABEL: .entry bytes(
  // CHECK: ld.global.v2.b32
  // CHECK-NOT: cvt.rn.f16x2.e5m2x2
  // CHECK: st.global.v4.b32
  // SM90-LABEL: .entry bytes(
  // SM90: ld.global
  // SM90-COUNT-4: cvt.rn.f16x2.e5m2x2
  // SM90-NOT: prmt
  // SM90: st.global.v4.b32
  entry @bytes(%p: tile<ptr<f8E5M2>>, %q: tile<ptr<f16>>) {
    %a = assume div_by<16>, %p : tile<ptr<f8E5M2>>
    %b = assume div_by<16>, %q : tile<ptr<f16>>
    %t = make_tensor_view %a, shape = [1024], strides = [1] : tensor_view<1024xf8E5M2, strides=[1]>
    %u = make_tensor_view %b, shape = [1024], strides = [1] : tensor_view<1024xf16, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(1024), tensor_view<1024xf8E5M2, strides=[1]>>
    %w = make_partition_view %u : partition_view<tile=(1024), tensor_view<1024xf16, strides=[1]>>
    %z = constant <i32: 0> : tile<i32>
    %x, %r = load_view_tko weak %v[%z] : partition_view<tile=(1024), tensor_view<1024xf8E5M2, strides=[1]>>, tile<i32> -> tile<1024xf8E5M2>, token
    %y = ftof %x : tile<1024xf8E5M2> -> tile<1024xf16>
    %s = store_view_tko weak %y, %w[%z] : tile<1024xf16>, partition_view<tile=(1024), tensor_view<1024xf16, strides=[1]>>, tile<i32> -> token
    return
  }

  // To i1 a comparison with zero, of which a NaN is on the true side.
  // CHECK-LABEL: .entry flag(
  // CHECK: setp.neu.f32
  // CHECK-NOT: cvt.rzi
  // CHECK: ret
  entry @flag(%p: tile<ptr<i1>>, %x: tile<f32>) {
    %a = ftoi %x unsigned : tile<f32> -> tile<i1>
    %s = store_ptr_tko weak %p, %a : tile<ptr<i1>>, tile<i1> -> token
    return
  }
}
