// Names that are HTML, where a page shows them.
#place = loc("</script><script>document.title='hostile'</script>.py":3:4)
cuda_tile.module @m {
  entry @hostile(%p: tile<ptr<f32>>) {
    %0 = make_token : token loc(#place)
    %i = iota : tile<32xi32> loc(#place)
    %q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>> loc(#place)
    %b = broadcast %q : tile<1xptr<f32>> -> tile<32xptr<f32>> loc(#place)
    %a = offset %b, %i : tile<32xptr<f32>>, tile<32xi32> -> tile<32xptr<f32>> loc(#place)
    %x, %t = load_ptr_tko weak %a : tile<32xptr<f32>> -> tile<32xf32>, token loc(#place)
    %y = addf %x, %x : tile<32xf32> loc(#place)
    print_tko "<b onclick='x'>&amp;</b><!--\0A" -> token loc(#place)
    %t2 = store_ptr_tko weak %a, %y : tile<32xptr<f32>>, tile<32xf32> -> token loc(#place)
    return loc(#place)
  }
}
