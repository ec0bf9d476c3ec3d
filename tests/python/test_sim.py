# The virtual GPU from Python: tensors, launches, findings, profiles, the pytest fixture. SPDX-License-Identifier:
# Apache-2.0 WITH LLVM-exception
import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import pavage
import pavage.language as tl


@pavage.jit
def add(out, x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@pavage.jit
def unmasked(out, x, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) + 1)


@pavage.jit
def endless(x):
    while tl.load(x, volatile=True) == 0:
        pass


@pavage.jit
def every_fourth(out, x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i * 4))


@pytest.fixture
def sim():
    """sim:sm_80, findings forgotten before and after."""
    pavage.sim.clear_findings()
    with pavage.device("sim:sm_80") as device:
        yield device
    pavage.sim.clear_findings()


# --- tensors ---


def test_tensors_live_on_the_device(sim):
    x = pavage.zeros((3, 5), tl.int32)
    assert isinstance(x, pavage.Tensor) and not sim.is_host
    assert (x.shape, x.dtype, x.ndim, x.size, x.nbytes, len(x)) == ((3, 5), np.int32, 2, 15, 60, 3)
    assert x.strides == (20, 4) and x.stride() == (5, 1) and x.stride(0) == 5 and x.is_contiguous()
    assert x.data_ptr() % 64 == 0 and x.data_ptr() >= 1 << 47
    assert (x.numpy() == 0).all()
    y = pavage.asarray(np.arange(15.0).reshape(3, 5), "float32")
    assert y.dtype == np.float32 and y.device == "sim:sm_80"
    np.testing.assert_array_equal(pavage.to_numpy(y), np.arange(15).reshape(3, 5))
    assert pavage.asarray(y) is y
    assert pavage.asarray(y, "float64").numpy().dtype == np.float64
    assert pavage.empty(7).shape == (7,) and pavage.empty(()).shape == ()
    assert pavage.empty((0, 3)).numpy().shape == (0, 3)
    assert repr(y) == "pavage.Tensor(shape=(3, 5), dtype=float32, device='sim:sm_80')"
    with pytest.raises(pavage.Error, match="PV0307"):
        pavage.empty((3, -1))


@pytest.mark.parametrize(
    "index",
    [1, -1, slice(None), slice(1, 3), (slice(None), 2), (slice(None, None, -1), slice(1, None, 2)), (..., 0), (2, 3)],
)
def test_views_are_numpys(sim, index):
    a = np.arange(20).reshape(4, 5)
    x = pavage.asarray(a)
    np.testing.assert_array_equal(x[index].numpy(), a[index])
    x[index] = -a[index]
    a[index] = -a[index]
    np.testing.assert_array_equal(x.numpy(), a)


def test_transposed_and_reshaped(sim):
    a = np.arange(24).reshape(2, 3, 4)
    x = pavage.asarray(a)
    np.testing.assert_array_equal(x.T.numpy(), a.T)
    np.testing.assert_array_equal(x.transpose(1, 0, 2).numpy(), a.transpose(1, 0, 2))
    np.testing.assert_array_equal(x.reshape(6, -1).numpy(), a.reshape(6, 4))
    np.testing.assert_array_equal(np.asarray(x[1].T), a[1].T)
    assert x.fill_(3).tolist()[1][2] == [3, 3, 3, 3] and x[0, 0, 0].item() == 3
    with pytest.raises(ValueError):
        x.T.reshape(24)
    with pytest.raises(ValueError):
        x.reshape(5, 5)
    with pytest.raises(IndexError):
        x[2]
    with pytest.raises(IndexError):
        x[0, 0, 0, 0]


def test_values_are_cast_and_broadcast(sim):
    x = pavage.zeros((2, 3), "int32")
    x.copy_([1.7, 2.2, 3.9])
    assert x.tolist() == [[1, 2, 3], [1, 2, 3]]
    x[:, 1:] = pavage.asarray(np.array([[9], [8]]))
    assert x.tolist() == [[1, 9, 9], [1, 8, 8]]


def test_on_the_cpu_arrays_are_numpys():
    assert type(pavage.empty(3)) is np.ndarray and type(pavage.zeros(3)) is np.ndarray
    with pavage.device("sim:sm_80"):
        x = pavage.asarray(np.arange(3))
    assert type(pavage.asarray(x)) is np.ndarray  # the current device is the CPU again


def test_memory_is_given_back(sim):
    x = pavage.zeros(1000)
    address = x.data_ptr()
    view = x[10:]
    del x
    assert view.numpy().sum() == 0
    del view
    with pytest.raises(pavage.Error, match="PV0319"):
        pavage._pavage.memory_read("sim:sm_80", address, bytearray(4))


def test_a_tensor_stays_on_its_device(sim):
    x = pavage.zeros(8)
    with pavage.device("sim:sm_90"):  # all virtual GPUs share one memory
        add[(1,)](x, x, x, 8, BLOCK=8)
    with pavage.device("cpu"), pytest.raises(TypeError, match="PV0302.*'out', got a tensor in the memory of sim"):
        add[(1,)](x, x, x, 8, BLOCK=8)
    with pavage.interpret(), pytest.raises(TypeError, match="PV0302"):
        add[(1,)](x, x, x, 8, BLOCK=8)


# --- launches ---


def test_arrays_of_the_host_travel(sim):
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    out = np.full(1000, -1, np.float32)
    compiled = add[(4,)](out, x, y, 1000, BLOCK=256)
    np.testing.assert_array_equal(out, x + 1)
    assert compiled.target == "sm_80" and ".target sm_80" in compiled.asm["ptx"]
    assert pavage.sim.findings() == []


def test_views_of_the_host_travel(sim):
    a = np.arange(100, dtype=np.int32)
    out = np.zeros(20, np.int32)[5:15]
    add[(1,)](out, a[10:20], a[30:40], 10, BLOCK=16)
    np.testing.assert_array_equal(out, a[10:20] + a[30:40])
    assert out.base[4] == 0 and out.base[15] == 0
    assert pavage.sim.findings() == []


def test_in_place_and_read_only(sim):
    x, y = np.arange(8, dtype=np.float32), np.ones(8, np.float32)
    y.flags.writeable = False
    add[(1,)](x, x, y, 8, BLOCK=8)
    np.testing.assert_array_equal(x, np.arange(8) + 1)
    with pytest.raises(TypeError, match="PV0308"):
        add[(1,)](y, x, x, 8, BLOCK=8)


def test_tensors_stay_where_they_are(sim):
    x, y, out = pavage.asarray(np.arange(100, dtype=np.float32)), pavage.zeros(100), pavage.empty(100)
    y.fill_(2)
    add[(1,)](out, x, y, 100, BLOCK=128)
    add[(1,)](out, out, y, 100, BLOCK=128)
    np.testing.assert_array_equal(out.numpy(), np.arange(100) + 4)
    assert pavage.sim.findings() == []


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90"])
def test_every_architecture(target):
    x = np.arange(50, dtype=np.int32)
    out = np.zeros_like(x)
    pavage.sim.clear_findings()
    with pavage.device("sim:" + target):
        compiled = add[(1,)](out, x, x, 50, BLOCK=64)
    np.testing.assert_array_equal(out, 2 * x)
    assert compiled.target == target and pavage.sim.findings() == []


@pytest.mark.parametrize("target", ["sm_70", "sm_100", "sm_120a"])
def test_architectures_that_are_not_simulated(target):
    with pytest.raises(pavage.Error, match=f"PV0301.*sm_90a.*got '{target}'"):
        pavage.device("sim:" + target)


# --- findings ---


def test_a_fault_is_a_sim_error(sim):
    x, out = np.zeros(100, np.float32), np.full(100, -1, np.float32)
    with pytest.raises(pavage.SimError) as caught:
        unmasked[(1,)](out, x, BLOCK=128)
    error = caught.value
    line = unmasked.fn.__code__.co_firstlineno + 3
    assert (error.number, error.file, error.line) == (640, __file__, line)
    assert "'x'" in error.text and "tl.load(x + i)" in str(error)
    assert (out == -1).all()  # results of a launch that failed do not arrive
    found = pavage.sim.findings()
    assert {f.kind for f in found} == {"oob"} and all(f.is_fault for f in found)
    assert (found[0].number, found[0].file, found[0].line, found[0].kernel) == (640, __file__, line, "unmasked")
    assert found[0].op.startswith("tile.") and found[0].ptx_line > 0 and found[0].device == "sim:sm_80"
    assert pavage.explain(found[0].number).startswith("PV0640: a kernel accesses memory outside")


def test_a_read_of_nothing_is_a_finding(sim):
    x, out = pavage.empty(64), pavage.empty(64)
    unmasked[(1,)](out, x, BLOCK=64)  # does not raise
    found = pavage.sim.findings(clear=True)
    assert {f.kind for f in found} == {"uninit"} and not found[0].is_fault
    assert str(found[0]).startswith(f"{__file__}:")
    assert pavage.sim.findings() == []


def test_logical_extents(sim):
    """x[:, :3] of a wider array: the fourth column is in the allocation and none of the kernel's business."""
    wide = np.zeros((4, 5), np.float32)
    with pytest.raises(pavage.SimError, match="PV0640"):
        unmasked[(1,)](np.zeros(16, np.float32), wide[:, :3], BLOCK=16)


# --- options ---


def test_options_hold_for_a_while(sim):
    x, out = pavage.empty(64), pavage.empty(64)
    with pavage.sim.options(check=["oob", "misaligned"]):
        unmasked[(1,)](out, x, BLOCK=64)
    assert pavage.sim.findings() == []
    with pavage.sim.options(check="none"), pavage.sim.options(check="all"):
        unmasked[(1,)](out, x, BLOCK=64)
    assert {f.kind for f in pavage.sim.findings(clear=True)} == {"uninit"}
    with pavage.sim.options(max_instructions=100_000), pytest.raises(pavage.SimError, match="PV0655"):
        endless[(1,)](pavage.zeros(1))


@pytest.mark.parametrize(
    "wrong", [{"check": "oob,nonsense"}, {"async_mode": "soon"}, {"seed": -1}, {"max_instructions": 0}]
)
def test_options_that_cannot_be(wrong):
    with pytest.raises(pavage.Error, match="PV0630"):
        pavage.sim.options(seed=5, **wrong) if "seed" not in wrong else pavage.sim.options(**wrong)
    assert pavage._pavage.sim_get("seed") == ""  # what was set before the wrong one is undone


def test_elements_never_written(sim):
    out, x = np.zeros(100, np.float32), np.zeros(100, np.float32)
    with pavage.sim.options(check="all,unwritten"):
        add[(1,)](out, x, x, 90, BLOCK=128)
    (found,) = pavage.sim.findings()
    assert found.kind == "unwritten"
    assert "10 of 100 elements of output 'out' were never written, the first is number 90" in found.message


# --- profiles ---


def test_profile(sim, tmp_path):
    x, out = np.zeros(256, np.float32), np.zeros(256, np.float32)
    with pavage.sim.profile() as p:
        add[(2,)](out, x, x, 256, BLOCK=128, num_warps=1)
        unmasked[(1,)](out, x, BLOCK=256)
    unmasked[(1,)](out, x, BLOCK=256)
    assert [launch.kernel for launch in p.launches] == ["add", "unmasked"]
    first = p.launches[0].counters
    # Two programs read 2 x 512 bytes and write 512: sectors of 32 bytes, every one needed.
    assert first["sectors"] == first["sectors_ideal"] == 2 * 3 * 512 // 32
    assert sum(int(b) * n * 32 for b, n in first["global_access_bytes"].items()) == 2 * 3 * 512
    assert p.counters["sectors"] == first["sectors"] + p.launches[1].counters["sectors"]
    assert p.counters["warp_instructions"] == sum(x.counters["warp_instructions"] for x in p.launches)
    assert p.findings == [] and p.launches[0].findings == []

    table = str(p)
    assert "tl.store(out + i, tl.load(x + i, mask=mask)" in table and __file__ in table
    page = p.html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page
    assert page.count("<!doctype html>") == 1 and page.count("</body>") == 1
    assert "tl.load(x + i) + 1" in page and "mask = i &lt; n" in page
    for outside in ("http:", "https:", "src=", "<link", "@import", "url("):
        assert outside not in page
    stored = json.loads(p.json(tmp_path / "p.json"))
    assert json.loads((tmp_path / "p.json").read_text()) == stored
    assert [launch["kernel"] for launch in stored] == ["add", "unmasked"]


def test_profile_by_source_line(sim):
    x, out = np.zeros(4096, np.float32), np.zeros(1024, np.float32)
    with pavage.sim.profile() as p:
        every_fourth[(1,)](out, x, BLOCK=1024)
    rows = p.launches[0].counters["by_source_line"]
    line = every_fourth.fn.__code__.co_firstlineno + 3
    (row,) = [r for r in rows if r["line"] == line]
    assert row["file"] == __file__ and row["text"].strip() == "tl.store(out + i, tl.load(x + i * 4))"
    # Of 16 KB every sector is touched, once or more, for a quarter of its bytes; then 4 KB are written densely.
    assert row["sectors"] >= 4 * 1024 * 4 // 32 + 1024 * 4 // 32
    assert row["sectors_ideal"] < row["sectors"] * 0.5
    assert pavage.sim.findings() == []


def test_json_has_the_documented_fields(sim):
    with pavage.sim.profile() as p, pytest.raises(pavage.SimError):
        unmasked[(1,)](np.zeros(100, np.float32), np.zeros(100, np.float32), BLOCK=128)
    data = p.launches[0].data
    assert {"findings", "counters"} <= set(data)
    assert {"kind", "line", "file", "ptx_line", "op", "message"} <= set(data["findings"][0])
    counters = data["counters"]
    names = "warp_instructions mma ldmatrix cp_async barriers bank_conflict_passes sectors sectors_ideal "
    names += "global_access_bytes divergent_branches innermost_loop by_line"
    assert set(names.split()) <= set(counters)
    assert {"instructions", "mma", "ldmatrix", "cp_async"} <= set(counters["innermost_loop"])


def test_a_profile_that_is_open_has_no_launches_yet():
    p = pavage.sim.profile()
    with pytest.raises(RuntimeError, match="ended"):
        len(p.launches)
    with p:
        pass
    assert p.launches == [] and p.counters == {} and "no launches" in p.html()


# --- the device from the environment, and the fixture ---


def test_device_and_settings_from_the_environment(tmp_path):
    script = tmp_path / "demo.py"
    script.write_text(
        textwrap.dedent("""
        import numpy as np, pavage, pavage.language as tl
        @pavage.jit
        def copy(out, x, BLOCK: tl.constexpr):
            i = tl.arange(0, BLOCK)
            tl.store(out + i, tl.load(x + i))
        out = pavage.empty(32)
        copy[(1,)](out, pavage.empty(32), BLOCK=32)
        print(pavage.device(), [f.kind for f in pavage.sim.findings()])
        """)
    )

    def run(**environment):
        return subprocess.run(
            [sys.executable, script],
            capture_output=True,
            text=True,
            env={**os.environ, "PAVAGE_DEVICE": "sim:sm_89", **environment},
        )

    assert run().stdout == "sim:sm_89 ['uninit']\n"
    assert run(PAVAGE_SIM_CHECK="oob").stdout == "sim:sm_89 []\n"
    wrong = run(PAVAGE_SIM_SEED="soon")
    assert wrong.returncode and "PV0315: PAVAGE_SIM_SEED: seed 'soon': expected a number" in wrong.stderr


TESTS = """
import numpy as np, pavage, pavage.language as tl, pytest

@pavage.jit
def increment(out, x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

def launch(x):
    out = pavage.empty(50)
    increment[(1,)](out, x, 50, BLOCK=64)
    return pavage.to_numpy(out)

def test_clean(pavage_sim):
    assert str(pavage_sim.device) == "sim:sm_80"
    assert (launch(pavage.zeros(50)) == 1).all()

def test_reads_what_nobody_wrote(pavage_sim):
    launch(pavage.empty(50))

def test_forgiven(pavage_sim):
    launch(pavage.empty(50))
    assert [f.kind for f in pavage_sim.findings()] == ["uninit"]
    pavage_sim.clear_findings()

@pytest.mark.pavage_sim(target="sm_90", check="oob")
def test_marked(pavage_sim):
    assert pavage.device().name == "sim:sm_90"
    launch(pavage.empty(50))

def test_without():
    assert pavage.device().name == "cpu"
"""


def test_the_fixture_fails_tests_with_findings(tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "pavage.pytest_plugin", "--strict-markers", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert "1 failed, 4 passed" in run.stdout, run.stdout
    assert "FAILED test_it.py::test_reads_what_nobody_wrote" in run.stdout
    assert "the virtual GPU found 1 fault" in run.stdout and "error PV0643: uninit" in run.stdout


def test_the_package_registers_the_fixture():
    tomllib = pytest.importorskip("tomllib")
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert project["project"]["entry-points"]["pytest11"] == {"pavage": "pavage.pytest_plugin"}
