// A load of what other threads had stored moved up over the barrier between.
// differential: seed=10 grid=1 warps=4
// differential: array 0 f16 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: array 1 f16 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: array 2 f32 size=4096 start=0 shape=4096 strides=1 whole=1
// differential: array 3 f32 size=4096 start=0 shape=4096 strides=1 whole=1
// differential: array 4 f32 size=4096 start=0 shape=4096 strides=1 whole=1
cuda_tile.module @m {
  entry @k(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f32>>, %pg: tile<ptr<f32>>, %ph: tile<ptr<f32>>) {
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %n = constant <i32: 2> : tile<i32>
    %zeros = constant <f32: 0.0> : tile<64x64xf32>
    %fresh = make_token : token
    %aa = assume div_by<16>, %pa : tile<ptr<f16>>
    %ab = assume div_by<16>, %pb : tile<ptr<f16>>
    %ta = make_tensor_view %aa, shape = [64, 128], strides = [128, 1] : tensor_view<64x128xf16, strides=[128,1]>
    %va = make_partition_view %ta : partition_view<tile=(64x32), padding_value=zero, tensor_view<64x128xf16, strides=[128,1]>>
    %tb = make_tensor_view %ab, shape = [128, 64], strides = [64, 1] : tensor_view<128x64xf16, strides=[64,1]>
    %vb = make_partition_view %tb : partition_view<tile=(32x64), padding_value=zero, tensor_view<128x64xf16, strides=[64,1]>>
    %tc = make_tensor_view %pc, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %vc = make_partition_view %tc : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %tg = make_tensor_view %pg, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %vg = make_partition_view %tg : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %tgt = make_tensor_view %pg, shape = [64, 64], strides = [1, 64] : tensor_view<64x64xf32, strides=[1,64]>
    %vgt = make_partition_view %tgt : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[1,64]>>
    %th = make_tensor_view %ph, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %vh = make_partition_view %th : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %s1, %s2, %t = for %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc1 = %zeros, %acc2 = %zeros, %tok = %fresh) -> (tile<64x64xf32>, tile<64x64xf32>, token) {
        %x, %tx = load_view_tko weak %va[%c0, %k] : partition_view<tile=(64x32), padding_value=zero, tensor_view<64x128xf16, strides=[128,1]>>, tile<i32> -> tile<64x32xf16>, token
        %y, %ty = load_view_tko weak %vb[%k, %c0] : partition_view<tile=(32x64), padding_value=zero, tensor_view<128x64xf16, strides=[64,1]>>, tile<i32> -> tile<32x64xf16>, token
        %p1 = mmaf %x, %y, %acc1 : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
        %p2 = mmaf %x, %y, %acc2 : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
        %w = store_view_tko weak %p1, %vg[%c0, %c0] token=%tok : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
        %z = addf %p2, %p2 : tile<64x64xf32>
        %g, %tg1 = load_view_tko weak %vgt[%c0, %c0] token=%w : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[1,64]>>, tile<i32> -> tile<64x64xf32>, token
        %q = addf %p1, %g : tile<64x64xf32>
        continue %q, %z, %tg1 : tile<64x64xf32>, tile<64x64xf32>, token
    }
    %st = store_view_tko weak %s1, %vc[%c0, %c0] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    %st2 = store_view_tko weak %s2, %vh[%c0, %c0] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
