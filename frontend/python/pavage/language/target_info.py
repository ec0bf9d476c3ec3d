# What a kernel may ask about its target while it is compiled. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations


def _target():
    from .. import _pavage

    return _pavage.device_info()[1]


def _constant(function):
    function.__pavage_constexpr__ = True
    return function


@_constant
def current_target():
    """The target's name: "cpu", "interp", "sm_80"."""
    return _target()


@_constant
def is_cuda():
    """Is code made for an NVIDIA GPU?"""
    return _target().startswith("sm_")


@_constant
def cuda_capability_geq(major, minor=0):
    """Is the target a GPU of at least this compute capability?"""
    target = _target()
    if not target.startswith("sm_"):
        return False
    return int(target[3:].rstrip("af")) >= int(major) * 10 + int(minor)


@_constant
def is_hip():
    """Never: there is no such target."""
    return False


is_hip_cdna3 = is_hip_cdna4 = is_hip_gfx1250 = is_hip
