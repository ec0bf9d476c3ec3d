"""What GPU code costs, counted: accesses, conflicts and barriers on the virtual GPU, machine code where ptxas is there.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent.parent.parent
MATMUL = [("128,128,32", 4, 4, 1.9), ("128,256,64", 8, 3, 1.15)]
LAUNCH = {
    "softmax": ("softmax.py:softmax", "*fp32:16,*fp32:16,i32:16,i32:16,i32:16,1024", "32",
                ["out:f32[32,1024]", "f32[32,1024]=randint"], "1024,1024,1024", 2 * 32 * 1024 * 4),
    "layernorm": ("layernorm.py:forward", "*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32,*fp32,i32:16,i32:16,fp32,1024",
                  "32", ["out:f32[32,1024]", "f32[32,1024]=randint", "f32[1024]=randint", "f32[1024]=randint",
                         "out:f32[32]", "out:f32[32]"], "1024,1024,0.00001", None),
    "add": ("vector_add.py:add", "*fp32:16,*fp32:16,*fp32:16,i32:16,1024", "32",
            ["out:f32[32768]", "f32[32768]=randint", "f32[32768]=randint"], "32768", 3 * 32768 * 4),
}


@pytest.fixture(scope="module")
def pavage(build_dir):
    return build_dir / "bin" / "pavage"


def ptx(pavage, folder, kernel, signature, warps=4, stages=3):
    path = folder / "kernel.ptx"
    subprocess.run([pavage, "compile", ROOT / "examples" / kernel, "--target", "sm_80", "--signature", signature,
                    "--num-warps", str(warps), "--num-stages", str(stages), "--emit", "ptx", "-o", path], check=True)
    return path


def counters(pavage, path, entry, warps, grid, arguments, scalars):
    """Counters of a launch without a finding."""
    report = path.with_suffix(".json")
    args = [part for argument in arguments for part in ("--arg", argument)]
    done = subprocess.run([pavage, "sim", f"{path}:{entry}", "--block", str(32 * warps), "--grid", grid, "--target",
                           "sm_80", "--shared", "166912", *args, "--args", scalars, "--json", report],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads(report.read_text())
    assert not data["findings"]
    return data["counters"]


@pytest.fixture(params=MATMUL, ids=lambda config: config[0])
def matmul(request, pavage, tmp_path):
    tile, warps, stages, bound = request.param
    signature = f"*fp16:16,*fp16:16,*fp16:16,None,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,None,{tile},8"
    return ptx(pavage, tmp_path, "matmul.py:matmul", signature, warps, stages), warps, bound


def test_matmul_on_the_virtual_gpu(pavage, matmul):
    path, warps, _ = matmul
    arguments = ["out:f16[256,512]", "f16[256,256]=randint", "f16[256,512]=randint"]
    counts = counters(pavage, path, "matmul", warps, "4", arguments, "256,512,256,256,512,512")
    loop = counts["innermost_loop"]
    assert set(counts["global_access_bytes"]) == {"16"}
    assert counts["sectors"] == counts["sectors_ideal"]
    assert counts["bank_conflict_passes"] <= 0.01 * counts["ldmatrix"]
    assert loop["barriers"] == loop["iterations"], "one barrier for each step along K"
    assert loop["mma"] == counts["mma"] > 0 and loop["cp_async"] > 0


@pytest.mark.skipif(not shutil.which("ptxas"), reason="ptxas is absent")
def test_matmul_machine_code(matmul, capsys):
    path, _, bound = matmul
    cubin = path.with_suffix(".cubin")
    done = subprocess.run(["ptxas", "-arch=sm_80", "-v", path, "-o", cubin], capture_output=True, text=True, check=True)
    assert " 0 bytes spill stores, 0 bytes spill loads" in done.stderr
    disassembler = os.environ.get("NVDISASM") or shutil.which("nvdisasm")
    if not disassembler:
        pytest.skip("nvdisasm is absent")
    loop = loop_of(subprocess.run([disassembler, "-c", cubin], capture_output=True, text=True, check=True).stdout)
    tensor = sum(op.startswith("HMMA") for op in loop)
    with capsys.disabled():
        print(f"\n{path.parent.name}: {(len(loop) - tensor) / tensor:.2f} other instructions per HMMA")
    assert (len(loop) - tensor) / tensor <= bound


def loop_of(text):
    """The instructions of the loop with the tensor instructions: from a label to the branch back to it."""
    instructions, labels = [], {}
    best = []
    for line in text.splitlines():
        if match := re.match(r"\s*(\.L_x_\d+):", line):
            labels[match.group(1)] = len(instructions)
        elif match := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?(\S+)(.*);", line):
            instructions.append(match.group(1))
            target = re.search(r"\.L_x_\d+", match.group(2))
            if match.group(1).startswith("BRA") and target and target.group() in labels:
                body = instructions[labels[target.group()]:]
                best = body if any(op.startswith("HMMA") for op in body) else best
    assert best, "a loop with tensor instructions"
    return best


@pytest.mark.parametrize("name", LAUNCH)
def test_sectors(pavage, tmp_path, name):
    """Aligned rows: each sector whole, each byte read once and written once."""
    kernel, signature, grid, arguments, scalars, traffic = LAUNCH[name]
    path = ptx(pavage, tmp_path, kernel, signature)
    counts = counters(pavage, path, kernel.split(":")[1], 4, grid, arguments, scalars)
    assert counts["sectors"] == counts["sectors_ideal"]
    assert counts["global_access_bytes"].get("16", 0) > 0
    if traffic:
        assert counts["sectors"] * 32 == traffic and set(counts["global_access_bytes"]) == {"16"}
