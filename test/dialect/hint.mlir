// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @hint {
  // CHECK-LABEL: entry @assume
  entry @assume(%p: tile<ptr<f32>>, %n: tile<i32>) {
    // Zero-width groups and no bounds are legal; a name tells the way.
    // CHECK: %assume = assume div_by<1>, %arg0 : tile<ptr<f32>>
    %0 = assume div_by<1>, %p : tile<ptr<f32>>
    // CHECK: %assume_assume = assume div_by<4611686018427387904>, %assume : tile<ptr<f32>>
    %1 = assume div_by<4611686018427387904>, %0 : tile<ptr<f32>>
    // CHECK: %assume_0 = assume bounded<?, ?>, %arg1 : tile<i32>
    %2 = assume bounded<?, ?>, %n : tile<i32>
    // CHECK: %assume_assume_1 = assume bounded<-2, 1>, %assume_0 : tile<i32>
    %3 = assume #cuda_tile.bounded<-2, 1>, %2 : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    // CHECK: %assume_blockId_x = assume bounded<1, 1>, %blockId_x : tile<i32>
    %4 = assume bounded<1, 1>, %x : tile<i32>
    // CHECK: %assume_assume_blockId_x = assume div_by<2>, %assume_blockId_x : tile<i32>
    %5 = assume div_by<2>, %4 : tile<i32>
    return
  }

  // CHECK-LABEL: entry @assume_tiles
  entry @assume_tiles(%p: tile<ptr<f32>>) {
    %i = constant <i32: 0> : tile<4x8xi32>
    // CHECK: assume div_by<16, every 4 along 1>, %cst_0_i32 : tile<4x8xi32>
    %0 = assume div_by<16, every 4 along 1>, %i : tile<4x8xi32>
    // CHECK: assume same_elements<[4, 1]>, %cst_0_i32 : tile<4x8xi32>
    %1 = assume same_elements<[4, 1]>, %i : tile<4x8xi32>
    %t = make_tensor_view %p : tensor_view<f32>
    // CHECK: assume div_by<16>, %tview : tensor_view<f32>
    %2 = assume div_by<16>, %t : tensor_view<f32>
    return
  }

  // CHECK-LABEL: entry @assert
  entry @assert(%c: tile<i1>) {
    // CHECK: assert %arg0, "must \22hold\22" : tile<i1>
    assert %c, "must \"hold\"" : tile<i1>
    return
  }

  // Before there were tokens, `print_tko` was called `print`.
  // CHECK-LABEL: entry @print_tko
  entry @print_tko(%n: tile<i32>, %a: tile<f32>) {
    // CHECK: %0 = print_tko "100 %%" -> token
    %0 = print_tko "100 %%" -> token
    // CHECK: %1 = print_tko "%i, %-5.2f\0A", %arg0, %arg1 token=%0 : tile<i32>, tile<f32> -> token
    %1 = print_tko "%i, %-5.2f\n", %n, %a token=%0 : tile<i32>, tile<f32> -> token
    // CHECK: print_tko "%lld", %arg0 : tile<i32> -> token
    print "%lld", %n : tile<i32>
    // CHECK: print_tko "end" -> token
    cuda_tile.print "end"
    return
  }
}
