"""Numba kernels: numbers in, numbers out.

Compiled code is kept in the user's cache folder under a digest of every kernel source, so that
an edit of any file is seen at once (Numba itself only looks at the file of the caller).
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import numba

__all__ = ["CACHE_FOLDER", "source_digest"]

_HERE = Path(__file__).resolve().parent


def source_digest() -> str:
    """Digest of all kernel sources and of the versions that compile them.

    Returns
    -------
    str
        Sixteen hexadecimal digits.
    """
    digest = hashlib.sha256()
    digest.update(f"numba {numba.__version__} python {sys.version_info[:2]}".encode())
    for path in sorted(_HERE.rglob("*.py")):
        digest.update(path.relative_to(_HERE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_root() -> Path:
    chosen = os.environ.get("RAMISIM_CACHE") or os.environ.get("XDG_CACHE_HOME")
    if chosen:
        return Path(chosen) / "ramisim"
    return Path.home() / ".cache" / "ramisim"


CACHE_FOLDER = _cache_root() / source_digest()
"""Folder of the compiled kernels; another digest means another folder, never a stale kernel."""

# Numba's own setting, not the environment variable: child processes import this file as well.
numba.config.CACHE_DIR = str(CACHE_FOLDER)  # type: ignore[attr-defined]
