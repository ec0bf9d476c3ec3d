# The pytest fixture `pavage_sim`. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The package registers it, so that a test only names it:
#
#   def test_softmax(pavage_sim):
#       out = softmax(x)                 # runs on a virtual GPU; any finding fails the test
#
#   @pytest.mark.pavage_sim(target="sm_90", seed=7, check="all,unwritten")
#   def test_more(pavage_sim): ...
import functools
import inspect
import os

import pytest


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "pavage_sim(target='sm_80', **options): the GPU that the fixture pavage_sim runs a test on, and options of "
        "pavage.sim.options",
    )


class Sim:
    """What the fixture gives: ``device``, ``findings()``, ``clear_findings()``, ``profile()``, ``options()``."""

    def __init__(self, device):
        from . import sim

        self.device = device
        self.findings, self.clear_findings = sim.findings, sim.clear_findings
        self.profile, self.options = sim.profile, sim.options

    def judge(self):
        """Fails the test if there are findings."""
        found = self.findings(clear=True)
        if found:
            text = "\n".join(str(f) for f in found)
            pytest.fail(f"the virtual GPU found {len(found)} fault{'s' * (len(found) > 1)}:\n{text}", pytrace=False)


def _judged(function, gpu):
    """The test, with the verdict as its last step, so that the test fails and not what comes after it."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        result = function(*args, **kwargs)
        gpu.judge()
        return result

    return run


@pytest.fixture
def pavage_sim(request):
    """Launches go to a virtual GPU; the test fails if that finds anything. ``clear_findings()`` forgives what is meant
    to be found. The GPU is the mark's target, else that of PAVAGE_DEVICE=sim:..., else sm_80."""
    from . import host, sim

    marks = [m.kwargs for m in request.node.iter_markers("pavage_sim")]
    wanted = {k: v for kwargs in reversed(marks) for k, v in kwargs.items()}
    from_environment = os.environ.get("PAVAGE_DEVICE", "")
    name = from_environment if from_environment.startswith("sim:") else "sim:sm_80"
    name = "sim:" + wanted.pop("target").removeprefix("sim:") if "target" in wanted else name
    sim.clear_findings()
    with host.device(name) as device, sim.options(**wanted):
        gpu = Sim(device)
        test = getattr(request.node, "obj", None)
        if test is not None and not inspect.iscoroutinefunction(test):
            request.node.obj = _judged(test, gpu)
        yield gpu
        gpu.judge()  # launches of other fixtures' ends, and tests that are coroutines
