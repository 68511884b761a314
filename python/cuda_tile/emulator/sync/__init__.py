"""Waits: mbarriers, cluster barriers, asynchronous copies, registers on loan."""
