"""Shadow memory: the last accesses to each byte, and the races among them."""
