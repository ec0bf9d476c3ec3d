#!/usr/bin/env bash
# Installs what Pavage needs on Debian 12: packages by apt, then .venv with the pinned Python packages.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   scripts/bootstrap.sh            install what is missing (a quick no-op when nothing is)
#   scripts/bootstrap.sh --list     print the Debian packages and stop
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  # compiler, linker, build
  clang-22 lld-22 clang-format-22 libclang-rt-22-dev cmake ninja-build g++
  # LLVM and MLIR as libraries, mlir-tblgen, lit and FileCheck
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools zlib1g-dev libzstd-dev
  # tests
  libgtest-dev libgmock-dev
  # Python bindings and the Python that they are for
  python3 python3-dev python3-venv pybind11-dev
)
[ "${1:-}" = --list ] && { printf '%s\n' "${packages[@]}"; exit 0; }

# --- Debian packages -----------------------------------------------------------------------------------------------
missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  sudo=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
      echo "bootstrap: run as root, or install these packages first: ${missing[*]}" >&2; exit 1; }
    sudo=sudo
  fi
  echo "bootstrap: installing ${missing[*]}"
  log=$(mktemp)
  apt() { $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@"; }
  { apt update && apt install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    echo "bootstrap: apt-get failed; clang-22 and libmlir-22-dev come from Debian 12's security archive" \
      "(deb http://deb.debian.org/debian-security bookworm-security main)" >&2
    exit 1; }
  rm -f "$log"
fi

# --- .venv ---------------------------------------------------------------------------------------------------------
# Debian's own interpreter, by path: a version manager's shim may come first on PATH, and its Python has other headers.
python=${PAVAGE_BOOTSTRAP_PYTHON:-/usr/bin/python3}
stamp=$({ echo "$PWD"; "$python" --version; cat scripts/requirements.txt; } | sha256sum | cut -c1-16)
if [ "$(cat .venv/.bootstrap 2>/dev/null)" != "$stamp" ]; then
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
    echo "bootstrap: $python is older than 3.10; set PAVAGE_BOOTSTRAP_PYTHON" >&2; exit 1; }
  echo "bootstrap: making .venv"
  "$python" -m venv --clear .venv
  .venv/bin/python -m pip install -q --disable-pip-version-check -r scripts/requirements.txt
  # The package as assembled by the build (build/python); PYTHONPATH=build-dev/python picks another build.
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  echo "$PWD/build/python" >"$site/pavage.pth"
  echo "$stamp" >.venv/.bootstrap
fi
