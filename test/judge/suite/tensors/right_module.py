# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import cuda.tile as ct
import torch


@ct.kernel
def mean_squares(x, sums, n: ct.Constant[int], width: ct.Constant[int]):
    row = ct.bid(0)
    zero = ct.PaddingMode.ZERO
    values = ct.load(x, index=(row, 0), shape=(1, width), padding_mode=zero)
    ct.store(sums, index=(row,), tile=ct.sum(values * values, axis=1) / n)


@ct.kernel
def scale(x, weight, sums, y, eps, width: ct.Constant[int]):
    row = ct.bid(0)
    values = ct.load(x, index=(row, 0), shape=(1, width))
    factor = ct.astype(ct.load(weight, index=(0, 0), shape=(1, width)), ct.float32)
    mean = ct.load(sums, index=(row,), shape=(1,)).reshape((1, 1))
    ct.store(
        y, index=(row, 0), tile=(values * factor / ct.sqrt(mean + eps)).astype(y.dtype)
    )


class Norm(torch.nn.Module):
    def forward(self, x, weight, eps):
        rows, n = x.shape
        width = 1 << (n - 1).bit_length()
        stream = torch.cuda.current_stream()
        sums = x.new_empty(rows)
        y = torch.zeros(rows, n, dtype=torch.bfloat16, device=x.device)
        ct.launch(stream, (rows, 1, 1), mean_squares, (x, sums, n, width))
        words = x, weight.unsqueeze(0), sums, y, eps, width
        ct.launch(stream, (rows, 1, 1), scale, words)
        return y.contiguous()


NORM = Norm().eval()


@torch.no_grad()
def candidate(x, weight, eps):
    return NORM(x, weight, eps)
