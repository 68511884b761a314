# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# level.sh KERNEL GPU STEP: what a step leaves of a kernel, behind its views.
# For reading: without types at the ends of lines and without promises and the plan's attributes.
cuda-tile-compile "$1" --gpu "$2" --no-line-info --print-after="$3" -o out.cubin 2>&1 |
    sed -nE '/get_tile_block_id|= tileas\.ring/,/^ *return/p' |
    sed -E '/= (assume|make_(tensor|partition)_view) /d' |
    sed -E -e 's/ \{inbounds = [^{}]*\}//' \
        -e 's/ \{(inbounds = [^{}]*, )?tileas.plan = [^}]*\}+//' \
        -e 's/\((%[a-zA-Z0-9_#]+) : [^()]*\)/(\1)/' \
        -e '/ for /!s/ : .*$//' -e 's/^      //' -e 's/ : tile<i32> iter_values/ iter_values/' \
        -e 's/ -> \(.*\) \{$/ {/' -e 's/ *$//' -e '/%cst_?-?[0-9]*_i32[_0-9]* = constant/d'
