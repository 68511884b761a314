# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program in cuTile and torch that says 'cuda' in many ways.

python -m cuda_tile.cutile torch_program.py
"""

import cuda.tile as ct
import torch

DEVICE = torch.device("cuda")


@ct.kernel
def add(a, b, c, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(
        c,
        index=(i,),
        tile=ct.load(a, index=(i,), shape=(T,)) + ct.load(b, index=(i,), shape=(T,)),
    )


@ct.kernel
def widen(a, y, T: ct.Constant[int]):
    ct.store(y, index=(0,), tile=ct.load(a, index=(0,), shape=(T,)).astype(ct.float32))


@ct.kernel
def stack(arrays, y):
    for i in range(len(arrays)):
        ct.store(y, index=(i,), tile=ct.load(arrays[i], index=(0,), shape=(16,)))


def launch(grid, kernel, *args):
    ct.launch(torch.cuda.current_stream(), grid, kernel, args)


def element_types():
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.int32):
        a = torch.arange(64, device="cuda").to(dtype)
        b = torch.ones(64, device="cuda", dtype=dtype)
        c = torch.empty_like(a)
        launch((4,), add, a, b, c, 16)
        torch.testing.assert_close(c, a + b)
        assert (c.cpu() == torch.arange(64).to(dtype) + 1).all()
    for dtype in (torch.float8_e4m3fn, torch.float8_e5m2):
        a = torch.randn(32, device="cuda").to(dtype)
        y = torch.zeros(32, device="cuda")
        launch((1,), widen, a, y, 32)
        assert (y == a.float()).all()


def strided_views():
    a = torch.arange(128, device=DEVICE, dtype=torch.float32)[::2]
    c = torch.zeros(64, 3, device=DEVICE)
    launch((4,), add, a, a, c[:, 1], 16)
    assert (c[:, 1] == 2 * a).all()
    assert not c[:, 0].any()


def lists():
    arrays = [torch.full((16,), float(n), device="cuda") for n in range(3)]
    y = torch.zeros(48, device="cuda")
    launch((1,), stack, arrays, y)
    assert y[::16].tolist() == [0, 1, 2]


def devices():
    host = torch.ones(64)
    assert not host.is_cuda
    device = host.cuda()
    assert device.is_cuda
    assert device.device == torch.device("cuda", 0)
    device += 1  # copies are copies
    assert host.sum() == 64
    back = device.to("cpu")
    assert not back.is_cuda
    back += 1
    assert device.sum() == 128
    assert device.to(torch.float16).is_cuda
    assert device[::2].view(4, 8).t().is_cuda
    with DEVICE:
        assert torch.zeros(3).is_cuda
    values, places = device.view(8, 8).max(dim=1)
    assert values.is_cuda
    assert places.is_cuda
    for refused in (device.numpy, device.__array__):
        try:
            refused()
        except TypeError as error:
            said = str(error)
            if "can't convert cuda:0" not in said:
                raise
        else:
            raise AssertionError("a device tensor became a NumPy array")


class Double(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        y = torch.empty_like(x)
        launch((1,), add, x.detach(), x.detach(), y, 16)
        return y

    @staticmethod
    def backward(context, gradient):
        result = torch.empty_like(gradient)
        gradient = gradient.contiguous()
        launch((1,), add, gradient, gradient, result, 16)
        return result


def training():
    x = torch.randn(16, device="cuda", requires_grad=True)
    Double.apply(x).sum().backward()
    assert x.grad.is_cuda
    assert (x.grad == 2).all()
    layer = torch.nn.Linear(16, 4).to("cuda")
    assert layer.weight.is_cuda
    layer(torch.randn(2, 16, device="cuda")).sum().backward()
    assert layer.weight.grad.is_cuda
    generator = torch.Generator(device="cuda").manual_seed(3)
    assert torch.randn(4, device="cuda", generator=generator).is_cuda


def queries():
    assert torch.cuda.is_available()
    assert torch.cuda.get_device_capability() == (9, 0)
    assert torch.cuda.get_device_properties(0).multi_processor_count > 0
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    end.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) >= 0


def tuning():
    a = torch.ones(64, device="cuda")
    found = ct.tune.exhaustive_search(
        [8, 16],
        torch.cuda.current_stream(),
        lambda size: (64 // size,),
        add,
        lambda size: (a, a, torch.empty_like(a), size),
        quiet=True,
    )
    assert found.best.config in (8, 16)


def refusals():
    host = torch.ones(64)
    try:
        launch((4,), add, host, host, host, 16)
    except ValueError as error:
        if "argument 2 is a torch.Tensor in host memory" not in error.__notes__[2]:
            raise
    else:
        raise AssertionError("tensors of the host were taken")


for test in (
    element_types,
    strided_views,
    lists,
    devices,
    training,
    queries,
    tuning,
    refusals,
):
    test()
torch.set_default_device("cuda")
assert torch.nn.Linear(3, 3).weight.is_cuda
print("all as on a GPU")
