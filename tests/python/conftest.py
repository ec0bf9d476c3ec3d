# Where the kernels of these tests run, and as whose. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import importlib

import pytest

import pavage
import pavage.compat.triton as layer

WAYS = ("cpu", "interp", "eager")


@pytest.fixture(params=WAYS)
def way(request):
    """The test runs once on each device, and once with the kernels' Python running natively."""
    with pavage.device("cpu" if request.param == "eager" else request.param):
        with pavage.interpret(request.param == "eager"):
            yield request.param


@pytest.fixture
def triton():
    """The layer for Triton code, installed while the test runs, as the module `triton`."""
    layer.install()
    try:
        yield importlib.import_module("triton")
    finally:
        layer.uninstall()
