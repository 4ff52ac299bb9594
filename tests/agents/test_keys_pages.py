"""The pages for keys and AI access."""

from django.urls import reverse
from django.utils import timezone

from digitalworker.agents.authentication import actor_of_secret
from digitalworker.agents.models import ApiKey, FeatureAccess
from digitalworker.audit.models import LearningEvent
from tests.factories import make_agent, make_key

NEW = reverse("agents:create_key")
FORM = {"name": "Web shop", "scopes": ["runtime", "audit"], "reach": "some", "agents": ["shop", "it"], "expires": ""}


def test_the_key_is_shown_once_and_works(world, as_user):
    client = as_user(world.adam)
    answer = client.post(NEW, FORM)
    plain = answer.context["plain"]
    assert answer["Cache-Control"] == "no-store"
    assert plain in answer.content.decode()
    assert actor_of_secret(plain).agent_ids == {world.shop.pk, world.it.pk}
    text = client.get(reverse("agents:keys")).content.decode()
    assert "Web shop" in text
    assert plain[-43:] not in text


def test_what_is_wrong_is_said_at_its_field(world, as_user):
    client = as_user(world.adam)
    for wrong, says in (
        ({"agents": []}, "Choose at least one role-agent of this organisation, or all of them."),
        ({"agents": ["theirs"]}, "Select a valid choice"),
        ({"scopes": []}, "This field is required."),
        ({"expires": "2020-01-01"}, "This time has passed. Choose a later one."),
        ({"expires": "soon"}, "Write a day as 2026-11-29."),
        ({"expires": "9999-12-31"}, "Choose an earlier day, or none for never."),
    ):
        answer = client.post(NEW, {**FORM, **wrong})
        assert answer.status_code == 422
        assert says in answer.content.decode(), wrong
    assert not ApiKey.objects.exists()


def test_a_day_counts_to_its_end(world, as_user):
    today = timezone.localdate()
    as_user(world.adam).post(NEW, {**FORM, "reach": "all", "expires": str(today)})
    key = ApiKey.objects.get()
    assert key.expires_at > timezone.now()
    assert not key.limited_to_agents


def test_many_agents_are_named_by_code(world, as_user):
    for n in range(30):
        make_agent(world.acme, f"agent-{n}")
    client = as_user(world.adam)
    answer = client.post(NEW, {**FORM, "agents": "agent-1, agent-2 nobody"})
    assert "There is no role-agent with the code nobody." in answer.content.decode()
    answer = client.post(NEW, {**FORM, "agents": "agent-1, agent-2"})
    assert len(actor_of_secret(answer.context["plain"]).agent_ids) == 2


def test_revoking_is_for_admins_of_the_same_organisation(world, as_user):
    make_key("runtime", organization=world.acme)
    url = reverse("agents:revoke_key", args=[ApiKey.objects.get().pk])
    for user in (world.ada, world.cleo, world.gus):
        assert as_user(user).post(url).status_code == 404
    assert as_user(world.olga).get(url).status_code == 405
    as_user(world.olga).post(url)
    assert ApiKey.objects.get().revoked_at
    assert as_user(world.olga).post(url).status_code == 409


def test_budgets_are_changed_one_feature_at_a_time(world, as_user):
    client, url = as_user(world.adam), reverse("agents:access")
    fields = {"feature": "digital_worker:ask", "daily_calls": "5", "daily_tokens": "100"}
    assert client.post(url, fields).status_code == 302
    access = FeatureAccess.objects.get()
    assert (access.enabled, access.daily_calls) == (False, 5)
    assert LearningEvent.objects.get().details["changed"]["enabled"] == [True, False]
    for wrong in ({"daily_calls": "-1"}, {"daily_calls": "many"}, {"feature": "other"}, {"daily_tokens": "9" * 30}):
        assert client.post(url, {**fields, **wrong}).status_code == 422
    assert FeatureAccess.objects.get().daily_calls == 5
    page = client.get(url).text
    assert "Answering" in page and "Drafting skills" not in page  # nothing drafts any yet
