"""``python -m benchmarks`` is ``ramisim bench``."""

from __future__ import annotations

import sys

from ramisim.cli.app import app

if __name__ == "__main__":
    app(["bench", *sys.argv[1:]])
