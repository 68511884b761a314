// Two CTAs serve a tile block, each half of its rows, where a hint asks for two.

// RUN: cuda-tile-opt %s --cuda-tile-pair=gpu=sm_100 | FileCheck %s
// A second run finds the work done.
// RUN: cuda-tile-opt %s --cuda-tile-pair=gpu=sm_100 --cuda-tile-pair=gpu=sm_100 | FileCheck %s
// RUN: cuda-tile-opt %s --cuda-tile-pair=gpu=sm_90 | FileCheck %s --check-prefix=ONE
// RUN: cuda-tile-opt %s '--cuda-tile-pair=gpu=sm_100 pairs=0' | FileCheck %s --check-prefix=ONE

// ONE-NOT: tileas
cuda_tile.module @kernels {
  // CHECK-LABEL: entry @product
  // CHECK-SAME: attributes {tileas.pair}
  // CHECK: %[[CTA:[^,]*]], %{{[^,]*}}, %{{[^,]*}} = get_tile_block_id
  // CHECK: %[[LEFT:.*]] = make_partition_view {{.*}}tile=(128x64)
  // CHECK: %[[RIGHT:.*]] = make_partition_view {{.*}}tile=(64x256)
  // CHECK: %[[RESULT:.*]] = make_partition_view {{.*}}tile=(128x256)
  // CHECK: load_view_tko weak %[[LEFT]][%[[CTA]], %{{.*}}] : {{.*}} -> tile<128x64xf16>
  // CHECK: load_view_tko weak %[[RIGHT]][%{{.*}}, %{{.*}}] {tileas.halved = 1 : i64} : {{.*}} -> tile<64x256xf16>
  // CHECK: mmaf {{.*}} tile<128x64xf16>, tile<64x256xf16>, tile<128x256xf32>
  // CHECK: store_view_tko weak %{{.*}}, %[[RESULT]][%[[CTA]], %{{.*}}]
  entry @product(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<default = {num_cta_in_cga = 2}> {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %zeros = constant <f32: 0.0> : tile<256x256xf32>
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %at = make_tensor_view %a, shape = [512, 256], strides = [256, 1] : tensor_view<512x256xf16, strides=[256, 1]>
    %av = make_partition_view %at : partition_view<tile=(256x64), padding_value = zero, tensor_view<512x256xf16, strides=[256, 1]>>
    %bt = make_tensor_view %b, shape = [256, 512], strides = [512, 1] : tensor_view<256x512xf16, strides=[512, 1]>
    %bv = make_partition_view %bt : partition_view<tile=(64x256), padding_value = zero, tensor_view<256x512xf16, strides=[512, 1]>>
    %ct = make_tensor_view %c, shape = [512, 512], strides = [512, 1] : tensor_view<512x512xf32, strides=[512, 1]>
    %cv = make_partition_view %ct : partition_view<tile=(256x256), tensor_view<512x512xf32, strides=[512, 1]>>
    %sum = for %k in (%zero to %n, step %one) : tile<i32> iter_values(%acc = %zeros) -> (tile<256x256xf32>) {
      %x, %gotx = load_view_tko weak %av[%bx, %k] : partition_view<tile=(256x64), padding_value = zero, tensor_view<512x256xf16, strides=[256, 1]>>, tile<i32> -> tile<256x64xf16>, token
      %y, %goty = load_view_tko weak %bv[%k, %by] : partition_view<tile=(64x256), padding_value = zero, tensor_view<256x512xf16, strides=[512, 1]>>, tile<i32> -> tile<64x256xf16>, token
      %next = mmaf %x, %y, %acc : tile<256x64xf16>, tile<64x256xf16>, tile<256x256xf32>
      continue %next : tile<256x256xf32>
    }
    %stored = store_view_tko weak %sum, %cv[%bx, %by] : tile<256x256xf32>, partition_view<tile=(256x256), tensor_view<512x512xf32, strides=[512, 1]>>, tile<i32> -> token
    return
  }
}
