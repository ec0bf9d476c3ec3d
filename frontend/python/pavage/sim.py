# The virtual GPU: settings, findings, profiles. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   with pavage.device("sim:sm_80"), pavage.sim.profile() as p:
#       kernel[grid](x, y, n, BLOCK=128)
#   print(p)                             counters beside the source
#   assert not pavage.sim.findings()
from __future__ import annotations

from typing import NamedTuple

from . import _pavage

TABLE, JSON, HTML = 0, 1, 2


class Finding(NamedTuple):
    """Something that the virtual GPU noticed. ``str()`` is the printed form, with the source line."""

    #: Of the error catalogue: ``pavage.explain(number)``.
    number: int
    #: "oob", "race-shared", ...
    kind: str
    message: str
    #: The tile op, else the PTX instruction.
    op: str
    file: str
    line: int
    column: int
    #: In ``kernel.asm["ptx"]``.
    ptx_line: int
    instruction: str
    kernel: str
    device: str
    #: How often; cta and warp are of the first time.
    count: int
    cta: tuple
    warp: int
    #: True: the launch raised it as a SimError.
    is_fault: bool
    rendered: str

    def __str__(self):
        return self.rendered


def findings(clear=False):
    """What launches on virtual GPUs found since the start or the last clear, faults included: a list of Finding."""
    found = [Finding(*raw) for raw in _pavage.sim_findings()]
    if clear:
        clear_findings()
    return found


def clear_findings():
    """Forgets what was found."""
    _pavage.sim_clear_findings()


class options:
    """Changes how later launches on virtual GPUs run, for good or, as in ``with pavage.sim.options(seed=3): ...``, for
    a while.

    check             "all" (default), "none", or kinds separated by commas: oob, misaligned, use-after-free, uninit,
                      race-shared, race-global, async-read, barrier, deadlock, wrap, atomic-count; only on request:
                      nan, unwritten ("all,unwritten")
    async_mode        when cp.async copies arrive: "lazy" (default: as late as allowed), "eager" or "random"
    seed              0 (default): warps take turns; else a random schedule that repeats exactly
    max_instructions  warp instructions before a launch is stopped with a SimError
    threads           host threads (default 1); with more the order of global atomics varies

    None leaves a setting alone, "" sets it back to what the environment says: PAVAGE_SIM_CHECK, PAVAGE_SIM_ASYNC,
    PAVAGE_SIM_SEED, PAVAGE_SIM_MAX_INSTRUCTIONS, PAVAGE_NUM_THREADS."""

    def __init__(self, *, check=None, async_mode=None, seed=None, max_instructions=None, threads=None):
        given = {
            "check": ",".join(check) if isinstance(check, (list, tuple, set, frozenset)) else check,
            "async": async_mode,
            "seed": seed,
            "max-instructions": max_instructions,
            "threads": threads,
        }
        self._before = {}
        try:
            for name, value in given.items():
                if value is not None:
                    before = _pavage.sim_get(name)
                    _pavage.sim_set(name, str(value))
                    self._before[name] = before
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for name, value in self._before.items():
            _pavage.sim_set(name, value)


class LaunchReport:
    """One launch of a profile."""

    def __init__(self, capsule, index, kernel):
        self._capsule, self._index, self._data = capsule, index, None
        #: The kernel's name.
        self.kernel = kernel

    def _report(self, kind):
        return _pavage.sim_profile_report(self._capsule, self._index, kind)

    @property
    def data(self):
        """Findings and counters as ``pavage sim --json`` writes them."""
        if self._data is None:
            import json

            self._data = json.loads(self.json())
        return self._data

    @property
    def counters(self):
        return self.data["counters"]

    @property
    def findings(self):
        """Of this launch alone, as dictionaries."""
        return self.data["findings"]

    def table(self):
        """Counters, and the source with those of each line, as text."""
        return self._report(TABLE)

    def json(self):
        return self._report(JSON)

    def html(self):
        """A page without outside parts."""
        return self._report(HTML)

    def __repr__(self):
        return f"<launch of {self.kernel} on a virtual GPU>"


class profile:
    """Collects the launches on virtual GPUs of all threads: ``with pavage.sim.profile() as p: ...``.

    Then ``p.launches`` is a list of LaunchReport, and ``p.counters`` their sum; ``print(p)`` shows tables,
    ``p.json(path)`` and ``p.html(path)`` write reports."""

    def __init__(self):
        self._capsule, self._launches = None, None

    def __enter__(self):
        self._capsule, self._launches = _pavage.sim_profile_begin(), None
        return self

    def __exit__(self, *exc):
        names = _pavage.sim_profile_end(self._capsule)
        self._launches = [LaunchReport(self._capsule, i, name) for i, name in enumerate(names)]

    @property
    def launches(self):
        if self._launches is None:
            raise RuntimeError("expected a profile that has ended, got one that is still open or was never entered")
        return self._launches

    @property
    def counters(self):
        """Counters of all launches together. Those of lines and of the innermost loop are in each launch's own."""
        total = {}
        for launch in self.launches:
            for name, value in launch.counters.items():
                if isinstance(value, int):
                    total[name] = total.get(name, 0) + value
                elif isinstance(value, dict) and name != "innermost_loop":
                    sums = total.setdefault(name, {})
                    for key, count in value.items():
                        sums[key] = sums.get(key, 0) + count
        return total

    @property
    def findings(self):
        """Of these launches, as dictionaries."""
        return [f for launch in self.launches for f in launch.findings]

    def table(self):
        return "\n".join(f"{launch.kernel}\n{launch.table()}" for launch in self.launches)

    def json(self, path=None):
        """A list with findings and counters per launch; with a path, writes it there."""
        import json

        text = json.dumps([{"kernel": launch.kernel, **launch.data} for launch in self.launches], indent=1)
        return _give(text, path)

    def html(self, path=None):
        """A page with the annotated source of every launch, without outside parts; with a path, writes it there."""
        pages = [launch.html() for launch in self.launches]
        if not pages:
            return _give("<!doctype html><html><body><p>no launches</p></body></html>\n", path)
        head, _, _ = pages[0].partition("<body>")
        bodies = [page.partition("<body>")[2].rpartition("</body>")[0] for page in pages]
        return _give(head + "<body>\n" + "\n<hr>\n".join(bodies) + "</body></html>\n", path)

    def __str__(self):
        return self.table()


def _give(text, path):
    if path is not None:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    return text
