"""A minute of random programs from a fixed seed, and the programs that once failed."""

import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
CORPUS = sorted(FOLDER.glob("corpus/*.mlir"))


def fuzz(build_dir, *arguments):
    command = [str(build_dir / "bin/pavage-fuzz"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def test_random_programs(build_dir, tmp_path):
    result = fuzz(build_dir, "--seconds", 60, "--seed", 1, "--out", tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert int(result.stdout.split()[0]) > 100, result.stdout


@pytest.mark.parametrize("program", CORPUS, ids=lambda path: path.stem)
def test_kept_program(build_dir, program):
    result = fuzz(build_dir, "--replay", program)
    assert result.returncode == 0, result.stdout + result.stderr
