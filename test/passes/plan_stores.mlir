// RUN: cuda-tile-compile %s --gpu sm_90 --emit placed | FileCheck %s
// RUN: cuda-tile-compile %s --gpu sm_90 -o %t.cubin

// A persistent kernel written by hand, whose tiles and slots fill shared memory: the next
// tile block's copies go on while bulk copies store this one's result, so the ring leaves
// room for it: 3 slots of 48 KB and 64 KB, where 4 slots alone would fit.

// CHECK-DAG: copy_in {{.*}} engine = "tma"{{.*}}slots = 3
// CHECK-DAG: copy_out
cuda_tile.module @m {
  entry @k(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f16>>, %n: tile<i32>) {
    %a = assume div_by<16>, %pa : tile<ptr<f16>>
    %b = assume div_by<16>, %pb : tile<ptr<f16>>
    %c = assume div_by<16>, %pc : tile<ptr<f16>>
    %ta = make_tensor_view %a, shape = [1024, 1024], strides = [1024, 1] : tensor_view<1024x1024xf16, strides=[1024, 1]>
    %tb = make_tensor_view %b, shape = [1024, 1024], strides = [1024, 1] : tensor_view<1024x1024xf16, strides=[1024, 1]>
    %tc = make_tensor_view %c, shape = [1024, 1024], strides = [1024, 1] : tensor_view<1024x1024xf16, strides=[1024, 1]>
    %wa = make_partition_view %ta : partition_view<tile=(128x64), tensor_view<1024x1024xf16, strides=[1024, 1]>>
    %wb = make_partition_view %tb : partition_view<tile=(64x256), tensor_view<1024x1024xf16, strides=[1024, 1]>>
    %wc = make_partition_view %tc : partition_view<tile=(128x256), tensor_view<1024x1024xf16, strides=[1024, 1]>>
    %z = constant <f32: 0.0> : tile<128x256xf32>
    %i0 = constant <i32: 0> : tile<i32>
    %i1 = constant <i32: 1> : tile<i32>
    %i16 = constant <i32: 16> : tile<i32>
    for %i in (%i0 to %n, step %i1) : tile<i32> {
      %r = for %k in (%i0 to %i16, step %i1) : tile<i32> iter_values(%acc = %z) -> (tile<128x256xf32>) {
        %x, %t1 = load_view_tko weak %wa[%i, %k] : partition_view<tile=(128x64), tensor_view<1024x1024xf16, strides=[1024, 1]>>, tile<i32> -> tile<128x64xf16>, token
        %y, %t2 = load_view_tko weak %wb[%k, %i0] : partition_view<tile=(64x256), tensor_view<1024x1024xf16, strides=[1024, 1]>>, tile<i32> -> tile<64x256xf16>, token
        %m = mmaf %x, %y, %acc : tile<128x64xf16>, tile<64x256xf16>, tile<128x256xf32>
        continue %m : tile<128x256xf32>
      }
      %h = ftof %r : tile<128x256xf32> -> tile<128x256xf16>
      %t3 = store_view_tko weak %h, %wc[%i, %i0] : tile<128x256xf16>, partition_view<tile=(128x256), tensor_view<1024x1024xf16, strides=[1024, 1]>>, tile<i32> -> token
      continue
    }
    return
  }
}
