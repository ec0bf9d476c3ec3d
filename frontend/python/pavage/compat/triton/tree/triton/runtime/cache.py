# triton.runtime.cache: names that programs refer to. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Pavage's cache is its runtime's (PAVAGE_CACHE_DIR); these keep files of other kinds for programs that want to.
from __future__ import annotations

import base64
import json
import os
import tempfile


class CacheManager:
    """Keeps files under a key."""


class FileCacheManager(CacheManager):
    def __init__(self, key, override=False, dump=False):
        self.key = key
        root = os.environ.get("PAVAGE_CACHE_DIR") or os.path.join(os.path.expanduser("~"), ".cache", "pavage")
        self.cache_dir = os.path.join(root, "files", key)
        os.makedirs(self.cache_dir, mode=0o700, exist_ok=True)

    def _path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._path(filename))

    def get_file(self, filename):
        return self._path(filename) if self.has_file(filename) else None

    def get_group(self, filename):
        """{name: path} of files put together; None unless all of them are there."""
        path = self.get_file("__grp__" + filename)
        if path is None:
            return None
        with open(path, encoding="utf-8") as f:
            group = json.load(f)
        return group if all(map(os.path.exists, group.values())) else None

    def put(self, data, filename, binary=True):
        binary = isinstance(data, bytes)
        handle, temporary = tempfile.mkstemp(dir=self.cache_dir)
        with os.fdopen(handle, "wb" if binary else "w") as f:
            f.write(data)
        os.replace(temporary, self._path(filename))
        return self._path(filename)

    def put_group(self, filename, group):
        return self.put(json.dumps(group), "__grp__" + filename)


class RemoteCacheBackend:
    """Base of caches on other machines."""


class RedisRemoteCacheBackend(RemoteCacheBackend):
    pass


class RemoteCacheManager(CacheManager):
    """Keeps files at `triton.knobs.cache.remote_manager_class`, and here what came from there."""

    def __init__(self, key, override=False, dump=False):
        from .. import knobs

        self.key, self._files = key, FileCacheManager(key)
        self._backend = knobs.cache.remote_manager_class(key)

    def get_file(self, filename):
        found = self._backend.get([filename]).get(filename)
        return None if found is None else self._files.put(found, filename)

    def has_file(self, filename):
        return self.get_file(filename) is not None

    def put(self, data, filename, binary=True):
        data = data if isinstance(data, bytes) else str(data).encode()
        self._backend.put(filename, data)
        return self._files.put(data, filename)

    def get_group(self, filename):
        names = self._backend.get(["__grp__" + filename]).get("__grp__" + filename)
        if names is None:
            return None
        paths = {name: self.get_file(name) for name in json.loads(names)}
        return paths if all(paths.values()) else None

    def put_group(self, filename, group):
        return self.put(json.dumps(list(group)), "__grp__" + filename)


def get_cache_manager(key):
    return FileCacheManager(base64.b32encode(bytes.fromhex(key)).decode().rstrip("=") if _is_hex(key) else key)


def _is_hex(text):
    try:
        bytes.fromhex(text)
    except ValueError:
        return False
    return True
