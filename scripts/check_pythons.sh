#!/usr/bin/env bash
# A wheel for each Python, installed into a fresh environment, where it must import, compile, run and find its tool.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   scripts/check_pythons.sh [PYTHON...]     default: python3.10 ... python3.14, on PATH or of pyenv
#
# Takes the libraries of build/ (make package), so that a Python costs the two extension modules: under a minute. Those
# that are not installed are skipped. The last line is `N passed, N failed, N skipped`.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f build/lib/libpavage_core.so ] || { echo "check_pythons: build/ has no libraries; run make package" >&2; exit 1; }

find_python() { # 3.12 -> its interpreter
  local found
  for found in "$HOME"/.pyenv/versions/"$1".*/bin/python /usr/bin/python"$1" "$(command -v "python$1" || true)"; do
    # A shim of a version manager may stand for a version that is not there.
    [ -x "$found" ] && "$found" -c "import sys; sys.exit(sys.version_info[:2] != tuple(map(int, '$1'.split('.'))))" \
      2>/dev/null && { echo "$found"; return; }
  done
  return 1
}

passed=0 failed=0 skipped=0
try_python() { # interpreter, folder
  "$1" -m venv "$2/venv"
  local pip=("$2/venv/bin/python" -m pip --disable-pip-version-check -q)
  "${pip[@]}" wheel . --no-deps -w "$2" -C "build-dir=$2/build" -C "cmake.define.PAVAGE_PREBUILT=$PWD/build"
  "${pip[@]}" install "$2"/pavage-*.whl
  (
    cd "$2" # so that the package is the installed one
    export PAVAGE_CACHE_DIR="$2/cache"
    unset PYTHONPATH
    venv/bin/python -c 'import pavage; assert "site-packages" in pavage.__file__, pavage.__file__'
    venv/bin/python "$OLDPWD/examples/vector_add.py"
    PAVAGE_INTERPRET=1 venv/bin/python "$OLDPWD/examples/vector_add.py"
    PATH="$2/venv/bin:$PATH" pavage compile "$OLDPWD/examples/vector_add.py:add" \
      --signature '*fp32:16,*fp32:16,*fp32:16,i32,1024' --emit asm -o add.s
  )
}

wanted=("$@")
[ $# -gt 0 ] || wanted=(3.10 3.11 3.12 3.13 3.14)
for name in "${wanted[@]}"; do
  if [ -x "$name" ]; then
    python=$name
  elif ! python=$(find_python "$name"); then
    echo "Python $name: not installed"
    skipped=$((skipped + 1))
    continue
  fi
  folder=$(mktemp -d)
  # In a shell of its own: `set -e` does not act inside a condition.
  if bash -c "$(declare -f try_python); set -euo pipefail; try_python \"\$1\" \"\$2\"" - "$python" "$folder" \
    >"$folder/log" 2>&1; then
    echo "$("$python" --version): passed"
    passed=$((passed + 1))
  else
    echo "$("$python" --version): failed"
    tail -n 25 "$folder/log"
    failed=$((failed + 1))
  fi
  rm -rf "$folder"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
