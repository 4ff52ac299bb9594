"""What an agent said, or was given to say, is not learned again from somebody who repeats it.

A claim counts as said before where its words stand in one sentence of a source, whatever their order, case and marks.
Numbers and negations are words as well, so "it is 40, not 38" says something new to who said 38, and "no longer" to who
said that something is so.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .clauses import sentences

_WORD = re.compile(r"\d[\d.,]*\d|\w+")
_EMPTY = frozenset(
    _WORD.findall(
        "a an the i me my mine we us our you your yours he him his she her they them their it its this that these those am is"
        " are was were be been being do does did have has had will would shall can could may might must of in on at to for"
        " from by with as and so what which who there s m re ve ll d please thanks thank ok okay yes well"
    )
)
_ADDRESSES = re.compile(r"\byou(?:r|rs|['’](?:re|ve|d|ll))?\b", re.IGNORECASE)
_OFFERS = re.compile(r"\b(?:or|if|whether|either)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Source:
    """Words that are the agent's own. `reply`: it said them, to somebody; else they were given to it."""

    text: str
    reply: bool = False


def said_before(claims: Iterable[str], sources: Iterable[Source], *, about_person: bool) -> bool:
    """Whether any of these claims, an evidence or what was made of it, is in a source already.

    What a person says of themselves was said before only by a reply that told them so. A question, an offer or a price list
    with the same words told them nothing.
    """
    asked = [(f" {plain(claim)} ", _telling(claim)) for claim in claims]
    return any(
        _literal(words, source) or _reordered(telling, source, about_person)
        for source in sources
        for words, telling in asked
    )


def plain(text: str) -> str:
    """The words alone: no case, no marks, "don't" as "do not"."""
    return " ".join(_words(text))


def _words(text: str) -> list[str]:
    spelled = re.sub(r"n['’]t\b", " not", text.casefold()).replace("cannot", "can not")
    return [word.replace(",", "") for word in _WORD.findall(spelled)]


def _telling(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _words(text) if word not in _EMPTY)


def _stem(word: str) -> str:
    """Rough, and the same for "use", "uses" and "used": two words that are told apart too little cost less here."""
    if len(word) < 4:
        return word
    word = word.removesuffix("s") if not word.endswith("ss") else word
    return word.removesuffix("ing").removesuffix("ed").removesuffix("e") or word


def _literal(words: str, source: Source) -> bool:
    return words.count(" ") > 2 and words in f" {plain(source.text)} "


def _reordered(telling: frozenset[str], source: Source, about_person: bool) -> bool:
    if len(telling) < 2 or not telling <= _telling(source.text):  # far quicker than sentence by sentence
        return False
    for sentence in sentences(source.text):
        tells = not source.reply or not about_person
        tells = tells or bool(
            _ADDRESSES.search(sentence.text) and not sentence.asks and not _OFFERS.search(sentence.text)
        )
        if tells and telling <= _telling(sentence.text):
            return True
    return False
