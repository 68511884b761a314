// Tile blocks store, meet, and multiply what both have stored.
// differential: seed=10 grid=2 warps=4
// differential: array 0 f16 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: array 1 f16 size=8192 start=0 shape=8192 strides=1 whole=1
// differential: array 2 f32 size=4096 start=0 shape=4096 strides=1 whole=1
// differential: array 3 i32 size=16 start=0 shape=16 strides=1
cuda_tile.module @m {
  entry @k(%pa: tile<ptr<f16>>, %pb: tile<ptr<f16>>, %pc: tile<ptr<f32>>, %flags: tile<ptr<i32>>) {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %c0 = constant <i32: 0> : tile<i32>
    %c1 = constant <i32: 1> : tile<i32>
    %n = constant <i32: 4> : tile<i32>
    %mark = constant <i32: 1234567> : tile<i32>
    %yes = constant <i1: 1> : tile<i1>
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
    %half = constant <i32: 2> : tile<i32>
    %from = muli %bx, %half : tile<i32>
    %to = addi %from, %half : tile<i32>
    %twos = constant <f16: 2.0> : tile<64x32xf16>
    %done = for %i in (%from to %to, step %c1) : tile<i32> iter_values(%before = %fresh) -> (token) {
        %s = store_view_tko weak %twos, %va[%c0, %i] token=%before : tile<64x32xf16>, partition_view<tile=(64x32), padding_value=zero, tensor_view<64x128xf16, strides=[128,1]>>, tile<i32> -> token
        continue %s : token
    }
    %zz = constant <i32: 0> : tile<i32>
    %mine = offset %flags, %bx : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %told = store_ptr_tko release device %mine, %mark token=%done : tile<ptr<i32>>, tile<i32> -> token
    %all = for %w in (%c0 to %half, step %c1) : tile<i32> iter_values(%tw = %told) -> (token) {
        %f = offset %flags, %w : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
        %seen = loop : token {
          %v, %tv = load_ptr_tko acquire device %f : tile<ptr<i32>> -> tile<i32>, token
          %is = cmpi equal %v, %mark, signed : tile<i32> -> tile<i1>
          if %is { break %tv : token }
          continue
        }
        %both = join_tokens %tw, %seen : token
        continue %both : token
    }
    %first = cmpi equal %bx, %c0, signed : tile<i32> -> tile<i1>
    if %first {
      
      %sum = for %k in (%c0 to %n, step %c1) : tile<i32> iter_values(%acc = %zeros) -> (tile<64x64xf32>) {
        
        %x, %tx = load_view_tko weak %va[%c0, %k] token=%all : partition_view<tile=(64x32), padding_value=zero, tensor_view<64x128xf16, strides=[128,1]>>, tile<i32> -> tile<64x32xf16>, token
        %y, %ty = load_view_tko weak %vb[%k, %c0] token=%fresh : partition_view<tile=(32x64), padding_value=zero, tensor_view<128x64xf16, strides=[64,1]>>, tile<i32> -> tile<32x64xf16>, token
        %p = mmaf %x, %y, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
        
        continue %p : tile<64x64xf32>
      }
      
      %stored = store_view_tko weak %sum, %vc[%c0, %c0] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
      yield
    }
    return
  }
}
