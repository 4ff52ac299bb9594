"""What was put before an agent in a conversation, for the loop guard: it must not come back as something learned."""

from digitalworker.agents.models import ChatEvent
from learning.own_words import register_own_words
from learning.sections import line_of
from skills.models import SkillVersion
from souls.models import SoulVersion

from .models import AgentRun, RunMemory

RUNS_LOOKED_AT = 10  # the conversation's latest answers
LINES_MOST = 200


def given_in(event: ChatEvent) -> list[str]:
    """The memories in the packs of this conversation's latest runs, as they read now, with the skills and souls in them."""
    runs = AgentRun.objects.filter(thread_id=event.thread_id).order_by("-created_at").values("pk")[:RUNS_LOOKED_AT]
    given = RunMemory.objects.filter(run__in=runs).values_list("memory__key", "memory__content").distinct()
    skills = SkillVersion.objects.filter(runs__run__in=runs).distinct().values_list("document", flat=True)
    souls = SoulVersion.objects.filter(runs__in=runs).distinct().values_list("tone_rules_md", "do_not_do_md")
    return [
        *(line_of(key, content) for key, content in given[:LINES_MOST]),
        *skills[:LINES_MOST],
        *(part for parts in souls[:RUNS_LOOKED_AT] for part in parts if part),
    ]


register_own_words(given_in)
