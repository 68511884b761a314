// title: A sum of floats by atomics depends on the order of tile blocks
// what: Floats do not add associatively; each order has another last bit.
// mend: a tolerance, integers, or a sum in a fixed order
// run: --grid 64 --shuffle 3 randn:f32[64] zeros:f32[1]
// change: --shuffle 3 => --shuffle 3 --atol 1e-4
// expect: error: k depends on the order:
// expect: seed 0: argument 1: 1 elements differ, most at [0]: 4.27497101 in program order, 4.27497196 now
// expect: seed 1: argument 1: 1 elements differ, most at [0]: 4.27497101 in program order, 4.27497196 now
// expect: seed 2: argument 1: 1 elements differ, most at [0]: 4.27497101 in program order, 4.27497196 now

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %o: tile<ptr<f32>>) {
    %bx, %by, %bz = get_tile_block_id : tile<i32>
    %q = offset %p, %bx : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %x, %kx = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
    %y, %k = atomic_rmw_tko relaxed device %o, addf, %x : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}
