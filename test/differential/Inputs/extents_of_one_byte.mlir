// An extent of 192 in 8 bits, which is no negative number.
// differential: seed=6 grid=1 warps=4
// differential: array 0 f16 size=12288 start=0 shape=12288 strides=1 whole=1
// differential: array 1 f16 size=12288 start=0 shape=12288 strides=1 whole=1
// differential: array 2 f32 size=4096 start=0 shape=64x64 strides=64,1
// differential: scalar i8 0x40
// differential: scalar i8 0xc0
cuda_tile.module @m {
  entry @k(%ap: tile<ptr<f16>>, %bp: tile<ptr<f16>>, %o: tile<ptr<f32>>, %m: tile<i8>,
      %k: tile<i8>) {
    %z = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<64x64xf32>
    %a = assume div_by<16>, %ap : tile<ptr<f16>>
    %b = assume div_by<16>, %bp : tile<ptr<f16>>
    %ta = make_tensor_view %a, shape = [%m, %k], strides = [192, 1] : tile<i8> -> tensor_view<?x?xf16, strides=[192,1]>
    %va = make_partition_view %ta : partition_view<tile=(64x64), padding_value=zero, tensor_view<?x?xf16, strides=[192,1]>>
    %tb = make_tensor_view %b, shape = [%k, %m], strides = [64, 1] : tile<i8> -> tensor_view<?x?xf16, strides=[64,1]>
    %vb = make_partition_view %tb : partition_view<tile=(64x64), padding_value=zero, tensor_view<?x?xf16, strides=[64,1]>>
    %e:2 = get_index_space_shape %va : partition_view<tile=(64x64), padding_value=zero, tensor_view<?x?xf16, strides=[192,1]>> -> tile<i32>
    %p = for %i in (%z to %e#1, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<64x64xf32>) {
      %x, %tx = load_view_tko weak %va[%z, %i] : partition_view<tile=(64x64), padding_value=zero, tensor_view<?x?xf16, strides=[192,1]>>, tile<i32> -> tile<64x64xf16>, token
      %y, %ty = load_view_tko weak %vb[%i, %z] : partition_view<tile=(64x64), padding_value=zero, tensor_view<?x?xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
      %q = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
      continue %q : tile<64x64xf32>
    }
    %to = make_tensor_view %o, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %vo = make_partition_view %to : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %t = store_view_tko weak %p, %vo[%z, %z] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
