// RUN: cuda-tile-opt %s | cuda-tile-opt | FileCheck %s

cuda_tile.module @integer {
  // CHECK-LABEL: entry @plain
  entry @plain(%a: tile<i32>) {
    // CHECK: absi %arg0 : tile<i32>
    %0 = absi %a : tile<i32>
    // CHECK: addi %arg0, %arg0 : tile<i32>
    %1 = addi %a, %a : tile<i32>
    // CHECK: subi %arg0, %arg0 : tile<i32>
    %2 = subi %a, %a : tile<i32>
    // CHECK: muli %arg0, %arg0 : tile<i32>
    %3 = muli %a, %a overflow<none> : tile<i32>
    // CHECK: mulhii %arg0, %arg0 : tile<i32>
    %4 = mulhii %a, %a : tile<i32>
    // CHECK: negi %arg0 : tile<i32>
    %5 = negi %a : tile<i32>
    // CHECK: shli %arg0, %arg0 : tile<i32>
    %6 = shli %a, %a : tile<i32>
    return
  }

  // CHECK-LABEL: entry @overflow
  entry @overflow(%a: tile<i64>) {
    // CHECK: addi %arg0, %arg0 overflow<no_signed_wrap> : tile<i64>
    %0 = addi %a, %a overflow<no_signed_wrap> : tile<i64>
    // CHECK: subi %arg0, %arg0 overflow<no_unsigned_wrap> : tile<i64>
    %1 = subi %a, %a overflow<no_unsigned_wrap> : tile<i64>
    // CHECK: muli %arg0, %arg0 overflow<no_wrap> : tile<i64>
    %2 = muli %a, %a overflow<no_wrap> : tile<i64>
    // CHECK: shli %arg0, %arg0 overflow<no_wrap> : tile<i64>
    %3 = shli %a, %a overflow<no_wrap> : tile<i64>
    // CHECK: negi %arg0 overflow<no_signed_wrap> : tile<i64>
    %4 = negi %a overflow<no_signed_wrap> : tile<i64>
    return
  }

  // CHECK-LABEL: entry @signedness
  entry @signedness(%a: tile<i8>) {
    // CHECK: remi %arg0, %arg0 unsigned : tile<i8>
    %0 = remi %a, %a unsigned : tile<i8>
    // CHECK: maxi %arg0, %arg0 signed : tile<i8>
    %1 = maxi %a, %a signed : tile<i8>
    // CHECK: mini %arg0, %arg0 unsigned : tile<i8>
    %2 = mini %a, %a unsigned : tile<i8>
    // CHECK: shri %arg0, %arg0 signed : tile<i8>
    %3 = shri %a, %a signed : tile<i8>
    // CHECK: cmpi less_than_or_equal %arg0, %arg0, unsigned : tile<i8> -> tile<i1>
    %4 = cmpi less_than_or_equal %a, %a, unsigned : tile<i8> -> tile<i1>
    return
  }

  // CHECK-LABEL: entry @divi
  entry @divi(%a: tile<i32>) {
    // CHECK: divi %arg0, %arg0 signed : tile<i32>
    %0 = divi %a, %a signed : tile<i32>
    // CHECK: divi %arg0, %arg0 signed rounding<negative_inf> : tile<i32>
    %1 = divi %a, %a signed rounding<negative_inf> : tile<i32>
    // CHECK: divi %arg0, %arg0 unsigned rounding<positive_inf> : tile<i32>
    %2 = divi %a, %a unsigned rounding<positive_inf> : tile<i32>
    return
  }
}
