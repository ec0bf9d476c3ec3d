# `pavage sim FILE.py:KERNEL`: a launch on the virtual GPU from the command line. SPDX-License-Identifier: Apache-2.0
# WITH LLVM-exception
#
# The launch is that of `pavage run`; what is the virtual GPU's own is taken out of the options first.
from __future__ import annotations

import sys

from . import _run, sim
from .errors import SimError, make
from .host import device

USAGE = """usage: pavage sim FILE.py:KERNEL [OPTION...]

  --target sm_80          the GPU (default sm_80)
  --grid X[,Y[,Z]]        programs along each axis (default 1)
  --arg 'f32[512]=FILL'   the next array: FILL is randint, zeros, arange, a number or FILE.npy;
                          out: before it marks an output, which may lack =FILL
  --args 512,3.5,...      the other parameters in order, constexprs too
  --num-warps N           launch option num_warps
  --num-stages N          launch option num_stages
  --check all|none|KIND,...  oob, misaligned, use-after-free, uninit, race-shared, race-global, async-read, barrier,
                          deadlock, wrap, atomic-count; on request nan, unwritten
  --async eager|lazy|random  when cp.async copies arrive (default lazy)
  --seed N                data and, if not 0, a random schedule that replays
  --max-instructions N    warp instructions before the launch is stopped
  --threads N             host threads
  --json FILE --html FILE reports; - is the standard output
  --out I=FILE.npy        write the I-th --arg there afterwards
  --quiet                 findings only
  --help                  print this text

It returns 0 when nothing was found, 1 on findings or an error.
"""

SETTINGS = {
    "--check": "check",
    "--async": "async_mode",
    "--seed": "seed",
    "--max-instructions": "max_instructions",
    "--threads": "threads",
}
OWN = (*SETTINGS, "--target", "--json", "--html")


def split(argv):
    """(the virtual GPU's options, is it quiet, what `pavage run` gets)."""
    own, rest, quiet, words = {}, [], False, list(argv)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word == "--quiet":
            quiet = True
        elif name in OWN:
            if not equals:
                if not words:
                    raise make(811, f"option '{name}' needs a value")
                value = words.pop(0)
            own[name] = value
            if name == "--seed":  # of the data, too
                rest += [name, value]
        else:
            rest.append(word)
            if name in _run.VALUES and not equals and words:
                rest.append(words.pop(0))
    return own, quiet, rest


def write(path, text):
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    except OSError as e:
        raise make(814, f"cannot write '{path}': {e.strerror}") from None


def run(argv):
    own, quiet, rest = split(argv)
    if "--help" in rest:
        sys.stdout.write(USAGE)
        return 0
    settings = {SETTINGS[name]: value for name, value in own.items() if name in SETTINGS}
    target = own.get("--target", "sm_80").removeprefix("sim:")
    sim.clear_findings()
    try:
        with device("sim:" + target), sim.options(**settings), sim.profile() as profile:
            _run.run(rest, shows=False)
    except SimError as e:
        if not sim.findings():  # an error of another kind than a fault
            raise
        del e
    found = sim.findings()
    for finding in found:
        sys.stderr.write(f"{finding}\n")
    if not quiet and "-" not in (own.get("--json"), own.get("--html")):
        sys.stdout.write(profile.table())
        print(f"{len(found)} finding{'' if len(found) == 1 else 's'}")
    if "--json" in own:
        write(own["--json"], profile.launches[-1].json() if profile.launches else "{}\n")
    if "--html" in own:
        write(own["--html"], profile.html())
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(_run.main(run))
