# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import numpy as np

from cuda_tile import cutile


@ct.kernel
def shift(x, y, size: ct.Constant[int]):
    i = ct.bid(0) * size + ct.arange(size, dtype=ct.int32)
    ct.scatter(y, i, ct.gather(x, i + 1, check_bounds=False))


x, y = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
cutile.launch((2,), shift, (x, y, 64))
assert (y[:128] == x[1:129]).all()
print(cutile.launches[-1].report.steps, "operations")

compiled = cutile.compile(shift, (x, y, 64), gpu="sm_80")
print(compiled.report.kernels[0].registers, "registers")
print(cutile.bytecode(shift, (x, y, 64), version="13.1")[:10])
try:
    cutile.launch((4,), shift, (x, y, 64))
except cutile.KernelError as error:
    print(error)
