"""Makes the helpers of this folder importable. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
