# Parts of run_third_party.py. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
