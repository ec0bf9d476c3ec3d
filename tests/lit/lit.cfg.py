"""Lit suite of Pavage. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

Substitutions: pavage-opt, pavage, FileCheck, not, split-file, count (whole words), %python (imports pavage), %source
(repository root). Features: cpu always; cuda with a driver, ptxas with the tool. FileCheck variables are scoped to
their function unless named with a $.

Switch: `lit --param verify-roundtrip=1` prints and parses again before every pavage-opt run.
"""

import os
import shutil

import lit.formats

config.name = "pavage"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

bin_dir = os.path.join(config.pavage_build_dir, "bin")
extra = ["--verify-roundtrip"] if lit_config.params.get("verify-roundtrip") else []
for name, arguments in (("pavage-opt", extra), ("pavage", [])):
    command = " ".join([os.path.join(bin_dir, name), *arguments])
    config.substitutions.append((r"(?<![-/\w.%:])" + name + r"(?![-/\w.])", command))
for name in ("FileCheck", "not", "count", "split-file"):
    config.substitutions.append((r"(?<![-/\w.])" + name + r"(?![-/\w.])", os.path.join(config.llvm_tools_dir, name)))
config.substitutions.append(("%python", config.pavage_python))
config.substitutions.append(("%source", config.pavage_source_dir))

config.environment["FILECHECK_OPTS"] = "--enable-var-scope --allow-unused-prefixes=false"
config.environment["PYTHONPATH"] = os.path.join(config.pavage_build_dir, "python")
config.environment["PAVAGE_CACHE_DIR"] = os.path.join(config.test_exec_root, "cache")

config.available_features.add("cpu")
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
if os.path.exists("/dev/nvidiactl"):
    config.available_features.add("cuda")
