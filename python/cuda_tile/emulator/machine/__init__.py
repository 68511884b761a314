"""The state of the CTAs that run, functions compiled for it, and the scheduler."""
