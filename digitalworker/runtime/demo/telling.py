"""Plays the stories in the order in which they happened, spread over the last weeks.

What was said carries its time from the start. Memories, proposals and answers are made now and then moved to when they
would have been made; the audit and the histories are left as they are: they tell when things were really written.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.utils import timezone

from digitalworker.agents.actions.conversations import EventDraft
from digitalworker.agents.choices import AuthorKind
from digitalworker.agents.models import ChatEvent, RoleAgent, Thread
from digitalworker.common.types import Actor, worker_actor
from learning import embedding
from learning.actions.autosave import keep_autosave, undo_autosave
from learning.actions.intake import take_in
from learning.actions.propose import Proposal, propose
from learning.actions.propose_skill import SkillProposal, propose_skill
from learning.actions.remember import delete_memory, remember, supersede
from learning.actions.review import approve, reject
from learning.choices import ItemStatus, MemoryScope, Source
from learning.models import LearningItem, Memory
from learning.tasks import run_detection
from skills import embedding as skill_vectors
from skills.document import parse

from ..ask import ask
from ..models import AgentRun
from .script import Asked, Decided, Known, Line, Looked, Skilled, Story, Suggested, Talk

BETWEEN_LINES = timedelta(seconds=75)
UNTIL_DECIDED = timedelta(hours=5)
EMBED_AT_ONCE = 256
FRIDAY, WORKDAY_MINUTES = 4, 9 * 60


@dataclass
class Teller:
    """`actors` by e-mail address, `agents` by code. `embeds`: vectors are made on the way, so that answers rank by them."""

    actors: dict[str, Actor]
    agents: dict[str, RoleAgent]
    embeds: bool
    now: datetime = field(default_factory=timezone.now)
    said: dict[tuple[str, str], list[ChatEvent]] = field(default_factory=dict)

    def tell(self, everyone: Iterable[Known], stories: Iterable[Story], skills: Iterable[Skilled] = ()) -> None:
        steps: list[tuple[float, Callable[[], None]]] = [
            (known.days * 24, self._knows(None, known)) for known in everyone
        ]
        steps += [(skilled.hours, partial(self._skill, skilled)) for skilled in skills]
        for story in stories:
            agent = self.agents[story.code]
            steps += [(known.days * 24, self._knows(agent, known)) for known in story.known]
            steps += [(talk.hours, self._talks(agent, talk, story)) for talk in story.talks]
            steps += [(asked.hours, self._asks(agent, asked)) for asked in story.asked]
        for _, step in sorted(steps, key=lambda step: -step[0]):
            step()
        run_detection(locally=True)  # what the questions taught
        self._embed()

    def _ago(self, **back: float) -> datetime:
        """That long ago; before yesterday it is a working day between eight and five, as people work."""
        at = self.now - timedelta(**back)
        if self.now - at < timedelta(days=2):
            return at
        local = timezone.localtime(at)
        local -= timedelta(days=max(0, local.weekday() - FRIDAY))
        minute = int(timedelta(**back).total_seconds() // 60) * 7 % WORKDAY_MINUTES
        return local.replace(hour=8, minute=0, second=0, microsecond=0) + timedelta(minutes=minute)

    # --- known ----------------------------------------------------------------------------------------------------
    def _knows(self, agent: RoleAgent | None, known: Known) -> Callable[[], None]:
        return lambda: self._know(agent, known)

    def _know(self, agent: RoleAgent | None, known: Known) -> None:
        actor = self.actors[known.by]
        memory = remember(
            actor=actor,
            role_agent=agent,
            content=known.content,
            key=known.key,
            kind=known.kind,
            scope=known.scope,
            risk=known.risk,
            sensitive=known.sensitive,
        )
        _move(memory, self._ago(days=known.days))
        for number, wording in enumerate(known.then, 1):
            memory = supersede(actor=actor, memory_id=memory.pk, content=wording, revision=memory.revision)
            _move(memory, self._ago(days=known.days / (number + 1)))
        if known.deleted:
            delete_memory(actor=actor, memory_id=memory.pk, revision=memory.revision, reason=known.deleted)
            Memory.objects.filter(pk=memory.pk).update(deleted_at=self._ago(days=known.days / 2))

    def _skill(self, skilled: Skilled) -> None:
        agent, by = self.agents[skilled.code], self.actors[skilled.by]
        for document in skilled.documents:
            item = self._proposed(by, agent, SkillProposal(document, scope=parse(document).scope))
            approve(
                actor=self.actors[skilled.approved_by], item_id=item.pk, revision=item.revision, digest_seen=item.digest
            )
            at = self._ago(hours=skilled.hours)
            LearningItem.objects.filter(pk=item.pk).update(created_at=at, decided_at=at + UNTIL_DECIDED)
        if skilled.waits:
            item = self._proposed(by, agent, SkillProposal(skilled.waits, rationale=skilled.why))
            LearningItem.objects.filter(pk=item.pk).update(created_at=self._ago(hours=skilled.hours / 8))

    @staticmethod
    def _proposed(by: Actor, agent: RoleAgent, proposal: SkillProposal) -> LearningItem:
        item = propose_skill(actor=by, role_agent=agent, proposal=proposal).item
        assert item is not None  # noqa: S101 - proposed by hand it waits, or it is refused
        return item

    # --- said -----------------------------------------------------------------------------------------------------
    def _talks(self, agent: RoleAgent, talk: Talk, story: Story) -> Callable[[], None]:
        return lambda: self._talk(agent, talk, story)

    def _talk(self, agent: RoleAgent, talk: Talk, story: Story) -> None:
        begun = self._ago(hours=talk.hours)
        drafts = [
            self._draft(talk, line, begun + number * BETWEEN_LINES, number) for number, line in enumerate(talk.lines)
        ]
        recorded = take_in(actor=worker_actor(agent.organization_id, agent.pk), role_agent=agent, drafts=drafts)
        self.said[story.code, talk.key] = [each.event for each in recorded]
        Thread.objects.filter(pk=recorded[0].event.thread_id).update(created_at=begun)
        run_detection(locally=True)  # a demo costs nothing, also where a model is configured
        for suggested in story.suggested:
            if suggested.talk == talk.key:
                self._suggest(agent, suggested, story.code)
        self._date(agent, recorded[0].event.thread_id)
        for decided in story.decided:
            self._decide(agent, decided)
        for looked in story.looked:
            self._look(agent, looked)

    def _draft(self, talk: Talk, line: Line, at: datetime, number: int) -> EventDraft:
        colleague = next((a for a in self.actors.values() if a.label == line.author), None)
        person = line.author_kind == AuthorKind.PERSON
        return EventDraft(
            kind=line.kind,
            text=line.text,
            author_kind=line.author_kind,
            author=line.author or (talk.name if person else ""),
            author_user_id=colleague.user_id if colleague else None,
            verified=talk.verified if person else colleague is not None,
            external_user_id=talk.person,
            channel=talk.channel,
            idempotency_key=f"demo/{talk.key}/{number}",
            occurred_at=at,
        )

    # --- proposed and decided -------------------------------------------------------------------------------------
    def _suggest(self, agent: RoleAgent, suggested: Suggested, code: str) -> None:
        event = next(event for event in self.said[code, suggested.talk] if suggested.quote in event.text)
        start = event.text.index(suggested.quote)
        propose(
            actor=worker_actor(agent.organization_id, agent.pk),
            role_agent=agent,
            proposal=Proposal(
                scope=suggested.scope,
                kind=suggested.kind,
                content=suggested.content,
                key=suggested.key,
                risk=suggested.risk,
                confidence=suggested.confidence,
                rationale=suggested.rationale,
                sensitive=suggested.sensitive,
            ),
            person=event.person if suggested.scope == MemoryScope.PERSON else None,
            event=event,
            span=(start, start + len(suggested.quote)),
            source=Source.TOOL,
        )

    def _date(self, agent: RoleAgent, thread_id: UUID) -> None:
        """What the conversation led to came right after what was said."""
        for memory in Memory.objects.filter(role_agent=agent, thread_id=thread_id, autosaved=True).select_related(
            "event"
        ):
            if memory.event is not None:
                _move(memory, memory.event.occurred_at + BETWEEN_LINES)
        for item in LearningItem.objects.filter(role_agent=agent, thread_id=thread_id).select_related("event"):
            if item.event is not None:
                LearningItem.objects.filter(pk=item.pk).update(created_at=item.event.occurred_at + BETWEEN_LINES)

    def _decide(self, agent: RoleAgent, decided: Decided) -> None:
        """Only where what it is about waits by now."""
        waiting = LearningItem.objects.filter(role_agent=agent, status=ItemStatus.PENDING).select_related(
            "person", "event"
        )
        item = next((item for item in waiting.order_by("id") if item.title.startswith(decided.title)), None)
        if item is None:
            return
        decide = partial(approve, edited={"content": decided.edited}) if decided.edited else approve
        item = (decide if decided.approved else reject)(
            actor=self.actors[decided.by],
            item_id=item.pk,
            revision=item.revision,
            digest_seen=item.digest,
            reason=decided.reason,
        )
        at = min(item.created_at + UNTIL_DECIDED, self.now)
        LearningItem.objects.filter(pk=item.pk).update(decided_at=at)
        if item.memory is not None:
            _move(item.memory, at)

    def _look(self, agent: RoleAgent, looked: Looked) -> None:
        """What somebody thought of a memory that was saved without asking; only once, and once it is there."""
        unseen = Memory.objects.live().filter(role_agent=agent, autosaved=True, reviewed_at=None)
        memory = unseen.filter(content__startswith=looked.title).first()
        if memory is None:
            return
        act = keep_autosave if looked.kept else undo_autosave
        act(actor=self.actors[looked.by], memory_id=memory.pk, revision=memory.revision)
        at = min(memory.created_at + UNTIL_DECIDED, self.now)
        Memory.objects.filter(pk=memory.pk).update(**{"reviewed_at" if looked.kept else "deleted_at": at})

    # --- asked ----------------------------------------------------------------------------------------------------
    def _asks(self, agent: RoleAgent, asked: Asked) -> Callable[[], None]:
        return lambda: self._ask(agent, asked)

    def _ask(self, agent: RoleAgent, asked: Asked) -> None:
        self._embed()
        run = ask(
            actor=self.actors[asked.by],
            role_agent=agent,
            question=asked.question,
            external_user_id=asked.person,
            verified=True,
            local=True,
        ).run
        at = self._ago(hours=asked.hours)
        ChatEvent.objects.filter(pk=run.question_id).update(occurred_at=at)
        ChatEvent.objects.filter(run_answered=run).update(occurred_at=at + timedelta(seconds=2))
        Thread.objects.filter(pk=run.thread_id).update(created_at=at, last_event_at=at + timedelta(seconds=2))
        AgentRun.objects.filter(pk=run.pk).update(created_at=at, finished_at=at + timedelta(seconds=2))
        Memory.objects.filter(runs__run=run).update(last_used_at=at)

    def _embed(self) -> None:
        if self.embeds:
            embedding.refresh(EMBED_AT_ONCE)
            skill_vectors.refresh(EMBED_AT_ONCE)


def _move(memory: Memory, at: datetime) -> None:
    times = {"created_at": at} | ({"reviewed_at": at} if memory.reviewed_at else {})
    Memory.objects.filter(pk=memory.pk).update(**times)
