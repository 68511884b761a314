"""What each op demands of layouts: one rule per op, in its family's file."""
