"""Which of an agent's skills a question needs, if any: pure arithmetic over names, descriptions and vectors.

A skill that is loaded needlessly costs the answer its room and may steer it wrong; one that is not loaded can still be fetched
by the model from the catalogue it sees. So whatever is uncertain loads nothing, and every skill that was looked at says why
it was or was not chosen.

A question may ask for skills by name, `/expense-claim`: see `Catalogue.choose`.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from numpy.typing import NDArray

ASKED = "asked by name"
FITS = "fits the question"
TWO = "uncertain: two fit as well"
NOT = "does not fit"


@dataclass(frozen=True, eq=False)
class Entry:
    """A skill that may be loaded. `when` is the text of its section "When To Use", `vector` that of `passage_text`."""

    key: UUID | str
    name: str
    description: str
    when: str = ""
    vector: "Sequence[float] | NDArray[Any] | None" = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """`score` is 0..1; `lexical` and `similarity` are what it was made of, None where there was no vector."""

    key: UUID | str
    name: str
    score: float
    lexical: float
    similarity: float | None
    why: str


@dataclass(frozen=True, slots=True)
class Considered(Chosen):
    """One that came near and was not chosen; `why` says why not."""


@dataclass(frozen=True, slots=True)
class Choice:
    """`unknown` are the names that were asked for and are not in the catalogue, with their slash, as they were written."""

    chosen: tuple[Chosen, ...] = ()
    considered: tuple[Considered, ...] = ()
    unknown: tuple[str, ...] = field(default=())

    @property
    def notices(self) -> tuple[str, ...]:
        return tuple(f"not found: {name}" for name in self.unknown)


def passage_text(name: str, description: str, when: str = "") -> str:
    """What is embedded for a skill, as a passage."""
    return f"{name.replace('-', ' ').replace('_', ' ')}: {description} {when}"[:PASSAGE_MOST].strip()


PASSAGE_MOST = 600
CONSIDERED_MOST = 5
_ALONE, _WITH_VECTOR, _AS_WELL = 0.5, 0.5, 0.03

_WORD = re.compile(r"[^\W_]+")
_COMMAND = re.compile(r"/[^\W_][\w-]*")
# Top folders of a Unix system, which people write as they write a command.
_FOLDERS = frozenset("/bin /boot /dev /etc /home /lib /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /var".split())
_OPENING, _CLOSING = "([{<\"'`«“„‘*", ")]}>\"'`»”“’*.,;:!?…"


def slug(name: str) -> str:
    """How a name is written after a slash: lower case, with hyphens."""
    return "-".join(_WORD.findall(unicodedata.normalize("NFKC", name).casefold()))


def commands(question: str) -> list[tuple[str, str, bool]]:
    """What is asked for by name: as written, as a slug, and whether the question begins with it.

    A command stands as a word of its own. A path with a second slash, an address, a date and "and/or" are none.
    """
    found = []
    for place, token in enumerate(question.split()):
        word = token.lstrip(_OPENING).rstrip(_CLOSING)
        if _COMMAND.fullmatch(word) and not word[1:].isdigit():
            found.append((word, slug(word[1:]), place == 0))
    return found


class Catalogue:
    """The skills among which a question chooses; built once for a set of versions, then asked any number of times."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = sorted(entries, key=lambda entry: (slug(entry.name), str(entry.key)))
        self._by_name: dict[str, int] = {}
        for number, entry in enumerate(self._entries):
            self._by_name.setdefault(slug(entry.name), number)
        self._words = [Counter(words(f"{entry.name} {entry.description} {entry.when}")) for entry in self._entries]
        holding = Counter(word for each in self._words for word in each)
        self._idf = {word: log(1 + (100 + len(self._entries)) / (1 + rows)) for word, rows in holding.items()}

    def __len__(self) -> int:
        return len(self._entries)

    def choose(self, question: str, vector: "Sequence[float] | NDArray[Any] | None" = None, *, at_most: int = 2) -> Choice:
        """The at most `at_most` skills to load for `question`, whose vector (as a query) is `vector`.

        Skills asked for by name (`/name`, anywhere, in any case) are loaded and no others: who names one wants that one. A
        name nobody knows is said in `unknown`. Where the question begins with it nothing else is loaded instead; further
        inside it may be a folder, so the rest of the question still chooses.
        """
        asked: dict[int, None] = {}
        unknown: dict[str, bool] = {}
        for written, name, first in commands(question):
            if name in self._by_name:
                asked[self._by_name[name]] = None
            elif written.lower() not in _FOLDERS:
                unknown.setdefault(written, first)
        if asked or any(unknown.values()) or at_most < 1:
            chosen = [
                Chosen(self._entries[number].key, self._entries[number].name, 1.0, 1.0, None, ASKED)
                for number in list(asked)[: max(at_most, 0)]
            ]
            return Choice(tuple(chosen), (), tuple(unknown))
        return Choice((), (), tuple(unknown))


def words(text: str) -> list[str]:
    return [word for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold())]
