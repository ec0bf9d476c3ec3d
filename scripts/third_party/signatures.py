# Signatures to compile a kernel with, made from annotations, names and usage. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
#
# Several for each kernel, most likely first: no rule guesses all that an author keeps in mind. What decorators say
# (the first Config of an autotuner, heuristics computed as if every optional argument was given) goes before defaults,
# these before usage, and usage before names.
from __future__ import annotations

import ast
import collections
import contextlib
import re
import textwrap

from .infer import BOOL, DESCRIPTOR, FLOAT, INT, POINTER, Usage, kind_of_type

#: (name of parameters, value of a constant one that is neither a flag, a word, nor a type).
_VALUES = [(re.compile(pattern), value) for pattern, value in (
    (r"(?i)^(eps|epsilon|.*_eps)$", 1e-6), (r"(?i)head_?(dim|size)", 128),
    (r"(?i)(scale|alpha|beta|softcap|slope|limit|smoothing|dropout_p|^p)$", 0.5),
    (r"^B[CS]$|^BLOCK_C$", 16), (r"^BT$|^BT_LARGE$", 64), (r"^(BK|BV|BD|BN|BM|BH|BG|BW)$", 32),
    (r"^(H|HQ|HV|G|NC|NG|NH|NS|N_?HEADS?|n_.*head.*|num_.*head.*|nheads|.*n_head)$", 4),
    (r"(?i)^(ignore_index)$", -100), (r"(?i)(group_size|group_m|groups?)$", 8), (r"(?i)(rank|ndim)", 2),
    (r"(?i)^(num|n)_(?!cols|rows|elements)|_num$|^N[A-Z]$", 4), (r"^(K|V|D|DK|DV|S)$", 64), (r"(?i)stride", 64))]
_FLAGS = re.compile(r"(?i)^(is|has|use|with|do|need|return|output|store|compute|apply|add|enable|save|allow|reverse|"
                    r"accumulate|even|causal|affine|elementwise|transpose|trans|keep|inplace|ieee|tf32)(_|$)|"
                    r"(even|causal|_affine|varlen|inplace|_flag|enabled?)_?|^(REVERSE|HEAD_FIRST|INTERLEAVED)$")
_POINTERS = re.compile(r"(?i)(_ptr|_pointer|ptrs?)$|^p_|ptr")
_POINTERS_OF_FLOATS = re.compile(r"(?i)(^[xywqkvog]_?(ptr)?$|weight|bias|grad|mean|rstd)")
_INTEGERS = re.compile(r"(?i)(idx|index|indices|label|target|offset|seqlens?|lens|_ids?|count|num|size|pos|order|perm|"
                       r"block_table|seed|step|shape|dim|len|stride|^n_|^[MNKTBHD]$)")
_INDICES = re.compile(r"(?i)(idx|index|indices|seqlen|_ids?$)")
_MASKS = re.compile(r"(?i)mask|bool|cond")
_FLOATS = re.compile(r"(?i)(eps|scale|alpha|beta|^lr$|prob|^p$|gamma|temp|slope|cap|value|threshold|lambda|smooth|min|"
                     r"max|rate|weight|momentum|factor|std|mean|lower|upper|limit|offset_f|norm)")
#: Are flags on, the extent of blocks, the element of arrays of floats, and that of arrays of which nothing is known.
_ATTEMPTS = ((True, 32, "fp32", None), (False, 32, "fp32", None), (True, 64, "bf16", None), (False, 64, "fp16", None),
             (True, 32, "fp32", "i64"), (False, 16, "fp32", "i32"), (False, 128, "bf16", None),
             (True, 16, "fp16", None), (True, 128, "fp32", "i8"))
_Attempt = collections.namedtuple("_Attempt", "flags extent element whole")


class Signatures:
    """Makes signatures for kernels; remembers what it read of each function."""

    def __init__(self):
        self._read = {}

    def usage(self, function):
        """The Usage of a jit function, or None if it cannot be read."""
        key = id(function)
        if key not in self._read:
            self._read[key] = None  # a recursive call sees nothing
            try:
                tree = ast.parse(textwrap.dedent(function.src)).body[0]
                self._read[key] = Usage(tree, lambda node: self._resolve(function, node))
            except SyntaxError:
                pass
        return self._read[key]

    def _resolve(self, function, node):
        value = None
        if isinstance(node, ast.Name):
            value = function.lookup(node.id, None)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            value = getattr(function.lookup(node.value.id, None), node.attr, None)
        value = base(value)
        return self.usage(value) if hasattr(value, "__pavage_kernel__") else None

    def attempts(self, kernel):
        """(types by parameter, constants by parameter), most likely first."""
        function = base(kernel)
        usage = self.usage(function)
        if usage is None:
            return
        seen = []
        for flags, extent, element, whole in _ATTEMPTS:
            made = self._one(kernel, function, usage, _Attempt(flags, extent, element, whole))
            if made not in seen:
                seen.append(made)
                yield made

    def _one(self, kernel, function, usage, attempt):
        types, constants = {}, {}
        for p in function.params:
            if p.is_constexpr:
                constants[p.name] = _constant(p, usage, attempt)
            else:
                types[p.name] = _type(p, usage, attempt)
        given = {n: _Given(n, t) if t[0] in "*t" else 64 for n, t in types.items()}
        for name, value in _decorated(kernel, {**given, **constants}).items():
            if name in constants:
                constants[name] = value
            elif name in types:  # what a decorator sets is a constant, whatever its annotation
                constants[name] = value
                del types[name]
        for name, kind in types.items():
            block = getattr(given.get(name), "block_shape", None)
            if kind.startswith("tensordesc<") and block:
                types[name] = f"{kind.partition('[')[0]}[{', '.join(map(str, block))}]>"
        return types, constants


class _Given:
    """Stands for an array where heuristics look at arguments."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind

    dtype, ndim = "float32", 2
    shape = (64, 64)
    device = "cpu"

    def __len__(self):
        return 64

    def numel(self):
        return 4096

    def element_size(self):
        return 4

    def stride(self, axis=0):
        return 64

    def data_ptr(self):
        return 0

    def is_contiguous(self):
        return True

    def __eq__(self, other):
        return isinstance(other, _Given) and (self.name, self.kind) == (other.name, other.kind)


def base(value):
    """The jit function under decorators; other values as they are."""
    seen = 0
    while value is not None and not hasattr(value, "__pavage_kernel__") and hasattr(value, "fn") and seen < 8:
        value, seen = value.fn, seen + 1
    return value


def _decorated(kernel, named):
    """What autotuners and heuristics around a kernel would set."""
    found = {}
    while kernel is not None and not hasattr(kernel, "__pavage_kernel__"):
        configs = getattr(kernel, "configs", None)
        if configs:
            found.update(configs[0].kwargs)
            if configs[0].pre_hook is not None:
                with contextlib.suppress(Exception):  # it may want real arrays
                    configs[0].pre_hook({**named, **found})
        values = getattr(kernel, "values", None)
        if isinstance(values, dict):
            for name, compute in values.items():
                try:
                    found[name] = compute({**named, **found})
                except Exception:  # it wants to know more than there is: usage decides
                    continue
        kernel = getattr(kernel, "fn", None)
    return found


def _constant(p, usage, attempt):
    import triton.language as tl

    flags, extent, element, _ = attempt
    roles, compared = usage.roles[p.name], usage.compared[p.name]
    words = [v for v in compared if isinstance(v, str)]
    if words:
        return words[0 if flags else -1]
    if "type" in roles or not compared and re.search(r"(?i)dtype|_type$", p.name):
        return {"fp32": tl.float32, "bf16": tl.bfloat16, "fp16": tl.float16}[element]
    if p.has_default and p.default is not None and "extent" not in roles:
        return flags if isinstance(p.default, bool) else p.default
    if "none" in roles and not roles & {"extent", "arithmetic"}:
        return None
    numbers = [v for v in compared if type(v) in (int, float)]
    if _FLAGS.search(p.name) or "truth" in roles and not roles & {"extent", "arithmetic"} and not numbers:
        return flags
    if extent == 128 and re.match(r"[A-Z]$", p.name) and "extent" not in roles:
        return 1024  # a whole extent, in blocks of others
    for pattern, value in _VALUES:
        if pattern.search(p.name):
            return value
    if "extent" in roles:
        return extent
    if numbers and "arithmetic" not in roles:
        return numbers[0 if flags else -1]
    return 64


def _type(p, usage, attempt):
    extent, element = attempt.extent, attempt.element
    if p.annotation_type is not None:
        return str(p.annotation_type.short_name if hasattr(p.annotation_type, "short_name") else p.annotation_type)
    kind = usage.kinds[p.name]
    what = kind.known
    if what is None and _POINTERS.search(p.name):
        what = POINTER
    if what in (POINTER, DESCRIPTOR):
        inner = kind.element.known
        if inner is None and attempt.whole and not (attempt.whole == "i64" and _POINTERS_OF_FLOATS.search(p.name)):
            return f"*{attempt.whole}"
        if inner is None:
            inner = BOOL if _MASKS.search(p.name) else INT if _INDICES.search(p.name) else FLOAT
        text = {INT: "i64", BOOL: "i1", POINTER: "i64"}.get(inner, element)
        block = ", ".join(str(n or extent) for n in usage.blocks.get(p.name, (None, None)))
        return f"tensordesc<{text}[{block}]>" if what == DESCRIPTOR else "*" + text
    if what is None:
        what = INT if _INTEGERS.search(p.name) else FLOAT if _FLOATS.search(p.name) else INT
    return {INT: "i32", FLOAT: "fp32", BOOL: "i1"}[what]


__all__ = ["Signatures", "base", "kind_of_type"]
