"""The compiler's passes: one file, one flag, one contract each."""
