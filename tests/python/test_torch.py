# torch tensors as arguments, and programs for device="cuda" on the CPU; skipped without torch. SPDX-License-Identifier:
# Apache-2.0 WITH LLVM-exception
import subprocess
import sys
import textwrap

import pytest

import pavage
import pavage.language as tl

torch = pytest.importorskip("torch", reason="torch is not installed")


@pavage.jit
def scale(out, x, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16", "int64", "int32", "int8", "uint8"])
def test_tensors_of_each_dtype(dtype, way):
    x = torch.arange(0, 30).to(getattr(torch, dtype))
    out = torch.zeros_like(x)
    scale[(2,)](out, x, 3, 30, BLOCK=16)
    assert torch.equal(out, x * 3)


def test_a_function_with_its_gradient():
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            out = torch.empty_like(x)
            scale[(3,)](out, x, factor, x.numel(), BLOCK=16)
            return out

        @staticmethod
        def backward(ctx, gradient):
            out = torch.empty_like(gradient)
            scale[(3,)](out, gradient.contiguous(), ctx.factor, out.numel(), BLOCK=16)
            return out, None

    x = torch.randn(5, 7, requires_grad=True)
    y = Scale.apply(x, 2.5)
    y.square().sum().backward()
    assert torch.equal(y, x.detach() * 2.5)
    assert torch.allclose(x.grad, 2 * y.detach() * 2.5)


def test_strides_and_offsets_of_views():
    x = torch.arange(40.0)
    out = torch.zeros(12)
    scale[(1,)](out, x[8:], 2.0, 12, BLOCK=16)
    assert torch.equal(out, x[8:20] * 2)


def run(folder, program, *options):
    """What a program prints under the layer for Triton."""
    script = folder / "program.py"
    script.write_text(textwrap.dedent(program))
    result = subprocess.run([sys.executable, "-m", "pavage.compat.triton", *options, str(script)], capture_output=True,
                            text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_nothing_imports_torch_by_itself(tmp_path):
    program = "import sys, triton, triton.language, triton.testing, triton.runtime\nprint('torch' in sys.modules)"
    assert run(tmp_path, program) == ["False"]


def test_code_for_cuda_runs_on_the_cpu(tmp_path):
    # Every way to name the device; what programs ask of torch.cuda; contexts, streams and events.
    assert run(tmp_path, """
        import torch
        made = [torch.zeros(2, device="cuda"), torch.ones(2, device=torch.device("cuda", 0)), torch.ones(2).cuda(),
                torch.rand(2, device="cuda:0"), torch.ones(2).to("cuda"), torch.ones(2).to(device="cuda"),
                torch.ones(2).to(torch.device("cuda")), torch.ones(2, device=0), torch.nn.Linear(2, 2).cuda().weight,
                torch.randn(2, generator=torch.Generator(device="cuda").manual_seed(1), device="cuda")]
        print({t.device.type for t in made})
        cuda = torch.cuda
        cuda.synchronize(); cuda.set_device(0); cuda.empty_cache(); cuda.manual_seed(1)
        print(cuda.is_available(), cuda.current_device(), cuda.device_count(), cuda.get_device_capability()[0] >= 8)
        print(cuda.get_device_properties(0).multi_processor_count >= 1, len(cuda.get_device_name()) > 0)
        start, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        with cuda.device(0), cuda.stream(cuda.Stream()):
            start.record(); end.record(); end.synchronize()
        print(start.elapsed_time(end) >= 0, isinstance(torch.default_generator, torch.Generator))
        with torch.autocast("cuda", dtype=torch.bfloat16):
            print((torch.ones(2, 2).cuda() @ torch.ones(2, 2).cuda()).dtype)
    """, "--torch-device", "cpu") == "{'cpu'} True 0 1 True True True True True torch.bfloat16".split()


def test_amp_decorators_around_a_kernel(tmp_path):
    assert run(tmp_path, """
        import torch, triton, triton.language as tl

        @triton.jit
        def double(out, x, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(out + i, tl.load(x + i) * 2)

        class Double(torch.autograd.Function):
            @staticmethod
            @torch.amp.custom_fwd(device_type="cuda")
            def forward(ctx, x):
                out = torch.empty_like(x)
                double[(1,)](out, x, BLOCK=8)
                return out

            @staticmethod
            @torch.amp.custom_bwd(device_type="cuda")
            def backward(ctx, gradient):
                return Double.apply(gradient.contiguous())

        x = torch.ones(8, device="cuda", requires_grad=True)
        Double.apply(x).sum().backward()
        print(x.grad.sum().item())
    """, "--torch-device", "cpu") == ["16.0"]
