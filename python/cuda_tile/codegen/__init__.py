"""From level P to machine code: LLVM in process, then ptxas."""
