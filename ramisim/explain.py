"""Why a strategy did what it did: the values of its options, turn by turn.

A match that was played is gone through again, and at each question the same kernels that the
heuristic decides by say what every option was worth. A strategy of a user's says it itself, by its
``explain``; where it has none, what the services say is shown instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ramisim.cards import Lang, cards_text
from ramisim.driver import QUESTIONS, LoggedTurn, Match
from ramisim.kernels import asking, services, state, turn
from ramisim.kernels.strategies import heuristic, weighing
from ramisim.kernels.values import hand_value
from ramisim.plurals import filled
from ramisim.strategies import Strategy, resolve
from ramisim.strategy.explaining import Option, answering, options_of

__all__ = ["explain_match"]

_P: Final = {name: place for place, name in enumerate(heuristic.PARAMS)}
_MOST: Final = 5
"""Options shown of each question, the best ones."""
_WORDS: Final = {
    "en": {
        "draw": "draw", "stock": "stock", "plays": "plays", "throw": "throw",
        "cards": "{0:# card|# cards}",
        "best": "best end: points {0}, score {1}, cards {2}, left in hand {3}",
        "none": "no way to end the turn", "services": "(as the services see it)",
        "parts": "cost {0}, potential {1}, danger {2}", "meld": "meld held back {0}",
        "joker": "kept for its use {0}", "nothing": "nothing",
        "why": ("laid at once", "laid: a card must be used", "laid: it empties the hand",
                "laid: the round may end soon", "laid: {0:# point was|# points were} waited for",
                "held back: {0:# point is|# points are} waited for"),
    },
    "fr": {
        "draw": "pioche", "stock": "talon", "plays": "pose", "throw": "rejet",
        "cards": "{0:# carte|# cartes}",
        "best": "meilleure fin : points {0}, score {1}, cartes {2}, reste en main {3}",
        "none": "aucune fin de tour possible", "services": "(selon les services)",
        "parts": "coût {0}, potentiel {1}, danger {2}", "meld": "combinaison gardée {0}",
        "joker": "gardé pour servir {0}", "nothing": "rien",
        "why": ("posé aussitôt", "posé : une carte doit servir", "posé : la main se vide",
                "posé : la manche peut finir", "posé : on attendait {0:# point|# points}",
                "retenu : on attend {0:# point|# points}"),
    },
}  # fmt: skip


def explain_match(played: Match, lang: Lang = "en") -> list[list[list[str]]]:
    """The values behind a match.

    Parameters
    ----------
    played : Match
        As `ramisim.record.play_match` gives it.
    lang : {"en", "fr"}
        Language of the words.

    Returns
    -------
    list of list of list of str
        For each round, for each turn: a line for the draw, the plays and the discard, options in
        order of value, the one chosen marked by ``*``.
    """
    told = []
    for logged in played.log:
        seens, hiddens = logged.seen.copy(), logged.hidden.copy()
        lines = []
        turns = [0] * len(played.seating)
        for entry in logged.turns:
            player = played.seating[entry.seat]
            key = (int(played.engine.seed), int(played.deal), logged.number,
                   int(played.engine.idents[player]), 3 * turns[entry.seat])  # fmt: skip
            turns[entry.seat] += 1
            strategy = played.engine.strategies[player]
            lines.append(_Turn(played, strategy, seens, hiddens, lang, key).told(entry))
            if entry.recycled is not None:
                begin = int(hiddens[0]["stock_next"])
                hiddens[0]["stock"][begin : begin + len(entry.recycled)] = entry.recycled
        told.append(lines)
    return told


@dataclass
class _Turn:
    """One turn to explain; SEEN[1] and HIDDEN[1] are played on."""

    played: Match
    strategy: Strategy
    seens: Any
    hiddens: Any
    lang: Lang
    key: tuple[int, ...]
    """Key of the strategy's chance; the last number is that of the decision, the draw's here."""

    def told(self, entry: LoggedTurn) -> list[str]:
        lines = []
        rows = entry.rows
        if len(rows):
            lines.append(self._say("draw", self._draw(int(rows[0, 3]))))
        n = 0
        for n, row in enumerate(rows):
            if n == 1:
                lines.append(self._say("plays", self._plays()))
            if row[0] == state.DISCARD:
                lines.append(self._say("throw", self._discard(int(row[4]))))
            turn.apply_row(self.seens[0], self.hiddens[0], self.record, row)
        return lines

    @property
    def record(self) -> Any:
        return self.played.rules

    def word(self, key: str) -> Any:
        return _WORDS[self.lang][key]

    def _say(self, key: str, text: str) -> str:
        return f"{self.word(key)}  {text}"

    def _shown(self) -> tuple[Any, Any]:
        """View and hand of the seat on turn, as they are now."""
        box = self.played.work.box
        view, hand = box["seen"][1], box["mine"][0]
        asking.show(self.seens[0], self.hiddens[0], view, hand)
        return view, hand

    def _own(self, question: str, chosen: int | None) -> str | None:
        """What a strategy of a user's says of its options; None where it says nothing."""
        view, _ = self._shown()
        work, asked = self.played.work, QUESTIONS.index(question)
        work.key[:5] = (*self.key[:4], self.key[4] + asked)
        found = options_of(answering(self.strategy, question), question, work, self.record)
        if found is None or isinstance(found, str):
            return found
        options = [
            (option.worth, self._named(option, question, view), option.key == chosen)
            for option in found
        ]
        text = _ranked(options)
        if chosen is not None and not any(option[2] for option in options):
            text += f" · *{self._named(Option(chosen, 0.0), question, view)} ?"
        return text.removeprefix(" · ")

    def _named(self, option: Option, question: str, view: Any) -> str:
        if isinstance(option.key, str):
            name = option.key
        elif question == "draw":
            name = self._take(view, option.key)
        else:
            name = self.word("nothing") if option.key < 0 else self.name(option.key)
        return f"{name} ({option.about})" if option.about else name

    def _asked(self, question: str) -> tuple[Any, Any, Any, str]:
        """View, hand, numbers to weigh by, and what to say if they are not the strategy's own."""
        view, hand = self._shown()
        numbers = _numbers(self.strategy, question)
        own = numbers is not None
        vector = numbers if numbers is not None else resolve("greedy").vector()
        return view, hand, np.array(vector), "" if own else f"  {self.word('services')}"

    def _draw(self, chosen: int) -> str:
        own = self._own("draw", chosen)
        if own is not None:
            return own
        view, hand, params, note = self._asked("draw")
        values, worths = np.zeros(64, np.int64), np.zeros(64)
        deepest = 0
        if self.record["draw_discard"] and view["n_discard"]:
            deepest = heuristic.draw_worths(
                view, hand, self.record, params, self.played.work.box, values,
                np.zeros(52, np.int64), worths,
            )  # fmt: skip
        else:
            return f"*{self.word('stock')}{note}"
        options = [
            (float(worths[n]), self._take(view, n), n == chosen)
            for n in range(deepest + 1)
            if worths[n] > heuristic.NO_TAKE and (n or view["n_stock"])
        ]
        return _ranked(options) + note

    def _take(self, view: Any, n: int) -> str:
        if n == 0:
            return str(self.word("stock"))
        if n > int(view["n_discard"]):
            return filled(self.word("cards"), self.lang, n)
        deepest = self.name(int(view["discard"][int(view["n_discard"]) - n]))
        return deepest if n == 1 else f"{filled(self.word('cards'), self.lang, n)} ({deepest})"

    def _plays(self) -> str:
        own = self._own("plays", None)
        if own is not None:
            return own
        view, hand, params, note = self._asked("plays")
        box, record = self.played.work.box, self.record
        ends = [int(services.end_value(view, hand, record, k, box)) for k in range(4)]
        if ends[0] == services.NOTHING:
            return str(self.word("none"))
        points, score, deadwood, cards = ends
        text = str(self.word("best").format(points, score, cards, -deadwood)) + note
        if note:
            return text
        objective = 3 if params[_P["fast"]] > 0.5 else 1 if record["score_method"] == 0 else 2
        n = services.end_rows(view, hand, record, objective, box)
        if n > 1:
            why, hold = heuristic.laying(view, hand, record, params, n, box, np.zeros(52, np.int64))
            text += "; " + filled(self.word("why")[int(why)], self.lang, _number(hold))
        return text

    def _discard(self, chosen: int) -> str:
        own = self._own("discard", chosen)
        if own is not None:
            return own
        view, hand, params, note = self._asked("discard")
        live, worths = np.zeros(52, np.int64), np.full(53, heuristic.BARRED)
        services.count_live(view, hand, self.record, live)
        box, record = self.played.work.box, self.record
        heuristic.throw_worths(view, hand, record, params, box, live, worths)
        options = []
        for card in range(53):
            if worths[card] > heuristic.BARRED:
                parts = self._parts(view, hand, params, live, card, float(worths[card]))
                name = f"{self.name(card)} ({parts})"
                options.append((float(worths[card]), name, card == chosen))
        if chosen == state.NONE:
            options.append((0.0, str(self.word("nothing")), True))
        return _ranked(options) + note

    def _parts(self, view: Any, hand: Any, params: Any, live: Any, card: int, worth: float) -> str:
        """What a card's worth of being thrown is made of; what is not named is zero."""
        cost = self._burden(view, params) * float(hand_value(self.record, card))
        if card == 52:
            return str(self.word("joker").format(_number(worth - cost)))
        keep, danger = params[_P["keep"]], params[_P["danger"]]
        by_live, by_worth = params[_P["live"]], params[_P["worth"]]
        potential = weighing.promise(hand, self.record, live, card, by_live, by_worth)
        given = weighing.risk(view, self.record, live, card, params[_P["others"]])
        rest = worth - cost + keep * potential + danger * given
        weighed = [cost, -keep * potential, -danger * given]
        text = str(self.word("parts").format(*map(_number, weighed)))
        if abs(rest) > 1e-6:
            text += ", " + str(self.word("meld").format(_number(rest)))
        return text

    def _burden(self, view: Any, params: Any) -> float:
        """Weight of what a card costs in the hand, as ``heuristic`` has it."""
        if heuristic.pressed(view, self.record, params):
            return float(params[_P["caught"]])
        if self.record["opening_points"] > 0 and not view["opened"][int(view["turn"])]:
            return float(params[_P["unopened"]])
        return float(params[_P["thin" if self.record["discard_policy"] == 1 else "deadwood"]])

    def name(self, card: int) -> str:
        return cards_text([card], self.lang).plain


def _numbers(strategy: Strategy, question: str) -> list[float] | None:
    """The heuristic's numbers that answered a question, or None where another function did."""
    found = answering(strategy, question)
    return found.vector() if found.family == "heuristic" else None


def _ranked(options: list[tuple[float, str, bool]]) -> str:
    """The best options by value, and the chosen one wherever it stands."""
    order = sorted(options, key=lambda option: -option[0])
    shown = order[:_MOST] + [option for option in order[_MOST:] if option[2]]
    return " · ".join(
        f"{'*' if chosen else ''}{name} {_number(value)}" for value, name, chosen in shown
    )


def _number(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
