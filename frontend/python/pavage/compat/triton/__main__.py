# Runs a program written for Triton on Pavage. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   python -m pavage.compat.triton [--torch-device cpu] SCRIPT [ARGS...]
#   python -m pavage.compat.triton [--torch-device cpu] -m MODULE [ARGS...]
from __future__ import annotations

import runpy
import sys

from . import install

_USAGE = "usage: python -m pavage.compat.triton [--torch-device DEVICE] SCRIPT|-m MODULE [ARGS...]"


def main(argv):
    args = argv[1:]
    while args and args[0].startswith("--"):
        if args[0] == "--torch-device" and len(args) > 1:
            from .torch_device import redirect

            redirect(args[1])
            args = args[2:]
        elif args[0] in ("--help", "-h"):
            print(_USAGE)
            return 0
        else:
            print(f"{_USAGE}\nexpected --torch-device DEVICE, got {args[0]}", file=sys.stderr)
            return 2
    if not args or (args[0] == "-m" and len(args) < 2):
        print(_USAGE, file=sys.stderr)
        return 2
    install()
    if args[0] == "-m":
        sys.argv = args[1:]
        runpy.run_module(args[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = args
        runpy.run_path(args[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
