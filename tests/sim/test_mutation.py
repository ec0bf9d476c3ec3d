"""Mutations of the samples' PTX: each missing barrier, wait, commit, fence or guard must be reported. SPDX-License-Identifier: Apache-2.0
WITH LLVM-exception"""

import re

import numpy as np
import pytest
import samples

pytestmark = pytest.mark.skipif(not samples.NVCC, reason="nvcc is not installed")

REMOVED = re.compile(r"^\s*(bar\.sync|barrier\.sync|bar\.warp\.sync|cp\.async\.(commit_group|wait_group|wait_all)|fence|membar|mbarrier\.(init|arrive))\b")
WAIT = re.compile(r"(cp\.async\.wait_group\s+)(\d+)")
GUARD = re.compile(r"^(\s*)@!?%p\d+\s+(ld|st|atom|red|cp\.async)")

# Survivors, each with its reason: they change nothing that can be observed.
EQUIVALENT = {
    ("scan_doubling", "157: without bar.sync"): "behind the last step every thread reads only what it wrote",
    ("reduce_last_block", "437: without bar.sync"): "behind the last step thread 0 reads what it wrote itself",
    ("pipeline_groups", "407: without bar.sync"): "in the loop of the last three tiles only the first step may start a copy, and the barrier before it remains",
}


def mutants(text, kernel):
    """(description, changed text) of every mutation inside one kernel."""
    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if re.search(rf"\.entry {kernel}\b", line))
    end = next(i for i in range(start, len(lines)) if lines[i].rstrip() == "}")
    for i in range(start, end):
        line = lines[i]
        if REMOVED.match(line.strip()) or REMOVED.match(line):
            yield f"{i + 1}: without {line.strip()}", "\n".join(lines[:i] + ["// " + line] + lines[i + 1 :])
        if WAIT.search(line):
            more = WAIT.sub(lambda m: m.group(1) + str(int(m.group(2)) + 1), line)
            yield f"{i + 1}: {more.strip()}", "\n".join(lines[:i] + [more] + lines[i + 1 :])
        if GUARD.match(line):
            bare = re.sub(r"@!?%p\d+\s+", "", line)
            yield f"{i + 1}: unguarded {bare.strip()}", "\n".join(lines[:i] + [bare] + lines[i + 1 :])


def explained(table, kernel, name):
    return any(kernel == k and pattern in name for k, pattern in table)


def caught(sample, text, tmp_path):
    ptx = tmp_path / "mutant.ptx"
    ptx.write_text(text)
    for options in ([], ["--seed", "1"], ["--seed", "2"]):
        run, values = samples.launch(sample, ptx, tmp_path, "--check", "all,unwritten", "--max-instructions", "3000000", *options)
        if run.returncode != 0:
            return True
        if any(not np.array_equal(values[k], want) for k, want in sample.expected.items()):
            return True
    return False


def test_mutants_are_found(tmp_path):
    total, equivalent, survivors = 0, 0, []
    for sample in samples.all_samples():
        text = samples.compile_ptx(sample.file, 80, 3, tmp_path).read_text()
        for name, changed in mutants(text, sample.kernel):
            total += 1
            if explained(EQUIVALENT, sample.kernel, name):
                equivalent += 1
                continue
            if not caught(sample, changed, tmp_path):
                survivors.append((sample.kernel, name))
    reported = total - equivalent - len(survivors)
    print(*survivors, f"{total} mutants, {reported} reported ({100 * reported / total:.1f} %), {equivalent} that change nothing", sep="\n")
    assert total > 70
    assert not survivors
    assert reported >= 0.95 * total
