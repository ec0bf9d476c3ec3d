# Where the kernels of these tests run. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pytest

import pavage

WAYS = ("cpu", "interp", "eager")


@pytest.fixture(params=WAYS)
def way(request):
    """The test runs once on each device, and once with the kernels' Python running natively."""
    with pavage.device("cpu" if request.param == "eager" else request.param):
        with pavage.interpret(request.param == "eager"):
            yield request.param
