# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A test suite in cuTile and torch: what such suites do besides launching kernels.

pytest -p cuda_tile.cutile.pytest_plugin --cutile-on=interp torch_suite.py
"""

import copy
import pickle
import subprocess
import sys
import threading

import cuda.tile as ct
import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.testing import assert_close, make_tensor
from torch.utils.checkpoint import checkpoint


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)
    torch.cuda.manual_seed_all(0)


@ct.kernel
def copy_kernel(x, y, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)))


def launch(x, y, stream=None):
    grid = (ct.cdiv(x.numel(), 16),)
    stream = stream or torch.cuda.current_stream()
    ct.launch(stream, grid, copy_kernel, (x.reshape(-1), y.reshape(-1), 16))


def copied(x):
    y = torch.empty_like(x)
    launch(x, y)
    return y


DTYPES = [torch.float32, torch.bfloat16, torch.float16, torch.int8, torch.int64]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("size", [64, 100])
def test_copy(dtype, size):
    x = make_tensor((size,), dtype=dtype, device="cuda")
    assert_close(copied(x), x)


@pytest.mark.parametrize(
    "device", ["cuda", "cuda:0", 0, torch.device("cuda"), torch.device("cuda", 0)]
)
def test_names_of_the_device(device):
    x = torch.zeros(3, device=device)
    assert x.is_cuda
    assert str(x.device) == "cuda:0"
    assert repr(x) == "tensor([0., 0., 0.], device='cuda:0')"
    assert "device='cuda:0', dtype=torch.int8" in repr(x[0].to(torch.int8))
    with torch.device(device):
        assert torch.zeros(2).is_cuda
    assert torch.ones(3).to(device).is_cuda


def test_random_numbers():
    numbers = []
    for _ in range(2):
        torch.manual_seed(5)
        state = torch.cuda.get_rng_state()
        numbers.append(torch.rand(4, device="cuda"))
        torch.cuda.set_rng_state(state)
        assert (torch.rand(4, device="cuda") == numbers[-1]).all()
    assert (numbers[0] == numbers[1]).all()
    with torch.random.fork_rng():
        torch.rand(3, device="cuda")
    assert torch.Generator("cuda").device.type == "cuda"


def test_host_and_device_differ():
    x, h = torch.ones(3, device="cuda"), torch.zeros(3)
    h.copy_(x)
    assert h.sum() == 3
    assert not h.is_cuda
    torch.add(x, x, out=h)
    assert not h.is_cuda
    with pytest.raises(AssertionError):
        assert_close(x, torch.ones(3))
    assert_close(x.cpu(), torch.ones(3))
    assert not torch.empty(3, pin_memory=True).is_cuda
    assert x.type() == "torch.cuda.FloatTensor"
    assert h.type(torch.cuda.HalfTensor).is_cuda
    assert torch.cuda.LongTensor([1]).is_cuda


def test_results_are_on_the_device():
    x = torch.randn(2, 8, device="cuda")
    results = [
        functional.scaled_dot_product_attention(x[None], x[None], x[None]),
        functional.one_hot(torch.tensor([1], device="cuda"), 3),
        torch.einsum("ij,kj->ik", x, x),
        torch.stack([x, x]),
        *torch.meshgrid(torch.arange(3, device="cuda"), indexing="ij"),
        torch.distributions.Normal(x, x.abs() + 1).sample(),
        torch.normal(0.0, 1.0, (3,), device="cuda"),
        torch.nn.init.xavier_uniform_(torch.empty(3, 3, device="cuda")),
        torch.vmap(lambda row: row.sum())(x),
        torch.func.grad(lambda y: y.sum())(x),
        x.new_zeros(3),
        x.type_as(x),
        x.unique(),
        copy.deepcopy(x),
        pickle.loads(pickle.dumps(x)),
    ]
    for result in results:
        assert result.is_cuda


def test_modules():
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.LayerNorm(8)
            self.register_buffer("bias", torch.zeros(8))

        def forward(self, x):
            return copied(self.norm(x)) + self.bias

    layer = Layer().to(torch.bfloat16).to(device="cuda")
    assert layer.bias.is_cuda
    layer = Layer().cuda()
    optimizer = torch.optim.AdamW(layer.parameters())
    (layer.norm(torch.randn(2, 8, device="cuda")).sum()).backward()
    optimizer.step()
    assert layer.norm.weight.is_cuda
    assert layer(torch.randn(2, 8, device="cuda")).is_cuda
    assert not layer.cpu().bias.is_cuda


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(context, x, factor):
        context.factor = factor  # and no tensor is saved
        return copied(x) * factor

    @staticmethod
    def backward(context, gradient):
        assert gradient.is_cuda
        return copied(gradient.contiguous()) * context.factor, None


def test_training():
    x = torch.randn(32, device="cuda", requires_grad=True)
    seen = []
    y = Scaled.apply(x, 3.0)
    y.register_hook(lambda gradient: seen.append(gradient.is_cuda))
    y.sum().backward()
    assert (x.grad == 3).all()
    assert x.grad.is_cuda
    assert seen == [True]
    (gradient,) = torch.autograd.grad(Scaled.apply(x, 2.0), x, torch.ones_like(x))
    assert gradient.is_cuda


def test_recomputed_blocks():
    x = torch.randn(32, device="cuda", requires_grad=True)
    y = checkpoint(
        lambda x: (x + torch.ones(32, device="cuda")).sin(), x, use_reentrant=False
    )
    y.sum().backward()
    assert_close(x.grad, (x.detach() + 1).cos())


def test_compiled_functions():
    @torch.compile(fullgraph=True)
    def double(x):
        return copied(x) * 2

    x = torch.randn(32, device="cuda")
    assert_close(double(x), 2 * x)
    assert_close(torch.compile(copied, mode="max-autotune")(x), x)


def test_custom_operators():
    @torch.library.custom_op("suite::copy", mutates_args=(), device_types="cuda")
    def operator(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(x.shape, device="cuda", dtype=x.dtype)
        launch(x, y)
        return y

    @operator.register_kernel("cpu")
    def _(x):
        return -x

    x = torch.randn(32, device="cuda")
    assert_close(operator(x), x)
    assert_close(torch.ops.suite.copy(x), x)
    assert_close(operator(x.cpu()), -x.cpu())


@pytest.mark.parametrize("place", [None, "cpu", "cuda", {"cuda:0": "cpu"}])
def test_files(place, tmp_path):
    torch.save(torch.ones(4, device="cuda"), tmp_path / "x")
    x = torch.load(tmp_path / "x", map_location=place)
    assert x.is_cuda == (place in (None, "cuda"))


def test_other_libraries():
    import cupy

    x = torch.randn(16, device="cuda")
    assert torch.from_dlpack(x).is_cuda
    assert torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x)).is_cuda
    assert not torch.from_dlpack(np.ones(3)).is_cuda
    assert x.__dlpack_device__() == (2, 0)
    assert x.__cuda_array_interface__["data"][0] == x.data_ptr()
    for read in (cupy.asarray, cupy.from_dlpack):
        array = read(x)
        array += 1
        assert (array.get() == x.cpu().numpy()).all()
        assert torch.as_tensor(array).data_ptr() == x.data_ptr()
        assert torch.as_tensor(array, device="cuda").is_cuda


def test_streams():
    stream, x = torch.cuda.Stream(), torch.randn(32, device="cuda")
    y = torch.zeros_like(x)
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() == stream
        launch(x, y)
    assert torch.cuda.current_stream() != stream
    assert stream.device.type == "cuda"
    stream.record_event().synchronize()
    for other in (stream, stream.cuda_stream, torch.cuda.default_stream()):
        y.zero_()
        launch(x, y, other)
        assert_close(x, y)


def test_threads():
    found = []

    def work(number):
        found.append(copied(torch.full((32,), float(number), device="cuda")))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(x[0].item() for x in found) == [0, 1, 2, 3]


def test_graphs():
    x, count = torch.randn(64, device="cuda"), torch.ones(64, device="cuda")
    y = torch.zeros_like(x)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        doubled = x * 2
        count += 1
        launch(doubled, y)
    assert (y == 0).all()
    assert (count == 1).all()
    graph.replay()
    assert_close(y, 2 * x)
    x.copy_(torch.ones(64))
    graph.replay()
    assert (y == 2).all()
    assert (count == 3).all()


def test_tuning():
    x = torch.randn(256, device="cuda")
    words = ((16, 64), torch.cuda.current_stream(), lambda size: (256 // size,))
    for limit in (None, 60.0):
        found = ct.tune.exhaustive_search(
            *words,
            copy_kernel,
            lambda size: (x, torch.empty_like(x), size),
            quiet=True,
            single_run_timeout_sec=limit,
        )
        assert found.best.config == 64
        assert found.best.num_samples < 20


def test_queries():
    cuda = torch.cuda
    assert cuda.is_available()
    assert torch.backends.cuda.is_built()
    assert cuda.get_device_properties("cuda").major == 9
    assert cuda.memory_stats().get("active", 0) == 0
    assert torch.accelerator.current_accelerator().type == "cuda"
    cuda._sleep(3)
    cuda.memory.empty_cache()
    with cuda.device(0), cuda.nvtx.range("name"):
        torch.accelerator.synchronize()


def test_a_process_that_imports_torch_first():
    text = "import torch, cuda.tile; print(torch.zeros(3, device='cuda').is_cuda)"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"


def test_errors():
    x = torch.zeros(16, device="cuda")
    stream = torch.cuda.current_stream()
    with pytest.raises(ct.TileTypeError, match="power of two"):
        ct.launch(stream, (1,), copy_kernel, (x, x, 15))
    with pytest.raises(ValueError, match="host"):
        launch(x.cpu(), x)
    with pytest.raises(TypeError):
        ct.launch(stream, (1,), copy_kernel, (x,))
