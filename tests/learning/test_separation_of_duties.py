"""Where duties are separated, nobody approves their own words: said, proposed or edited, on the page, in bulk or by a key."""

import json

import pytest
from django.urls import reverse

from digitalworker.agents import policies
from digitalworker.agents.actors import actor_for_key
from digitalworker.agents.models import ApiKey
from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Conflict, Denied
from learning.actions.autosave import keep_autosave, undo_autosave
from learning.actions.bulk import Choice, decide
from learning.actions.convert import convert
from learning.actions.promote import promote_memory
from learning.actions.propose import Proposal, propose
from learning.actions.remember import restore_memory
from learning.actions.review import approve, edit, reject
from learning.choices import ItemStatus, Source
from learning.models import LearningItem, Memory
from learning.policies import allowed_actions
from tests.factories import bearer, make_key

from .hearing import heard, saved, told
from .proposals import pending

GATEWAY = "The London office uses gateway 2"


@pytest.fixture
def world(world):
    """Ada and Ben both manage the IT agent of Acme, where duties are separated."""
    policies.grant_manager(world.ben, world.it)
    world.acme.separation_of_duties = True
    world.acme.save()
    return world


@pytest.fixture
def item(world):
    return pending(world.it, GATEWAY)


def let_in(actor, item, **more):
    item.refresh_from_db()
    return approve(actor=actor, item_id=item.pk, revision=item.revision, digest_seen=item.digest, **more)


def names(actor, item):
    item = LearningItem.objects.get(pk=item.pk)
    return {transition.name for transition in allowed_actions(actor, item)}


def test_what_somebody_proposed_is_approved_by_somebody_else(world):
    ada, ben = world.actor(world.ada), world.actor(world.ben)
    proposal = Proposal(scope="role_agent", kind="fact", content=GATEWAY)
    item = propose(actor=ada, role_agent=world.it, proposal=proposal, source=Source.API).item
    assert "approve" not in names(ada, item) and {"edit", "reject"} <= names(ada, item)
    with pytest.raises(Denied) as error:
        let_in(ada, item)
    assert error.value.detail == (
        "You proposed this yourself, and at Acme nobody approves their own words. Adam, Ben or Olga may."
    )
    assert (error.value.code, error.value.extra) == ("second_person_needed", {"may": ["Adam", "Ben", "Olga"]})
    assert not Memory.objects.exists()
    assert "approve" in names(ben, item)
    assert let_in(ben, item).decided_by_label == "Ben"


def test_what_somebody_said_in_a_conversation_is_their_own_word_too(world):
    item = heard(world.it, told(world.it, GATEWAY, by=world.ada, verified=False)).item
    assert item.proposed_by_label == "IT Agent"
    with pytest.raises(Denied, match="You proposed this yourself"):
        let_in(world.actor(world.ada), item)
    assert let_in(world.actor(world.ben), item).status == ItemStatus.APPROVED


def test_who_edits_does_not_approve_and_two_editors_leave_it_to_a_third(world, item):
    ada, ben, olga = (world.actor(user) for user in (world.ada, world.ben, world.olga))
    edit(actor=ada, item_id=item.pk, revision=1, changes={"content": "The London office uses gateway 3"})
    assert "approve" not in names(ada, item) and "approve" in names(ben, item)
    with pytest.raises(Denied, match=r"You edited this yourself, .* Adam, Ben or Olga may\."):
        let_in(ada, item)
    edit(actor=ben, item_id=item.pk, revision=2, changes={"content": "The London office uses gateway 4"})
    for actor in (ada, ben):
        with pytest.raises(Denied, match=r"Adam or Olga may\."):
            let_in(actor, item)
    assert let_in(olga, item).decided_by_label == "Olga"


def test_who_converts_does_not_approve_what_became_of_it(world, item):
    ada, ben = world.actor(world.ada), world.actor(world.ben)
    convert(actor=ada, item_id=item.pk, revision=1)
    convert(actor=ben, item_id=item.pk, revision=2)
    for actor in (ada, ben):
        assert "approve" not in names(actor, item)
        with pytest.raises(Denied) as error:
            let_in(actor, item)
        assert error.value.detail == (
            "You edited this yourself, and at Acme nobody approves their own words. Adam or Olga may."
        )
    assert not Memory.objects.exists()
    assert let_in(world.actor(world.adam), item).memory.content == GATEWAY


def test_to_edit_and_approve_in_one_step_is_to_approve_ones_own_words(world, item):
    ada = world.actor(world.ada)
    with pytest.raises(Denied, match="You edited this yourself"):
        let_in(ada, item, edited={"content": "The London office uses gateway 3"})
    item.refresh_from_db()
    assert (item.status, item.edited, item.proposed_payload["content"]) == (ItemStatus.PENDING, False, GATEWAY)
    assert let_in(ada, item, edited={"content": GATEWAY}).status == ItemStatus.APPROVED  # nothing changed


def test_a_key_is_the_hand_of_who_issued_it(world, item):
    edit(actor=world.actor(world.adam), item_id=item.pk, revision=1, changes={"content": "The office uses gateway 3"})
    make_key("review", issuer=world.adam, organization=world.acme)
    with pytest.raises(Denied, match="You edited this yourself"):
        let_in(actor_for_key(ApiKey.objects.latest("id")), item)
    make_key("review", issuer=world.olga, organization=world.acme)
    assert let_in(actor_for_key(ApiKey.objects.latest("id")), item).status == ItemStatus.APPROVED


def test_over_the_api_it_is_a_403_that_says_who_may(world, item, client):
    edit(actor=world.actor(world.adam), item_id=item.pk, revision=1, changes={"content": "The office uses gateway 3"})
    item.refresh_from_db()
    headers = bearer(make_key("review", issuer=world.adam, organization=world.acme))
    address = reverse("api:learning-item", args=[item.pk])
    assert "approve" not in client.get(address, headers=headers).json()["allowed_actions"]
    body = json.dumps({"revision": item.revision, "digest": item.digest})
    address = reverse("api:learning-item-approve", args=[item.pk])
    answer = client.post(address, body, content_type="application/json", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "second_person_needed")
    assert answer.json()["may"] == ["Ada", "Ben", "Olga"]


def test_on_the_page_there_is_no_such_button(world, item, as_user):
    edit(actor=world.actor(world.ada), item_id=item.pk, revision=1, changes={"content": "The office uses gateway 3"})
    button = reverse("learning:approve", args=[item.pk])
    page = reverse("learning:item", args=[item.pk])
    own = as_user(world.ada).get(page).content.decode()
    assert button not in own and "You wrote it, so Adam, Ben or Olga decides about this." in own
    others = as_user(world.ben).get(page).content.decode()
    assert button in others and "You wrote it" not in others
    LearningItem.objects.update(editors=[user.pk for user in (world.ada, world.adam, world.ben, world.olga)])
    alone = as_user(world.ben).get(page).content.decode()
    assert "You wrote it, and nobody else may decide about this yet: IT Agent needs another manager." in alone


def test_in_bulk_the_others_are_approved_and_ones_own_is_named(world, item):
    own = pending(world.it, "Badges come from Facilities")
    edit(actor=world.actor(world.ada), item_id=own.pk, revision=1, changes={"content": "Badges come from Reception"})
    own.refresh_from_db()
    choices = [Choice(each.pk, each.revision, each.digest) for each in (item, own)]
    first, second = decide(actor=world.actor(world.ada), name="approve", choices=choices)
    assert (first.done, second.done) == (True, False)
    assert "nobody approves their own words" in second.error.detail
    own.refresh_from_db()
    assert own.status == ItemStatus.PENDING


def test_ones_own_may_still_be_rejected(world, item):
    ada = world.actor(world.ada)
    edit(actor=ada, item_id=item.pk, revision=1, changes={"content": "The London office uses gateway 3"})
    assert reject(actor=ada, item_id=item.pk, revision=2).status == ItemStatus.REJECTED


def test_where_duties_are_not_separated_or_nobody_else_is_there(world, item):
    ada = world.actor(world.ada)
    edit(actor=ada, item_id=item.pk, revision=1, changes={"content": "The London office uses gateway 3"})
    world.acme.memberships.exclude(user=world.ada).delete()
    with pytest.raises(Denied, match=r"Nobody else may yet: IT Agent needs another manager\."):
        let_in(ada, item)
    type(world.acme).objects.filter(pk=world.acme.pk).update(separation_of_duties=False)
    assert let_in(ada, item).decided_by_label == "Ada"
    assert LearningEvent.objects.filter(verb="approved").count() == 1


# --- what policy let in of one's own words ------------------------------------------------------------------------
SAID = "You said this yourself, and at Acme nobody approves their own words. Adam, Ben or Olga may."


def test_nobody_keeps_what_was_saved_from_their_own_words(world):
    ada, ben = world.actor(world.ada), world.actor(world.ben)
    memory = saved(world.it, GATEWAY, by=world.ada)
    with pytest.raises(Denied) as error:
        keep_autosave(actor=ada, memory_id=memory.pk, revision=1)
    assert (error.value.detail, error.value.code) == (SAID, "second_person_needed")
    assert error.value.extra == {"may": ["Adam", "Ben", "Olga"]}
    assert not LearningEvent.objects.filter(verb="autosave_kept").exists()
    memory.refresh_from_db()
    assert memory.reviewed_at is None
    assert keep_autosave(actor=ben, memory_id=memory.pk, revision=1).reviewer_label == "Ben"
    with pytest.raises(Conflict, match="Ben looked at this already"):
        keep_autosave(actor=ada, memory_id=memory.pk, revision=2)


def test_the_pages_offer_them_no_keep(world, as_user):
    memory = saved(world.it, GATEWAY, by=world.ada)
    keep, undo = (reverse(f"learning:{name}_autosave", args=[memory.pk]) for name in ("keep", "undo"))
    for page in (reverse("learning:autosaved"), reverse("learning:memory", args=[memory.pk])):
        ada, ben = (as_user(user).get(page).text for user in (world.ada, world.ben))
        assert (keep in ada, undo in ada, keep in ben, undo in ben) == (False, True, True, True)


def test_nor_is_it_let_in_by_undoing_and_restoring_or_by_promoting_it(world):
    ada, adam = world.actor(world.ada), world.actor(world.adam)
    memory = undo_autosave(actor=ada, memory_id=saved(world.it, GATEWAY, by=world.ada).pk, revision=1)
    with pytest.raises(Denied) as error:
        restore_memory(actor=ada, memory_id=memory.pk, revision=2)
    assert (error.value.detail, error.value.code) == (SAID, "second_person_needed")
    assert restore_memory(actor=adam, memory_id=memory.pk, revision=2).reviewer_label == "Adam"
    own = saved(world.it, "Badges come from Facilities", by=world.adam)
    with pytest.raises(Denied, match=r"^You said this yourself, .* Ada, Ben or Olga may\.$"):
        promote_memory(actor=adam, memory_id=own.pk, revision=1)
    keep_autosave(actor=ada, memory_id=own.pk, revision=1)
    assert promote_memory(actor=adam, memory_id=own.pk, revision=2).scope == "organization"


def test_where_duties_are_not_separated_ones_own_is_kept(world):
    memory = saved(world.it, GATEWAY, by=world.ada)
    type(world.acme).objects.update(separation_of_duties=False)
    assert keep_autosave(actor=world.actor(world.ada), memory_id=memory.pk, revision=1).reviewer_label == "Ada"
