"""What all Python tests share: an artifact cache of their own and reproducible random programs.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# As an installed package would: the fixture pavage_sim.
if importlib.util.find_spec("pavage"):
    pytest_plugins = ["pavage.pytest_plugin"]

ROOT = Path(__file__).resolve().parent.parent

# One cache per test process: never the user's own, empty at the start, gone at the end.
_cache = tempfile.mkdtemp(prefix="pavage-test-cache-")
os.environ["PAVAGE_CACHE_DIR"] = _cache
for _name in ("DEVICE", "INTERPRET", "CHECK", "TUNING", "TUNING_FILE", "DUMP", "FP_FUSION", "ON_RECOMPILE"):
    os.environ.pop("PAVAGE_" + _name, None)

settings.register_profile("pavage", derandomize=True, deadline=None, max_examples=100)
settings.load_profile("pavage")


def pytest_unconfigure(config):
    shutil.rmtree(_cache, ignore_errors=True)


@pytest.fixture(scope="session")
def build_dir():
    """The build folder under test."""
    return Path(os.environ.get("PAVAGE_BUILD_DIR", ROOT / "build"))
