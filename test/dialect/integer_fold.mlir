// RUN: cuda-tile-opt %s -fold-constants | FileCheck %s

cuda_tile.module @m {
  // CHECK-LABEL: testing$func @constants
  testing$func @constants() -> (tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i1>, tile<i1>) {
    %a = constant <i8: 100> : tile<i8>
    %b = constant <i8: 50> : tile<i8>
    %m = constant <i8: -100> : tile<i8>
    %s = constant <i8: 3> : tile<i8>
    // Wraps around.
    // CHECK-DAG: %[[ADD:.*]] = constant <i8: -106> : tile<i8>
    %0 = addi %a, %b : tile<i8>
    // 5000 = 19 * 256 + 136.
    // CHECK-DAG: %[[MUL:.*]] = constant <i8: -120> : tile<i8>
    %1 = muli %a, %b : tile<i8>
    // CHECK-DAG: %[[MULHI:.*]] = constant <i8: 19> : tile<i8>
    %2 = mulhii %a, %b : tile<i8>
    // -100 / 3, truncated and rounded down; 156 / 3 without sign.
    // CHECK-DAG: %[[DIV:.*]] = constant <i8: -33> : tile<i8>
    %3 = divi %m, %s signed : tile<i8>
    // CHECK-DAG: %[[FLOOR:.*]] = constant <i8: -34> : tile<i8>
    %4 = divi %m, %s signed rounding<negative_inf> : tile<i8>
    // CHECK-DAG: %[[UDIV:.*]] = constant <i8: 52> : tile<i8>
    %5 = divi %m, %s unsigned : tile<i8>
    // CHECK-DAG: %[[REM:.*]] = constant <i8: -1> : tile<i8>
    %6 = remi %m, %s signed : tile<i8>
    // CHECK-DAG: %[[SHR:.*]] = constant <i8: -13> : tile<i8>
    %7 = shri %m, %s signed : tile<i8>
    // CHECK-DAG: %[[TRUE:.*]] = constant <i1: true> : tile<i1>
    %8 = cmpi less_than %m, %a, signed : tile<i8> -> tile<i1>
    // CHECK-DAG: %[[FALSE:.*]] = constant <i1: false> : tile<i1>
    %9 = cmpi less_than %m, %a, unsigned : tile<i8> -> tile<i1>
    // CHECK: return %[[ADD]], %[[MUL]], %[[MULHI]], %[[DIV]], %[[FLOOR]], %[[UDIV]], %[[REM]], %[[SHR]], %[[TRUE]], %[[FALSE]]
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i1>, tile<i1>
  }

  // CHECK-LABEL: testing$func @signs_and_bits
  testing$func @signs_and_bits() -> (tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>) {
    %m = constant <i8: -100> : tile<i8>
    %min = constant <i8: -128> : tile<i8>
    %s = constant <i8: 3> : tile<i8>
    // CHECK-DAG: %[[ABS:.*]] = constant <i8: 100> : tile<i8>
    %0 = absi %m : tile<i8>
    // The smallest number keeps its bits.
    // CHECK-DAG: %[[MIN:.*]] = constant <i8: -128> : tile<i8>
    %1 = absi %min : tile<i8>
    // CHECK-DAG: %[[NEG:.*]] = constant <i8: -3> : tile<i8>
    %2 = negi %s : tile<i8>
    // 0x9C by three bits is 0x4E0, and with the bits of 3 inverted it is 0x9F.
    // CHECK-DAG: %[[SHL:.*]] = constant <i8: -32> : tile<i8>
    %3 = shli %m, %s : tile<i8>
    // CHECK-DAG: %[[XOR:.*]] = constant <i8: -97> : tile<i8>
    %4 = xori %m, %s : tile<i8>
    // CHECK: return %[[ABS]], %[[MIN]], %[[NEG]], %[[SHL]], %[[XOR]]
    return %0, %1, %2, %3, %4 : tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>
  }

  // What is undefined stays.
  // CHECK-LABEL: testing$func @undefined
  testing$func @undefined() -> (tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>) {
    %zero = constant <i8: 0> : tile<i8>
    %one = constant <i8: -1> : tile<i8>
    %min = constant <i8: -128> : tile<i8>
    %eight = constant <i8: 8> : tile<i8>
    // CHECK: divi {{.*}} signed : tile<i8>
    %0 = divi %one, %zero signed : tile<i8>
    // CHECK: divi {{.*}} signed : tile<i8>
    %1 = divi %min, %one signed : tile<i8>
    // CHECK: remi {{.*}} unsigned : tile<i8>
    %2 = remi %min, %zero unsigned : tile<i8>
    // CHECK: shli {{.*}} : tile<i8>
    %3 = shli %min, %eight : tile<i8>
    // CHECK: addi {{.*}} overflow<no_signed_wrap> : tile<i8>
    %4 = addi %min, %one overflow<no_signed_wrap> : tile<i8>
    return %0, %1, %2, %3, %4 : tile<i8>, tile<i8>, tile<i8>, tile<i8>, tile<i8>
  }

  // CHECK-LABEL: testing$func @elements
  testing$func @elements() -> (tile<4xi32>) {
    %a = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
    %b = constant <i32: 10> : tile<4xi32>
    // CHECK: constant <i32: [11, 12, 13, 14]> : tile<4xi32>
    %0 = addi %a, %b : tile<4xi32>
    return %0 : tile<4xi32>
  }

  // CHECK-LABEL: testing$func @neutral
  // CHECK-SAME: (%[[X:.*]]: tile<8xi32>)
  testing$func @neutral(%x: tile<8xi32>) -> (tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<8xi1>) {
    %zero = constant <i32: 0> : tile<8xi32>
    %one = constant <i32: 1> : tile<8xi32>
    // CHECK-DAG: %[[ZERO:.*]] = constant <i32: 0> : tile<8xi32>
    // CHECK-DAG: %[[FALSE:.*]] = constant <i1: false> : tile<8xi1>
    %0 = addi %x, %zero : tile<8xi32>
    %1 = muli %one, %x : tile<8xi32>
    %2 = subi %x, %x : tile<8xi32>
    %3 = divi %x, %one signed : tile<8xi32>
    %4 = andi %zero, %x : tile<8xi32>
    %5 = cmpi less_than %x, %x, signed : tile<8xi32> -> tile<8xi1>
    // CHECK: return %[[X]], %[[X]], %[[ZERO]], %[[X]], %[[ZERO]], %[[FALSE]]
    return %0, %1, %2, %3, %4, %5 : tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<8xi32>, tile<8xi1>
  }

  // -1 / -1 overflows.
  // CHECK-LABEL: testing$func @one_bit
  testing$func @one_bit(%x: tile<8xi1>) -> tile<8xi1> {
    %one = constant <i1: true> : tile<8xi1>
    // CHECK: divi
    %0 = divi %x, %one signed : tile<8xi1>
    return %0 : tile<8xi1>
  }

  // CHECK-LABEL: testing$func @extrema
  testing$func @extrema() -> (tile<i8>, tile<i8>, tile<i8>) {
    %a = constant <i8: -1> : tile<i8>
    %b = constant <i8: 6> : tile<i8>
    // CHECK-DAG: %[[SIX:.*]] = constant <i8: 6>
    // CHECK-DAG: %[[ONES:.*]] = constant <i8: -1>
    // CHECK: return %[[SIX]], %[[SIX]], %[[ONES]]
    %0 = maxi %a, %b signed : tile<i8>
    %1 = mini %a, %b unsigned : tile<i8>
    %2 = ori %a, %b : tile<i8>
    return %0, %1, %2 : tile<i8>, tile<i8>, tile<i8>
  }
}
