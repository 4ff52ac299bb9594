"""Pinning, and from one role-agent to all of them and back. Ada manages IT, Ben manages HR, Adam and Olga are admins."""

import re

import pytest

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common import history
from digitalworker.common.errors import Conflict, Denied, Full, NotFound
from digitalworker.common.types import worker_actor
from learning.actions.pin import PINS_MOST, pin_memory, unpin_memory
from learning.actions.promote import demote_memory, promote_memory
from learning.actions.remember import delete_memory, remember, restore_memory, supersede
from learning.choices import MemoryScope, MemoryStatus
from learning.models import Memory
from tests.learning import proposals
from tests.learning.pages import text_of

pytestmark = pytest.mark.django_db
NOT_FOR_YOU = "What the whole organisation will know is decided by an owner or an admin."


@pytest.fixture
def vpn(world):
    return remember(actor=world.actor(world.ada), role_agent=world.it, content="The VPN is called Tunnel", key="vpn")


def at(memory, action: str = "") -> str:
    return f"/app/memories/{memory.pk}/{action + '/' if action else ''}"


def told(verb) -> LearningEvent:
    return LearningEvent.objects.get(verb=verb)


# --- pins ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "error"), [("ben", NotFound), ("dan", NotFound), ("gus", NotFound), ("cleo", Denied)])
def test_who_may_not_change_it_pins_nothing(world, vpn, name, error):
    for act in (pin_memory, unpin_memory):
        with pytest.raises(error):
            act(actor=world.actor(getattr(world, name)), memory_id=vpn.pk, revision=1)
    assert not LearningEvent.objects.filter(verb=Verb.MEMORY_PINNED).exists()


def test_a_pin_is_a_revision_and_is_told(world, vpn):
    pinned = pin_memory(actor=world.actor(world.ada), memory_id=vpn.pk, revision=1)
    assert (pinned.pinned, pinned.revision) == (True, 2)
    event = told(Verb.MEMORY_PINNED)
    assert (event.sentence, event.role_agent_id) == ("Ada pinned a fact for the agent", world.it.pk)
    assert event.history_row == vpn.history.order_by("-history_id").first().history_id
    with pytest.raises(Conflict, match="This is pinned already."):
        pin_memory(actor=world.actor(world.ada), memory_id=vpn.pk, revision=2)
    with pytest.raises(Conflict, match="changed since you opened it"):
        unpin_memory(actor=world.actor(world.ada), memory_id=vpn.pk, revision=1)
    assert not unpin_memory(actor=world.actor(world.ada), memory_id=vpn.pk, revision=2).pinned
    assert told(Verb.MEMORY_UNPINNED).sentence == "Ada unpinned a fact for the agent"
    with pytest.raises(Conflict, match="This is not pinned."):
        unpin_memory(actor=world.actor(world.ada), memory_id=vpn.pk, revision=3)


def test_one_owner_has_a_few_pins_and_another_its_own(world, vpn):
    ada = world.actor(world.ada)
    for n in range(PINS_MOST):
        proposals.known(world.it, f"Door {n} sticks", pinned=True)
    with pytest.raises(
        Full, match="IT Agent has 5 pinned memories already, which is the most. Unpin one of them first."
    ):
        pin_memory(actor=ada, memory_id=vpn.pk, revision=1)
    about = proposals.known(world.it, "38", key="size", kind="profile", person=proposals.person_of(world.it))
    wide = proposals.known(None, "We close at six", organization_id=world.acme.pk)
    assert pin_memory(actor=ada, memory_id=about.pk, revision=1).pinned
    assert pin_memory(actor=world.actor(world.adam), memory_id=wide.pk, revision=1).pinned
    with pytest.raises(Denied):
        unpin_memory(actor=ada, memory_id=wide.pk, revision=2)


def test_a_newer_value_takes_the_pin_over_and_a_deleted_one_loses_it(world, vpn):
    ada = world.actor(world.ada)
    pin_memory(actor=ada, memory_id=vpn.pk, revision=1)
    newer = supersede(actor=ada, memory_id=vpn.pk, content="The VPN is called Pipe", revision=2)
    vpn.refresh_from_db()
    assert (newer.pinned, vpn.pinned) == (True, False)
    delete_memory(actor=ada, memory_id=newer.pk, revision=1)
    assert not restore_memory(actor=ada, memory_id=newer.pk, revision=2).pinned
    with pytest.raises(Conflict, match="This memory is replaced already."):
        pin_memory(actor=ada, memory_id=vpn.pk, revision=3)


# --- promoting ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "error", "says"),
    [("ben", NotFound, "no such memory"), ("dan", NotFound, "no such memory"), ("gus", NotFound, "no such memory"),
     ("ada", Denied, NOT_FOR_YOU), ("cleo", Denied, NOT_FOR_YOU)],
)  # fmt: skip
def test_only_owners_and_admins_promote(world, vpn, name, error, says):
    with pytest.raises(error, match=says):
        promote_memory(actor=world.actor(getattr(world, name)), memory_id=vpn.pk, revision=1)
    assert Memory.objects.get() == vpn


def test_promoting_moves_the_words_from_the_agent_to_everyone(world, vpn):
    wide = promote_memory(actor=world.actor(world.adam), memory_id=vpn.pk, revision=1, reason="all need it")
    vpn.refresh_from_db()
    assert (vpn.status, vpn.superseded_by) == (MemoryStatus.SUPERSEDED, wide)
    assert (wide.scope, wide.role_agent, wide.key, wide.content) == (
        MemoryScope.ORGANIZATION, None, "vpn", "The VPN is called Tunnel",
    )  # fmt: skip
    assert (wide.reviewer_label, wide.created_by_label) == ("Adam", "Ada")
    event = told(Verb.MEMORY_PROMOTED)
    assert event.sentence == "Adam promoted a fact for the agent to the whole organisation"
    assert (event.role_agent_id, event.object_id, event.reason) == (world.it.pk, str(wide.pk), "all need it")
    assert event.details == {"superseded": str(vpn.pk)}


def test_where_it_was_heard_stays_with_those_who_read_that_conversation(world, as_user):
    event = proposals.said(world.it, "The VPN is called Tunnel")
    heard = proposals.known(world.it, "The VPN is called Tunnel", event=event, thread=event.thread)
    wide = promote_memory(actor=world.actor(world.adam), memory_id=heard.pk, revision=1)
    assert (wide.event_id, wide.thread_id, wide.item_id) == (None, None, None)
    page = as_user(world.ben).get(at(wide))
    assert page.status_code == 200
    assert at(heard) not in page.text and "IT Agent" not in text_of(page)
    assert at(heard) in as_user(world.ada).get(at(wide)).text


@pytest.mark.parametrize("key", ["vpn", None])
def test_what_everyone_knows_is_not_replaced_by_a_promotion(world, as_user, vpn, key):
    if key is None:
        vpn = proposals.known(world.it, "We close at six")
    held = proposals.known(None, vpn.content if key is None else "Another VPN", key=key, organization_id=world.acme.pk)
    says = "Everyone knows something under “vpn” already" if key else "Everyone knows this already"
    with pytest.raises(Conflict, match=says) as stopped:
        promote_memory(actor=world.actor(world.adam), memory_id=vpn.pk, revision=1)
    assert stopped.value.extra == {"holder": str(held.pk)}
    page = as_user(world.adam).post(at(vpn, "promote"), {"revision": 1})
    assert page.status_code == 409
    assert says in page.text and at(held) in page.text
    vpn.refresh_from_db()
    assert vpn.is_live


def test_what_is_known_about_a_person_stays_with_that_person(world):
    about = proposals.known(world.it, "38", key="size", kind="profile", person=proposals.person_of(world.it))
    with pytest.raises(Conflict, match="stays with that person. Only what a role-agent knows can be promoted."):
        promote_memory(actor=world.actor(world.olga), memory_id=about.pk, revision=1)


def test_promoting_what_is_not_as_it_was_seen_changes_nothing(world, vpn):
    with pytest.raises(Conflict, match="changed since you opened it"):
        promote_memory(actor=world.actor(world.olga), memory_id=vpn.pk, revision=7)
    delete_memory(actor=world.actor(world.ada), memory_id=vpn.pk, revision=1)
    with pytest.raises(Conflict, match="This memory is deleted already."):
        promote_memory(actor=world.actor(world.olga), memory_id=vpn.pk, revision=2)


def test_a_promotion_is_taken_back(world, vpn):
    adam = world.actor(world.adam)
    wide = promote_memory(actor=adam, memory_id=vpn.pk, revision=1)
    for name in ("ada", "cleo"):
        with pytest.raises(Denied, match=NOT_FOR_YOU):
            demote_memory(actor=world.actor(getattr(world, name)), memory_id=wide.pk, revision=1)
    with pytest.raises(NotFound):
        demote_memory(actor=world.actor(world.gus), memory_id=wide.pk, revision=1)
    back = demote_memory(actor=adam, memory_id=wide.pk, revision=1)
    wide.refresh_from_db()
    assert (back.pk, back.status, back.superseded_by) == (vpn.pk, MemoryStatus.ACTIVE, None)
    assert wide.status == MemoryStatus.DELETED
    event = told(Verb.MEMORY_DEMOTED)
    assert event.sentence == "Adam gave a fact for the organisation back to the role-agent it came from"
    assert (event.role_agent_id, event.details) == (world.it.pk, {"restored": [str(vpn.pk)]})


def test_it_does_not_come_back_over_what_the_agent_learned_since(world, vpn):
    adam = world.actor(world.adam)
    wide = promote_memory(actor=adam, memory_id=vpn.pk, revision=1)
    newer = remember(actor=world.actor(world.ada), role_agent=world.it, content="The VPN is called Pipe", key="vpn")
    with pytest.raises(Conflict, match="IT Agent knows something else under “vpn” by now.") as stopped:
        demote_memory(actor=adam, memory_id=wide.pk, revision=1)
    assert stopped.value.extra == {"holder": str(newer.pk)}


def test_what_was_never_promoted_can_not_be_taken_back(world, vpn):
    wide = proposals.known(None, "We close at six", organization_id=world.acme.pk)
    for memory in (wide, vpn):
        with pytest.raises(Conflict, match="This was not promoted from a role-agent"):
            demote_memory(actor=world.actor(world.olga), memory_id=memory.pk, revision=1)


# --- on the page --------------------------------------------------------------------------------------------------
def test_the_buttons_are_those_that_work(world, as_user, vpn):
    def offered(user):
        return set(re.findall(rf"{at(vpn)}(\w+)/", as_user(user).get(at(vpn)).text))

    assert offered(world.cleo) == set()
    assert offered(world.ada) == {"edit", "supersede", "pin", "delete"}
    assert offered(world.adam) == {"edit", "supersede", "pin", "promote", "delete"}


def test_pinning_and_promoting_by_hand_with_a_way_back(world, as_user, vpn):
    browser = as_user(world.adam)
    page = browser.post(at(vpn, "pin"), {"revision": 1}, follow=True)
    assert "Pinned. It stands first in its part of every answer." in page.text
    assert 'class="chip plain">pinned' in page.text
    page = browser.post(re.search(r'action="([^"]+/unpin/\?revision=2)"', page.text)[1], follow=True)
    assert "Unpinned. It is used when it fits the question." in page.text
    assert 'class="chip plain">pinned' not in page.text
    page = browser.post(at(vpn, "promote"), {"revision": 3}, follow=True)
    wide = Memory.objects.live().get()
    assert page.redirect_chain == [(at(wide), 302)]
    assert "Promoted. Every role-agent can use it." in page.text and "not pinned any more" not in page.text
    assert "It was promoted from" in text_of(page) and "what IT Agent knew" in text_of(page)
    page = browser.post(re.search(r'action="([^"]+/demote/\?revision=1)"', page.text)[1], follow=True)
    assert page.redirect_chain == [(at(vpn), 302)]
    assert "Taken back. Only its role-agent knows it again." in page.text
    vpn.refresh_from_db()
    browser.post(at(vpn, "pin"), {"revision": vpn.revision})
    page = browser.post(at(vpn, "promote"), {"revision": vpn.revision + 1}, follow=True)
    assert "Promoted. Every role-agent can use it. It is not pinned any more." in page.text


def test_a_sixth_pin_is_told_on_the_page(world, as_user, vpn):
    for n in range(PINS_MOST):
        proposals.known(world.it, f"Door {n} sticks", pinned=True)
    page = as_user(world.ada).post(at(vpn, "pin"), {"revision": 1})
    assert page.status_code == 409
    assert "IT Agent has 5 pinned memories already" in text_of(page)


# --- its life -----------------------------------------------------------------------------------------------------
def test_a_memory_tells_its_life_in_sentences(world, as_user, vpn):
    ada, adam = as_user(world.ada), world.actor(world.adam)
    ada.post(at(vpn, "edit"), {"revision": 1, "content": "The VPN is called Pipe"})
    ada.post(at(vpn, "delete"), {"revision": 2, "reason": "sold"})
    restore_memory(actor=adam, memory_id=vpn.pk, revision=3)
    pin_memory(actor=adam, memory_id=vpn.pk, revision=4)
    page = as_user(world.ada).get(at(vpn))
    said = text_of(page)
    order = [
        "Adam pinned it",
        "Adam restored it",
        "Ada deleted it because sold",
        "Ada mended the wording",
        "Ada saved it",
    ]
    places = [said.index(words) for words in order]
    assert places == sorted(places)
    assert "<del>Tunnel</del><ins>Pipe</ins>" in page.text
    assert f"/app/audit?object_id={vpn.pk}" in page.text


def test_a_memory_stands_in_the_line_of_what_its_key_said(world, as_user, vpn):
    ada = world.actor(world.ada)
    second = supersede(actor=ada, memory_id=vpn.pk, content="The VPN is called Pipe", revision=1)
    third = supersede(actor=ada, memory_id=second.pk, content="The VPN is called Hose", revision=1)
    page = as_user(world.cleo).get(at(second))
    assert page.text.index(at(third)) < page.text.index("This memory") < page.text.rindex(at(vpn))
    assert "<del>Pipe</del><ins>Hose</ins>" in page.text and "<del>Tunnel</del><ins>Pipe</ins>" in page.text


def test_the_line_shows_no_words_of_what_is_hidden(world, as_user, vpn):
    Memory.objects.filter(pk=vpn.pk).update(sensitive=True)
    newer = proposals.known(world.it, "The VPN is called Pipe", key="vpn2")
    Memory.objects.filter(pk=vpn.pk).update(superseded_by=newer, status="superseded")
    page = as_user(world.ada).get(at(newer))
    assert "A sensitive memory" in page.text and "Tunnel" not in page.text
    assert "Tunnel" in as_user(world.adam).get(at(newer)).text


def test_a_role_agent_that_acted_by_itself_goes_by_its_name(world, as_user):
    worker = worker_actor(world.acme.pk, world.it.pk)
    memory = proposals.known(world.it, "The VPN is called Tunnel", autosaved=True)
    history.save(memory, worker, "saved")
    page = as_user(world.ada).get(at(memory))
    assert "IT Agent saved it" in text_of(page) and "dw_worker" not in page.text
