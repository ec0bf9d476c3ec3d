"""CUDA C++ samples on the virtual GPU: right results and no findings. Needs nvcc, else everything is skipped.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""

import subprocess

import numpy as np
import pytest
import samples

pytestmark = pytest.mark.skipif(not samples.NVCC, reason="nvcc is not installed")
ALL = samples.all_samples()


@pytest.fixture(scope="session")
def ptx_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ptx")


@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("arch", [75, 80, 90])
@pytest.mark.parametrize("sample", ALL, ids=[s.kernel for s in ALL])
def test_sample(sample, arch, level, ptx_folder, tmp_path):
    if arch < sample.minimum:
        pytest.skip(f"needs sm_{sample.minimum}")
    ptx = samples.compile_ptx(sample.file, arch, level, ptx_folder)
    for options in (["--check", "all,unwritten"], ["--async", "random", "--seed", "3"], ["--async", "eager", "--seed", "7"], ["--schedule", "independent", "--seed", "11"]):
        run, values = samples.launch(sample, ptx, tmp_path, *options)
        assert run.returncode == 0, f"{' '.join(options)}\n{run.stdout}{run.stderr}"
        for k, want in sample.expected.items():
            np.testing.assert_array_equal(values[k], want)


@pytest.mark.parametrize("arch", [80, 90])
def test_forms_of_intrinsics(arch, ptx_folder):
    ptx = samples.compile_ptx("intrinsics", arch, 3, ptx_folder)
    run = subprocess.run([samples.SIM, "--list-forms", str(ptx)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) > 60


def test_filter(ptx_folder, tmp_path):
    x = np.random.default_rng(1).integers(-4, 5, 777).astype(np.int32)
    sample = samples.Sample("groups:groups_filter", "7", "128", [x, np.zeros(777, np.int32), np.zeros(1, np.int32)], [777], {1: None, 2: None})
    run, values = samples.launch(sample, samples.compile_ptx("groups", 80, 3, ptx_folder), tmp_path)
    assert run.returncode == 0, run.stderr
    assert values[2][0] == (x > 0).sum()
    assert sorted(values[1][: values[2][0]]) == sorted(x[x > 0])


def test_scalars(ptx_folder, tmp_path):
    random = np.random.default_rng(2)
    a = random.integers(-(2**31), 2**31, 500).astype(np.int32)
    b = random.integers(-1000, 1000, 500).astype(np.int32)
    results = []
    for arch, level in ((75, 3), (80, 0), (90, 3)):
        sample = samples.Sample("scalars:scalars_integer", "4", "128", [a, b, (np.int64, (500,))], [500], {2: None})
        run, values = samples.launch(sample, samples.compile_ptx("scalars", arch, level, ptx_folder), tmp_path)
        assert run.returncode == 0, run.stderr
        results.append(values[2])
    # The compiler's choice of instructions differs with the level; the meaning does not.
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])
    x = (random.integers(-64, 64, 500) * 0.25).astype(np.float32)
    y = (random.integers(-64, 64, 500) * 0.5).astype(np.float32)
    want = x + y + x * 0.5 + x / 4 + np.floor(x * 0.5) + np.minimum(x, y) + abs(y) + (x * 0.25 + y) + (x * 0.5 + y) + x + np.trunc(x * 1.5)
    sample = samples.Sample("scalars:scalars_float", "4", "128", [x, y, (np.float32, (500,))], [500], {2: None})
    run, values = samples.launch(sample, samples.compile_ptx("scalars", 80, 3, ptx_folder), tmp_path)
    assert run.returncode == 0, run.stderr
    np.testing.assert_array_equal(values[2], want.astype(np.float32))


def test_printf_and_assert(ptx_folder, tmp_path):
    ptx = samples.compile_ptx("functions", 80, 3, ptx_folder)
    run, _ = samples.launch(samples.Sample("functions:hello", "1", "32", [], [2], {}), ptx, tmp_path)
    assert run.returncode == 0
    assert run.stdout == "thread 0 of 32: text  0.00 -5 x%\nthread 1 of 32: text  0.50 -5 x%\n"
    run, _ = samples.launch(samples.Sample("functions:broken", "1", "32", [], [40], {}), ptx, tmp_path)
    assert run.returncode == 0
    run, _ = samples.launch(samples.Sample("functions:broken", "1", "32", [], [20], {}), ptx, tmp_path)
    assert run.returncode == 1
    assert "PV0653" in run.stderr and "too many threads" in run.stderr
