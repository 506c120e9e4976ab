"""Whether a strategy's answers depend on what it may not know.

Hidden cards (the hands of the others but for what was seen going in, and the stock) are permuted;
then the scratch, where a leak would be, is filled by what the engine computes of those other hands;
and the same question is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ramisim.driver import QUESTIONS, Match, plain_answer
from ramisim.engine import Engine, Workspace
from ramisim.kernels import asking, finish, state
from ramisim.kernels.bits import CARD_BIT

__all__ = ["Blind", "permute_hidden"]

_JOKER = 52


class Blind:
    """Asks the questions of a turn twice.

    Parameters
    ----------
    engine : Engine
        Its strategies are asked.
    random : numpy.random.Generator
        Permutes.
    """

    def __init__(self, engine: Engine, random: np.random.Generator) -> None:
        self.engine = engine
        self.random = random
        self.works = (Workspace(), Workspace())
        self.asked = 0

    def differences(self, played: Match) -> Iterator[str]:
        """What differs in the turn that a match is about to play; the match stays as it is."""
        first, second = self.works
        player = played.seating[int(played.seen["turn"])]
        _copy(played.work, first)
        for question in QUESTIONS:
            _copy(first, second)
            permute_hidden(second.seens[0], second.hiddens[0], self.random)
            answers = [self._answer(work, player, question) for work in (first, second)]
            self.asked += 1
            if answers[0] != answers[1]:
                # Of plays the first rows that differ say enough.
                one, other = (str(answer[:25]) for answer in answers)
                if one == other:
                    one, other = (str(answer) for answer in answers)
                yield (
                    f"{question} answered {one}, and {other} with other hidden cards (deal "
                    f"{played.deal}, round {len(played.log) - 1}, tour {int(played.seen['tour'])})"
                )
                return
            if not self._go_on(first, question, answers[0]):
                return

    def _answer(self, work: Workspace, player: int, question: str) -> list[int]:
        engine, record = self.engine, self.engine.rules.record()
        fill_scratch(work, record)
        work.rows[1:] = -1
        # The tally numbers decisions and the key the question: a second asking is no other one.
        tallies, key = work.tallies.copy(), work.key.copy()
        if engine.strategies[player].compiled:
            view, hand, k = work.box["seen"][1], work.box["mine"][0], QUESTIONS.index(question)
            asking.ask_next(
                work.seens[0], work.hiddens[0], view, hand, work.key, work.tallies[0], k,
                work.faults[0],
            )  # fmt: skip
            rows = [work.rows[1:]] if question == "plays" else []
            n = int(
                engine.asks[k][player](
                    view, hand, record, engine.params[player], work.key, work.box, *rows
                )
            )
        else:
            n = plain_answer(engine, work, player, question)
        work.tallies[:], work.key[:] = tallies, key
        if question != "plays" or n <= 0:
            return [n]
        return [n, *work.rows[1 : 1 + n].ravel().tolist()]

    def _go_on(self, work: Workspace, question: str, answer: list[int]) -> bool:
        """Do as a strategy answered; False where that is refused."""
        given = (work.seens[0], work.hiddens[0], self.engine.rules.record(), answer[0])
        rest = (work.box, work.tallies[0], work.faults[0], work.rows)
        if question == "plays" and answer[0] > 0:
            work.rows[1 : 1 + answer[0]] = np.reshape(answer[1:], (-1, state.ROW))
        if question == "draw":
            return bool(asking.answer_draw(*given, *rest))
        if question == "plays":
            return bool(asking.answer_plays(*given, *rest))
        return False


def _copy(source: Workspace, target: Workspace) -> None:
    for name in ("seens", "hiddens", "tallies", "faults", "key", "rows"):
        getattr(target, name)[:] = getattr(source, name)


def fill_scratch(work: Workspace, record: Any) -> None:
    """Leave in the scratch what the engine leaves there: the best ends of all the other hands."""
    seens = work.seens.copy()
    turn = int(seens[0]["turn"])
    for seat in range(int(seens[0]["n_seats"])):
        if seat != turn:
            seens[0]["turn"], seens[0]["phase"] = seat, state.PHASE_PLAY
            seens[0]["must_use"] = seens[0]["no_rethrow"] = state.NONE
            finish.best_end_of(seens, work.hiddens, record, 0, work.boxes)


def permute_hidden(
    seen: npt.NDArray[np.void] | Any, hidden: Any, random: np.random.Generator
) -> None:
    """Deal what the seat on turn does not know again, in place: other hands and the stock.

    Cards that a seat took from the pile and still holds stay where they are.
    """
    turn, n_stock = int(seen["turn"]), int(seen["n_stock"])
    begin = int(hidden["stock_next"])
    pool = [int(c) for c in hidden["stock"][begin : begin + n_stock]]
    sizes = []
    others = [seat for seat in range(int(seen["n_seats"])) if seat != turn]
    for seat in others:
        cards = _unknown(seen, hidden, seat)
        sizes.append(len(cards))
        pool += cards
    random.shuffle(pool)
    for seat, size in zip(others, sizes, strict=True):
        hidden["once"][seat] = seen["known_once"][seat]
        hidden["twice"][seat] = seen["known_twice"][seat]
        hidden["jokers"][seat] = seen["known_jokers"][seat]
        for card in pool[:size]:
            _give(hidden, seat, card)
        del pool[:size]
    hidden["stock"][begin : begin + n_stock] = pool


def _unknown(seen: Any, hidden: Any, seat: int) -> list[int]:
    """Cards of a hand that nobody saw going in."""
    cards = [_JOKER] * (int(hidden["jokers"][seat]) - int(seen["known_jokers"][seat]))
    for card in range(_JOKER):
        for mask, known in (("once", "known_once"), ("twice", "known_twice")):
            place = CARD_BIT[card]
            if hidden[mask][seat] & place and not seen[known][seat] & place:
                cards.append(card)
    return cards


def _give(hidden: Any, seat: int, card: int) -> None:
    if card == _JOKER:
        hidden["jokers"][seat] += 1
        return
    place = CARD_BIT[card]
    hidden["twice"][seat] |= hidden["once"][seat] & place
    hidden["once"][seat] |= place
