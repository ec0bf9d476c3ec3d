#!/usr/bin/env bash
# The cheap checks, all of them even if one fails. Each says how to fix what it found.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cd "$(dirname "$0")/.."
python=.venv/bin/python
[ -x "$python" ] || python=/usr/bin/python3
status=0
scripts/format.sh || status=1
for check in names layers sizes docs; do
  "$python" "scripts/check_$check.py" || status=1
done
exit $status
