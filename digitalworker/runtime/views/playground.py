"""Talking to an agent as one of its end users, with everything that went into the answer beside it."""

from dataclasses import dataclass, field
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from digitalworker.agents.models import ChatEvent, RoleAgent, Thread
from digitalworker.agents.policies import get_agent
from digitalworker.agents.web import member_required
from digitalworker.common.errors import Invalid, NotFound
from digitalworker.console.addresses import with_query

from .. import words
from ..ask import QUESTION_MOST, Answer, ask
from ..forms import AskForm, asked_as, id_of
from ..models import AgentRun
from ..policies import may_talk_here
from ..selectors import conversations, playgrounds, runs
from ..selectors.learned import Learned, learned_from
from ..selectors.prompts import rebuilt_prompt

LOOKS_MOST = 5  # polls, two seconds apart


@dataclass
class Talk:
    """What the page shows for one agent, one person and one of their conversations."""

    request: HttpRequest
    agent: RoleAgent
    person: str | None
    thread: Thread | None = None
    turns: list[dict] = field(default_factory=list)
    run: AgentRun | None = None
    question_most: int = QUESTION_MOST

    @classmethod
    def of(cls, request: HttpRequest, code: str) -> "Talk":
        person, thread_id = asked_as(request), id_of(request, "thread")
        if thread_id is None:
            return cls(request, get_agent(request.actor, code), person)
        thread = playgrounds.thread_of(request.actor, code, thread_id, person)
        talk = cls(request, thread.role_agent, person)
        talk.open(thread)
        return talk

    def open(self, thread: Thread) -> None:
        self.thread = thread
        self.turns = [self.turn(event) for event in conversations.latest_turns(thread)]
        self.run = runs.latest_run(self.request.actor, thread.pk)
        for turn in self.turns:
            turn["note"] = words.why_link(turn["event"])

    def turn(self, event: ChatEvent) -> dict:
        author = words.author_of(event, self.agent.name, self.thread.person if self.thread else None)
        return {"event": event, "author": author, "anchor": f"e-{event.pk}", "note": ""}

    @property
    def may_ask(self) -> bool:
        return may_talk_here(self.request.actor) and self.agent.is_active

    @property
    def nonce(self) -> str:
        return AskForm.fresh_nonce()

    @property
    def href(self) -> str:
        return self.href_of(self.thread.pk if self.thread else None)

    @property
    def new_href(self) -> str:
        return self.href_of(None)

    def href_of(self, thread_id: UUID | None) -> str:
        query = {name: value for name, value in (("as", self.person), ("thread", thread_id)) if value}
        return with_query(reverse("runtime:playground", args=[self.agent.code]), urlencode(query))

    @property
    def people(self) -> list[str]:
        """Whom to speak as, suggested only where a conversation begins."""
        return [] if self.thread else playgrounds.latest_people(self.agent)

    @property
    def context(self) -> dict | None:
        """The right side: the latest answer's story and what came of the question."""
        if self.run is None:
            return None
        return {
            "story": runs.story_of(self.request.actor, self.run),
            "learned": learned_from(self.request.actor, self.run.question),
            "looks": 0,
            "notices": words.notices(self.run),
            "failure": words.failure(self.run),
            "facts": words.run_facts(self.run),
            "steps": words.steps_of(self.run),
        }


@require_GET
@member_required
def chooser(request: HttpRequest) -> HttpResponse:
    """Every agent one may talk to."""
    agents = playgrounds.agents_page(request.actor, request.GET.get("cursor", ""))
    if not agents.rows and not request.GET.get("cursor"):
        raise NotFound
    return render(request, "runtime/playgrounds.html", {"page": agents})


@require_http_methods(["GET", "POST"])
@member_required
def playground(request: HttpRequest, code: str) -> HttpResponse:
    request.nav_current = "runtime:playgrounds"
    if request.method == "POST":
        return _answered(request, get_agent(request.actor, code))
    talk = Talk.of(request, code)
    talk.agent.organization = request.organization
    return render(request, "runtime/playground.html", {"talk": talk, "agent": talk.agent, "context": talk.context})


def _answered(request: HttpRequest, agent: RoleAgent) -> HttpResponse:
    agent.organization = request.organization
    answer = _ask(request, agent)
    talk = Talk(request, agent, answer.run.person.external_user_id if answer.run.person else None)
    talk.open(playgrounds.thread_of(request.actor, agent.code, answer.thread_id, talk.person))
    if not request.htmx:
        return redirect(f"{talk.href}#e-{answer.run.question_id}")
    if (talk.person or "") != request.POST.get("person", ""):  # the page shows somebody else's conversation
        return HttpResponse(headers={"HX-Redirect": talk.href})
    mine = {answer.run.question_id, answer.run.reply_id}
    turns = [turn for turn in talk.turns if turn["event"].pk in mine]
    response = render(
        request,
        "runtime/playground.html#answered",
        {
            "talk": talk,
            "agent": agent,
            "context": talk.context,
            "turns": turns,
            "swapped": True,
            "began": not request.POST.get("thread"),
        },
    )
    response["HX-Push-Url"] = talk.href
    return response


def _ask(request: HttpRequest, agent: RoleAgent) -> Answer:
    form = AskForm(request.POST)
    if may_talk_here(request.actor) and not form.is_valid():  # who may not ask is told that, and nothing about the form
        raise Invalid(errors={name: [str(each) for each in errors] for name, errors in form.errors.items()})
    typed = form.cleaned_data if form.is_valid() else {}
    return ask(
        actor=request.actor,
        role_agent=agent,
        question=typed.get("question", ""),
        external_user_id=typed.get("person") or None,
        thread_id=typed.get("thread"),
        idempotency_key=f"playground:{request.user.pk}:{typed.get('nonce')}",
    )


@require_GET
@member_required
def learned(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The line that says what came of a message, asked for again while it is being looked at."""
    run = runs.get_run(request.actor, run_id)
    looks = min(int(request.GET.get("n", "0")) if request.GET.get("n", "0").isdecimal() else 0, LOOKS_MOST)
    found: Learned = learned_from(request.actor, run.question)
    context = {"learned": found, "looks": looks + 1, "gives_up": looks + 1 >= LOOKS_MOST, "run": run}
    return render(request, "runtime/_learned.html", context)


@require_GET
@member_required
def prompt(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The system prompt of an answer, put together when somebody opens it."""
    run = runs.get_run(request.actor, run_id)
    story = runs.story_of(request.actor, run)
    return render(request, "runtime/_prompt.html", {"prompt": rebuilt_prompt(story), "run": run})
