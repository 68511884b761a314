cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %x: tile<f32>, %n: tile<i32>) {
    %product = mulf %x, %x : tile<f32>
    %sum = addf %product, %x : tile<f32>
    %one = constant <i32: 1> : tile<i32>
    for %i in (%one to %n, step %one) : tile<i32> {
      %four = constant <i32: 4> : tile<i32>
      %four_again = constant <i32: 4> : tile<i32>
      %bound = muli %n, %four : tile<i32>
      %c = cmpi less_than %i, %four_again, signed : tile<i32> -> tile<i1>
      if %c {
        %at = offset %p, %bound : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
        %t = store_ptr_tko weak %at, %sum : tile<ptr<f32>>, tile<f32> -> token
      }
    }
  }
}
