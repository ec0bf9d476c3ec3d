#!/usr/bin/env python3
"""Compares the virtual GPU with a real one, claim by claim (docs/hardware-checks.md).

Each kernel of tests/sim/hardware.py runs on the virtual GPU and, where there are a driver and a GPU that is new enough,
on the hardware. Prints a line per kernel; the exit code is 1 when a result differs. Needs NumPy and a built pavage-sim.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "sim"))
import hardware  # noqa: E402  (the path comes first)


class Driver:
    """The CUDA driver, by ctypes; `why` says what is missing when there is none."""

    def __init__(self):
        self.why, self.arch = "", 0
        try:
            self.cuda = ctypes.CDLL("libcuda.so.1")
        except OSError:
            self.why = "no NVIDIA driver (libcuda.so.1)"
            return
        device, context, major, minor = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int()
        if self.cuda.cuInit(0) or self.cuda.cuDeviceGet(ctypes.byref(device), 0):
            self.why = "the driver finds no GPU"
            return
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuDeviceGetAttribute", ctypes.byref(major), 75, device)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), 76, device)
        self.arch = 10 * major.value + minor.value

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} failed with {status}")

    def run(self, text, arrays, out):
        """The array `out` after the kernel `check` ran over the arrays and it."""
        module, function, addresses = ctypes.c_void_p(), ctypes.c_void_p(), []
        self.call("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module, b"check")
        for array in [*arrays, out]:
            address = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(array.nbytes))
            self.call("cuMemcpyHtoD_v2", address, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
            addresses.append(address)
        pointers = (ctypes.c_void_p * len(addresses))(*[ctypes.addressof(a) for a in addresses])
        self.call("cuLaunchKernel", function, 1, 1, 1, 32, 1, 1, 0, None, pointers, None)
        self.call("cuCtxSynchronize")
        self.call("cuMemcpyDtoH_v2", out.ctypes.data_as(ctypes.c_void_p), addresses[-1], ctypes.c_size_t(out.nbytes))
        for address in addresses:
            self.call("cuMemFree_v2", address)
        self.call("cuModuleUnload", module)
        return out


def simulate(sim, case, folder):
    """The result on the virtual GPU, or a message."""
    (folder / "check.ptx").write_text(case.ptx())
    command = [sim, str(folder / "check.ptx"), "--block", "32", "--quiet"]
    for number, array in enumerate((case.a, case.b, case.c)):
        np.save(folder / f"in{number}.npy", array)
        command += ["--arg", f"{array.dtype.name}[32]={folder}/in{number}.npy"]
    command += ["--arg", f"out:{np.dtype(case.out).name}[32]", "--out", f"3={folder}/out.npy"]
    run = subprocess.run(command, capture_output=True, text=True)
    return np.load(folder / "out.npy") if run.returncode == 0 else run.stderr.strip().split("\n")[0]


def differing_lanes(case, ours, theirs):
    """Lanes whose results are not the same, or not within the bound."""
    if case.tolerance:
        x, y = ours.view(np.float32), theirs.view(np.float32)
        return [k for k in range(32) if not abs(x[k] - y[k]) <= case.tolerance * max(abs(x[k]), abs(y[k]))]
    return [k for k in range(32) if ours[k] != theirs[k]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="only checks whose name contains one of these")
    parser.add_argument("--sim", default=os.environ.get("PAVAGE_SIM", str(ROOT / "build" / "bin" / "pavage-sim")))
    parser.add_argument("--write", type=Path, help="write the kernels here as PTX files")
    arguments = parser.parse_args()
    driver = Driver()
    print(f"hardware: {'absent: ' + driver.why if driver.why else 'sm_' + str(driver.arch)}")
    counts = {"agrees": 0, "differs": 0, "absent": 0, "failed": 0}
    for case in hardware.cases():
        if arguments.names and not any(part in case.name for part in arguments.names):
            continue
        if arguments.write:
            arguments.write.mkdir(parents=True, exist_ok=True)
            (arguments.write / f"{case.name}.ptx").write_text(case.ptx())
        with tempfile.TemporaryDirectory() as folder:
            ours = simulate(arguments.sim, case, Path(folder))
        if isinstance(ours, str):
            verdict, note = "failed", ours
        elif driver.arch < case.arch:
            verdict, note = "absent", "" if driver.why else f"needs sm_{case.arch}"
        else:
            theirs = driver.run(case.ptx(), (case.a, case.b, case.c), np.zeros(32, case.out))
            lanes = differing_lanes(case, ours, theirs)
            verdict = "differs" if lanes else "agrees"
            note = ""
            if lanes:
                at = lanes[0]
                note = f"lane {at}: virtual {ours[at]:#x}, hardware {theirs[at]:#x}; {len(lanes)} lanes"
        counts[verdict] += 1
        print(f"{case.name:32} {verdict:8} {case.claim}{': ' + note if note else ''}")
    print(", ".join(f"{n} {what}" for what, n in counts.items()))
    return 1 if counts["differs"] or counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
