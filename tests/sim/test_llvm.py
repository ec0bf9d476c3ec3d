"""PTX that llc writes is read whole: no unknown form. Needs llc-22. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""

import subprocess

import llvm_forms
import numpy as np
import pytest
import samples

pytestmark = pytest.mark.skipif(not llvm_forms.LLC, reason="llc-22 is not installed")


@pytest.mark.parametrize("arch", [75, 80, 89, 90])
def test_forms_of_llc(arch, tmp_path):
    chosen = [case for case in llvm_forms.cases() if case[2] <= arch]
    assert len(chosen) > 500
    file = tmp_path / "forms.ptx"
    file.write_text(llvm_forms.compile_cases(chosen, arch))
    run = subprocess.run([samples.SIM, "--list-forms", str(file)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert len(run.stdout.splitlines()) > 80


# What operands 2, 3 and 5 give, in the lowest byte.
VALUES = {"add.i8": 5, "mul.i16": 6, "sdiv.i32": 0, "umax.i64": 3, "ctpop.i32": 1, "fshl.i32": 64, "smin.i8": 2, "sext.i8.i64": 2, "mulh.i32": 0, "icmp.slt.i32": 2, "bitreverse.i8": 64, "cttz.i64": 1, "usub.sat.i32": 0}


def test_values_of_llc(tmp_path):
    chosen = [case for case in llvm_forms.cases() if case[0] in VALUES]
    assert len(chosen) == len(VALUES)
    file = tmp_path / "values.ptx"
    file.write_text(llvm_forms.compile_cases(chosen, 80))
    operands = np.zeros(64, np.uint8)
    operands[[0, 16, 32]] = 2, 3, 5
    np.save(tmp_path / "in.npy", operands)
    for number, (name, _, _) in enumerate(chosen):
        command = [samples.SIM, f"{file}:k{number}", "--block", "1", "--quiet", "--arg", f"u8[64]={tmp_path}/in.npy", "--arg", "out:u8[8]=zeros", "--out", f"1={tmp_path}/out.npy"]
        run = subprocess.run(command, capture_output=True, text=True)
        assert run.returncode == 0, name + run.stderr
        assert np.load(tmp_path / "out.npy")[0] == VALUES[name], name
