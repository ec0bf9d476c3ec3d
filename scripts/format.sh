#!/usr/bin/env bash
# Checks the format of every tracked file; -f fixes it. C++: clang-format 22; Python: ruff's lint; all text: no
# trailing blanks, a newline at the end. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "$0")/.."
fix=
[ "${1:-}" = -f ] && fix=1
jobs=$(nproc)
ruff=.venv/bin/ruff

mapfile -t sources < <(git ls-files '*.cpp' '*.h' '*.c' | while read -r f; do [ -f "$f" ] && echo "$f"; done)
mapfile -t texts < <(git ls-files -- '*.cpp' '*.h' '*.c' '*.td' '*.def' '*.py' '*.pyi' '*.sh' '*.md' \
  '*.mlir' '*.txt' '*.cmake' '*.toml' Makefile .ci/run | while read -r f; do [ -f "$f" ] && echo "$f"; done)

if [ -n "$fix" ]; then
  [ ${#sources[@]} = 0 ] || printf '%s\0' "${sources[@]}" | xargs -0 -n 16 -P "$jobs" clang-format-22 -i
  sed -i 's/[ \t]*$//; $a\' "${texts[@]}"
  exec "$ruff" check -q --fix .
fi

status=0
if [ ${#sources[@]} != 0 ]; then
  bad=$(printf '%s\0' "${sources[@]}" | xargs -0 -n 16 -P "$jobs" clang-format-22 --dry-run -Werror 2>&1 |
    sed -n 's/^\([^:]*\):.*-Wclang-format-violations.*/\1/p' | sort -u || true)
  [ -z "$bad" ] || { printf '%s: not in clang-format 22 style\n' $bad; status=1; }
fi
blanks=$(grep -nE '[[:blank:]]+$' "${texts[@]}" /dev/null | cut -d: -f1,2 || true)
[ -z "$blanks" ] || { printf '%s: trailing blanks\n' $blanks; status=1; }
for f in "${texts[@]}"; do
  [ ! -s "$f" ] || [ -z "$(tail -c1 "$f")" ] || { echo "$f: no newline at the end"; status=1; }
done
"$ruff" check -q --output-format=concise . || status=1
[ $status = 0 ] || echo "format: fix with: make format (what it cannot, by hand)"
exit $status
