"""Shadow memory: who accessed each byte last, and the races that follow from it."""
