"""``python -m ramisim`` is the command ``ramisim``."""

from __future__ import annotations

from ramisim.cli.app import main

if __name__ == "__main__":
    main()
