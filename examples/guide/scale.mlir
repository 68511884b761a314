// y = x / 3, a tile of 64 elements per tile block.
!tensor = !cuda_tile.tensor_view<256xf32, strides=[1]>
!tiles = !cuda_tile.partition_view<tile=(64), !tensor>

cuda_tile.module @kernels {
  entry @scale(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>) {
    %block, %_, %__ = get_tile_block_id : tile<i32>
    %from_all = make_tensor_view %x, shape = [256], strides = [1] : !tensor
    %to_all = make_tensor_view %y, shape = [256], strides = [1] : !tensor
    %from = make_partition_view %from_all : !tiles
    %to = make_partition_view %to_all : !tiles
    %a, %t = load_view_tko weak %from[%block] : !tiles, tile<i32> -> tile<64xf32>, token
    %three = constant <f32: 3.0> : tile<64xf32>
    %third = divf %a, %three : tile<64xf32>
    %u = store_view_tko weak %third, %to[%block] : tile<64xf32>, !tiles, tile<i32> -> token
    return
  }
}
