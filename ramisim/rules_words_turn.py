"""Rules in words, the first half: cards, a turn, melds, laying and jokers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ramisim.plurals import plural
from ramisim.rules import Rules

__all__ = ["Pair", "cards", "has_jokers", "jokers", "laying", "melds", "turn"]

Pair: TypeAlias = tuple[str, str]
"""One sentence, in English and in French."""

_NUMBERS = (
    ("no", "aucun"), ("one", "un"), ("two", "deux"), ("three", "trois"), ("four", "quatre"),
)  # fmt: skip


def _spelled(n: int, feminine: bool = False) -> Pair:
    if n >= len(_NUMBERS):
        return str(n), str(n)
    en, fr = _NUMBERS[n]
    return en, fr + "e" * (feminine and n < 2)


def _listed(words: list[str], last: str) -> str:
    return f" {last} ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def has_jokers(rules: Rules) -> bool:
    """Whether there is any joker to speak of."""
    return rules.number("deck.jokers") > 0


def cards(rules: Rules) -> Iterator[Pair]:
    """Who plays, with what, and the deal."""
    low, high = rules["players.min"], rules["players.max"]
    packs, jokers = rules.number("deck.packs"), rules.number("deck.jokers")
    seats = (f"{low}", f"{low}") if low == high else (f"{low} to {high}", f"{low} à {high}")
    pack = ("one pack", "un jeu") if packs == 1 else ("two packs", "deux jeux")
    extra = (
        (f" and {jokers} joker{plural(jokers)}", f" et {jokers} joker{plural(jokers)}")
        if jokers
        else (", no joker", ", sans joker")
    )
    yield (
        f"{seats[0]} players, {pack[0]} of 52 cards{extra[0]}: {rules.deck_size} cards.",
        f"{seats[1]} joueurs, {pack[1]} de 52 cartes{extra[1]} : {rules.deck_size} cartes.",
    )
    size = rules.number("deal.hand_size")
    each = (
        f"Each player gets {size} card{plural(size)}",
        f"Chacun reçoit {size} carte{plural(size)}",
    )
    if rules["deal.upcard"]:
        yield (
            f"{each[0]}; one card is turned up and starts the discard pile.",
            f"{each[1]} ; une carte est retournée et commence la défausse.",
        )
    else:
        yield (
            f"{each[0]}; no card is turned up.",
            f"{each[1]} ; aucune carte n'est retournée.",
        )
    yield (
        "Each round is begun by the next seat to the left.",
        "À chaque manche, c'est le siège suivant, à gauche, qui commence.",
    )


def turn(rules: Rules) -> Iterator[Pair]:
    """Draw, plays, discard."""
    yield {
        "none": (
            "A turn begins by drawing from the stock; discards may not be taken.",
            "Le tour commence par une pioche au talon ; on ne reprend rien à la défausse.",
        ),
        "top": (
            "A turn begins by drawing one card: from the stock, or the top discard.",
            "Le tour commence par une carte : celle du talon ou la première de la défausse.",
        ),
        "any_depth": (
            "A turn begins by drawing one card from the stock, or by taking any discard"
            " together with all the cards above it.",
            "Le tour commence par une carte du talon, ou par n'importe quelle carte de la"
            " défausse avec toutes celles qui la couvrent.",
        ),
    }[str(rules["draw.discard"])]
    if rules["deal.first_tour_draw"] == "ascending":
        yield (
            "In the first tour the first player draws 3 cards, the next 4, and so on; whoever"
            " finds fewer in the stock takes those.",
            "Au premier tour de table le premier joueur pioche 3 cartes, le suivant 4, et ainsi"
            " de suite ; s'il en reste moins, on prend ce qui reste.",
        )
    if rules["draw.discard"] != "none":
        yield from _taken(rules)
    plays = [("melds", "on pose")]
    if rules["lay_off.on"] != "none":
        plays.append(("added cards", "on complète"))
    if has_jokers(rules) and rules["joker.swap"]:
        plays.append(("swaps", "on échange"))
    yield (
        f"Then any number of {_listed([en for en, _ in plays], 'and')} may follow.",
        f"Puis {_listed([fr for _, fr in plays], 'et')} autant qu'on veut.",
    )
    yield from _discard(rules)


def _taken(rules: Rules) -> Iterator[Pair]:
    used = ("laid, added or swapped for a joker", "posée, ajoutée ou échangée contre un joker")
    if not has_jokers(rules) or not rules["joker.swap"]:
        used = ("laid or added", "posée ou ajoutée")
    duty = rules["draw.must_use"]
    if duty == "always":
        yield (
            f"The deepest card taken must be {used[0]} in the same turn.",
            f"La carte prise la plus en dessous doit être {used[1]} dans le même tour.",
        )
    elif duty == "deep" and rules["draw.discard"] == "any_depth":
        yield (
            "The top discard alone may be kept; of two or more cards taken, the deepest must be"
            f" {used[0]} in the same turn.",
            "La première carte seule peut être gardée ; de deux cartes ou plus, la plus en"
            f" dessous doit être {used[1]} dans le même tour.",
        )
    else:
        yield ("What is taken may be kept.", "Ce qui est pris peut être gardé.")
    if rules["discard.rethrow_taken"]:
        yield (
            "A single discard taken may be thrown back at once.",
            "La carte prise seule à la défausse peut y être rejetée aussitôt.",
        )
    else:
        yield (
            "A single discard taken may not be thrown back in that turn.",
            "La carte prise seule à la défausse ne peut pas y être rejetée dans le même tour.",
        )


def _discard(rules: Rules) -> Iterator[Pair]:
    always, last = rules["discard.policy"] == "mandatory", rules["discard.final"] == "required"
    yield {
        (True, True): (
            "The turn ends by throwing a card, also to go out: a play that leaves no card to"
            " throw is not allowed.",
            "Le tour finit par une carte défaussée, aussi pour sortir : on ne peut pas jouer au"
            " point de n'avoir plus rien à défausser.",
        ),
        (True, False): (
            "The turn ends by throwing a card; with an empty hand none is needed to go out.",
            "Le tour finit par une carte défaussée ; la main vide, on sort sans défausser.",
        ),
        (False, True): (
            "At the end of the turn a card may be thrown; to go out one must be.",
            "À la fin du tour on peut défausser une carte ; pour sortir, il le faut.",
        ),
        (False, False): (
            "At the end of the turn a card may be thrown; neither a turn nor going out needs it.",
            "À la fin du tour on peut défausser une carte ; ni le tour ni la sortie ne l'exigent.",
        ),
    }[always, last]


def melds(rules: Rules) -> Iterator[Pair]:
    """What a set and a run are."""
    most = rules.number("meld.set_max")
    if rules["meld.set_distinct_suits"]:
        size = ("three", "trois") if most == 3 else ("three or four", "trois ou quatre")
        yield (
            f"A set is {size[0]} cards of one rank, all of different suits.",
            f"Un brelan ou carré : {size[1]} cartes de même rang, de couleurs différentes.",
        )
    else:
        size = ("three", "trois") if most == 3 else (f"three to {most}", f"trois à {most}")
        yield (
            f"A set is {size[0]} cards of one rank; a suit may stand there twice.",
            f"Un brelan : {size[1]} cartes de même rang ; une couleur peut s'y répéter.",
        )
    most = rules.number("meld.run_max")
    size = ("three", "trois") if most == 3 else (f"three to {most}", f"trois à {most}")
    yield (
        f"A run is {size[0]} cards of one suit in a row.",
        f"Une suite : {size[1]} cartes de même couleur qui se suivent.",
    )
    yield {
        "low": (
            "In runs the ace stands below the two only: A-2-3.",
            "Dans une suite, l'as se place seulement sous le deux : A-2-3.",
        ),
        "high": (
            "In runs the ace stands above the king only: Q-K-A.",
            "Dans une suite, l'as se place seulement après le roi : D-R-A.",
        ),
        "both": (
            "In runs the ace stands below the two or above the king: A-2-3, Q-K-A, never K-A-2.",
            "Dans une suite, l'as se place sous le deux ou après le roi : A-2-3, D-R-A, jamais"
            " R-A-2.",
        ),
        "wrap": (
            "In runs the ace stands below the two or above the king, and a run may go on past"
            " it: K-A-2.",
            "Dans une suite, l'as se place sous le deux ou après le roi, et la suite peut"
            " continuer : R-A-2.",
        ),
    }[str(rules["meld.ace"])]
    yield (
        "Melds on the table only grow: none is split, joined or moved.",
        "Les combinaisons posées ne font que grandir : on ne les coupe, ne les réunit ni ne les"
        " déplace.",
    )


def laying(rules: Rules) -> Iterator[Pair]:
    """Opening, gates, adding to melds."""
    least = rules.number("opening.points")
    if least:
        points = f"{least} point{plural(least)}"
        run = ("", "")
        if rules["opening.needs_run"]:
            run = (", with at least one run", ", dont au moins une suite")
            if rules["opening.pure_run"]:
                run = (run[0] + " without a joker", run[1] + " sans joker")
        yield (
            f"A player opens with melds that are worth at least {points}{run[0]}, all at"
            " once or not at all; cards added to other melds do not count.",
            f"La première pose d'un joueur vaut au moins {points}{run[1]}, d'un seul coup"
            " ou pas du tout ; les cartes ajoutées ailleurs ne comptent pas.",
        )
    else:
        yield (
            "There is no opening to reach: any meld may be laid, whatever it is worth.",
            "Pas d'ouverture à atteindre : toute combinaison peut être posée.",
        )
    gate = str(rules["opening.gate"])
    if gate != "none":
        yield _GATES[gate]
    where = rules["lay_off.on"]
    if where == "none":
        yield (
            "Cards may not be added to melds on the table.",
            "On ne peut pas compléter les combinaisons posées.",
        )
        return
    whose = (
        ("own melds", "ses propres combinaisons")
        if where == "own"
        else ("any meld on the table", "toutes les combinaisons posées")
    )
    when = _once_opened(rules) if rules["lay_off.needs_opening"] else ("", "")
    yield (
        f"Cards may be added to {whose[0]}{when[0]}; their points go to who adds them.",
        f"On peut compléter {whose[1]}{when[1]} ; les points vont à qui ajoute.",
    )


_GATES: dict[str, Pair] = {
    "first_tour": (
        "In the first tour only the first player may put anything on the table, until somebody"
        " has done so.",
        "Au premier tour de table, seul le premier joueur peut poser, tant que personne ne l'a"
        " fait.",
    ),
    "until_first_hit": (
        "Only the first player may put anything on the table, until somebody has done so.",
        "Seul le premier joueur peut poser, tant que personne ne l'a fait.",
    ),
    "rotating": (
        "In each tour only one player may put anything on the table, the first player in the"
        " first tour, the next in the second, and so on, until somebody has done so.",
        "À chaque tour de table un seul joueur peut poser, le premier joueur au premier tour, le"
        " suivant au deuxième, et ainsi de suite, tant que personne ne l'a fait.",
    ),
}


def _once_opened(rules: Rules) -> Pair:
    if rules.number("opening.points"):
        return " once the player has opened", " une fois sa première pose faite"
    return " once the player has laid a meld", " une fois une combinaison posée"


def jokers(rules: Rules) -> Iterator[Pair]:
    """Jokers in melds and out of them; nothing without jokers."""
    if not has_jokers(rules):
        return
    if rules["joker.swap"]:
        kept = (", until it is swapped out", ", jusqu'à son échange")
    else:
        kept = (" for good", " pour de bon")
    yield (
        f"A joker stands for one card, named when it is laid, and keeps it{kept[0]}.",
        f"Un joker remplace une carte, annoncée à la pose, et la garde{kept[1]}.",
    )
    least, most = rules.number("meld.min_naturals"), rules.number("meld.max_jokers")
    if least == 0:
        yield ("A meld may be of jokers only.", "Une combinaison peut n'avoir que des jokers.")
    else:
        n, s = _spelled(least, feminine=True), plural(least)
        yield (
            f"A meld holds at least {n[0]} natural card{s}.",
            f"Une combinaison contient au moins {n[1]} carte{s} naturelle{s}.",
        )
    if most:
        n = _spelled(most)
        yield (
            f"A meld holds at most {n[0]} joker{plural(most)}.",
            f"Une combinaison contient au plus {n[1]} joker{plural(most)}.",
        )
    if not rules["meld.adjacent_jokers"]:
        yield (
            "In a run two jokers may not stand side by side.",
            "Dans une suite, deux jokers ne peuvent pas se toucher.",
        )
    if rules["joker.swap"]:
        yield from _swaps(rules)


def _swaps(rules: Rules) -> Iterator[Pair]:
    when = _once_opened(rules) if rules["joker.swap_needs_opening"] else ("", "")
    yield (
        f"A joker may be swapped for the very card it stands for{when[0]}.",
        f"On peut échanger un joker contre la carte exacte qu'il remplace{when[1]}.",
    )
    way = str(rules["joker.set_swap"])
    if way != "declared":
        yield {
            "any_missing": (
                "In a set, any card of the rank frees it whose suit the set does not show.",
                "Dans un brelan, toute carte du rang dont la couleur y manque le libère.",
            ),
            "complete_only": (
                "In a set, only once the set has four cards.",
                "Dans un brelan, seulement quand il a quatre cartes.",
            ),
            "never": ("In a set it stays.", "Dans un brelan, il reste."),
        }[way]
    if rules["joker.recovered"] == "free":
        yield (
            "The recovered joker may be played, kept or thrown.",
            "Le joker récupéré peut être joué, gardé ou défaussé.",
        )
    else:
        yield (
            "The recovered joker must be played again in the same turn.",
            "Le joker récupéré doit être rejoué dans le même tour.",
        )
