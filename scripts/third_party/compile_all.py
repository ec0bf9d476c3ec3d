# Compiles the kernels of a checkout, a process per kernel. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   python -m third_party.compile_all REQUEST    (JSON: root, package, files, names, target, seconds, out)
#
# Imports every file of the checkout that defines kernels, with the layer for Triton installed; what the machine lacks
# of other libraries is replaced by empty stand-ins. A kernel counts as compiled when one of its signatures compiles; a
# function that it calls on the way counts through it. Functions that nobody here calls are compiled from a kernel that
# loads their arguments and stores their result.
from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import json
import linecache
import os
import re
import signal
import sys
import traceback
import types


# --- what is there ---


def functions_of(path):
    """(line of the first decorator, name, node) of the jit functions in a file."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if "triton" not in text:
        return []
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            for d in node.decorator_list:
                name = ast.unparse(d.func if isinstance(d, ast.Call) else d)
                if name in ("triton.jit", "jit", "tl.jit"):
                    found.append((node.decorator_list[0].lineno, node.name, node))
    return found


# --- importing ---


class _Anything(types.ModuleType):
    """A module that is not there: its names are classes that can be called, subscripted and derived from."""

    __path__: list = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = type(name, (_Stand,), {})
        setattr(self, name, value)
        return value


class _Meta(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (_Stand,), {})

    def __bool__(cls):
        return False


class _Stand(metaclass=_Meta):
    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and callable(args[0]) else _Stand()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Stand()


class Missing(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds last, for imports that stand in the checkout's own files."""

    def __init__(self, root, package):
        self.root, self.package, self.names = root + os.sep, package, set()

    def _asks(self):
        frame = sys._getframe(2)
        while frame is not None and ("importlib" in frame.f_code.co_filename or frame.f_code is self._asks.__code__):
            frame = frame.f_back
        return frame is not None and os.path.realpath(frame.f_code.co_filename).startswith(self.root)

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in (self.package, "triton", "torch", "pavage", "numpy") and name != "triton.experimental.gluon" \
                and not name.startswith("triton.experimental."):
            return None
        outer = sys.modules.get(name.rpartition(".")[0])
        if top in sys.stdlib_module_names or path and not isinstance(outer, _Anything) or not self._asks():
            return None
        self.names.add(top)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return _Anything(spec.name)

    def exec_module(self, module):
        pass


def import_file(root, package, path):
    """The module of a file; raises what the import raises."""
    name = os.path.relpath(path, root)[:-3].replace(os.sep, ".")
    name = name[: -len(".__init__")] if name.endswith(".__init__") else name
    return importlib.import_module(name)


def made(module, path, line, name, node, created):
    """The jit function of a place: as the import made it, or from its text in the module's names."""
    for f in created:
        if f.fn.__code__.co_firstlineno == line and os.path.realpath(f.fn.__code__.co_filename) == path:
            return f
    names = module.__dict__
    code = compile(ast.fix_missing_locations(ast.Module([node], [])), path, "exec")
    local: dict = {}
    exec(code, names, local)  # noqa: S102  the checkout's own text
    return local[name]


# --- compiling ---


def compile_one(kernel, signatures, target):
    """(attempt that compiled from 1, or 0; the first error; functions inlined by what compiled)."""
    from triton.compiler import ASTSource

    from pavage.trace import calls

    from .signatures import base

    import triton

    error, function = None, base(kernel)
    inlined = set()
    before = calls.Calls.inline

    def inline(self, callee, *args):
        inlined.add(_place(callee))
        return before(self, callee, *args)

    calls.Calls.inline = inline
    for i, (kinds, constants) in enumerate(signatures.attempts(kernel)):
        inlined.clear()
        signature = {**kinds, **{name: "constexpr" for name in constants}}
        try:
            triton.compile(ASTSource(function, signature, constants), target=target)
            return i + 1, error, list(inlined)
        except Exception as e:
            error = error or _text(e, signature, constants)
    return 0, error or "no signature", []


def _text(e, signature, constants):
    text = str(e) or type(e).__name__
    said = {n: s if s != "constexpr" else constants[n] for n, s in signature.items()}
    where = "" if "PV0" in text else traceback.format_exc().strip().splitlines()[-3].strip()
    return f"{type(e).__name__}: {text}\n  {where}\n  with {said}"


def _place(function):
    code = function.fn.__code__
    return os.path.realpath(code.co_filename), code.co_firstlineno


_CALLER = """
@triton.jit
def call_{name}({parameters}):
    i = {index}
{loads}
    result = {name}({arguments})
{store}
"""


def callers(function, signatures):
    """Kernels that call a function: on tiles of one and two axes, then on scalars."""
    import triton
    import triton.language as tl

    usage = signatures.usage(function)
    plain = [p for p in function.params if not p.is_constexpr]
    for index in ("tl.arange(0, 32)", "tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]", "0"):
        parameters, loads, arguments = [], [], []
        for p in function.params:
            known = usage and usage.kinds[p.name].known
            if p not in plain:
                parameters.append(f"{p.name}: tl.constexpr")
                arguments.append(f"{p.name}={p.name}")
            elif known in ("pointer", "descriptor"):
                parameters.append(p.name)
                arguments.append(f"{p.name}={p.name}")
            else:
                parameters.append(p.name + "_ptr")
                conversion = ".to(tl.int32)" if known == "int" else ""
                loads.append(f"    {p.name} = tl.load({p.name}_ptr + i){conversion}")
                arguments.append(f"{p.name}={p.name}")
        for store in ("    tl.store(result_ptr + i, result)", "    pass"):
            text = _CALLER.format(name=function.__name__, index=index, loads="\n".join(loads) or "    pass",
                                  parameters=", ".join([*parameters, "result_ptr"]), arguments=", ".join(arguments),
                                  store=store)
            file = f"<caller of {function.__name__} {index} {len(store)}>"
            linecache.cache[file] = (len(text), None, text.splitlines(True), file)
            names = {"triton": triton, "tl": tl, function.__name__: function}
            exec(compile(text, file, "exec"), names)  # noqa: S102  the text above
            yield names["call_" + function.__name__]


def in_child(seconds, work, *args):
    """What work(*args) gives, as JSON, from a child process; {"error": text} if it gives nothing."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        signal.alarm(int(seconds))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            result = json.dumps(work(*args))
        except BaseException as e:
            result = json.dumps({"error": f"{type(e).__name__}: {e}"})
        with os.fdopen(write, "w") as f:
            f.write(result)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as f:
        text = f.read()
    status = os.waitpid(child, 0)[1]
    if text:
        return json.loads(text)
    which = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return {"error": f"no end after {seconds} s" if which == signal.SIGALRM else f"crash: signal {which}"}


def main(request):
    """Writes a list of results to request["out"]: one per function, with how it went."""
    from pavage.compat import triton as layer

    layer.install()
    from pavage.compat.triton.torch_device import redirect

    redirect("cpu")
    from pavage import JITFunction
    from triton.backends.compiler import GPUTarget

    root, package = request["root"], request["package"]
    target = request["target"]
    target = GPUTarget("cuda", int(target[3:]), 32) if target.startswith("sm_") else None
    created, init = [], JITFunction.__init__

    def remember(self, *args, **kwargs):
        init(self, *args, **kwargs)
        created.append(self)

    JITFunction.__init__ = remember
    sys.path.insert(0, root)
    sys.meta_path.append(Missing(root, package))
    from .signatures import Signatures, base

    signatures, results, modules, kernels = Signatures(), {}, {}, {}
    wrapped = {}
    for path in request["files"]:
        found = functions_of(path)
        try:
            modules[path] = import_file(root, package, path)
        except BaseException as e:
            if isinstance(e, KeyboardInterrupt):
                raise
            text = f"import: {type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"
            results.update({(path, line, name): {"how": "not imported", "error": text} for line, name, _ in found})
            continue
        for value in list(vars(modules[path]).values()):
            function = base(value)
            if hasattr(function, "__pavage_kernel__") and function is not value:
                wrapped[id(function)] = value
        for line, name, node in found:
            try:
                f = made(modules[path], path, line, name, node, created)
                if f is not base(f):
                    wrapped[id(base(f))] = f
                kernels[path, line, name] = base(f)
            except Exception as e:
                results[path, line, name] = {"how": "not imported", "error": f"{type(e).__name__}: {e}"}
    wanted = set(map(tuple, request["names"])) if request["names"] else None
    order = [k for k in kernels if wanted is None or k in wanted]
    reached = {}
    for key in order:
        kernel = wrapped.get(id(kernels[key]), kernels[key])
        found = in_child(request["seconds"], compile_one, kernel, signatures, target)
        if isinstance(found, dict):
            results[key] = {"how": "failed", "error": found["error"]}
            continue
        attempt, error, inlined = found
        for place in inlined:
            reached.setdefault(tuple(place), key[2])
        results[key] = {"how": "compiled" if attempt else "failed", "attempt": attempt, "error": error}
    for key in order:
        result = results[key]
        if result["how"] != "failed":
            continue
        if key[:2] in reached:
            result["how"] = "through"
            continue
        if _is_helper(kernels[key]):
            result["how"] = _through_written_caller(kernels[key], key, signatures, target, request["seconds"], result)
    # A helper may be called only by kernels that were not asked for.
    for key in order:
        if results[key]["how"] == "failed":
            for other in kernels:
                if other not in order and kernels[key] in _callees(kernels[other]):
                    kernel = wrapped.get(id(kernels[other]), kernels[other])
                    found = in_child(request["seconds"], compile_one, kernel, signatures, target)
                    if not isinstance(found, dict) and list(key[:2]) in [list(p) for p in found[2]]:
                        results[key]["how"] = "through"
                        break
    rows = [{"file": os.path.relpath(k[0], root), "line": k[1], "name": k[2], **r} for k, r in results.items()
            if wanted is None or k in wanted]
    with open(request["out"], "w", encoding="utf-8") as f:
        json.dump(rows, f)


def _is_helper(function):
    """Does it give a value, as kernels cannot?"""
    return bool(re.search(r"^\s+return\s+\S", function.src, re.M))


def _callees(function):
    try:
        return list(function.dependencies.functions)
    except Exception:
        return []


def _through_written_caller(function, key, signatures, target, seconds, result):
    for caller in callers(function, signatures):
        found = in_child(seconds, compile_one, caller, signatures, target)
        if not isinstance(found, dict) and found[0]:
            return "through a written caller"
        if isinstance(found, list) and not result.get("caller"):
            result["caller"] = found[1]
    return "failed"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as handle:
        main(json.load(handle))

