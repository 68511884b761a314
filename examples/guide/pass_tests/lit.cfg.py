# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A lit configuration for passes of your own; copy it beside your tests."""

import os
import sys

import lit.formats

config = globals()["config"]  # lit puts it there
config.name = "my passes"
config.suffixes = [".mlir"]
config.test_format = lit.formats.ShTest()
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
tools = (os.path.dirname(sys.executable), "/usr/lib/llvm-22/bin")  # FileCheck is LLVM's
config.environment["PATH"] = os.pathsep.join([*tools, os.environ["PATH"]])
config.substitutions.append(("%passes", os.path.dirname(config.test_source_root)))
