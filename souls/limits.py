"""What a soul may not ask for: to act on its own, to skip reviews, for permissions, tools or a place above the rules.

A soul is rendered as tone and changes nothing else whatever it says; what asks for more is refused all the same, because
whoever reads it on a page would believe it. The rules are data, in limits.toml, which says how they are written.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from digitalworker.common.errors import Refused

# A sentence ends at its point, at an empty line, and where an item, a heading or a row of a table begins.
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+#>|]|\d{1,3}[.)])[ \t]?)")
_MARKER = re.compile(r"^[\s>#*+|-]*(?:\d{1,3}[.)])?\s*")
_TOKEN = re.compile(r"[^\W_]+|[;:—]")
_EMPHASIS = str.maketrans("", "", "*_`~\u00ad")
# Letters of other scripts that look like Latin ones.
_LOOK_ALIKE = str.maketrans("авекмнорстухіјѕԁɡαβεικνορτυχ", "abekmhopctyxijsdgabeiknoptux")
_NEGATION = re.compile(
    r" (?:never|not|no|nor|don|doesn|mustn|cannot|can t|shouldn|avoid|refuse|nobody|without ever"
    r"|nie|niemals|nicht|kein\w*|vermeide|jamais|ne|n|evite de|evitez de|nunca|jamas) "
)
_NEGATION_AFTER = re.compile(r" (?:nie|niemals|nicht|jamais|pas) ")  # behind the verb, where these languages have it
# After these a negation turns round, or its clause is over.
_TURN = re.compile(
    r" (?:but|just|only|mind|matter|problem|reason|instead|simply|always|hesitate|forget|worry|fail|bother|wait|afraid|hold back"
    r"|and|then|so|sondern|einfach|nur|egal|stattdessen|zogere|vergiss|und"
    r"|mais|seulement|importe|hesite\w*|oublie\w*|plutot|et|sino|pero|solo|importa|dudes|olvides|simplemente|y|;|:|—) "
)
# Who is told how something is done is not told to do it.
_TAUGHT = re.compile(
    r" (?:how|them|people|user|users|reader|somebody|someone|person|guest|colleague|where|which|when) to $| wie man $"
)
_LEADS = 2  # words before it, of an item of what not to do, that do not change what is forbidden
_SHOWN = 160  # characters of a sentence


@dataclass(frozen=True, slots=True)
class Fault:
    """`part` is the field it stands in, `sentence` the words as they were written."""

    part: str
    rule: str
    why: str
    sentence: str

    def __str__(self) -> str:
        return f"“{self.sentence}” {self.why}. A soul says how an agent talks, and nothing else; take it out."


@dataclass(frozen=True, slots=True)
class _Rule:
    id: str
    why: str
    pattern: re.Pattern[str]
    negated: bool
    held_back: bool


def faults(parts: Mapping[str, str]) -> list[Fault]:
    """What the parts of a soul ask for that is not a soul's to say, each sentence once, in their order. `do_not_do_md` is read
    as what it is: there a sentence forbids."""
    found: list[Fault] = []
    for part, text in parts.items():
        for sentence in filter(None, map(_bare, _SENTENCE_END.split(text))):
            rule = _broken(_words(sentence), forbids=part == "do_not_do_md")
            if rule:
                found.append(Fault(part, rule.id, rule.why, sentence[:_SHOWN]))
    return found


def refuse_beyond_tone(parts: Mapping[str, str]) -> None:
    """Raises Refused, by part, naming each sentence and why."""
    found = faults(parts)
    if not found:
        return
    errors: dict[str, list[str]] = {}
    for fault in found:
        errors.setdefault(fault.part, []).append(str(fault))
    raise Refused(str(found[0]), code="beyond_tone", kinds=sorted({fault.rule for fault in found}), errors=errors)


def _bare(sentence: str) -> str:
    return " ".join(_MARKER.sub("", sentence).split())


def _words(sentence: str) -> str:
    """Its words in small letters without accents, look-alikes read as what they look like, each with a space around it."""
    folded = unicodedata.normalize("NFKD", sentence.translate(_EMPHASIS)).casefold()
    seen = "".join(letter for letter in folded if unicodedata.category(letter) not in {"Mn", "Cf"})
    return f" {' '.join(_TOKEN.findall(seen.translate(_LOOK_ALIKE)))} "


def _broken(words: str, *, forbids: bool) -> _Rule | None:
    for rule in _rules():
        for match in rule.pattern.finditer(words):
            before = words[: match.start()]
            if rule.held_back:
                if _forbidden(before, match[0], forbids):
                    return rule
            elif _TAUGHT.search(before) or (not rule.negated and _forbidden(before, match[0], forbids)):
                continue
            else:
                return rule
    return None


def _forbidden(before: str, found: str, forbids: bool) -> bool:
    """Whether what was found is said not to be done: in its own clause, or by standing first in a list of what not to do."""
    if _NEGATION_AFTER.search(found):
        return True
    negations = list(_NEGATION.finditer(before))
    if negations:
        return not _TURN.search(before, negations[-1].end() - 1)
    return forbids and len(before.split()) <= _LEADS and not _TURN.search(before)


@cache
def _rules() -> tuple[_Rule, ...]:
    read = tomllib.loads(Path(__file__).with_name("limits.toml").read_text(encoding="utf-8"))
    groups = {name: words.replace("\n", "").replace(" ", "") for name, words in read["groups"].items()}
    return tuple(_made(rule, groups) for rule in read["rules"])


def _made(rule: dict, groups: dict[str, str]) -> _Rule:
    phrases = "|".join("".join(_pieces(phrase, groups)) for phrase in rule["phrases"])
    pattern = re.compile(f"(?<= )(?:{phrases})")
    return _Rule(rule["id"], rule["why"], pattern, rule.get("negated", False), rule.get("held_back", False))


def _pieces(phrase: str, groups: dict[str, str]) -> Iterator[str]:
    for part in phrase.split():
        if part.startswith(".."):
            yield f"(?:[^ ;:—]+ ){{0,{int(part[2:])}}}?"
            continue
        words: list[str] = []
        for word in part.split("|"):
            words += groups[word[1:]].split("|") if word.startswith("@") else [word]
        alternatives = (word.replace("_", " ").replace("*", "[^ ]*") for word in sorted(set(words)))
        yield f"(?:{'|'.join(alternatives)}) "
