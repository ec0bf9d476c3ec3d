# `pavage sim FILE.py:KERNEL`. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import subprocess

import numpy as np
import pytest

SOURCE = """
import pavage
import pavage.language as tl

@pavage.jit
def double(out, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

@pavage.jit
def collide(out, x):
    tl.store(out, tl.load(x + tl.program_id(0)))
"""
DOUBLE = ["--grid", "2", "--arg", "out:f32[100]", "--arg", "f32[100]=arange"]


@pytest.fixture
def sim(tmp_path, build_dir):
    (tmp_path / "demo.py").write_text(SOURCE)

    def run(kernel, *options):
        return subprocess.run(
            [build_dir / "bin/pavage", "sim", f"demo.py:{kernel}", *options],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={k: v for k, v in os.environ.items() if k != "PAVAGE_DEVICE"},
        )

    return run


def test_clean_with_reports(sim, tmp_path):
    reports = ["--json", "r.json", "--html", "r.html", "--out", "0=o.npy"]
    done = sim("double", *DOUBLE, "--args", "100,64", "--num-warps", "1", *reports)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "o.npy"), 2 * np.arange(100, dtype=np.float32))
    assert "demo.py" in done.stdout and "tl.load(x + i, mask=i < n) * 2" in done.stdout
    assert done.stdout.endswith("0 findings\n")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["findings"] == []
    # 100 floats are 12.5 sectors, read and written.
    assert report["counters"]["sectors"] == report["counters"]["sectors_ideal"] == 26
    assert (tmp_path / "r.html").read_text().startswith("<!doctype html>")


def test_a_fault(sim):
    done = sim("double", *DOUBLE, "--args", "101,64", "--target", "sm_90", "--json", "-")
    assert done.returncode == 1
    assert "demo.py:8:" in done.stderr and "error PV0640: oob" in done.stderr
    (finding, *_) = json.loads(done.stdout)["findings"]
    assert finding["kind"] == "oob" and finding["file"].endswith("demo.py") and finding["line"] == 8
    assert finding["op"].startswith("tile.") and finding["is_fault"]


def test_other_findings_and_checks(sim):
    options = ["--grid", "4", "--arg", "out:f32[1]", "--arg", "f32[4]=arange"]
    done = sim("collide", *options, "--quiet")
    assert done.returncode == 1 and "race-global" in done.stderr and done.stdout == ""
    assert sim("collide", *options, "--check", "oob,uninit").returncode == 0
    missing = sim("double", *DOUBLE, "--args=90,64", "--check=all,unwritten", "--seed=5", "--async=random", "--quiet")
    assert missing.returncode == 1 and "10 of 100 elements of output 'out' were never written" in missing.stderr


@pytest.mark.parametrize(
    "options, error",
    [
        (["--target", "sm_100"], "PV0301"),
        (["--check", "nonsense"], "PV0630"),
        (["--async", "soon"], "PV0630"),
        (["--seed"], "PV0811"),
        (["--colour", "red"], "PV0810"),
        (["--json", "/nowhere/x.json"], "PV0814"),
    ],
)
def test_options_that_cannot_be(sim, options, error):
    done = sim("double", *DOUBLE, "--args", "100,64", *options)
    assert done.returncode == 1 and error in done.stderr, done.stderr


def test_help(sim):
    done = sim("double", "--help")
    assert done.returncode == 0 and "usage: pavage sim FILE.py:KERNEL" in done.stdout
