"""PTX of the examples for every target, assembled. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

ptxas takes the text without a warning and without spilling registers.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
TOOL = pathlib.Path(os.environ.get("PAVAGE_BUILD_DIR", ROOT / "build")) / "bin/pavage"
PTXAS = shutil.which("ptxas") or shutil.which("/usr/local/cuda/bin/ptxas")
TARGETS = ("sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120")

#: File:kernel -> signature.
KERNELS = {
    "vector_add.py:add": "*fp32:16,*fp32:16,*fp32:16,i32,1024",
    "softmax.py:softmax": "*fp32:16,*fp32:16,i32:16,i32:16,i32,1024",
    "layernorm.py:forward": "*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32:16,i32,fp32,1024",
    "matmul.py:matmul": "*fp16:16,*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,"
                        "i32:16,1,i32:16,1,i32:16,1,None,64,64,32,8",
    "attention.py:attention": "*fp32:16,*fp32:16,*fp32:16,*fp32:16,i32:16,fp32,True,32,32,64",
    "dropout.py:dropout": "*fp32:16,*fp32:16,i32,fp32,i32,1024",
    "digits.py:cross_entropy": "*fp32:16,*fp32:16,*fp32:16,*i32:16,i32,i32,16",
    "digits.py:sum_rows": "*fp32:16,*fp32:16,i32,i32,64,64",
}


@pytest.mark.skipif(not PTXAS, reason="ptxas is not installed")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_assembles(kernel, target, tmp_path):
    ptx = tmp_path / "kernel.ptx"
    command = [
        TOOL, "compile", ROOT / "examples" / kernel, "--signature", KERNELS[kernel], "--target", target, "-o", ptx,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    command = [PTXAS, f"-arch={target}", "-v", "-lineinfo", ptx, "-o", tmp_path / "kernel.cubin"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr.lower(), done.stderr
    assert re.search(r"\b0 bytes spill stores, 0 bytes spill loads", done.stderr), done.stderr
