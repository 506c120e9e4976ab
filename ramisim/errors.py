"""The errors a user can cause; each carries one sentence: what, where, and what is allowed.

Library code raises them, the command line prints the sentence and leaves with code 2.
"""

from __future__ import annotations

__all__ = [
    "CardError",
    "IllegalAction",
    "PositionError",
    "RamisimError",
    "RecordError",
    "RulesError",
    "RunError",
    "StrategyError",
    "StudyError",
]


class RamisimError(Exception):
    """Anything that a user can mend; the message is one sentence."""


class CardError(RamisimError, ValueError):
    """A text that is no card, or a hand that cannot exist."""


class RulesError(RamisimError, ValueError):
    """An unknown preset or key, a value out of range, or a deal that the packs do not hold."""


class PositionError(RamisimError, ValueError):
    """A position that cannot exist: a card too many, an unknown field, a wrong seat."""


class IllegalAction(RamisimError, ValueError):  # noqa: N818 - the name every engine uses
    """An action that the rules refuse; the position stays as it was."""


class RecordError(RamisimError, ValueError):
    """A game record that cannot be read, or that does not replay."""


class StrategyError(RamisimError, RuntimeError):
    """A strategy that is unknown, crashed, or answered with an illegal action.

    Parameters
    ----------
    message : str
        Name of the strategy, deal, seat and reason, in one sentence.
    record : list of dict, optional
        Lines of the game so far, up to the action refused.
    """

    def __init__(self, message: str, record: list[dict[str, object]] | None = None) -> None:
        super().__init__(message)
        self.record = record if record is not None else []


class RunError(RamisimError, RuntimeError):
    """A run folder that is missing, torn, or belongs to another run."""


class StudyError(RamisimError, ValueError):
    """A study that asks for what does not exist, or a folder that holds another one."""
