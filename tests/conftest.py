"""Settings of all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

# No deadline: the first example of a test may import or compile. In CI the examples are the same
# each time, so that a change is judged by itself; new ones are looked for on a developer's desk.
settings.register_profile("desk", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c_as_at_a_terminal() -> Iterator[None]:
    """A shell that starts the tests in the background has SIGINT ignored; tests raise it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
