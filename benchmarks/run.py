#!/usr/bin/env python3
"""Measures the registered figures and prints a line for each; exit code 0 even if a bar is not reached.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import argparse
import json
import sys
import time
import traceback
from pathlib import Path

import harness


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="only figures whose function name contains one of these")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    parser.add_argument("--list", action="store_true", help="name the figure functions and stop")
    parser.add_argument("--strict", action="store_true", help="exit 1 if a bar is not reached")
    arguments = parser.parse_args()
    registry = harness.load_figures()
    chosen = {name: function for name, function in registry.items()
              if not arguments.names or any(part in name for part in arguments.names)}
    if arguments.list or not chosen:
        print("\n".join(registry))
        return 0 if arguments.list else 2

    configuration = harness.numpy_configuration()
    print(f"CPU: {harness.cpu_name()}, {harness.threads()} threads for Pavage; rival: {configuration}")
    print(f"{'figure':34} {'value':>10} {'unit':10} {'rival and its configuration':60} {'bar':9} verdict", flush=True)
    figures, failures = [], []
    for name, function in chosen.items():
        try:
            for result in function():
                figures.append(result)
                print(result.line(), flush=True)
        except Exception:  # one figure that fails must not hide the others
            failures.append(name)
            print(f"{name:34} failed:\n{traceback.format_exc()}", flush=True)
    short = [result.name for result in figures if result.verdict == "short"]
    print(f"{len(figures)} figures, {sum(result.verdict == 'met' for result in figures)} met, {len(short)} short, "
          f"{len(failures)} failed")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps({
            "cpu": harness.cpu_name(), "threads": harness.threads(), "rival": configuration,
            "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "failed": failures,
            "figures": [result.as_json() for result in figures]}, indent=1) + "\n")
    return 1 if failures or (arguments.strict and short) else 0


if __name__ == "__main__":
    sys.exit(main())
