"""What an agent says or is given to say, asked of the apps that know: nothing of it is learned again.

An app above registers its own, the runtime, say, with what it put into the prompts of a conversation.
"""

from collections.abc import Callable, Iterable

from digitalworker.agents.actions.prompts import registered_prompts
from digitalworker.agents.choices import AuthorKind
from digitalworker.agents.models import ChatEvent, PromptVersion

from .detection.loop_guard import Source

REPLIES_LOOKED_AT = 20  # the agent's latest replies before the event

_registered: list[Callable[[ChatEvent], Iterable[str]]] = []


def register_own_words(fn: Callable[[ChatEvent], Iterable[str]]) -> None:
    """`fn(event)` gives texts that were put before the agent until this event: memories, a soul, a skill."""
    _registered.append(fn)


def own_words(event: ChatEvent) -> list[Source]:
    """The agent's replies in this conversation until now, what it was given for them, and the words of its prompts."""
    given = [text for fn in _registered for text in fn(event)]
    return [Source(text, reply=True) for text in _replies(event)] + [
        Source(text) for text in (*given, *_prompts(event))
    ]


def last_reply(event: ChatEvent, most: int) -> str:
    """The end of what the agent said last before `event`."""
    return next(iter(_replies(event, 1)), "")[-most:]


def _replies(event: ChatEvent, most: int = REPLIES_LOOKED_AT) -> list[str]:
    replies = ChatEvent.objects.filter(
        thread_id=event.thread_id, author_kind=AuthorKind.AGENT, occurred_at__lte=event.occurred_at
    )
    newest = replies.exclude(pk=event.pk).order_by("-occurred_at", "-id")
    return list(newest.values_list("text", flat=True)[:most])


def _prompts(event: ChatEvent) -> list[str]:
    own = PromptVersion.objects.filter(organization_id=event.organization_id).order_by("-id")
    built_in = [prompt.default_body for prompt in registered_prompts()]
    return [event.role_agent.persona, *built_in, *own.values_list("body", flat=True)[:50]]
