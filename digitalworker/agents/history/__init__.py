"""Searching what was said: an agent's conversations, by any word, best first. On demand only; no prompt holds history by itself.

A search reads the query (`query`), asks the database for its stems (`analysis`), ranks (`ranking`), and fetches the texts of
one page with what stands around them (`excerpts`). What full text can not see (a query of stop words, a part of a word,
emoji) is looked for as plain text in the newest 10,000 events when nothing was found, and when there is nothing either, words
nobody said are taken for the most similar ones somebody did (`spelling`). docs/history-search.md is for readers.
"""

from dataclasses import dataclass
from datetime import datetime

from digitalworker.common.errors import Invalid, NotFound
from digitalworker.common.search import both_ends
from digitalworker.common.text import clean
from digitalworker.common.types import Actor

from ..models import Channel, Person, RoleAgent
from ..policies import visible_agents
from . import query as queries
from . import ranking, spelling
from .analysis import Terms, analyse
from .excerpts import Hit, Line, hits_of
from .ranking import Range

__all__ = ["HITS_MOST", "PAGE_MOST", "QUERY_MOST", "Filters", "Hit", "Hits", "Line", "search_history"]

QUERY_MOST = 500  # characters
PAGE_MOST, HITS_MOST = 50, 100


@dataclass(frozen=True, slots=True)
class Filters:
    """What narrows a search. `person` and `channel` are the conversation's; `since` is in, `until` is not."""

    person: Person | None = None
    channel: Channel | None = None
    author_kind: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Hits:
    """One page of hits, best first; `next` is the cursor of the following page, None at the end.

    `corrected`: what was searched for instead, where nobody said the words that were asked for; "" otherwise. `cut`: this is
    the last page and there may be more, to which a narrower query is the way.
    """

    rows: tuple[Hit, ...] = ()
    next: str | None = None
    corrected: str = ""
    cut: bool = False

    def __iter__(self):
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def search_history(
    *,
    actor: Actor,
    agent: RoleAgent,
    query: str,
    person: Person | None = None,
    filters: Filters | None = None,
    limit: int = 20,
    cursor: str | None = None,
) -> Hits:
    """The events of `agent` that fit `query` best: any of its words, rare ones counting more, newer ones first among equals.

    With `person`, only conversations of that person and conversations of nobody in particular: the search is made on their
    behalf. `limit` is 1..50; pages end after 100 hits. `query` may be any text, its forms are in `query`; an empty one finds
    nothing. Raises NotFound when the actor may not see the agent, Invalid for a bad cursor or limit.
    """
    if not visible_agents(actor).filter(pk=agent.pk).exists():
        raise NotFound("There is no such role-agent.")
    if not 1 <= limit <= PAGE_MOST:
        raise Invalid(f"Ask for 1 to {PAGE_MOST} hits.", errors={"limit": [f"1 to {PAGE_MOST}"]})
    start = _start(cursor)
    asked = both_ends(clean(query), QUERY_MOST)
    if not asked:
        return Hits()
    within = _range(agent, person, filters or Filters())
    most = start + limit + 1
    ranked, terms, corrected = _ranked(within, asked, most)
    page = ranked[start : min(start + limit, HITS_MOST)]
    more = len(ranked) > start + limit and start + limit < HITS_MOST
    return Hits(
        hits_of(agent.pk, page, terms),
        next=str(start + limit) if more else None,
        corrected=corrected,
        cut=not more and bool(ranked) and (ranked[0].full or len(ranked) > HITS_MOST),
    )


def _start(cursor: str | None) -> int:
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 5 and int(cursor) < HITS_MOST):
        raise Invalid("This page link is damaged. Start again from the first page.", code="bad_cursor")
    return int(cursor)


def _range(agent: RoleAgent, audience: Person | None, filters: Filters) -> Range:
    return Range(
        agent=agent.pk,
        audience=audience.pk if audience else None,
        person=filters.person.pk if filters.person else None,
        channel=filters.channel.pk if filters.channel else None,
        author_kind=filters.author_kind,
        since=filters.since,
        until=filters.until,
    )


def _ranked(within: Range, asked: str, most: int) -> tuple[list[ranking.Ranked], Terms, str]:
    """What was found, by what, and what was taken for what was asked ("": just that)."""
    terms = analyse(within.agent, queries.read(asked))
    ranked = ranking.rank(within, terms, most) if terms else []
    if ranked:
        return ranked, terms, ""
    as_text = Terms(pieces=(asked.lower(),))
    ranked = ranking.rank(within, as_text, most, recent=ranking.RECENT_AS_TEXT)
    if ranked:
        return ranked, as_text, ""
    corrected = spelling.corrected(within, asked)
    if corrected == asked:
        return [], terms, ""
    terms = analyse(within.agent, queries.read(corrected))
    ranked = ranking.rank(within, terms, most) if terms else []
    return ranked, terms, corrected if ranked else ""
