"""Rules in words, the second half: how a round ends, values, score and match."""

from __future__ import annotations

from collections.abc import Iterator

from ramisim.plurals import filled, plural
from ramisim.rules import Rules
from ramisim.rules_words_turn import Pair, has_jokers

__all__ = ["end", "match", "score", "values"]


def end(rules: Rules) -> Iterator[Pair]:
    """What ends a round."""
    if rules["score.multi_out"] == "first_out_ends":
        yield (
            "A player goes out with no card left at the end of the turn; that ends the round.",
            "Un joueur sort quand il n'a plus de carte à la fin de son tour ; la manche finit.",
        )
    else:
        yield (
            "A player goes out with no card left at the end of the turn; the tour is then"
            " completed. Of several players out, the lowest last discard wins (none counts 0).",
            "Un joueur sort quand il n'a plus de carte à la fin de son tour ; le tour de table"
            " s'achève. De plusieurs joueurs sortis, la plus petite dernière défausse gagne"
            " (aucune compte 0).",
        )
    if rules["round.stock_end"] == "finish_turn":
        yield (
            "The round also ends after the turn that takes the last card of the stock.",
            "La manche finit aussi après le tour qui prend la dernière carte du talon.",
        )
    else:
        yield from _recycling(rules)
    tours = rules.number("round.max_tours")
    if tours:
        yield (
            f"A round lasts {tours} tour{plural(tours)} at most.",
            f"Une manche dure {tours} tour{plural(tours)} de table au plus.",
        )
    turns = rules.number("round.max_turns_per_player")
    yield (
        f"Stall guard: a round in which everybody has had {turns} turn{plural(turns)} is stopped.",
        f"Garde-fou : une manche où chacun a eu {turns} tour{plural(turns)} est arrêtée.",
    )


def _recycling(rules: Rules) -> Iterator[Pair]:
    how = (
        ("shuffled into a new stock", "mélangée et devient le nouveau talon")
        if rules["round.recycle"] == "shuffle"
        else (
            "turned over, unshuffled, as the new stock",
            "retournée sans être mélangée et devient le nouveau talon",
        )
    )
    cap = rules.number("round.max_recycles")
    times = ("", "")
    if cap:
        times = (
            ", once a round" if cap == 1 else f", at most {cap} times a round",
            ", une fois par manche" if cap == 1 else f", {cap} fois par manche au plus",
        )
    yield (
        f"When the stock is empty the discard pile but its top card is {how[0]}{times[0]};"
        " after that the round is blocked."
        if cap
        else f"When the stock is empty the discard pile but its top card is {how[0]};"
        " with no card to turn over the round is blocked.",
        f"Quand le talon est vide, la défausse sauf sa première carte est {how[1]}{times[1]} ;"
        " ensuite la manche est bloquée."
        if cap
        else f"Quand le talon est vide, la défausse sauf sa première carte est {how[1]} ;"
        " sans carte à reprendre, la manche est bloquée.",
    )


def values(rules: Rules) -> Iterator[Pair]:
    """Points of the cards, on the table and in hand."""
    face = rules["values.face"]
    yield (
        f"Two to ten count their number, jack, queen and king {face}.",
        f"Du deux au dix, la valeur inscrite ; valet, dame et roi {face}.",
    )
    low, high, group, hand = (
        rules["values.ace_" + place] for place in ("low", "high", "set", "hand")
    )
    if low == high == group:
        table = (f"counts {low} on the table", f"vaut {low} sur la table")
    else:
        table = (
            f"counts {low} below the two, {high} above the king, {group} in a set",
            f"vaut {low} sous le deux, {high} après le roi, {group} dans un brelan",
        )
    yield (f"An ace {table[0]} and {hand} in hand.", f"Un as {table[1]} et {hand} en main.")
    if has_jokers(rules):
        meld, left = rules["values.joker_meld"], rules["values.joker_hand"]
        laid = (
            ("as much as the card it stands for", "la carte qu'il remplace")
            if meld == "replaced"
            else (f"{meld} on the table", f"{meld} sur la table")
        )
        yield (
            f"A joker counts {laid[0]}, and {left} in hand.",
            f"Un joker vaut {laid[1]}, et {left} en main.",
        )
    if rules["values.set_as_one"]:
        yield (
            "The first three cards of a set count as one card, each further card counts itself.",
            "Les trois premières cartes d'un brelan comptent pour une seule, chaque carte de plus"
            " compte elle-même.",
        )


def score(rules: Rules) -> Iterator[Pair]:
    """What a round scores."""
    method = str(rules["score.method"])
    yield {
        "laid_minus_hand": (
            "A round scores the points laid minus the cards left in hand; it may be negative.",
            "Une manche rapporte les points posés moins les cartes en main ; ce peut être négatif.",
        ),
        "winner_takes": (
            "The player who goes out scores the cards left in all other hands, the others nothing.",
            "Qui sort marque les cartes restées dans toutes les autres mains, les autres rien.",
        ),
        "zero_sum": (
            "Each loser loses the cards left in hand, and the player who goes out gets the total.",
            "Chaque perdant perd les cartes restées en main, et qui sort marque le total.",
        ),
    }[method]
    if method == "laid_minus_hand" and has_jokers(rules) and rules["joker.swap"]:
        yield _CREDIT[str(rules["score.swap_credit"])]
    yield from _bonuses(rules)
    if rules["score.only_winner"]:
        yield (
            "Only the winner of a deal scores.",
            "Seul le gagnant d'une donne marque des points.",
        )
    lowest = rules["score.blocked"] == "lowest_hand"
    if method != "laid_minus_hand":
        yield (
            (
                "When nobody goes out the lowest hand wins; equal hands share, rounded down.",
                "Si personne ne sort, la plus petite main gagne ; à égalité on partage, arrondi"
                " vers le bas.",
            )
            if lowest
            else ("When nobody goes out nobody scores.", "Si personne ne sort, personne ne marque.")
        )
    elif not lowest:
        yield (
            "A round that is blocked or stopped scores nothing.",
            "Une manche bloquée ou arrêtée ne rapporte rien.",
        )


_CREDIT: dict[str, Pair] = {
    "both": (
        "At a swap the swapper gains the natural card, and who laid the joker keeps its points.",
        "À l'échange, on gagne la carte naturelle, et qui a posé le joker garde ses points.",
    ),
    "swapper": (
        "At a swap the points of the place move to the swapper.",
        "À l'échange, les points de la place passent à qui échange.",
    ),
    "owner": (
        "At a swap the points stay with who laid the joker.",
        "À l'échange, les points restent à qui a posé le joker.",
    ),
}


def _bonuses(rules: Rules) -> Iterator[Pair]:
    rami, out = rules.number("score.rami_bonus"), rules.number("score.go_out_bonus")
    if rami:
        yield (
            f"Rami, the whole hand in one turn with nothing laid before, earns {rami} more.",
            f"Faire Rami, toute la main en un tour sans avoir rien posé, rapporte {rami} de plus.",
        )
    if out:
        yield (f"Going out earns {out} more.", f"Sortir rapporte {out} de plus.")
    penalty, pool = rules.number("score.unopened_penalty"), rules.number("score.pool")
    if penalty:
        yield (
            f"Who has not opened counts {penalty} for the hand, whatever it holds.",
            f"Qui n'a pas ouvert compte {penalty} pour sa main, quoi qu'elle contienne.",
        )
    if pool:
        yield (
            filled(
                "Each deal puts {0:# point|# points} in the pool, which {0:goes|go} to its winner;"
                " without one {0:it waits|they wait} for the next deal.",
                "en",
                pool,
            ),
            filled(
                "Chaque donne met {0:# point|# points} à la poule, qui {0:va|vont} au gagnant ;"
                " sans gagnant {0:il attend|ils attendent} la donne suivante.",
                "fr",
                pool,
            ),
        )


def match(rules: Rules) -> Iterator[Pair]:
    """When a match is over and who wins."""
    target, rounds = rules.number("match.target"), rules.number("match.max_rounds")
    ends = []
    if target:
        points = f"{target} point{plural(target)}"
        ends.append((f"somebody has {points}", f"quelqu'un a {points}"))
    if rounds:
        ends.append((f"{rounds} round{plural(rounds)} are played", f"{rounds} manches sont jouées"))
        if rounds == 1:
            ends[-1] = ("one round is played", "une manche est jouée")
    en, fr = (way.join(end[at] for end in ends) for at, way in ((0, " or "), (1, " ou ")))
    yield (
        f"Once {en} the match ends with that round; the highest total wins.",
        f"Quand {fr}, la partie s'arrête à la fin de la manche ; le plus haut total gagne.",
    )
    yield (
        ("Equal totals share the match.", "Les totaux égaux se partagent la partie.")
        if rules["match.tie_break"] == "shared"
        else (
            "Equal totals play further rounds until one is ahead.",
            "À égalité, on joue des manches de plus jusqu'à ce qu'un joueur soit seul en tête.",
        )
    )
