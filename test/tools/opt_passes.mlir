// A pass written in Python is a pass like any other: by flag, in a pipeline, with
// options, printed and timed.

// RUN: cuda-tile-opt %s --cuda-tile-simplify --canonicalize | FileCheck %s
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-simplify,cuda-tile-plan{gpu=sm_80})' \
// RUN:   | FileCheck %s --check-prefix=PLAN
// RUN: cuda-tile-opt %s --cuda-tile-simplify --mlir-print-ir-after=cuda-tile-simplify -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AFTER
// RUN: cuda-tile-opt %s --cuda-tile-simplify --mlir-timing -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TIMING
// RUN: cuda-tile-opt --help | FileCheck %s --check-prefix=HELP
// RUN: cuda-tile-opt --help-hidden | FileCheck %s --check-prefix=HIDDEN
// RUN: cuda-tile-opt %s --cuda-tile-compile-pipeline='gpu=sm_80 until=place num-warps=2' | FileCheck %s --check-prefix=ALL
// RUN: cuda-tile-opt %s --pass-pipeline='builtin.module(cuda-tile-compile-pipeline)' | FileCheck %s --check-prefix=LAST

// The failure of a Python pass is a diagnostic with the name of the pass.
// RUN: not cuda-tile-opt %s --cuda-tile-plan=gpu=sm_1 2>&1 | FileCheck %s --check-prefix=FAIL
// RUN: not cuda-tile-opt %s --no-such-pass 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: entry @copy
// CHECK-NOT: iota
// PLAN: tileas.plan
// AFTER: IR Dump After
// AFTER-SAME: cuda-tile-simplify
// TIMING: cuda-tile-simplify
// Ours come first, in the order in which they run.
// HELP: Passes of this package:
// HELP-NEXT: --cuda-tile-compile-pipeline
// HELP-NEXT: --cuda-tile-unit-batches
// HELP-NEXT: --cuda-tile-simplify
// HELP-NEXT: --cuda-tile-split
// HELP-NEXT: --cuda-tile-narrow-elements
// HELP-NEXT: --cuda-tile-combine-atomics
// HELP-NEXT: --cuda-tile-unwrap-indices
// HELP-NEXT: --cuda-tile-pair
// HELP-NEXT: --cuda-tile-plan {{.*}}[gpu= num-warps= abi=
// HELP: --load-pass
// HELP: --pass-pipeline=
// HELP: --help-hidden
// HELP-NOT: OVERVIEW
// HIDDEN: OVERVIEW:
// HIDDEN: --cuda-tile-emit
// HIDDEN-NEXT: --device-debug=<string>
// HIDDEN-NEXT: --line-info=<string> - write line tables
// HIDDEN: --cuda-tile-plan
// HIDDEN-NEXT: --abi=<string>
// HIDDEN-NEXT: --gpu=<string>
// HIDDEN-NEXT: --num-warps=<string> - warps per CTA
// HIDDEN: --cuda-tile-compile-pipeline
// HIDDEN-NEXT: --abi=<string>
// FAIL: error: pass 'cuda-tile-plan' failed: {{.*}}'sm_1'
// FAIL-NOT: Traceback
// ALL: entry @copy{{.*}}plan = {num_warps = 2 : i64}, tileas.target = "sm_80"
// LAST: llvm.func @copy
// UNKNOWN: Unknown command line argument '--no-such-pass'
cuda_tile.module @kernels {
  entry @copy(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>) {
    %unused = iota : tile<8xi32>
    %token = make_token : token
    %value, %read = load_ptr_tko weak %p token=%token : tile<ptr<f32>> -> tile<f32>, token
    %written = store_ptr_tko weak %q, %value token=%read : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
