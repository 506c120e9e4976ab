"""Numba kernels: numbers in, numbers out.

Compiled code is kept in the user's cache folder under a digest of every kernel source, so that
an edit of any file is seen at once (Numba itself only looks at the file of the caller).
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
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


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _for_this_run(wanted: Path) -> Path:
    """A folder that goes with this process, for it and its children.

    Numba by itself would write beside the sources, where no digest tells an old kernel from a
    new one.
    """
    root = tempfile.mkdtemp(prefix="ramisim-")
    atexit.register(shutil.rmtree, root, ignore_errors=True)
    os.environ["RAMISIM_CACHE"] = root
    folder = _cache_root() / wanted.name
    if wanted.is_dir():  # made beforehand, and read-only now
        shutil.copytree(wanted, folder)
    print(
        f"ramisim: {wanted.parent} cannot be written: compiled kernels are kept for this run only "
        "(RAMISIM_CACHE names another folder)",
        file=sys.stderr,
        flush=True,
    )
    return folder


def _cache_folder() -> Path:
    folder = _cache_root() / source_digest()
    return folder if _usable(folder) else _for_this_run(folder)


CACHE_FOLDER = _cache_folder()
"""Folder of the compiled kernels; another digest means another folder, never a stale kernel."""

# Numba's own setting, not the environment variable: child processes import this file as well.
numba.config.CACHE_DIR = str(CACHE_FOLDER)  # type: ignore[attr-defined]
