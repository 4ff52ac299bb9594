"""How answers and conversations are put into words."""

from uuid import UUID

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from digitalworker.agents.choices import AuthorKind, EventKind
from digitalworker.agents.history import Hit
from digitalworker.agents.history import Line as HistoryLine
from digitalworker.agents.language_model import ModelFailure
from digitalworker.agents.models import ChatEvent, Person
from digitalworker.audit import links
from digitalworker.common.embedding import NoEngine
from digitalworker.console.templatetags.console import ago, at
from learning.choices import Source
from learning.models import LearningItem, Memory
from learning.words import HOW, plain
from learning.words import STATUS_TONES as ITEM_TONES

from .models import AgentRun, Route, RunStatus

NO_MODEL = "No language model is set up, so the answer is a plain read-out of what it was given."
STATUS_TONES: dict[str, str] = {RunStatus.COMPLETED: "ok", RunStatus.FAILED: "bad", RunStatus.RUNNING: "warn"}
_BROKE = {
    "internal": "Something broke while the answer was made. The message is kept; it can be asked again.",
    "interrupted": "The process ended while the answer was made. The message is kept; it can be asked again.",
}
_TOOLS = {
    "remember_fact": "proposed to remember something",
    "search_agent_history": "searched earlier conversations",
    "load_skill": "loaded a skill",
}
_STEPS = {"context": "Choosing what to give", "model": "The model", "rest": "Writing it down"}


def nobody(person: Person | None) -> str:
    return str(person) if person else "someone without an id"


def failure(run: AgentRun) -> str:
    """What went wrong, for people; "" where nothing did."""
    if run.status != RunStatus.FAILED:
        return ""
    return _BROKE.get(run.error_code) or ModelFailure.SAYS.get(run.error_code, "No answer could be made.")


def notices(run: AgentRun) -> list[str]:
    """What the answer was made without, one sentence each. What failed is told by `failure`."""
    if run.status == RunStatus.FAILED and run.error_code in ModelFailure.SAYS:
        return []
    return list(dict.fromkeys(NO_MODEL if notice == "no_model" else notice for notice in run.notices))


def model_of(run: AgentRun) -> str:
    if run.route == Route.LOCAL:
        return "none, read out locally"
    return run.model or "not reached"


def tools_of(run: AgentRun) -> list[str]:
    return [
        f"{_TOOLS.get(call.get('tool', ''), call.get('tool', 'a tool'))}, {call.get('ms', 0):,} ms"
        + ("" if call.get("ok", True) else ", failed")
        for call in run.tool_calls
    ]


def steps_of(run: AgentRun) -> list[dict]:
    """The time of an answer in parts: `label`, `ms`, and `x` and `width` in per cent of the whole."""
    total = run.timings.get("total", 0)
    parts = {name: run.timings.get(name, 0) for name in ("context", "model")}
    parts["rest"] = max(0, total - sum(parts.values()))
    steps: list[dict] = []
    x = 0.0
    for name, ms in parts.items():
        if ms and total:
            width = min(100 * ms / total, 100 - x)
            steps.append({"label": _STEPS[name], "ms": ms, "x": f"{x:.2f}", "width": f"{width:.2f}", "nth": len(steps)})
            x += width
    return steps


def run_facts(run: AgentRun) -> list[tuple[str, object]]:
    facts: list[tuple[str, object]] = [("Model", model_of(run))]
    if run.route == Route.MODEL:
        facts.append(("Tokens", f"{run.input_tokens:,} in, {run.output_tokens:,} out"))
    tools = tools_of(run)
    facts.append(("Tools", "; ".join(tools) if tools else "none used"))
    if "total" in run.timings:
        facts.append(("Time", f"{run.timings['total']:,} ms"))
    facts.append(("Prompt", _prompt(run)))
    engine = run.manifest.get("embedding")
    facts.append(("Ranked by", "words alone" if engine in (None, NoEngine.name) else f"words and meaning, {engine}"))
    return facts


def _prompt(run: AgentRun) -> str:
    key, _, version = run.prompt_version.partition(", ")
    return f"{key}, {version} wording" if version == "built-in" else run.prompt_version or "none"


# --- where a memory comes from ------------------------------------------------------------------------------------
def provenance(memory) -> list[SafeString]:
    """How it came to be known, one step a line: said where, proposed by whom, let in by whom and when."""
    steps = [_origin(memory)]
    item = memory.item
    if item is not None:
        proposal = linked("learningitem", item.pk, "Proposed")
        steps.append(format_html("{} by {}, {}", proposal, item.proposed_by_label, ago(item.created_at, "long")))
    if memory.reviewer_label:
        verb = "Approved" if item is not None else "Let in"
        edited = " after a change" if item is not None and item.edited else ""
        steps.append(
            format_html(
                "{} by <b>{}</b>{}, {}", verb, memory.reviewer_label, edited, at(memory.reviewed_at, "j M Y, H:i")
            )
        )
    elif item is None:
        steps.append(format_html("Saved without asking, as policy allows, {}", at(memory.created_at, "j M Y, H:i")))
    return steps


def _origin(memory) -> SafeString:
    how = HOW[Source(memory.source)].capitalize()
    if memory.event_id is None:
        return format_html("{}", how)
    return format_html("{}, {}", how, linked("chatevent", memory.event_id, "in this message"))


def linked(object_type: str, pk: object, text: str) -> SafeString:
    """`text`, as a link where somebody registered a page for such things."""
    href = links.href(object_type, str(pk))
    return format_html('<a href="{}">{}</a>', href, text) if href else format_html("{}", text)


# --- a line of a conversation -------------------------------------------------------------------------------------
def author_of(event: ChatEvent, agent_name: str, person: Person | None) -> str:
    if event.author_kind == AuthorKind.PERSON and (not event.author or (person and person.display_name)):
        return nobody(person)
    if event.author:
        return event.author
    return agent_name if event.author_kind == AuthorKind.AGENT else event.get_author_kind_display()


def notes(line, learned: list[tuple]) -> SafeString | str:
    """Below a message: the answer it led to or came from, and what was proposed because of it."""
    parts = []
    run = line.run
    if run is not None and run.question_id == line.event.pk:
        parts.append(format_html("asked by {}", run.asked_by_label))
        if run.reply_id is None:
            parts.append(format_html('<a href="{}">{}</a>', _run_href(run), failure(run) or "being answered"))
    elif run is not None:
        parts.append(format_html('<a href="{}">Why did it say that?</a>', _run_href(run)))
    parts += [_chip(each, hidden) for each, hidden in learned]
    return format_html_join("", "<span>{}</span>", ((part,) for part in parts))


def _chip(each: LearningItem | Memory, hidden: bool) -> SafeString:
    """What was learned from a message, in what state, and the way to it."""
    if isinstance(each, LearningItem):
        state, tone, kind = each.get_status_display(), ITEM_TONES.get(each.status, "plain"), "learningitem"
        title = "a sensitive proposal" if hidden else plain(each.title)
    else:
        state, tone, kind = ("Saved without asking" if each.autosaved else "Known"), "ok", "memory"
        title = "a sensitive memory" if hidden else plain(str(each))
    href = links.href(kind, str(each.pk))
    return format_html('<a class="chip" data-tone="{}" href="{}">{}: {}</a>', tone, href, state, title)


def hit(found: Hit, agent_name: str) -> dict:
    """One message a search found, as a quotation with what was said right before and after it."""
    source = [_speaker(found, agent_name, found.person), at(found.occurred_at, "j M Y, H:i")]
    source += [found.channel] if found.channel else []
    source += ["beside a match"] if found.beside else []
    return {
        "event_id": found.event_id,
        "source": format_html_join(", ", "{}", ((part,) for part in source)),
        "before": "… " if found.cut_before else "",
        "excerpt": found.excerpt,
        "spans": found.highlights,
        "after": " …" if found.cut_after else "",
        "earlier": _aside(found.before, agent_name, found.person),
        "later": _aside(found.after, agent_name, found.person),
    }


def _aside(line: HistoryLine | None, agent_name: str, person: str) -> dict | None:
    if line is None:
        return None
    return {"who": _speaker(line, agent_name, person), "text": line.excerpt, "more": " …" if line.cut_after else ""}


def _speaker(said: Hit | HistoryLine, agent_name: str, person: str) -> str:
    names: dict[str, str] = {AuthorKind.AGENT: agent_name, AuthorKind.PERSON: person}
    return said.author or names.get(said.author_kind) or str(AuthorKind(said.author_kind).label)


def why_link(event: ChatEvent) -> SafeString | str:
    """On a reply of ours: the way to what went into it."""
    try:
        run_id = UUID(str(event.payload.get("run"))) if event.kind == EventKind.REPLY else None
    except ValueError:  # a reply that was handed in may carry anything
        run_id = None
    return format_html('<a href="{}">Why did it say that?</a>', reverse("runtime:run", args=[run_id])) if run_id else ""


def _run_href(run: AgentRun) -> str:
    return reverse("runtime:run", args=[run.pk])
