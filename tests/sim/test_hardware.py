"""The kernels for hardware checks run on the virtual GPU, and their claims hold there. SPDX-License-Identifier: Apache-2.0
WITH LLVM-exception"""

import pathlib
import subprocess
import sys

import hardware
import numpy as np
import samples

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
import hardware_checks  # noqa: E402  (the path comes first)

ALL = {case.name: case for case in hardware.cases()}


def test_runner_runs_all():
    script = pathlib.Path(hardware_checks.__file__)
    run = subprocess.run([sys.executable, str(script), "--sim", samples.SIM], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.startswith("hardware: ")
    assert "0 differs" in run.stdout and "0 failed" in run.stdout, run.stdout


def result(name, tmp_path):
    ours = hardware_checks.simulate(samples.SIM, ALL[name], tmp_path)
    assert not isinstance(ours, str), ours
    return ours


def test_claims(tmp_path):
    case = ALL["shl.b32"]
    want = [int(a) << int(n) & 0xFFFFFFFF if n < 32 else 0 for a, n in zip(case.a, case.b)]
    assert result("shl.b32", tmp_path).tolist() == want
    case = ALL["div.u32"]
    assert result("div.u32", tmp_path).tolist() == [int(a) // int(b) if b else 0xFFFFFFFF for a, b in zip(case.a, case.b)]
    case = ALL["rem.u32"]
    assert result("rem.u32", tmp_path).tolist() == [int(a) % int(b) if b else int(a) for a, b in zip(case.a, case.b)]
    assert result("mbarrier.fresh", tmp_path).tolist() == [1] * 32
    assert result("cp.async.zero", tmp_path).tolist() == [0] * 32
    assert result("elect.sync", tmp_path).tolist() == [0x100] + [0] * 31
    assert result("ldmatrix", tmp_path).tolist() == ALL["ldmatrix"].a.tolist()


def test_differences_are_seen():
    case = ALL["shl.b32"]
    ours = np.arange(32, dtype=np.uint32)
    theirs = ours.copy()
    theirs[5] = 0
    assert hardware_checks.differing_lanes(case, ours, ours) == []
    assert hardware_checks.differing_lanes(case, ours, theirs) == [5]
    bounded = ALL["tanh.approx.f32"]
    x = np.full(32, 0.5, np.float32)
    y = x.copy()
    y[3] += 1e-5
    y[4] += 1e-2
    assert hardware_checks.differing_lanes(bounded, x.view(np.uint32), y.view(np.uint32)) == [4]
