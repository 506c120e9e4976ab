"""ramisim: plays the rami (rummy) family at full speed, and says which strategy is better.

``import ramisim`` is cheap: a name is imported from its module when it is first used, so that
the command line, the rules and the analysis start without compiling anything.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ramisim.version import ENGINE_VERSION, SCHEMA_VERSION, __version__

if TYPE_CHECKING:
    from ramisim.cards import card_name, parse_card, parse_hand
    from ramisim.engine import Engine
    from ramisim.errors import (
        CardError,
        IllegalAction,
        PositionError,
        RamisimError,
        RecordError,
        RulesError,
        RunError,
        StrategyError,
    )
    from ramisim.melding import (
        best_melds,
        best_melds_many,
        enumerate_melds,
        enumerate_melds_many,
    )
    from ramisim.position import Position
    from ramisim.record import play_games, read_games
    from ramisim.record import verify_file as verify
    from ramisim.rules import Rules, preset_names
    from ramisim.runner import simulate

_HOMES = {
    "ramisim.cards": ("card_name", "parse_card", "parse_hand"),
    "ramisim.engine": ("Engine",),
    "ramisim.errors": (
        "CardError",
        "IllegalAction",
        "PositionError",
        "RamisimError",
        "RecordError",
        "RulesError",
        "RunError",
        "StrategyError",
    ),
    "ramisim.melding": ("best_melds", "best_melds_many", "enumerate_melds", "enumerate_melds_many"),
    "ramisim.position": ("Position",),
    "ramisim.record": ("play_games", "read_games"),
    "ramisim.rules": ("Rules", "preset_names"),
    "ramisim.runner": ("simulate",),
}
_WHERE = {name: (module, name) for module, names in _HOMES.items() for name in names}
_WHERE["verify"] = ("ramisim.record", "verify_file")

__all__ = [
    "ENGINE_VERSION",
    "SCHEMA_VERSION",
    "CardError",
    "Engine",
    "IllegalAction",
    "Position",
    "PositionError",
    "RamisimError",
    "RecordError",
    "Rules",
    "RulesError",
    "RunError",
    "StrategyError",
    "__version__",
    "best_melds",
    "best_melds_many",
    "card_name",
    "enumerate_melds",
    "enumerate_melds_many",
    "parse_card",
    "parse_hand",
    "play_games",
    "preset_names",
    "read_games",
    "simulate",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'ramisim' has no attribute {name!r}")
    module, attribute = _WHERE[name]
    value = getattr(import_module(module), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
