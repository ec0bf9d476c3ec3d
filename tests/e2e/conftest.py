# Where the kernels of these tests run. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pytest

import pavage

WAYS = ("cpu", "interp", "eager", "sim:sm_75", "sim:sm_80", "sim:sm_89", "sim:sm_90")


@pytest.fixture(params=WAYS)
def way(request):
    """The test runs once on each device, and once with the kernels' Python running natively.

    The virtual GPU must have nothing to report."""
    with pavage.device("cpu" if request.param == "eager" else request.param):
        with pavage.interpret(request.param == "eager"):
            yield request.param
    if request.param.startswith("sim:"):
        findings = pavage.sim.findings(clear=True)
        assert not findings, "\n".join(str(finding) for finding in findings[:3])
