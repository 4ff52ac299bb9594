from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import send_mail
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET, require_POST

from digitalworker.common.errors import Conflict, Denied, Invalid
from digitalworker.console.toasts import toast

from .. import selectors
from ..accounts import absolute
from ..actions import organizations as actions
from ..choices import Role
from ..forms import NewMemberForm, RoleForm, refuse
from ..models import Membership
from ..web import admin_required, get_or_post

log = structlog.get_logger("digitalworker.agents")

WHAT_ROLES_MEAN = [
    (Role.OWNER, "Everything an admin may do, and appoints owners."),
    (Role.ADMIN, "Sets up role-agents, members, keys and budgets, and decides anything sensitive."),
    (Role.MEMBER, "Talks to role-agents where they work. Made manager of one, decides what it learns."),
    (Role.AUDITOR, "Reads everything, changes nothing."),
]


@require_GET
@admin_required
def member_list(request: HttpRequest) -> HttpResponse:
    search, role = request.GET.get("q", "").strip()[:80], request.GET.get("role", "")
    found = selectors.members_page(request.actor, cursor=request.GET.get("cursor", ""), search=search, role=role)
    managed = selectors.names_managed(request.actor, [member.user_id for member in found.rows])
    rows = [(member, managed.get(member.user_id, [])) for member in found.rows]
    context = {"page": found, "rows": rows, "search": search, "role": role, "roles": Role.choices}
    return render(request, "agents/members.html", context)


@get_or_post
@admin_required
def add(request: HttpRequest) -> HttpResponse:
    form = NewMemberForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            welcome = actions.add_member(actor=request.actor, **form.cleaned_data)
        except (Invalid, Conflict, Denied) as error:
            refuse(form, error)
        else:
            if welcome.set_password_path:
                return _show_link(request, welcome.membership, welcome.set_password_path)
            toast(request, f"{welcome.membership.user} is a member now, and logs in as before.", tone="ok")
            return redirect("agents:members")
    context = {"form": form, "what_roles_mean": WHAT_ROLES_MEAN}
    return render(request, "agents/add_member.html", context, status=422 if form.errors else 200)


@get_or_post
@admin_required
def member(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    found = selectors.get_member(request.actor, membership_id)
    form = RoleForm(request.POST or None, initial={"role": found.role})
    if request.method == "POST" and form.is_valid():
        try:
            actions.change_role(actor=request.actor, membership_id=membership_id, role=form.cleaned_data["role"])
        except (Conflict, Denied) as error:
            refuse(form, error)
        else:
            toast(request, f"{found.user} is {_with_article(form.cleaned_data['role'])} now.", tone="ok")
            return redirect("agents:members")
    context = {
        "member": found,
        "managed": selectors.names_managed(request.actor, [found.user_id]).get(found.user_id, []),
        "form": form,
        "may_have_link": actions.may_have_link(found.user),
        "what_roles_mean": WHAT_ROLES_MEAN,
    }
    return render(request, "agents/member.html", context, status=422 if form.errors else 200)


@require_POST
@admin_required
def remove(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    found = selectors.get_member(request.actor, membership_id)
    actions.remove_member(actor=request.actor, membership_id=membership_id)
    toast(request, f"{found.user} is no longer a member. What they decided stays.")
    return redirect("agents:home" if found.user_id == request.user.pk else "agents:members")


@require_POST
@admin_required
def new_link(request: HttpRequest, membership_id: UUID) -> HttpResponse:
    path = actions.new_password_link(actor=request.actor, membership_id=membership_id)
    return _show_link(request, selectors.get_member(request.actor, membership_id), path)


def _show_link(request: HttpRequest, membership: Membership, path: str) -> HttpResponse:
    """The link on the page, and by mail where this installation sends mail."""
    link = absolute(path, request)
    mailed = bool(settings.SMTP_HOST) and _mail_link(request, membership, link)
    answer = render(request, "agents/member_link.html", {"member": membership, "link": link, "mailed": mailed})
    answer["Cache-Control"] = "no-store"
    return answer


def _mail_link(request: HttpRequest, membership: Membership, link: str) -> bool:
    context = {"user": membership.user, "organization": request.organization, "link": link, "by": request.user}
    text = render_to_string("agents/invitation.txt", context)
    try:
        send_mail(f"You were added to {request.organization}", text, None, [membership.user.email])
    except OSError as error:  # which SMTPException is; the member exists, and the link can still be handed over
        log.warning("invitation not mailed", error=type(error).__name__)
        return False
    return True


def _with_article(role: str) -> str:
    label = Role(role).label.lower()
    return f"an {label}" if label[0] in "aeiou" else f"a {label}"
