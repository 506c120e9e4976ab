"""Cards: reading, printing and drawing them in a terminal.

A card id is ``suit * 13 + rank`` with suits clubs, diamonds, hearts, spades = 0..3 and ranks ace
to king = 0..12; a bare joker is 52. A joker on the table that stands for a card has the code
``JOKER_AS + id``. Two packs hold the same ids twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal

from ramisim.errors import CardError
from ramisim.plurals import counted
from ramisim.told import told
from ramisim.whole import whole

if TYPE_CHECKING:
    from rich.text import Text

__all__ = [
    "JOKER",
    "JOKER_AS",
    "RANKS",
    "SUITS",
    "SUIT_SIGNS",
    "Lang",
    "card_name",
    "card_sign",
    "card_text",
    "cards_text",
    "check_cards",
    "hand_name",
    "parse_card",
    "parse_hand",
    "sort_hand",
    "suits_text",
]

Lang = Literal["en", "fr"]

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"
SUIT_SIGNS: Final = "♣♦♥♠"
JOKER: Final = 52
JOKER_AS: Final = 64

_FRENCH_RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "V", "D", "R")
_FRENCH_SUITS: Final = ("Trèfle", "Carreau", "Cœur", "Pique")
_STYLES: Final = ("bold", "bold red", "bold red", "bold")
_JOKER_STYLE: Final = "bold magenta"

_NATURALS: Final = {
    rank + suit: s * 13 + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)
}
# Signs come with an optional "emoji" selector when they are pasted from a web page.
_READ_SIGNS: Final = str.maketrans(dict(zip("♣♦♥♠♧♢♡♤", "CDHSCDHS", strict=True)) | {"\ufe0f": ""})


def parse_card(text: str) -> int:
    """Read one card.

    Parameters
    ----------
    text : str
        ``7H``, ``TD`` or ``10D``, ``Q♠``, ``Jk``, or a table joker ``Jk=7H``; in any case.

    Returns
    -------
    int
        Card id 0..51, ``JOKER`` for a bare joker, ``JOKER_AS + id`` for a joker on the table.

    Raises
    ------
    CardError
        The text is no card.
    """
    if not isinstance(text, str):
        raise CardError(f"a card is a text like 7H, TD or Jk, not {told(text)}")
    plain = text.strip().translate(_READ_SIGNS).upper()
    if plain == "JK":
        return JOKER
    if plain.startswith("JK="):
        return JOKER_AS + _natural(plain[3:], text)
    return _natural(plain, text)


def _natural(plain: str, text: str) -> int:
    if plain.startswith("10"):
        plain = "T" + plain[2:]
    if plain not in _NATURALS:
        raise CardError(
            f"unknown card {text!r:.40}: a card is a rank {RANKS} and a suit {SUITS}, like 7H or"
            " TD, or a joker, Jk"
        )
    return _NATURALS[plain]


def parse_hand(cards: str | Iterable[str]) -> list[int]:
    """Read the cards of a hand, in the order given.

    Parameters
    ----------
    cards : str or iterable of str
        One text with cards separated by blanks, or one text a card.

    Returns
    -------
    list of int
        Card ids 0..51, ``JOKER`` for jokers. Twins are allowed: see `check_cards`.

    Raises
    ------
    CardError
        A text is no card, or a joker stands for a card: it does so on the table only.
    """
    texts = cards.split() if isinstance(cards, str) else cards
    if not isinstance(texts, Iterable):
        raise CardError(f"a hand is a text or a list of cards, not {told(cards)}")
    hand = []
    for text in texts:
        card = parse_card(text)
        if card >= JOKER_AS:
            raise CardError(
                f"{text} in a hand: a joker stands for a card on the table only, use Jk"
            )
        hand.append(card)
    return hand


def check_cards(cards: Iterable[int], packs: int, jokers: int, where: str = "the hand") -> None:
    """Refuse cards that the packs do not hold.

    Parameters
    ----------
    cards : iterable of int
        Card codes; a joker on the table counts as a joker.
    packs, jokers : int
        Packs of 52 cards, and jokers in all.
    where : str
        What holds the cards, for the message.

    Raises
    ------
    CardError
        A card stands there more often than there are packs, or too many jokers.
    """
    counts = Counter(JOKER if card >= JOKER_AS else card for card in cards)
    for card, n in sorted(counts.items()):
        allowed = jokers if card == JOKER else packs
        if n > allowed:
            raise CardError(
                f"{where} holds {card_name(card)} {_times(n)}, but {_packs(packs)} with"
                f" {counted(jokers, 'joker')} {'has' if packs == 1 else 'have'} it"
                f" {_times(allowed)}"
            )


def _times(n: int) -> str:
    return {0: "not at all", 1: "once", 2: "twice"}.get(n, f"{n} times")


def _packs(n: int) -> str:
    return "one pack" if n == 1 else counted(n, "pack")


def card_name(code: int, lang: Lang = "en") -> str:
    """Write a card: ``TD``, ``Jk``, ``Jk=7H``; in French ``10 Carreau``, ``Joker=7 Cœur``.

    Parameters
    ----------
    code : int
        Card id, ``JOKER``, or ``JOKER_AS + id``.
    lang : {"en", "fr"}
        The English form is what `parse_card` reads.

    Raises
    ------
    CardError
        The number is no card code.
    """
    code = _code(code)
    if not isinstance(lang, str) or lang not in ("en", "fr"):
        raise CardError(f"language {lang!r}: en or fr")
    if code == JOKER:
        return "Joker" if lang == "fr" else "Jk"
    if JOKER_AS <= code < JOKER_AS + JOKER:
        return f"{card_name(JOKER, lang)}={card_name(code - JOKER_AS, lang)}"
    suit, rank = divmod(code, 13)
    if lang == "fr":
        return f"{_FRENCH_RANKS[rank]} {_FRENCH_SUITS[suit]}"
    return RANKS[rank] + SUITS[suit]


def _code(code: object) -> int:
    """A card code as an ``int``."""
    number = code if type(code) is int else whole(code)
    if number is None or not (0 <= number <= JOKER or 0 <= number - JOKER_AS < JOKER):
        raise CardError(f"{code!r:.40} is no card: ids are 0 to 51, {JOKER} is the joker")
    return number


def card_sign(code: int, lang: Lang = "en") -> str:
    """Write a card with its suit sign: ``Q♠``, in French ``D♠``; ``Jk=7♥`` for a table joker."""
    if code == JOKER:
        return "Jk"
    card_name(code)
    if code >= JOKER_AS:
        return f"Jk={card_sign(code - JOKER_AS, lang)}"
    suit, rank = divmod(int(code), 13)
    return (_FRENCH_RANKS if lang == "fr" else RANKS)[rank] + SUIT_SIGNS[suit]


def hand_name(cards: Iterable[int], lang: Lang = "en") -> str:
    """Write cards one after another; in French, where a name holds a blank, with commas."""
    return (", " if lang == "fr" else " ").join(card_name(card, lang) for card in cards)


def sort_hand(cards: Iterable[int]) -> list[int]:
    """Cards by suit and rank, jokers last: the order in which hands are shown."""
    return sorted(cards)


def card_text(code: int, lang: Lang = "en") -> Text:
    """A card for Rich: suit sign, red for hearts and diamonds, another colour for jokers."""
    from rich.text import Text

    style = _JOKER_STYLE if code >= JOKER else _STYLES[code // 13]
    return Text(card_sign(code, lang), style=style)


def cards_text(cards: Sequence[int], lang: Lang = "en") -> Text:
    """Cards for Rich, separated by blanks."""
    from rich.text import Text

    return Text(" ").join(card_text(card, lang) for card in cards)


def suits_text() -> Text:
    """The suit signs with their French names, for pages whose ranks are V D R."""
    from rich.text import Text

    named = zip(SUIT_SIGNS, _FRENCH_SUITS, _STYLES, strict=True)
    return Text("  ").join(Text(f"{sign} {name}", style=style) for sign, name, style in named)
