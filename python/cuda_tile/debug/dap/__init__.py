# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debug Adapter Protocol: how editors talk to the debugger.

https://microsoft.github.io/debug-adapter-protocol/specification, version 1.70.
"""
