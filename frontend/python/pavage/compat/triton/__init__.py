# Makes `import triton` mean Pavage. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   import pavage.compat.triton
#   pavage.compat.triton.install()
#   import triton, triton.language as tl          # Pavage from here on, even beside the real package
#   pavage.compat.triton.uninstall()
#
# or, for a whole program:  python -m pavage.compat.triton [--torch-device cpu] SCRIPT|-m MODULE ...
#
# The modules under `tree/triton` stand for Triton's. They are found by name only while installed.
from __future__ import annotations

import importlib.machinery
import os
import sys

from ... import errors
from ...language import types
from .wordings import dress

#: The release whose language the layer speaks. Block pointers, which that release dropped, stay.
TRITON_VERSION = "3.9.0"

_TREE = os.path.join(os.path.dirname(__file__), "tree")
_set_aside: dict = {}


class _Finder:
    """Finds `triton` in the layer's own tree; its submodules follow from the package's path."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "triton":
            return None
        return importlib.machinery.PathFinder.find_spec(name, [_TREE])


def _is_triton(name):
    return name == "triton" or name.startswith("triton.")


def _take_modules():
    return {name: sys.modules.pop(name) for name in list(sys.modules) if _is_triton(name)}


def installed():
    """Whether `import triton` gives the layer now."""
    return _Finder in sys.meta_path


def install():
    """Makes `import triton` give the layer. Modules of a real Triton that are loaded are set aside until uninstall."""
    if not installed():
        _set_aside.update(_take_modules())
        sys.meta_path.insert(0, _Finder)
        errors.dress = dress
        types.prefix = "triton.language"


def uninstall():
    """Takes the layer out again; code that imported it keeps working."""
    if installed():
        sys.meta_path.remove(_Finder)
        errors.dress = None
        types.prefix = "pavage.language"
        _take_modules()
        sys.modules.update(_set_aside)
        _set_aside.clear()
