"""The operator's view: everything can be looked at, history and rules are not to be edited there."""

import pytest
from django.contrib import admin
from django.urls import reverse

from digitalworker.agents.actions import gate, prompts, role_agents
from digitalworker.agents.actions.channels import assign_channel
from digitalworker.agents.models import User
from tests.factories import make_key

EDITABLE = {User}


@pytest.fixture
def operator(world, client):
    root = User.objects.create_superuser("root@acme.test", "a long password")
    client.force_login(root, backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


@pytest.fixture
def everything(world, monkeypatch):
    monkeypatch.setattr(prompts, "_prompts", {})
    prompts.register_prompt("greeting", "Hello {name}", ["name"])
    olga = world.actor(world.olga)
    prompts.save_prompt(actor=olga, key="greeting", body="Hi {name}")
    role_agents.pause_learning(actor=olga, agent_id=world.it.pk)
    assign_channel(actor=olga, agent_id=world.it.pk, provider="slack", external_id="C1", name="#it")
    make_key("runtime", [world.it])
    gate.enter(organization_id=world.acme.pk, role_agent=world.it, feature="digital_worker:ask")


def ours():
    return [model for model in admin.site._registry if model._meta.app_label in {"agents", "audit"}]


def test_every_list_and_every_row_opens(operator, everything):
    for model in ours():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        assert operator.get(reverse(f"{name}_changelist")).status_code == 200, model
        row = model.objects.first()
        assert row is not None, model
        assert operator.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200, model
        assert operator.get(reverse(f"{name}_history", args=[row.pk])).status_code == 200, model


def test_what_has_rules_and_an_audit_is_not_edited_here(operator, everything):
    for model in set(ours()) - EDITABLE:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        row = model.objects.first()
        assert operator.get(reverse(f"{name}_add")).status_code == 403, model
        assert operator.post(reverse(f"{name}_change", args=[row.pk]), {"name": "x"}).status_code == 403, model
        assert operator.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403, model


def test_a_keys_digest_is_not_shown(operator, everything, world):
    key = world.acme.api_keys.get()
    page = operator.get(reverse("admin:agents_apikey_change", args=[key.pk])).content.decode()
    assert key.prefix in page
    assert key.secret_digest not in page


def test_the_operator_makes_and_switches_off_log_ins(operator):
    fields = {"email": "nell@acme.test", "name": "Nell", "usable_password": "true"}
    passwords = {"password1": "a long password", "password2": "a long password"}
    operator.post(reverse("admin:agents_user_add"), fields | passwords)
    nell = User.objects.get(email="nell@acme.test")
    assert nell.check_password("a long password")
    operator.post(reverse("admin:agents_user_change", args=[nell.pk]), {"email": nell.email, "name": "Nell"})
    nell.refresh_from_db()
    assert not nell.is_active
    assert operator.post(reverse("admin:agents_user_delete", args=[nell.pk]), {"post": "yes"}).status_code == 403


def test_members_do_not_get_in(world, as_user):
    assert as_user(world.olga).get(reverse("admin:index")).status_code == 302


def test_the_operator_comes_in_by_the_one_log_in(world, client, operator):
    """Which counts failures and asks for the second factor; the admin has no form of its own to guess passwords at."""
    client.logout()
    entrance = reverse("admin:login")
    for answer in (client.get(entrance), client.post(entrance, {"username": "root@acme.test", "password": "a guess"})):
        assert answer.status_code == 302
        assert answer["Location"].startswith(reverse("account_login"))


def test_who_is_no_operator_is_not_let_in(world, as_user):
    assert as_user(world.olga).get(reverse("admin:index"), follow=True).status_code == 403
