# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX text read as plain data; nothing here knows of a machine."""
