"""Programs get in by a key, and only as far as it reaches."""

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.test import APIRequestFactory

from digitalworker.agents.actions.keys import KEY_SHAPE, create_key, revoke_key
from digitalworker.agents.authentication import ApiKeyAuthentication, actor_of_secret
from digitalworker.agents.models import ApiKey
from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Denied, Invalid, NotFound
from tests.factories import bearer, make_key, soon


def ask(**headers):
    request = APIRequestFactory().get("/api/v1/role-agents/", headers=headers)
    from rest_framework.request import Request

    wrapped = Request(request)
    return ApiKeyAuthentication().authenticate(wrapped), wrapped


@pytest.mark.parametrize("who", ["dan", "ada", "cleo"])
def test_only_owners_and_admins_create_keys(world, who):
    with pytest.raises(Denied, match="Only an owner or an admin of the organisation may do this"):
        create_key(actor=world.actor(getattr(world, who)), name="x", scopes=["runtime"])
    assert not ApiKey.objects.exists()


def test_a_key_can_not_make_another_key(world):
    program = actor_of_secret(make_key("admin", organization=world.acme))
    with pytest.raises(Denied, match="Keys are created and revoked by people"):
        create_key(actor=program, name="x", scopes=["runtime"])


def test_olga_creates_a_key_and_only_its_digest_is_kept(world):
    key, plain = create_key(actor=world.actor(world.olga), name="Shop backend", scopes=["review", "runtime"])
    assert KEY_SHAPE.fullmatch(plain)
    assert plain.startswith(f"dw_{key.prefix}_")
    assert key.scopes == ["runtime", "review"]
    assert plain[-43:] not in str(ApiKey.objects.values().get())
    event = LearningEvent.objects.get()
    assert (event.verb, event.details["agents"]) == (Verb.KEY_CREATED, "all")
    assert event.sentence == f"Olga created API key Shop backend ({key.prefix}…)"
    assert plain[-43:] not in str(LearningEvent.objects.values().get())


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"scopes": []}, "scopes"),
        ({"scopes": ["root"]}, "scopes"),
        ({"agent_ids": []}, "role_agents"),
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, "expires_at"),
        ({"name": " "}, "name"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(world, wrong, field):
    with pytest.raises(Invalid) as caught:
        create_key(actor=world.actor(world.olga), **{"name": "x", "scopes": ["runtime"], **wrong})
    assert field in caught.value.errors


def test_a_key_can_not_be_limited_to_another_organisations_agent(world):
    with pytest.raises(Invalid):
        create_key(actor=world.actor(world.olga), name="x", scopes=["runtime"], agent_ids=[world.their_it.pk])


@pytest.mark.parametrize(
    "headers",
    [
        lambda key: {"Authorization": f"Bearer {key}"},
        lambda key: {"Authorization": f"bearer  {key}"},
        lambda key: {"Authorization": f"Token {key}"},
        lambda key: {"X-API-Key": key},
    ],
)
def test_a_key_opens_by_each_of_its_headers(world, headers):
    plain = make_key("runtime", [world.it])
    (principal, actor), request = ask(**headers(plain))
    assert principal.is_authenticated
    assert not principal.is_staff
    assert request.actor is actor
    assert actor.agent_ids == {world.it.pk}
    assert actor.scopes == {"runtime"}
    assert str(principal) == "API key test key of Olga"


def test_no_key_is_no_log_in(world):
    assert ask()[0] is None


@pytest.mark.parametrize("bad", ["", "dw_", "Bearer", "x" * 55, "dw_aaaaaaaa_" + "a" * 43, "dw_ümläuts__" + "a" * 43])
def test_a_wrong_key_is_refused_without_a_hint(world, bad):
    make_key("runtime", organization=world.acme)
    with pytest.raises(AuthenticationFailed, match="This API key is not known here"):
        ask(Authorization=f"Bearer {bad}")


def test_a_key_with_another_keys_secret_is_refused(world):
    one, two = make_key("runtime", organization=world.acme), make_key("runtime", organization=world.globex)
    with pytest.raises(AuthenticationFailed):
        ask(**bearer(one[:12] + two[12:]))


def test_basic_authentication_is_refused_not_ignored(world):
    with pytest.raises(AuthenticationFailed):
        ask(Authorization="Basic b2xnYTpvbGdh")


def test_an_expired_and_a_revoked_key_say_so_to_who_holds_them(world):
    plain = make_key("runtime", organization=world.acme, expires_at=soon(hours=1))
    ApiKey.objects.update(expires_at=timezone.now())
    with pytest.raises(AuthenticationFailed, match="This API key expired on"):
        ask(**bearer(plain))
    ApiKey.objects.update(expires_at=None)
    revoke_key(actor=world.actor(world.adam), key_id=ApiKey.objects.get().pk)
    with pytest.raises(AuthenticationFailed, match="This API key was revoked on"):
        ask(**bearer(plain))
    assert LearningEvent.objects.get(verb=Verb.KEY_REVOKED).actor_label == "Adam"


def test_gus_can_not_revoke_acmes_key(world):
    make_key("runtime", organization=world.acme)
    with pytest.raises(NotFound):
        revoke_key(actor=world.actor(world.gus), key_id=ApiKey.objects.get().pk)


def test_use_is_noted_at_most_once_a_minute(world, django_assert_num_queries):
    plain = make_key("runtime", organization=world.acme)
    actor_of_secret(plain)
    noted = ApiKey.objects.get().last_used_at
    assert noted is not None
    with django_assert_num_queries(2):  # the key, and its issuer's role
        actor_of_secret(plain)
    assert ApiKey.objects.get().last_used_at == noted
    ApiKey.objects.update(last_used_at=noted - timedelta(seconds=61))
    actor_of_secret(plain)
    assert ApiKey.objects.get().last_used_at >= noted


def test_deciding_scopes_end_with_the_issuers_rank(world):
    from digitalworker.agents import policies

    plain = make_key("runtime review admin", organization=world.acme, issuer=world.adam)
    assert policies.may_review(actor_of_secret(plain), world.it)
    world.adam.memberships.update(role="member")
    demoted = actor_of_secret(plain)
    assert not policies.may_review(demoted, world.it)
    with pytest.raises(Denied):
        policies.require_admin(demoted)
    assert policies.visible_agents(demoted).count() == 3
