#!/usr/bin/env python3
"""PTX that Triton makes of tutorial-like kernels, for the virtual GPU's tests. Needs no GPU.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    scripts/triton_ptx_corpus.py --install FOLDER    a virtual environment with the Triton the corpus is made with
    FOLDER/bin/python scripts/triton_ptx_corpus.py -o DIR [NAME...]

The second writes DIR/NAME.ptx per case of tests/sim/triton_cases.py, and DIR/corpus.json: per case the entry, the
warps and the bytes of dynamic shared memory, or the error. With --time N each is compiled N times as far as PTX, after
one that does not count, and the median goes to corpus.json too, in milliseconds. Kernels are those of examples/, whose
language is Triton's own, and of tests/sim/triton_kernels.py.
"""

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
import types
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("triton==3.9.0", "numpy")


def install(folder):
    venv.create(folder, with_pip=True)
    subprocess.run([Path(folder) / "bin/python", "-m", "pip", "install", "-q", *PACKAGES], check=True)


def pose_as_pavage(triton):
    """Lets the examples be imported: what they take from `pavage` is Triton's under another name."""
    stand_in = types.ModuleType("pavage")
    stand_in.__path__ = []
    stand_in.jit, stand_in.cdiv, stand_in.next_power_of_2 = triton.jit, triton.cdiv, triton.next_power_of_2
    stand_in.language = triton.language
    sys.modules["pavage"] = stand_in
    sys.modules["pavage.language"] = triton.language


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def compile_case(triton, case, modules):
    if case.source not in modules:
        modules[case.source] = load(ROOT / case.source)
    module = modules[case.source]
    kernel = getattr(module, case.kernel)
    # A constant `name()` is the jit function of that name.
    constants = {name: getattr(module, value[:-2]) if isinstance(value, str) else value
                 for name, value in case.constants.items()}
    names = list(kernel.arg_names)
    attributes = {(names.index(name),): [["tt.divisibility", 16]] for name in case.divisible()}
    source = triton.compiler.ASTSource(fn=kernel, signature=case.signature(names), constexprs=constants,
                                       attrs=attributes)
    target = triton.backends.compiler.GPUTarget("cuda", case.arch, 32)
    made = triton.compile(source, target=target,
                          options={"num_warps": case.num_warps, "num_stages": case.num_stages})
    return made.asm["ptx"], {"entry": made.metadata.name, "num_warps": made.metadata.num_warps,
                             "shared": made.metadata.shared}


def stop_at_ptx():
    """Leaves ptxas out and caches nothing, so that a compile is one of source to PTX."""
    from triton.backends.nvidia.compiler import CUDABackend

    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    CUDABackend.make_cubin = lambda self, source, metadata, *rest: b""


def milliseconds(triton, case, modules):
    """Of one compile, without looking at the code."""
    start = time.perf_counter()
    compile_case(triton, case, modules)
    return (time.perf_counter() - start) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--install", metavar="FOLDER")
    parser.add_argument("-o", dest="output", metavar="DIR")
    parser.add_argument("--time", type=int, default=0, metavar="N", help="measure N compiles of each case")
    parser.add_argument("names", nargs="*", metavar="NAME", help="cases; a part of a name stands for all that have it")
    arguments = parser.parse_args()
    if arguments.install:
        return install(arguments.install)
    if not arguments.output:
        parser.error("expected -o DIR or --install FOLDER")
    import triton
    import triton.backends.compiler
    import triton.compiler

    sys.path.insert(0, str(ROOT / "tests/sim"))
    import triton_cases

    pose_as_pavage(triton)
    if arguments.time:
        stop_at_ptx()
    folder = Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    index, modules = {}, {}
    for case in triton_cases.cases():
        if arguments.names and not any(name in case.name for name in arguments.names):
            continue
        try:
            ptx, index[case.name] = compile_case(triton, case, modules)
            (folder / f"{case.name}.ptx").write_text(ptx)
            if arguments.time:
                times = [milliseconds(triton, case, modules) for _ in range(arguments.time)]
                index[case.name]["milliseconds"] = statistics.median(times)
        except Exception as error:  # one that Triton cannot compile must not hide the others
            index[case.name] = {"error": f"{type(error).__name__}: {error}"}
            print(f"{case.name}: {index[case.name]['error'][:300]}", file=sys.stderr)
    (folder / "corpus.json").write_text(json.dumps({"triton": triton.__version__, "cases": index}, indent=1))
    failed = sum("error" in facts for facts in index.values())
    print(f"{len(index) - failed} kernels compiled by Triton {triton.__version__}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
