"""From a query to what the database is asked: which words, marked as whose, and which patterns.

An event's words (`ChatEvent.tsv`, made by the database's function `agents_words`) are English stems without accents, each
with four characters of the agent's id before it. So must be those that are looked for.
"""

import base64
import re
from dataclasses import dataclass
from uuid import UUID

from digitalworker.common.prepared import rows_of
from digitalworker.common.search import codes, pieces

from .query import Query

WORDS_MOST, PIECES_MOST = 32, 20  # distinct ones of a query that count; with the beginnings, a bit each of one bigint

_ANALYSE = """
SELECT t.n, w.lexeme FROM unnest(%(texts)s::text[]) WITH ORDINALITY AS t (said, n)
CROSS JOIN LATERAL unnest(to_tsvector('agents_words', t.said)) AS w
UNION ALL
SELECT -f.n, lower(unaccent(f.said)) FROM unnest(%(folded)s::text[]) WITH ORDINALITY AS f (said, n)
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """`queries` are tsqueries, one a word or beginning; `pieces` are looked for inside the text. Both rank.

    `require` is a tsquery every hit fits, "" for none; `required` are the places of those queries that it asks for.
    `must` and `never` are patterns over the text without accents. The last three are what to mark in an excerpt.
    """

    queries: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()
    require: str = ""
    required: tuple[int, ...] = ()
    must: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    lexemes: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.queries or self.pieces)


def analyse(agent_id: UUID, query: Query) -> Terms:
    """One statement: only the database knows its stems and its accents."""
    texts = [query.words, *query.phrases, *query.without]
    folded = [*query.phrases, *query.prefixes, *query.without, *query.without_phrases]
    lexemes: dict[int, list[str]] = {number: [] for number in range(1, len(texts) + 1)}
    plain: dict[int, str] = {}
    for number, found in rows_of(_ANALYSE, {"texts": texts, "folded": folded}):
        if number > 0:
            lexemes[number].append(found)
        else:
            plain[-number] = found
    mark = base64.b64encode(agent_id.bytes[13:]).decode()
    folded = [plain[number] for number in range(1, len(folded) + 1)]
    cuts = [len(query.phrases), len(query.prefixes), len(query.without)]
    phrases, prefixes = folded[: cuts[0]], folded[cuts[0] : cuts[0] + cuts[1]]
    without, without_phrases = folded[cuts[0] + cuts[1] : sum(cuts)], folded[sum(cuts) :]

    ranked = sorted(lexemes[1], key=len, reverse=True)[:WORDS_MOST]  # of too many, the short ones tell least
    in_phrases = {lexeme for number in range(2, 2 + len(phrases)) for lexeme in lexemes[number]}
    groups = [_beginning(mark, prefix) for prefix in prefixes]
    require = [*groups, *(_quoted(mark + lexeme) for lexeme in sorted(in_phrases))]
    never = [_pattern(phrase) for phrase in without_phrases]
    for number, word in enumerate(without, 2 + len(phrases)):
        if lexemes[number]:
            require.append("!( " + " & ".join(_quoted(mark + lexeme) for lexeme in lexemes[number]) + " )")
        else:
            never.append(_pattern(word))
    required = [place for place, lexeme in enumerate(ranked) if lexeme in in_phrases]
    required += range(len(ranked), len(ranked) + len(groups))
    # A phrase of nothing but stop words ranks as the text it is.
    bare = [phrase.lower() for number, phrase in enumerate(query.phrases, 2) if not lexemes[number]]
    return Terms(
        queries=(*(_quoted(mark + lexeme) for lexeme in ranked), *groups),
        pieces=tuple(dict.fromkeys([*bare, *pieces(query.words), *codes(query.words)]))[:PIECES_MOST],
        require=" & ".join(require),
        required=tuple(required),
        must=(*map(_pattern, phrases), *(_pattern(prefix, whole=False) for prefix in prefixes)),
        never=tuple(never),
        lexemes=frozenset(lexemes[1]),
        phrases=tuple(phrases),
        beginnings=tuple(prefixes),
    )


def _quoted(lexeme: str) -> str:
    return "'" + lexeme.replace("\\", "\\\\").replace("'", "''") + "'"


def _beginning(mark: str, prefix: str) -> str:
    """Stems of words that begin so. A stem may be shorter than the beginning it is looked for by (printi*, print), may end
    in e (hopi*, hope) or in i (happy*, happi); the text itself is looked at afterwards."""
    stems = {prefix[:length] + end for length in range(2, len(prefix) + 1) for end in ("", "e")}
    if prefix.endswith("y"):
        stems.add(prefix[:-1] + "i")
    return "( " + " | ".join([_quoted(mark + prefix) + ":*", *(_quoted(mark + stem) for stem in sorted(stems))]) + " )"


def _pattern(text: str, *, whole: bool = True) -> str:
    """A PostgreSQL pattern for `text` at the border of a word; any white space is as good as any other."""
    inner = r"\s+".join(re.sub(r"([^\w])", r"\\\1", part) for part in text.split())
    before = r"\m" if re.match(r"\w", text) else ""
    after = r"\M" if whole and re.search(r"\w$", text) else ""
    return before + inner + after
