# Redirects torch code that says device="cuda". SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A torch function mode rewrites the `device` argument of every factory function, `.to("cuda")` and `.cuda()`; what
# programs ask about CUDA before they start (is it there, which device is current, wait for it) gets an answer that lets
# them go on.
from __future__ import annotations


def redirect(device):
    """From here on, torch devices of type cuda mean `device`."""
    import torch
    from torch.overrides import TorchFunctionMode

    def moved(x):
        if isinstance(x, str) and x.split(":")[0] == "cuda":
            return device
        if isinstance(x, torch.device) and x.type == "cuda":
            return torch.device(device)
        return x

    class Redirect(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = {k: moved(v) if k == "device" else v for k, v in (kwargs or {}).items()}
            if function in (torch.Tensor.to, torch.Tensor.cuda, torch.Generator):
                if function is torch.Tensor.cuda:
                    return args[0].to(device)
                args = tuple(moved(a) for a in args)
            return function(*args, **kwargs)

    mode = Redirect()
    mode.__enter__()  # for the life of the process
    torch.cuda.is_available = lambda: False
    torch.cuda.synchronize = lambda *args: None
    torch.cuda.current_device = lambda: 0
    torch.cuda.set_device = lambda *args: None
    torch.cuda.device_count = lambda: 1
    torch.cuda.empty_cache = lambda: None
    torch.cuda.manual_seed = torch.cuda.manual_seed_all = lambda seed: None
    return mode
