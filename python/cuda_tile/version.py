# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The version of this package; the package's metadata takes it from here."""

__version__ = "0.1.0"
