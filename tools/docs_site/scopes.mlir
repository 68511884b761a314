// Shows the pass `synthesize-debug-info-scopes`: locations without functions get some.

cuda_tile.module @kernels {
  entry @add(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %y = addf %x, %x : tile<f32> loc("helper.py":7:5)
    %t = store_ptr_tko weak %p, %y : tile<ptr<f32>>, tile<f32> -> token loc("add.py":4:3)
    return loc("add.py":5:3)
  } loc("add.py":3:1)
}
