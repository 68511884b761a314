// Persistence where the user wants it: rows of a strip of tile blocks, from the bytes that
// a block's row and column decide.

// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90 persistent=true})' | FileCheck %s
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-plan{gpu=sm_90})' | FileCheck %s --check-prefix=OFF

// The product's rows lie along x, 16 KiB an iteration, its columns along y, 32 KiB:
// sqrt(132 * 16 / 32) is next to 8.
// CHECK: persistent = 1 : i64{{.*}} tile_group = 8 : i64
// OFF-NOT: persistent

cuda_tile.module @products {
  entry @product(%a: tile<ptr<f16>>, %am: tile<i32>, %ak: tile<i32>,
                 %as: tile<i32>, %a1: tile<i32>,
                 %b: tile<ptr<f16>>, %bk: tile<i32>, %bn: tile<i32>,
                 %bs: tile<i32>, %b1: tile<i32>,
                 %c: tile<ptr<f16>>, %cm: tile<i32>, %cn: tile<i32>,
                 %cs: tile<i32>, %c1: tile<i32>) {
    %a2 = assume div_by<16>, %a : tile<ptr<f16>>
    %am2 = assume bounded<0, ?>, %am : tile<i32>
    %am3 = assume div_by<16>, %am2 : tile<i32>
    %ak2 = assume bounded<0, ?>, %ak : tile<i32>
    %ak3 = assume div_by<16>, %ak2 : tile<i32>
    %as2 = assume bounded<0, ?>, %as : tile<i32>
    %as3 = assume div_by<8>, %as2 : tile<i32>
    %b2 = assume div_by<16>, %b : tile<ptr<f16>>
    %bk2 = assume bounded<0, ?>, %bk : tile<i32>
    %bk3 = assume div_by<16>, %bk2 : tile<i32>
    %bn2 = assume bounded<0, ?>, %bn : tile<i32>
    %bn3 = assume div_by<16>, %bn2 : tile<i32>
    %bs2 = assume bounded<0, ?>, %bs : tile<i32>
    %bs3 = assume div_by<8>, %bs2 : tile<i32>
    %c2 = assume div_by<16>, %c : tile<ptr<f16>>
    %cm2 = assume bounded<0, ?>, %cm : tile<i32>
    %cm3 = assume div_by<16>, %cm2 : tile<i32>
    %cn2 = assume bounded<0, ?>, %cn : tile<i32>
    %cn3 = assume div_by<16>, %cn2 : tile<i32>
    %cs2 = assume bounded<0, ?>, %cs : tile<i32>
    %cs3 = assume div_by<8>, %cs2 : tile<i32>
    %av = make_tensor_view %a2, shape = [%am3, %ak3], strides = [%as3, 1]
      : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %bv = make_tensor_view %b2, shape = [%bk3, %bn3], strides = [%bs3, 1]
      : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %cv = make_tensor_view %c2, shape = [%cm3, %cn3], strides = [%cs3, 1]
      : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %ap = make_partition_view %av : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %bp = make_partition_view %bv : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %cp = make_partition_view %cv : partition_view<tile=(128x256), tensor_view<?x?xf16, strides=[?,1]>>
    %i, %j, %unused = get_tile_block_id : tile<i32>
    %size:2 = get_index_space_shape %ap : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>> -> tile<i32>
    %start = constant <i32: 0> : tile<i32>
    %step = constant <i32: 1> : tile<i32>
    %none = constant <f32: 0.000000e+00> : tile<128x256xf32>
    %sum = for %t in (%start to %size#1, step %step) : tile<i32>
        iter_values(%acc = %none) -> (tile<128x256xf32>) {
      %x, %xt = load_view_tko weak %ap[%i, %t] : partition_view<tile=(128x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<128x64xf16>, token
      %y, %yt = load_view_tko weak %bp[%t, %j] : partition_view<tile=(64x256), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x256xf16>, token
      %next = mmaf %x, %y, %acc : tile<128x64xf16>, tile<64x256xf16>, tile<128x256xf32>
      continue %next : tile<128x256xf32>
    }
    %out = ftof %sum : tile<128x256xf32> -> tile<128x256xf16>
    %done = store_view_tko weak %out, %cp[%i, %j] : tile<128x256xf16>, partition_view<tile=(128x256), tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> token
    return
  }
}
