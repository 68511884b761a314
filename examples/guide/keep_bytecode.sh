#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Stands in the place of `tileiras`: keeps the bytecode that a producer hands over in the
# folder $KEEP, and compiles it with cuda-tile-as.
for word; do
    if [ -f "$word" ] && [ "$(head -c 7 "$word" | tail -c 6)" = TileIR ]; then
        mkdir -p "$KEEP" && cp "$word" "$KEEP/"
    fi
done
exec cuda-tile-as "$@"
