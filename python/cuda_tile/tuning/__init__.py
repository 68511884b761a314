# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tuner that needs no GPU: which plan, hints and constants take the fewest clocks.

- marks: constants that the author of a kernel marks, with values to try;
- space: the candidates, and those that an estimate rules out;
- job: compiles a candidate and counts what it does, in a process of its own;
- clocks: what a candidate takes, by its counts or by an estimate;
- ranking: what else is dropped, the order of the rest, and why the first is first;
- search: all of that; `tune` is the way in.

docs/tuning.md describes the command. The record that it writes is in tuned.py.
"""
