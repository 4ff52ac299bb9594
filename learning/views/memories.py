"""What is known: per role-agent, for the whole organisation, and one memory with its past."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from digitalworker.agents.models import RoleAgent
from digitalworker.agents.page import agent_page
from digitalworker.agents.web import get_or_post, member_required, revision_of
from digitalworker.common.errors import Conflict, Denied, DomainError, Full
from digitalworker.console.toasts import toast
from learning import words
from learning.actions import remember as actions
from learning.actions.propose import Proposed
from learning.actions.suggest import suggest, suggest_instead
from learning.choices import MemoryScope, Outcome
from learning.forms import AddMemoryForm, ContentForm
from learning.models import Memory
from learning.policies import may_change, may_read_sensitive, memory_actions, rule_by_hand
from learning.selectors import evidence, inbox, memories
from learning.slots import memory_cards

from .library import Library


# --- lists --------------------------------------------------------------------------------------------------------
@require_GET
@member_required
def agent_memory(request: HttpRequest, code: str) -> HttpResponse:
    context = agent_page(request, code, "memory")
    library = Library.of(request, context["agent"])
    return render(request, "learning/agent_memory.html", context | {"library": library})


@require_GET
@member_required
def organization_memory(request: HttpRequest) -> HttpResponse:
    """What every role-agent knows: owners and admins change it, who sees an agent reads it."""
    inbox.inbox_agents(request.actor)
    return render(request, "learning/organization_memory.html", {"library": Library.of(request, None)})


# --- adding -------------------------------------------------------------------------------------------------------
@get_or_post
@member_required
def add_agent_memory(request: HttpRequest, code: str) -> HttpResponse:
    context = agent_page(request, code, "memory")
    if not context["may_review"]:
        raise Denied(f"Only a manager of {context['agent'].name}, an admin or an owner may do this.")
    back = reverse("learning:agent_memory", args=[code])
    return _add(request, context["agent"], back, "learning/add_agent_memory.html", context)


@get_or_post
@member_required
def add_organization_memory(request: HttpRequest) -> HttpResponse:
    inbox.inbox_agents(request.actor)
    if not request.actor.is_admin:
        raise Denied("What the whole organisation will know is decided by an owner or an admin.")
    return _add(request, None, reverse("learning:organization_memory"), "learning/add_organization_memory.html", {})


def _add(request: HttpRequest, agent: RoleAgent | None, back: str, template: str, context: dict) -> HttpResponse:
    form, status = AddMemoryForm(request.POST or None), 200
    if not request.actor.is_admin:
        del form.fields["sensitive"]  # who may not read it may not write it either
    if request.method == "POST":
        form.is_valid()
        try:
            return _taken(request, agent, form.everything, back)
        except DomainError as error:
            status = _into_form(form, error)
    context |= {"form": form, "back": back, "proposes": request.organization.separation_of_duties}
    return render(request, template, context | {"rule": "" if agent else everyones_rule(request)}, status=status)


def everyones_rule(request: HttpRequest) -> str:
    """Why nobody writes by hand what everyone will know, where that is so."""
    everyone = RoleAgent(organization=request.organization, name="The organisation")
    return rule_by_hand(request.actor, role_agent=everyone, scope=MemoryScope.ORGANIZATION)


def _taken(request: HttpRequest, agent: RoleAgent | None, typed: dict, back: str) -> HttpResponse:
    """Known from now on, or where nobody approves their own words, proposed."""
    if agent and request.organization.separation_of_duties:
        return _proposed(request, suggest(actor=request.actor, role_agent=agent, **typed), back)
    scope = MemoryScope.ROLE_AGENT if agent else MemoryScope.ORGANIZATION
    memory = actions.remember(actor=request.actor, role_agent=agent, scope=scope, **typed)
    toast(request, _saved("Saved. It can be used from the next answer on.", memory, typed["sensitive"]), tone="ok")
    return redirect("learning:memory", memory.pk)


def _saved(done: str, memory: Memory, was_sensitive: bool) -> str:
    """Whoever wrote something in good faith is told that fewer people read it than they meant."""
    if not memory.sensitive or was_sensitive:
        return done
    return f"{done} Screening found something in it, so only owners, admins and auditors read it."


def _proposed(request: HttpRequest, proposed: Proposed, back: str) -> HttpResponse:
    if proposed.memory:
        toast(request, "This is known already, so nothing was proposed.", tone="warn")
        return redirect("learning:memory", proposed.memory.pk)
    if proposed.item is None:
        toast(request, "Proposed. An owner or an admin decides it.", tone="ok")
        return redirect(back)
    if proposed.outcome == Outcome.KNOWN:
        toast(request, "This waits already, so nothing new was proposed.", tone="warn")
    else:
        toast(request, "Proposed. Somebody else decides it, and until then no answer uses it.", tone="ok")
    return redirect("learning:item", proposed.item.pk)


def _into_form(form, error: DomainError) -> int:
    """What was typed stays; the refusal stands at its field, or on top where it has none. Who may not write here at all gets
    no form."""
    if isinstance(error, Denied) and error.code == Denied.code:
        raise error
    if not form.take(error):
        form.add_error(None, error.detail)
    return error.status


# --- one memory ---------------------------------------------------------------------------------------------------
@require_GET
@member_required
def memory(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    return show(request, memories.find_memory(request.actor, memory_id))


@get_or_post
@member_required
def edit(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """Mend the wording in place."""
    return _reword(request, memory_id, actions.edit_memory, "edit", "The wording is mended.")


@get_or_post
@member_required
def supersede(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """A new memory in its place; the old one stays readable."""
    return _reword(request, memory_id, actions.supersede, "supersede", "Replaced. The old one stays readable.")


def _reword(request: HttpRequest, memory_id: UUID, action, name: str, done: str) -> HttpResponse:
    found = memories.find_memory(request.actor, memory_id)
    if request.method != "POST":
        form = ContentForm(initial={"content": found.content}) if name in memory_actions(request.actor, found) else None
        rule = "" if found.role_agent or not may_change(request.actor, found) else everyones_rule(request)
        return show(request, found, form=form, doing=name, stopped=Denied(rule) if rule else None)
    form = ContentForm(request.POST)
    form.is_valid()
    content, revision = form.words["content"], revision_of(request)
    try:
        if found.role_agent and request.organization.separation_of_duties:
            proposed = suggest_instead(actor=request.actor, memory_id=memory_id, content=content, revision=revision)
            return _proposed(request, proposed, reverse("learning:memory", args=[memory_id]))
        changed = action(actor=request.actor, memory_id=memory_id, content=content, revision=revision)
    except DomainError as error:
        by_rule = found.role_agent is None and error.code == "second_person_needed"
        stopped = error if by_rule or isinstance(error, Conflict) else None
        status = error.status if stopped else _into_form(form, error)
        found = memories.find_memory(request.actor, memory_id)
        return show(request, found, form=form, doing=name, stopped=stopped, status=status)
    toast(request, _saved(done, changed, found.sensitive), tone="ok")
    return redirect("learning:memory", changed.pk)


@require_POST
@member_required
def delete(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    reason = request.POST.get("reason", "")[:500]
    try:
        gone = actions.delete_memory(
            actor=request.actor, memory_id=memory_id, revision=revision_of(request), reason=reason
        )
    except Conflict as error:
        return show(request, memories.find_memory(request.actor, memory_id), stopped=error, status=error.status)
    undo = reverse("learning:restore_memory", args=[gone.pk]) + f"?revision={gone.revision}"
    toast(request, "Deleted. No answer uses it any more.", undo=undo)
    return redirect("learning:memory", gone.pk)


@require_POST
@member_required
def restore(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    try:
        back = actions.restore_memory(actor=request.actor, memory_id=memory_id, revision=revision_of(request))
    except (Conflict, Full) as error:
        return show(request, memories.find_memory(request.actor, memory_id), stopped=error, status=error.status)
    toast(request, "Restored. It can be used again.", tone="ok")
    return redirect("learning:memory", back.pk)


def show(request: HttpRequest, found: Memory, *, status: int = 200, form=None, doing="", stopped=None) -> HttpResponse:
    """The page of one memory. `stopped`: the typed error that kept something from being done to it."""
    organization = request.organization.name
    hidden = words.hidden_from(request.actor, found)
    context = {
        "memory": found,
        "key": str(found.pk),
        "hidden": hidden,
        "summary": words.memory_summary(found, organization, hidden=hidden),
        "reads_all": may_read_sensitive(request.actor),
    }
    if not hidden:
        line = memories.line_of(request.actor, found)
        context |= {
            "evidence": evidence.evidence_of_memory(found),
            "facts": words.memory_facts(found, request.actor),
            "life": memories.life_of(request.actor, found),
            "line": line,
            "promoted_from": promoted_from(found, line),
            "cards": memory_cards.drawn(request, found),
            "can": memory_actions(request.actor, found),
            "form": form,
            "doing": doing,
            "proposes": request.organization.separation_of_duties and found.role_agent is not None,
            "stopped": stopped,
        }
    request.current_agent = found.role_agent
    return render(request, "learning/memory.html", context, status=status)


def promoted_from(memory: Memory, line: list[memories.Link]) -> Memory | None:
    """The role-agent's memory that this one of everyone's was made of, where the reader may see it."""
    if memory.scope != MemoryScope.ORGANIZATION:
        return None
    return next(
        (link.memory for link in line if link.memory.superseded_by_id == memory.pk and link.memory.role_agent), None
    )
