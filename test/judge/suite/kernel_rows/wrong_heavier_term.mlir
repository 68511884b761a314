// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cuda_tile.module @m {
  entry @rows(%x: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>, %z: tile<ptr<f32>>) {
    %i, %j, %k = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %from = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %parts = make_partition_view %from : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
    %row, %t = load_view_tko weak %parts[%i, %zero] : partition_view<tile=(1x128), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x128xf32>, token
    %sum = reduce %row dim=1 identities=[0.000000e+00 : f32] : tile<1x128xf32> -> tile<1xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %one = constant <f32: 1.00000024> : tile<f32>
      %c = mulf %b, %one rounding<nearest_even> : tile<f32>
      %s = addf %a, %c : tile<f32>
      yield %s : tile<f32>
    }
    %to = make_tensor_view %z, shape = [%m], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %each = make_partition_view %to : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
    %u = store_view_tko weak %sum, %each[%i] : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
