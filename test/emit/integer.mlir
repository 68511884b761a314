// Families integer and bitwise: signs, upper halves, rounded quotients.

// RUN: cuda-tile-compile %s --gpu sm_80 --emit=ptx | FileCheck %s

cuda_tile.module @kernels {
  // CHECK-LABEL: .entry signs(
  // CHECK-DAG: max.s32
  // CHECK-DAG: min.u32
  // CHECK-DAG: shr.s32
  // CHECK-DAG: shr.u32
  // CHECK-DAG: rem.s32
  // CHECK-DAG: rem.u32
  entry @signs(%p: tile<ptr<i32>>, %x: tile<i32>, %y: tile<i32>) {
    %a = maxi %x, %y signed : tile<i32>
    %b = mini %a, %x unsigned : tile<i32>
    %c = shri %b, %y signed : tile<i32>
    %d = shri %x, %y unsigned : tile<i32>
    %e = remi %c, %y signed : tile<i32>
    %f = remi %d, %y unsigned : tile<i32>
    %g = xori %e, %f : tile<i32>
    %s = store_ptr_tko weak %p, %g : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // CHECK-LABEL: .entry upper(
  // CHECK: mul.hi.u32
  // CHECK: mul.hi.u64
  entry @upper(%p: tile<ptr<i32>>, %q: tile<ptr<i64>>, %x: tile<i32>, %y: tile<i64>) {
    %a = mulhii %x, %x : tile<i32>
    %b = mulhii %y, %y : tile<i64>
    %s = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    %t = store_ptr_tko weak %q, %b : tile<ptr<i64>>, tile<i64> -> token
    return
  }

  // Toward zero is the instruction's own rounding.
  // CHECK-LABEL: .entry toward_zero(
  // CHECK: div.s32
  // CHECK-NOT: selp
  // CHECK: ret
  entry @toward_zero(%p: tile<ptr<i32>>, %x: tile<i32>, %y: tile<i32>) {
    %a = divi %x, %y signed : tile<i32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // Down and up correct it by one, from the remainder and its sign.
  // CHECK-LABEL: .entry down(
  // CHECK: div.s32 %[[Q:r[0-9]+]]
  // CHECK: setp.lt.s32
  // CHECK: selp.b32 %[[STEP:r[0-9]+]], -1, 0
  // CHECK: add.s32 {{.*}}%[[Q]], %[[STEP]]
  entry @down(%p: tile<ptr<i32>>, %x: tile<i32>, %y: tile<i32>) {
    %a = divi %x, %y signed rounding<negative_inf> : tile<i32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // A shift rounds down.
  // CHECK-LABEL: .entry down_by_power(
  // CHECK-NOT: {{(add|sub|selp|div)[.]}}
  // CHECK: shr.s32 {{.*}}, 3;
  // CHECK-NOT: {{(add|sub|selp|div)[.]}}
  // CHECK: ret
  entry @down_by_power(%p: tile<ptr<i32>>, %x: tile<i32>) {
    %y = constant <i32: 8> : tile<i32>
    %a = divi %x, %y signed rounding<negative_inf> : tile<i32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // The rest of a positive divisor has the sign of the quotient.
  // CHECK-LABEL: .entry down_by_positive(
  // CHECK: div.s32
  // CHECK-NOT: xor
  // CHECK: ret
  entry @down_by_positive(%p: tile<ptr<i32>>, %x: tile<i32>, %y: tile<i32>) {
    %y_ = assume bounded<1, ?>, %y : tile<i32>
    %a = divi %x, %y_ signed rounding<negative_inf> : tile<i32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // CHECK-LABEL: .entry up(
  // CHECK: div.u32 %[[Q:r[0-9]+]]
  // CHECK: selp.b32 %[[STEP:r[0-9]+]], 1, 0
  // CHECK: add.s32 {{.*}}%[[Q]], %[[STEP]]
  entry @up(%p: tile<ptr<i32>>, %x: tile<i32>, %y: tile<i32>) {
    %a = divi %x, %y unsigned rounding<positive_inf> : tile<i32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // A divisor that may be zero becomes one, which LLVM cannot take for granted.
  // CHECK-LABEL: .entry any_divisor(
  // CHECK: max.u32 %[[D:r[0-9]+]], {{.*}}, 1
  // CHECK: rem.u32 {{.*}}%[[D]]
  entry @any_divisor(%p: tile<ptr<i32>>, %x: tile<i32>, %y: tile<i32>) {
    %a = remi %x, %y unsigned : tile<i32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // Nothing of it where the divisor is known to differ from zero.
  // CHECK-LABEL: .entry known_divisor(
  // CHECK-NOT: max
  // CHECK: rem.u32
  entry @known_divisor(%p: tile<ptr<i32>>, %x: tile<i32>, %y: tile<i32>) {
    %d = assume bounded<1, 99>, %y : tile<i32>
    %a = remi %x, %d unsigned : tile<i32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // PTX shifts out everything by itself.
  // CHECK-LABEL: .entry shifts(
  // CHECK-NOT: setp.{{[lg]}}
  // CHECK: shl.b32
  // CHECK-NOT: selp
  // CHECK: ret
  entry @shifts(%p: tile<ptr<i32>>, %x: tile<i32>, %y: tile<i32>) {
    %a = shli %x, %y : tile<i32>
    %s = store_ptr_tko weak %p, %a : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
