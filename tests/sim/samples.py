"""CUDA C++ samples for the virtual GPU: how to build, launch and check each. SPDX-License-Identifier: Apache-2.0 WITH
LLVM-exception"""

import dataclasses
import os
import pathlib
import shutil
import subprocess

import numpy as np

FOLDER = pathlib.Path(__file__).parent / "samples"
BUILD = pathlib.Path(os.environ.get("PAVAGE_BUILD_DIR", pathlib.Path(__file__).parents[2] / "build"))
SIM = os.environ.get("PAVAGE_SIM", str(BUILD / "bin" / "pavage-sim"))
OLDEST = {"gemm_mma": 80, "pipeline": 80, "intrinsics": 80}  # first architecture of a file, where not sm_75
NVCC = shutil.which("nvcc") or (shutil.which("/usr/local/cuda/bin/nvcc"))


@dataclasses.dataclass
class Sample:
    name: str  # file:kernel
    grid: str
    block: str
    buffers: list  # arrays, or (dtype, shape) of an output
    scalars: list
    expected: dict  # buffer index -> array
    shared: int = 0
    minimum: int = 75  # first architecture
    tolerance: float = 0.0

    @property
    def file(self):
        return self.name.split(":")[0]

    @property
    def kernel(self):
        return self.name.split(":")[1]


def compile_ptx(file, arch, level, folder):
    """The PTX of a sample, made once per folder."""
    out = pathlib.Path(folder) / f"{file}-{arch}-{level}.ptx"
    if not out.exists():
        command = [NVCC, "-std=c++17", f"-arch=sm_{arch}", "-ptx", "-lineinfo", "-Xcicc", f"-O{level}"]
        if level == 0:
            command = [NVCC, "-std=c++17", f"-arch=sm_{arch}", "-ptx", "-G"]
        run = subprocess.run(command + [str(FOLDER / f"{file}.cu"), "-o", str(out)], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
    return out


def launch(sample, ptx, folder, *options):
    """Runs a sample; returns the finished process and its buffers."""
    folder = pathlib.Path(folder)
    command = [SIM, f"{ptx}:{sample.kernel}", "--grid", sample.grid, "--block", sample.block, "--quiet"]
    outputs = []
    for k, buffer in enumerate(sample.buffers):
        if isinstance(buffer, tuple):
            dtype, shape, spec = np.dtype(buffer[0]), buffer[1], ""
        else:
            dtype, shape = buffer.dtype, buffer.shape
            np.save(folder / f"in{k}.npy", buffer)
            spec = f"={folder}/in{k}.npy"
        dims = ",".join(str(d) for d in shape)
        mark = "out:" if k in sample.expected else ""
        command += ["--arg", f"{mark}{dtype.name}[{dims}]{spec}"]
        if k in sample.expected:
            outputs.append(k)
            command += ["--out", f"{k}={folder}/out{k}.npy"]
    if sample.scalars:
        command += ["--args", ",".join(str(s) for s in sample.scalars)]
    if sample.shared:
        command += ["--shared", str(sample.shared)]
    run = subprocess.run(command + list(options), capture_output=True, text=True, timeout=120)
    values = {k: np.load(folder / f"out{k}.npy") for k in outputs} if run.returncode in (0, 1) and outputs and (folder / f"out{outputs[-1]}.npy").exists() else {}
    return run, values


def all_samples():
    random = np.random.default_rng(0)

    def ints(shape, dtype=np.float32, low=-4, high=5):
        return random.integers(low, high, shape).astype(dtype)

    samples = []
    x = ints(1000)
    partial = np.array([sum(x[i] for i in range(1000) if (i // 128) % 3 == b) for b in range(3)], np.float32)
    samples.append(Sample("reduce:reduce_shared", "3", "128", [x, (np.float32, (3,))], [1000], {1: partial}, shared=512))
    samples.append(Sample("reduce:reduce_shuffle", "4", "256", [x, np.zeros(1, np.float32)], [1000], {1: np.array([x.sum()], np.float32)}))
    y = ints(1500, np.int32)
    samples.append(Sample("reduce:reduce_last_block", "6", "256", [y, (np.int32, (6,)), np.zeros(1, np.uint32), (np.int32, (1,))], [1500], {3: np.array([y.sum()], np.int32)}))
    z = ints(200, np.int32)
    for kernel in ("scan_doubling", "scan_shuffle"):
        samples.append(Sample(f"scan:{kernel}", "1", "256", [z, (np.int32, (200,))], [200], {1: np.cumsum(z).astype(np.int32)}))
    for kernel, dtype in (("transpose_float", np.float32), ("transpose_half", np.float16)):
        m = ints((50, 70), dtype)
        samples.append(Sample(f"transpose:{kernel}", "3,2", "32,8", [m, (dtype, (70, 50))], [70, 50], {1: m.T.copy()}))
    b = random.integers(0, 256, 3000).astype(np.uint8)
    samples.append(Sample("histogram:histogram", "5", "96", [b, np.zeros(64, np.uint32)], [3000], {1: np.bincount(b & 63, minlength=64).astype(np.uint32)}))
    k = random.integers(0, 2**32, 200, dtype=np.uint64).astype(np.uint32)
    samples.append(Sample("radix_sort:radix_sort", "1", "256", [k], [200], {0: np.sort(k)}))
    s = ints((37, 50))
    p = np.pad(s, 1)
    five = p[1:-1, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] + p[:-2, 1:-1] + p[2:, 1:-1]
    samples.append(Sample("stencil:five_point", "2,5", "32,8", [s, (np.float32, s.shape)], [50, 37], {1: five.astype(np.float32)}))
    smooth = np.array([sum(x[min(max(i + q, 0), 999)] for q in range(-3, 4)) for i in range(1000)], np.float32)
    samples.append(Sample("stencil:smooth", "8", "128", [x, (np.float32, (1000,))], [1000, 3], {1: smooth}))
    a, c = ints((48, 48), np.float16), ints((48, 48), np.float16)
    samples.append(Sample("gemm_wmma:gemm_wmma", "3,3", "32", [a, c, (np.float32, (48, 48))], [48], {2: 2 * (a.astype(np.float32) @ c.astype(np.float32))}))
    a, c = ints((136, 72), np.float16), ints((72, 200), np.float16)
    samples.append(Sample("gemm_mma:gemm", "2,2", "256", [a, c, (np.float32, (136, 200))], [136, 200, 72], {2: a.astype(np.float32) @ c.astype(np.float32)}, minimum=80))
    t = ints((2, 7, 256))
    samples.append(Sample("pipeline:pipeline_groups", "2", "256", [t, (np.float32, (2, 256))], [7], {1: t[:, :, ::-1].sum(1)}, minimum=80))
    t = ints((5, 128))
    samples.append(Sample("pipeline:pipeline_barrier", "1", "128", [t, (np.float32, (128,))], [5], {1: t[:, ::-1].sum(0)}, minimum=80))
    t = ints((11, 32), np.int32)
    want = np.stack([t[:, ::-1].sum(0) * w for w in (1, 2, 3)]).astype(np.int32)
    samples.append(Sample("pipeline:pipeline_producer", "1", "128", [t, (np.int32, (3, 32))], [11], {1: want}, minimum=80))
    g = ints(1000, np.int32)
    padded = np.pad(g, (0, 24)).reshape(-1, 8).sum(1).astype(np.int32)
    samples.append(Sample("groups:groups_tile", "8", "128", [g, (np.int32, (128,))], [1000], {1: padded}))
    v = ints(64, np.int32, -3, 4)
    out = []
    for x64 in v:
        low, high = int(np.fmod(int(x64) * 1000003, 97)), int(np.trunc(int(x64) * 1000003 / 97))
        xi = int(x64)
        yi = xi * xi if xi & 1 else 2 * xi
        zi = xi + ((xi >> 1) & 7) * yi
        zi = [zi + 11, zi - 5, zi ^ 77, zi * 3, zi | 1, -zi, zi >> 1, 0][xi & 7]
        out.append(zi + low + high)
    samples.append(Sample("functions:functions", "2", "32", [v, (np.int32, (64,))], [64], {1: np.array(out, np.int32)}))
    return samples
