"""What goes through shared memory, one file per kind of rewrite."""
