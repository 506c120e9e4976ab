"""Rule sets for tests: the presets, and random variants of them that can be dealt."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ramisim.rules import Rules, preset_names
from ramisim.rules_keys import KEYS, Key

# Small enough that six cards each for eight players come out of one pack without a joker.
MOST_DEALT = 6


def values_of(key: Key) -> st.SearchStrategy[Any]:
    """Every value that a key may have on its own, numbers near the low end more often."""
    if key.is_flag:
        return st.booleans()
    choices: list[st.SearchStrategy[Any]] = [st.sampled_from(key.words)] if key.words else []
    if key.takes_int:
        high = MOST_DEALT if key.name == "deal.hand_size" else key.high
        choices.append(st.integers(key.low, min(high, key.low + 20)))
        choices.append(st.integers(key.low, high))
    return st.one_of(choices)


@st.composite
def overrides(draw: st.DrawFn) -> dict[str, Any]:
    """Random values for some keys, that go together with those of any preset."""
    names = draw(st.lists(st.sampled_from(sorted(KEYS)), unique=True, max_size=len(KEYS)))
    found = {name: draw(values_of(KEYS[name])) for name in names}
    low, high = sorted(draw(st.tuples(st.integers(2, 8), st.integers(2, 8))))
    found |= {"players.min": low, "players.max": high}
    # Fewer packs, or more seats, than a preset was made for: deal few cards.
    found["deal.hand_size"] = draw(st.integers(1, MOST_DEALT))
    if not found.get("match.target", 1):
        found["match.max_rounds"] = draw(st.integers(1, 20))
    elif "match.max_rounds" in found:
        found.setdefault("match.target", draw(st.integers(1, 1000)))
    return found


@st.composite
def rule_sets(draw: st.DrawFn) -> Rules:
    """A preset with random values for some of its keys."""
    return Rules.load(draw(st.sampled_from(preset_names())), draw(overrides()))
