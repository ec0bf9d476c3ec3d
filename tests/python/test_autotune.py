# Autotuning: measured choices, refused candidates, choices kept on disk. SPDX-License-Identifier: Apache-2.0 WITH
# LLVM-exception
import itertools
import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import pavage
import pavage.language as tl

RNG = np.random.default_rng(1)
SALT = itertools.count()


def tuned(configs, key=("n",), **options):
    """A kernel that is tuned anew for each test: a choice is remembered as long as the process lives."""
    salt = next(SALT)

    @pavage.autotune([pavage.Config(c) for c in configs], key=list(key), **options)
    @pavage.jit
    def work(
        out, x, n, BLOCK: tl.constexpr, SLOW: tl.constexpr = 1, WRONG: tl.constexpr = False, TEST: tl.constexpr = salt
    ):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n)
        r = v
        for _ in range(SLOW):
            r = tl.sqrt(r * r + 0.0)
        tl.store(out + i, r + (1.0 if WRONG else 0.0), mask=i < n)

    return work


@pytest.fixture(autouse=True)
def own_file(monkeypatch, tmp_path):
    monkeypatch.setenv("PAVAGE_TUNING_FILE", str(tmp_path / "tuning.json"))
    pavage.reload_environment()
    yield
    monkeypatch.undo()
    pavage.reload_environment()


def launch(kernel, n=5000):
    x = RNG.uniform(0.5, 2, n).astype(np.float32)
    out = np.zeros_like(x)
    kernel[lambda meta: (pavage.cdiv(n, meta["BLOCK"]),)](out, x, n)
    np.testing.assert_allclose(out, x, rtol=1e-5)
    return kernel.best_config


def test_the_fastest_candidate_is_taken():
    kernel = tuned([{"BLOCK": 64, "SLOW": 200}, {"BLOCK": 64, "SLOW": 1}, {"BLOCK": 64, "SLOW": 100}])
    assert launch(kernel).kwargs["SLOW"] == 1
    assert len(kernel.configs_timings) == 3
    slow, fast, _ = (kernel.configs_timings[c] for c in kernel.configs)
    assert slow > 3 * fast


def test_one_choice_per_value_of_the_key():
    kernel = tuned([{"BLOCK": 32}, {"BLOCK": 64}])
    for n in (100, 200, 100, 200):
        launch(kernel, n)
    assert len(kernel.cache) == 2


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_candidate_that_computes_something_else_is_refused(place):
    configs = [{"BLOCK": 64, "SLOW": 100}, {"BLOCK": 32, "SLOW": 100}]
    configs.insert(place, {"BLOCK": 64, "SLOW": 1, "WRONG": True})  # the fastest, and wrong
    kernel = tuned(configs)
    assert "WRONG" not in launch(kernel).kwargs
    assert kernel.configs[place] in kernel.refused and "got others in 'out'" in str(
        kernel.refused[kernel.configs[place]]
    )


def test_a_candidate_that_does_not_compile_is_refused():
    kernel = tuned([{"BLOCK": -4}, {"BLOCK": 64}])
    assert launch(kernel).kwargs["BLOCK"] == 64
    assert list(kernel.refused) == [kernel.configs[0]]


def test_when_no_candidate_works_the_reasons_are_told():
    kernel = tuned([{"BLOCK": -4}, {"BLOCK": 0}])
    with pytest.raises(pavage.Error) as caught:
        launch(kernel)
    assert caught.value.number == 411


def test_contents_are_put_back_between_trials():
    @pavage.autotune(
        [pavage.Config({"B": 32}), pavage.Config({"B": 64})], key=["n"], restore_value=["x"], reset_to_zero=["total"]
    )
    @pavage.jit
    def accumulate(x, total, n, B: tl.constexpr):
        i = tl.program_id(0) * B + tl.arange(0, B)
        v = tl.load(x + i, mask=i < n)
        tl.store(x + i, v * 2, mask=i < n)
        tl.atomic_add(total, tl.sum(v))

    x, total = np.ones(256, np.float32), np.zeros(1, np.float32)
    accumulate[lambda m: (pavage.cdiv(256, m["B"]),)](x, total, 256)
    assert (x == 2).all() and total[0] == 256


def test_pruning_and_hooks():
    seen = []

    def prune(configs, named, **kwargs):
        seen.append(named["n"])
        return [c for c in configs if c.kwargs["BLOCK"] != 16]

    kernel = tuned(
        [{"BLOCK": 16}, {"BLOCK": 32}, {"BLOCK": 64}, {"BLOCK": 128}],
        prune_configs_by={"early_config_prune": prune, "perf_model": lambda BLOCK, **_: BLOCK, "top_k": 2},
    )
    launch(kernel)
    assert seen == [5000]
    assert {c.kwargs["BLOCK"] for c in kernel.configs_timings} <= {32, 64}
    calls = []
    kernel = tuned([{"BLOCK": 32}])
    kernel.configs[0].pre_hook = lambda args: calls.append(args["BLOCK"])
    launch(kernel)
    assert calls == [32]


def test_the_authors_own_way_of_measuring():
    asked = []

    def bench(call, quantiles):
        call()
        asked.append(quantiles)
        return [{1: 3.0, 2: 1.0, 3: 2.0}[len(asked)]] * 3

    kernel = tuned([{"BLOCK": -1}, {"BLOCK": 16}, {"BLOCK": 32}, {"BLOCK": 64}], do_bench=bench)
    assert launch(kernel).kwargs["BLOCK"] == 32
    assert len(asked) == 3 and list(kernel.refused) == [kernel.configs[0]]
    with pytest.raises(pavage.Error, match="PV0411"):
        launch(tuned([{"BLOCK": -1}, {"BLOCK": -2}], do_bench=bench))


def test_options_of_a_config_reach_the_launch():
    config = pavage.Config({"BLOCK": 32}, num_warps=2, num_stages=5)
    assert config.all_kwargs() == {"BLOCK": 32, "num_warps": 2, "num_stages": 5, "num_ctas": 1}
    assert "num_warps: 2" in str(config)


def test_a_name_that_is_no_parameter():
    with pytest.raises(pavage.Error, match="PV0306"):
        tuned([{"BLOCK": 32}], restore_value=["m"])
    launch(tuned([{"BLOCK": 32}, {"BLOCK": 64}], key=("n", "m")))


def test_under_heuristics_and_above():
    @pavage.autotune([pavage.Config({"BLOCK": 32}), pavage.Config({"BLOCK": 64})], key=["n"])
    @pavage.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
    @pavage.jit
    def work(out, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, 2 if EVEN else 1, mask=i < n)

    out = np.zeros(64, np.int32)
    work[lambda m: (pavage.cdiv(64, m["BLOCK"]),)](out, 64)
    assert (out == 2).all()


PROGRAM = """
import sys
import numpy as np
import pavage, pavage.language as tl

@pavage.autotune([pavage.Config({"BLOCK": 32}), pavage.Config({"BLOCK": 256})], key=["n"])
@pavage.jit
def work(out, x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

x = np.ones(3000, np.float32)
out = np.zeros_like(x)
try:
    work[lambda m: (pavage.cdiv(3000, m["BLOCK"]),)](out, x, 3000)
    print(work.from_file, work.best_config.kwargs["BLOCK"], (out == 2).all())
except pavage.Error as e:
    print(e.number)
"""


def test_a_second_process_measures_nothing(tmp_path):
    program, file = tmp_path / "program.py", tmp_path / "choices.json"
    program.write_text(textwrap.dedent(PROGRAM))

    def run(**env):
        env = {**os.environ, "PAVAGE_TUNING_FILE": str(file), **env}
        return subprocess.run(
            [sys.executable, str(program)], env=env, capture_output=True, text=True, timeout=60
        ).stdout

    assert run(PAVAGE_TUNING="frozen") == "410\n"
    first = run().split()
    assert first[0] == "False" and first[2] == "True"
    json.loads(file.read_text())
    assert run().split() == ["True", *first[1:]]
    assert run(PAVAGE_TUNING="frozen").split() == ["True", *first[1:]]
    file.write_text("{ damaged")
    assert run().split()[0] == "False"
    assert run(PAVAGE_TUNING="off").split()[1] == "32"


def fragile(configs, **options):
    """A kernel of which some candidates crash or hang."""
    salt = next(SALT)

    @pavage.autotune([pavage.Config(c) for c in configs], key=["n"], **options)
    @pavage.jit
    def work(out, x, flag, n, BLOCK: tl.constexpr, HARM: tl.constexpr = "", TEST: tl.constexpr = salt):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        v = tl.load(x + i, mask=i < n)
        if HARM == "crash":
            v += tl.load(x + i.to(tl.int64) * (1 << 40))
        if HARM == "hang":
            while tl.load(flag) == 0:
                v += 1
        tl.store(out + i, v, mask=i < n)

    return work


@pytest.mark.parametrize("how", ["race", "do_bench"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_candidate_that_crashes_is_refused_and_the_others_go_on(place, how, capfd):
    configs = [{"BLOCK": 64}, {"BLOCK": 128}]
    configs.insert(place, {"BLOCK": 32, "HARM": "crash"})
    bench = {"do_bench": lambda call, quantiles: (call(), 1.0)[1]} if how == "do_bench" else {}
    kernel = fragile(configs, **bench)
    x, out, flag = RNG.uniform(0, 1, 500).astype(np.float32), np.zeros(500, np.float32), np.zeros(1, np.int32)
    kernel[lambda m: (pavage.cdiv(500, m["BLOCK"]),)](out, x, flag, 500)
    np.testing.assert_array_equal(out, x)
    assert list(kernel.refused) == [kernel.configs[place]]
    error = kernel.refused[kernel.configs[place]]
    assert error.number == 413 and error.text == "expected a candidate that runs, got one that was ended by SIGSEGV"
    assert "HARM" not in kernel.best_config.kwargs and capfd.readouterr() == ("", "")


def test_a_candidate_that_hangs_is_refused():
    kernel = fragile([{"BLOCK": 64}, {"BLOCK": 32, "HARM": "hang"}])
    x, out, flag = np.ones(100, np.float32), np.zeros(100, np.float32), np.zeros(1, np.int32)
    kernel[lambda m: (pavage.cdiv(100, m["BLOCK"]),)](out, x, flag, 100)
    assert (out == 1).all()
    error = kernel.refused[kernel.configs[1]]
    assert error.number == 413 and error.text == "expected a candidate that ends, got one that ran for more than 1 s"


def test_when_all_hang_the_time_is_the_users(monkeypatch):
    monkeypatch.setenv("PAVAGE_TUNING_TIMEOUT", "1")
    pavage.reload_environment()
    kernel = fragile([{"BLOCK": 64, "HARM": "hang"}, {"BLOCK": 32, "HARM": "hang"}])
    with pytest.raises(pavage.Error, match="ran for more than 1 s.*ran for more than 1 s") as caught:
        kernel[(1,)](np.zeros(64, np.float32), np.ones(64, np.float32), np.zeros(1, np.int32), 64)
    assert caught.value.number == 411


def test_trying_out_changes_nothing_here():
    seen = []
    assert pavage._pavage.try_out(lambda: seen.append(1), 10.0) is None and seen == []
    assert pavage._pavage.try_out(lambda: 1 / 0, 10.0) is None, "it will fail again, where it is heard"
    with pytest.raises(pavage.Error, match="ended by SIGABRT"):
        pavage._pavage.try_out(os.abort, 10.0)
    with pytest.raises(ZeroDivisionError):  # from a signal handler, while it waits

        def stop(*_):
            raise ZeroDivisionError

        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        try:
            pavage._pavage.try_out(lambda: time.sleep(60), 30.0)
        finally:
            signal.signal(signal.SIGALRM, before)


def test_hooks_come_in_pairs_and_prune_sees_what_was_given_by_place():
    open_calls, seen = [], {}

    def before(arguments, reset_only=False):
        open_calls.append(arguments["BLOCK"])

    def after(arguments, exception):
        assert open_calls == [arguments["BLOCK"]] and exception is None
        open_calls.clear()

    def prune(configs, named, **kwargs):
        seen.update(named=sorted(named), kwargs=sorted(kwargs))
        return configs

    @pavage.autotune(
        [pavage.Config({"BLOCK": 16}), pavage.Config({"BLOCK": 32})],
        key=["n"],
        pre_hook=before,
        post_hook=after,
        prune_configs_by={"early_config_prune": prune},
        cache_results=False,
    )
    @pavage.jit
    def kernel(out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, i, mask=i < n)

    out = np.zeros(64, np.int32)
    kernel[lambda meta: (64 // meta["BLOCK"],)](out, n=64)
    assert not open_calls and seen == {"named": ["out"], "kwargs": ["n"]}
    np.testing.assert_array_equal(out, np.arange(64))
