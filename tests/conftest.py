"""Settings of all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# No deadline: the first example of a test may import or compile. In CI the examples are the same
# each time, so that a change is judged by itself; new ones are looked for on a developer's desk.
settings.register_profile("desk", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")
