"""Finds words and characters that try to steer a model against the people it works for.

Rules look for what is done to what ("ignore" ... "previous" ... "instructions"), not for known sentences, in every layer of
a text (see normalise.py), in English, German, French and Spanish. Each finding says which rule, why, and where.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from . import hidden, rules, structure
from .normalise import Layer, layers
from .phrases import words_of

MOST = 50  # findings of one text


@dataclass(frozen=True, slots=True)
class Finding:
    """text[start:end] of the original, in characters, is what the rule found in the reading `layer`.

    `severity` is "high" (no honest place in a memory or proposal), "medium" or "low". `why` is a sentence for a reviewer
    and holds nothing of the text.
    """

    rule: str
    severity: str
    why: str
    start: int
    end: int
    layer: str


def find_injections(text: str) -> list[Finding]:
    """The findings in `text` by position, at most 50; empty if there are none. Never raises.

    Of findings of one family (`override.*`, `hidden.*`) at overlapping places only the gravest is kept.
    """
    if not text or text.isspace():
        return []
    lexicon, _ = rules.load()
    found: list[Finding] = [Finding(*finding, "characters") for finding in hidden.hidden(text)]
    for layer in layers(text, lexicon.known):
        found += _in_layer(layer)
        if len(found) > 20 * MOST:
            break
    kept: list[Finding] = []
    # The gravest first, and of those equally grave the one in the layer nearest to the text: the sort is stable.
    for finding in sorted(found, key=lambda finding: -rules.SEVERITIES.index(finding.severity)):
        if len(kept) < MOST and not any(_covers(other, finding) for other in kept):
            kept.append(finding)
    return sorted(kept, key=lambda finding: (finding.start, finding.end, finding.rule))


def _covers(kept: Finding, other: Finding) -> bool:
    """Whether `other` says nothing new: a rule of the same family at an overlapping place."""
    family = kept.rule.partition(".")[0] == other.rule.partition(".")[0]
    return family and kept.start < other.end and other.start < kept.end


def _in_layer(layer: Layer) -> Iterator[Finding]:
    for sign, start, end in structure.signs_in(layer.text):
        yield Finding(sign.id, sign.severity, sign.why, *layer.span(start, end), layer.name)
    lexicon, all_rules = rules.load()
    reading = lexicon.read(words_of(layer.text))
    for rule in all_rules:
        for first, last in rule.find(reading):
            start, end = reading.words[first].start, reading.words[last - 1].end
            yield Finding(rule.id, rule.severity, rule.why, *layer.span(start, end), layer.name)
