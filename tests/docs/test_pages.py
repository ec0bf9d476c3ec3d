"""Pages do what they say: Python blocks run, examples in op descriptions parse, generated pages are current."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import check_docs  # noqa: E402
from tree import Tree  # noqa: E402

PAGES = ["README.md", *Tree(ROOT).select(".md", under="docs/")]


def python_of(path):
    return "\n\n".join(re.findall(r"^```python\n(.*?)^```", (ROOT / path).read_text(), re.M | re.S))


# Tutorials are examples, which tests/e2e runs; reference pages have no whole programs.
RUNNABLE = [page for page in PAGES if python_of(page) and not page.startswith(("docs/tutorials", "docs/reference"))]


@pytest.mark.parametrize("page", RUNNABLE)
def test_python_blocks_run(page, tmp_path):
    """All blocks of a page are one program."""
    program = tmp_path / "page.py"
    program.write_text(python_of(page))
    result = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr


def test_checks_of_the_docs_pass_with_the_built_pavage_opt(build_dir):
    opt = build_dir / "bin/pavage-opt"
    assert opt.exists()
    assert list(check_docs.mlir_examples(Tree(ROOT)))
    assert check_docs.check(Tree(ROOT), str(opt)).lines == []


def test_an_example_that_does_not_parse_is_found(build_dir, tmp_path):
    page = tmp_path / "docs/page.md"
    page.parent.mkdir()
    page.write_text("Good:\n```mlir\nfunc.func private @a()\n```\nBad:\n```mlir\n\nfunc.func @b() { nonsense }\n```\n")
    lines = check_docs.check(Tree(tmp_path), str(build_dir / "bin/pavage-opt")).lines
    assert len(lines) == 1 and lines[0].startswith("docs/page.md:8: example does not parse"), lines
