"""Level W to level P: what each op becomes for one thread, one rule per op."""
