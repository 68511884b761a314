"""mbarriers, cluster barriers, asynchronous copies, the register pool of setmaxnreg."""
