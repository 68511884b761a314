"""The state spaces: where variables lie, loads, stores and atomics, their counts."""
