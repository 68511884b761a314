"""What can be known of a kernel without changing it; no policy, no rewriting."""
