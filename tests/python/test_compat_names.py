# Every public name of Triton's language is there. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# triton_names.txt is what scripts/triton_names.py reads off a checkout of Triton.
import importlib
from pathlib import Path

import pytest

import pavage.compat.triton as layer

NAMES = dict(
    line.split(": ") for line in (Path(__file__).parent / "triton_names.txt").read_text().splitlines()
)

#: Names that are not there, and why.
ABSENT = {
    "triton.language.core": {
        "binary_op_type_legalization": "works on handles of Triton's own builder",
    },
}


@pytest.fixture
def installed():
    layer.install()
    yield
    layer.uninstall()


@pytest.mark.parametrize("module", NAMES)
def test_names(installed, module):
    found = importlib.import_module(module)
    absent = set(ABSENT.get(module, ()))
    missing = [name for name in NAMES[module].split() if name not in absent and not hasattr(found, name)]
    assert not missing
    # An entry of the table that has become needless must go.
    assert not [name for name in absent if hasattr(found, name)]
