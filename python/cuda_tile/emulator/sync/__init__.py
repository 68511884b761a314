# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mbarriers, cluster barriers, asynchronous copies, the register pool of setmaxnreg."""
