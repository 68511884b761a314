"""The commands: arguments in, text and exit codes out, nothing else."""
