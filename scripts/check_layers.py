#!/usr/bin/env python3
"""Direction of #includes: a room includes itself and rooms of a strictly lower layer, nothing else.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

CMake checks the links (pavage_check_layers); but the repository root is an include folder, so a wrong #include would
still compile. Also: no MLIR or LLVM header in runtime/, in public headers and in the Python extension; each project
#include names a path from the root that exists. The table here is the one of docs/architecture.md.
"""

import re

from tree import Findings, line_of, run

# room -> layer. Two sides meet in runtime/Artifact and, below everything, runtime/Errors.
COMPILER = {
    "runtime/Errors": -1, "compiler/Support": 0, "dialect/Layout": 0, "runtime/Artifact": 0,
    "dialect/Tile": 1, "compiler/Target": 1,
    "dialect/TileGPU": 2, "dialect/Tile/Interp": 2,
    "compiler/Analysis": 3, "compiler/Cpu/Plan": 3, "dialect/TileGPU/Interp": 3, "frontend/builder": 3,
    "compiler/Normalize": 4, "compiler/Gpu/Schedule": 4, "compiler/Gpu/Lower": 4, "compiler/Cpu/Schedule": 4,
    "compiler/Cpu/Lower": 4,
    "compiler/Gpu/Emit": 5, "compiler/Cpu/Emit": 5,
    "compiler/Pipeline": 6, "compiler/Driver": 7,
    "compiler/Tools": 8, "frontend/cpp": 8,
}
RUNTIME = {
    "runtime/Errors": -1, "runtime/Artifact": 0, "runtime/Core": 1,
    "runtime/Cpu": 2, "runtime/Cuda": 2, "runtime/Sim": 2, "runtime/Cache": 2,
    "runtime/Tune": 2, "runtime/Launch": 3,
}
TOP = ("frontend/python", "lib", "examples", "benchmarks")
EXPLICITLY_FORBIDDEN = {("dialect/Tile", "dialect/Layout"): "a tile program has no layout"}
ROOMS = sorted({*COMPILER, *RUNTIME, *TOP}, key=len, reverse=True)
UPSTREAM = re.compile(r"^(mlir|llvm|llvm-c|mlir-c|clang|lld)/")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)


def room_of(path):
    return next((room for room in ROOMS if path.startswith(room + "/")), None)


def is_public_header(path):
    """Headers that users and the Python extension include: <pavage/...>."""
    return path.endswith(".h") and "/include/pavage/" in path


def wrong_edge(source, target):
    """Why room `source` may not include room `target`, or None."""
    if source == target or source is None or target is None:
        return None
    if (source, target) in EXPLICITLY_FORBIDDEN:
        return EXPLICITLY_FORBIDDEN[source, target]
    if source.startswith("runtime/"):
        if target not in RUNTIME:
            return "runtime/ knows neither compiler nor front end"
        if RUNTIME[target] < RUNTIME[source]:
            return None
        return f"runtime layer {RUNTIME[source]} may include lower layers only, and that is layer {RUNTIME[target]}"
    if source in TOP:
        if target.startswith(("compiler/", "dialect/")):
            return "only public headers, builder and runtime may be used here"
        return None
    if target.startswith("runtime/") and target not in COMPILER:
        if COMPILER[source] < 8:
            return "of runtime/ the compiler may use only Artifact and Errors"
        return None
    if target in TOP or COMPILER[target] >= COMPILER[source]:
        return f"layer {COMPILER[source]} may include lower layers only, and that is layer {COMPILER.get(target, 9)}"
    return None


def check(tree):
    findings = Findings("layers", "The table is in docs/architecture.md. A room that wants something from a later room "
                                  "is asking for an attribute in the IR between them.")
    public = {path.split("/include/")[1]: path for path in tree.paths if is_public_header(path)}
    for path in tree.select(".cpp", ".h", ".c", ".def", ".inc"):
        source, text = room_of(path), tree.read(path)
        clean = path.startswith("runtime/") or path.startswith("frontend/python/") or is_public_header(path)
        for match in INCLUDE.finditer(text):
            quote, target = match.groups()
            line = line_of(text, match.start())
            if UPSTREAM.match(target):
                if clean:
                    findings.add(path, f"may not include {target}: no MLIR or LLVM here", line)
                continue
            target = public.get(target, target)
            reason = None if source in TOP and is_public_header(target) else wrong_edge(source, room_of(target))
            if reason:
                findings.add(path, f"may not include {target}: {reason}", line)
            if quote == '"' and not target.endswith(".inc") and not tree.exists(target):
                findings.add(path, f"expected an #include from the repository root, got \"{target}\"", line)
    return findings


if __name__ == "__main__":
    run(check, __doc__)
