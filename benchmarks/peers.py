"""OpenSpiel and RLCard in the same process, in turns, on the same hands.

The peers are an extra: ``pip install ramisim[peers]``, in a checkout ``pip install -e .[peers]``.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ramisim.benchmarks.figures import Report, checked
from ramisim.benchmarks.games import SEED, SelfPlay
from ramisim.benchmarks.hands import GIN, gin_hands
from ramisim.benchmarks.measure import Rates, Work, alternate, ratio
from ramisim.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramisim.benchmarks.suite import Size

__all__ = ["missing_peers", "peers"]

PACKAGES: Final = {"OpenSpiel": "pyspiel", "RLCard": "rlcard"}
DENSE_RANKS: Final = 6
"""Ranks of hands that are dense with melds."""
HANDS_IN_TURN: Final = 200
"""Hands that a peer answers in one call of its function; ramisim answers a hundred times more."""
TIMES: Final = {10: 150.0, 11: 150.0}
PLAY: Final = {"rami500": 60.0, "rami51": 5.0}


def missing_peers() -> list[str]:
    """Names of the peers that are not installed."""
    return [name for name, package in PACKAGES.items() if find_spec(package) is None]


def peers(report: Report, size: Size) -> None:
    """Least deadwood and whole games beside the peers, with a check of their answers."""
    for name in missing_peers():
        report.missing.append(f"{name} is not installed: pip install 'ramisim[peers]'")
    if "OpenSpiel" not in missing_peers():
        _open_spiel_hands(report, size)
        _bots(report, size, "OpenSpiel", _open_spiel_games())
    if "RLCard" not in missing_peers():
        _rlcard_hands(report, size)
        _bots(report, size, "RLCard", _rlcard_games())


class _Deadwood:
    """Ramisim's least deadwood of many gin hands, as the peers are asked for it."""

    def __init__(self, cards: int, n: int, ranks: int = 13) -> None:
        from ramisim.kernels.melding import least_deadwood_many, scratch
        from ramisim.kernels.melding_tables import DEADWOOD, new_tables

        self.ids, self.once = gin_hands(cards, n, 100 + cards, ranks)
        self.found = np.empty(n, np.int32)
        self._args = cards > 10, new_tables(Rules.load("rami", GIN).record(), DEADWOOD), scratch()
        self._kernel = least_deadwood_many
        self.work()
        self.ref = self.found.copy()

    def work(self) -> float:
        self._kernel(self.once, *self._args, self.found)
        return len(self.once)

    def timed(self) -> float:
        """One pass over all hands, checked."""
        done = self.work()
        assert (self.found == self.ref).all()
        return done


def _hands_in_turn(answer: Any, hands: list[Any], right: Any) -> Work:
    """A peer answers its next hands; what is right is only counted, for it may err."""

    def ask() -> Iterator[int]:
        at = 0
        while True:
            part = range(at, at + HANDS_IN_TURN)
            found = [answer(hands[i % len(hands)]) for i in part]
            agree = sum(got == right[i % len(hands)] for i, got in zip(part, found, strict=True))
            assert agree > HANDS_IN_TURN // 2, "a peer that is wrong half the time was misread"
            at = (at + HANDS_IN_TURN) % len(hands)
            yield len(found)

    asked = ask()
    return lambda: next(asked)


def _compare_hands(report: Report, peer: str, cards: int, speeds: dict[str, Rates]) -> None:
    name = f"least deadwood, {cards} cards"
    report.add("peers", f"{name}, {peer}", 1e9 / speeds["peer"].median, "ns a hand", "from Python")
    goal = TIMES[cards] if peer == "OpenSpiel" else None
    report.add(
        "peers", f"{name}, times {peer}", ratio(speeds["ours"], speeds["peer"]), "x",
        f"ramisim {1e9 / speeds['ours'].median:.1f} ns a hand, batch, one thread", goal=goal,
    )  # fmt: skip


def _open_spiel_hands(report: Report, size: Size) -> None:
    tools = import_module("pyspiel").gin_rummy.GinRummyUtils(13, 4, 10)
    least = tools.min_deadwood
    for cards in (10, 11):
        ours = _Deadwood(cards, size.peer_hands)
        # Suits are C D H S here and S C D H there.
        theirs = ((ours.ids // 13 + 1) % 4 * 13 + ours.ids % 13).tolist()
        with checked(f"OpenSpiel, {cards} cards"):
            speeds = alternate(
                {"ours": ours.timed, "peer": _hands_in_turn(least, theirs, ours.ref.tolist())},
                size.seconds,
            )
        _compare_hands(report, "OpenSpiel", cards, speeds)
        _open_spiel_answers(report, least, cards, ours, "random")
        dense = _Deadwood(cards, max(size.peer_hands // 10, 100), DENSE_RANKS)
        _open_spiel_answers(report, least, cards, dense, "dense")


def _open_spiel_answers(report: Report, least: Any, cards: int, ours: _Deadwood, kind: str) -> None:
    """Hold ramisim to OpenSpiel's answers for ten cards, exact, and OpenSpiel to them for eleven.

    Exact for eleven cards is the least over their hands of ten: OpenSpiel's own answer is greedy.
    """
    theirs = ((ours.ids // 13 + 1) % 4 * 13 + ours.ids % 13).tolist()
    said = exact = np.array([least(hand) for hand in theirs], np.int32)
    if cards == 11:
        exact = np.array(
            [min(least(hand[:i] + hand[i + 1 :]) for i in range(11)) for hand in theirs], np.int32
        )
    with checked(f"OpenSpiel's least deadwood of {cards} cards, {kind}"):
        wrong = np.flatnonzero(exact != ours.ref)
        assert not len(wrong), f"ramisim says {ours.ref[wrong[0]]} on {theirs[wrong[0]]}"
    _say_wrong(report, "OpenSpiel", cards, ours, said, kind)


def _say_wrong(
    report: Report, peer: str, cards: int, ours: _Deadwood, said: Any, kind: str = "random"
) -> None:
    """Count the hands on which a peer is not exact, and show one."""
    from ramisim.cards import card_name

    wrong = np.flatnonzero(said != ours.ref)
    n = len(said)
    note = f"of {n:,} {kind} hands; ramisim is exact on all"
    if len(wrong):
        i = int(wrong[0])
        hand = " ".join(card_name(int(card)) for card in ours.ids[i])
        report.remarks.append(
            f"{peer} is wrong on {len(wrong):,} of {n:,} {kind} hands of {cards} cards: of {hand}"
            f" it says {said[i]} where {ours.ref[i]} can be reached."
        )
    what = f"least deadwood, {cards} cards, {peer} wrong"
    report.add("peers", f"{what}, {kind}", len(wrong), "hands", note)


def _rlcard_hands(report: Report, size: Size) -> None:
    melding = import_module("rlcard.games.gin_rummy.utils.melding")
    tools = import_module("rlcard.games.gin_rummy.utils.utils")
    ours = _Deadwood(10, min(size.peer_hands, 20_000))
    # Suits are C D H S here and S H D C there.
    hands = [
        [tools.get_card(int((3 - card // 13) * 13 + card % 13)) for card in hand]
        for hand in ours.ids
    ]

    def least(hand: list[Any]) -> int:
        clusters = melding.get_best_meld_clusters(hand)
        return int(tools.get_deadwood_count(hand, clusters[0] if clusters else []))

    with checked("RLCard, 10 cards"):
        speeds = alternate(
            {"ours": ours.timed, "peer": _hands_in_turn(least, hands, ours.ref.tolist())},
            size.seconds,
        )
    _compare_hands(report, "RLCard", 10, speeds)
    _say_wrong(report, "RLCard", 10, ours, np.array([least(hand) for hand in hands], np.int32))


def _bots(report: Report, size: Size, peer: str, theirs: Work) -> None:
    """Whole gin hands of the peer's heuristic bots beside rounds of greedy players."""
    for preset, goal in PLAY.items():
        with checked(f"{preset} beside {peer}"):
            table = SelfPlay(Rules.load(preset), "greedy", 2)
            speeds = alternate({"ours": table.rounds, "peer": theirs}, 2 * size.seconds)
        report.add(
            "peers", f"{preset}, 2 seats, greedy, times {peer}",
            ratio(speeds["ours"], speeds["peer"]), "x",
            f"{speeds['ours'].median:,.0f} rounds/s; {peer} {speeds['peer'].median:,.0f} hands/s",
            goal=goal if peer == "OpenSpiel" else None,
        )  # fmt: skip


def _open_spiel_games() -> Work:
    spiel = import_module("pyspiel")
    game = spiel.load_game("gin_rummy")
    bots = [spiel.make_simple_gin_rummy_bot(game.get_parameters(), seat) for seat in (0, 1)]
    seed = SEED

    def play() -> float:
        nonlocal seed
        seed += 1
        returns = spiel.evaluate_bots(game.new_initial_state(), bots, seed)
        assert len(returns) == 2
        assert sum(returns) == 0
        return 1

    return play


def _rlcard_games() -> Work:
    rlcard = import_module("rlcard")
    agent = import_module("rlcard.models.gin_rummy_rule_models").GinRummyNoviceRuleAgent()
    table = rlcard.make("gin-rummy", {"seed": SEED})
    table.set_agents([agent, agent])

    def play() -> float:
        _, payoffs = table.run(is_training=False)
        assert len(payoffs) == 2
        return 1

    return play
