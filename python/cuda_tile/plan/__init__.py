# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans: which ones a kernel could have, what they cost, and the search.

- space: the decisions, each a value, and their numbers;
- loads, products, rows: what a decision makes of loads, products and long rows, and
  what engines refuse;
- model: what one candidate costs (clocks, registers, rings), or why it cannot be;
- residency: clocks of a CTA beside those that share its multiprocessor;
- search: of those that fit, the one that costs least;
- write: a candidate as attributes; explain: why it was taken.

The numbers stand in constants.py. Passes ask `problem`, nobody else is needed.
"""
