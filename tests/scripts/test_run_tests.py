"""The sum of test results: a crash, a missing or damaged file, or no test at all is never taken for success."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import run_tests  # noqa: E402

GTEST = """<testsuites><testsuite name="S">
<testcase name="a" status="run" result="completed" classname="S"/>
<testcase name="b" status="run" result="completed" classname="S"><failure message="x"/></testcase>
<testcase name="c" status="run" result="skipped" classname="S"><skipped/></testcase>
<testcase name="d" status="notrun" result="suppressed" classname="S"/>
</testsuite></testsuites>"""
PASSING = '<testsuites><testsuite><testcase name="a"/><testcase name="b"/></testsuite></testsuites>'


@pytest.mark.parametrize("text, status, counts, complaint", [
    (GTEST, "fail", (1, 1, 2), "e: S.b"),
    (PASSING, "run", (2, 0, 0), None),
    (PASSING, "fail", (2, 1, 0), "a crash or a time-out"),
    ("<testsuites/>", "run", (0, 1, 0), "ran no test"),
    ("<testsuites>", "run", (0, 1, 0), "damaged"),
    (None, "run", (0, 1, 0), "left no result file"),
    (None, "not run", (0, 1, 0), "not run"),
])
def test_judge(tmp_path, text, status, counts, complaint):
    junit = tmp_path / "r.xml"
    if text is not None:
        junit.write_text(text)
    passed, failed, skipped, complaints = run_tests.judge("e", status, junit)
    assert (passed, failed, skipped) == counts
    assert bool(complaint) == bool(complaints) and (not complaint or complaint in complaints[0])


def test_whole_run(tmp_path):
    """Against a real ctest: one good entry, one that dies after its file was written, one that writes nothing."""
    results = tmp_path / "test-results"
    lines = []
    for name, command in (("good", f"printf '{PASSING}' > $1"), ("dies", f"printf '{PASSING}' > $1; kill -9 $$"),
                          ("silent", ":")):
        script = tmp_path / f"{name}.sh"
        script.write_text(command.replace("$1", '"${1#--out=}"') + "\n")
        lines.append(f'add_test({name} "/bin/sh" "{script}" "--out={results}/{name}.xml")')
    (tmp_path / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
    command = [sys.executable, str(ROOT / "scripts/run_tests.py"), str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stdout.splitlines()[-1] == "4 passed, 2 failed, 0 skipped", result.stdout + result.stderr
    assert result.returncode == 1

    (tmp_path / "CTestTestfile.cmake").write_text(lines[0] + "\n")
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stdout.splitlines()[-1]) == (0, "2 passed, 0 failed, 0 skipped")
