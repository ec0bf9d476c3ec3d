"""PTX of Triton's compiler on the virtual GPU: right values, no findings, under several schedules. Needs a Python with
Triton (PAVAGE_TRITON_PYTHON; scripts/triton_ptx_corpus.py --install makes one) or what it has made before
(PAVAGE_TRITON_CORPUS), else everything is skipped.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import triton_cases
from samples import SIM

ROOT = pathlib.Path(__file__).parents[2]


def triton_python():
    """A Python that imports Triton's compiler, or None."""
    named = os.environ.get("PAVAGE_TRITON_PYTHON")
    if named:
        return named
    return sys.executable if importlib.util.find_spec("triton") else None


PYTHON = triton_python()
pytestmark = pytest.mark.skipif(
    not PYTHON and not os.environ.get("PAVAGE_TRITON_CORPUS"),
    reason="no Python with Triton: PAVAGE_TRITON_PYTHON is not set")
CASES = list(triton_cases.cases())
SCHEDULES = {
    "lazy": ["--check", "all,unwritten"],
    "eager": ["--async", "eager", "--seed", "7"],
    "random": ["--async", "random", "--seed", "3"],
}


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    made = os.environ.get("PAVAGE_TRITON_CORPUS")
    folder = pathlib.Path(made) if made else tmp_path_factory.mktemp("triton")
    if made:
        return folder, json.loads((folder / "corpus.json").read_text())["cases"]
    run = subprocess.run([PYTHON, str(ROOT / "scripts/triton_ptx_corpus.py"), "-o", str(folder)], capture_output=True,
                         text=True, env={**os.environ, "TRITON_CACHE_DIR": str(folder / "cache")})
    assert (folder / "corpus.json").exists(), run.stderr
    return folder, json.loads((folder / "corpus.json").read_text())["cases"]


def launch(case, ptx, facts, folder, *options):
    """The finished process, and the arrays that have expected values."""
    command = [SIM, f"{ptx}:{facts['entry']}", "--grid", ",".join(map(str, case.grid)), "--quiet",
               "--block", str(32 * facts["num_warps"]), "--shared", str(facts["shared"])]
    for i, buffer in enumerate(case.buffers):
        element = {"bfloat16": "bf16"}.get(buffer.element, buffer.element)
        spec = ("out:" if buffer.expected is not None else "") + element + str(list(buffer.shape)).replace(" ", "")
        if buffer.values is not None:
            np.save(folder / f"in{i}.npy", buffer.values)
            spec += f"={folder}/in{i}.npy"
        command += ["--arg", spec]
        if buffer.expected is not None:
            command += ["--out", f"{i}={folder}/out{i}.npy"]
    if case.scalars:
        command += ["--args", ",".join(str(v) for v in case.scalars.values())]
    run = subprocess.run([*command, *options], capture_output=True, text=True, timeout=300)
    names = {i: folder / f"out{i}.npy" for i, b in enumerate(case.buffers) if b.expected is not None}
    return run, {i: np.load(name) for i, name in names.items() if name.exists()}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_kernel(case, schedule, corpus, tmp_path):
    folder, index = corpus
    facts = index[case.name]
    assert "error" not in facts, facts.get("error")
    run, values = launch(case, folder / f"{case.name}.ptx", facts, tmp_path, *SCHEDULES[schedule])
    assert run.returncode == 0, run.stdout + run.stderr
    for i, got in values.items():
        buffer = case.buffers[i]
        np.testing.assert_allclose(got.astype(np.float64), buffer.expected.astype(np.float64), rtol=case.tolerance,
                                   atol=case.tolerance, err_msg=buffer.name)


def test_a_dropped_barrier_is_found(corpus, tmp_path):
    """The clean runs mean something: without its barriers the softmax has races."""
    folder, index = corpus
    case = next(c for c in CASES if c.name == "softmax-781-4")
    text = (folder / f"{case.name}.ptx").read_text()
    broken = tmp_path / "broken.ptx"
    broken.write_text("\n".join(line for line in text.splitlines() if "bar.sync" not in line))
    assert broken.read_text() != text
    run, _ = launch(case, broken, index[case.name], tmp_path)
    assert run.returncode == 1 and "race-shared" in run.stderr, run.stderr
