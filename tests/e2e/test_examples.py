"""Every example runs, checks itself, and says so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))


def run(path, folder, *arguments, **environment):
    result = subprocess.run([sys.executable, str(path), *arguments], cwd=folder, capture_output=True, text=True,
                            env={**os.environ, **environment}, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem != "digits"], ids=lambda path: path.stem)
def test_example(path, tmp_path):
    assert run(path, tmp_path).strip()


def test_digits_are_learnt(tmp_path):
    """The demo: at least 95 % of the test part, in a minute, and a picture."""
    path = next(path for path in EXAMPLES if path.stem == "digits")
    output = run(path, tmp_path, "--output", str(tmp_path / "digits.png"))
    assert "% of" in output and "compiled:" in output
    assert (tmp_path / "digits.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["vector_add"])
def test_example_in_other_ways(name, tmp_path):
    """Interpreted, eager and checked: the same program, the same self-check."""
    path = next(path for path in EXAMPLES if path.stem == name)
    assert len(EXAMPLES) >= 7
    for environment in ({"PAVAGE_DEVICE": "interp"}, {"PAVAGE_INTERPRET": "1"}, {"PAVAGE_CHECK": "1"}):
        assert run(path, tmp_path, **environment).strip()
