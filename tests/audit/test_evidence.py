"""What stands beside an audit row: links to what is still there, the fields that changed, and all else that names the thing."""

import re

import pytest
from django.db import connection

from digitalworker.agents.actions import role_agents
from digitalworker.audit import links, presentation
from digitalworker.audit import selectors as audit
from digitalworker.audit.evidence import evidence_of
from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.append_only import erasing
from digitalworker.common.types import worker_actor
from learning.actions.propose import Proposal, propose
from learning.actions.remember import edit_memory, remember, supersede
from learning.actions.review import approve
from learning.models import Memory
from tests.audit.test_audit import many
from tests.learning.pages import text_of

pytestmark = pytest.mark.django_db
URL = "/app/audit"


@pytest.fixture
def vpn(world):
    return remember(actor=world.actor(world.ada), role_agent=world.it, content="The VPN is called Tunnel", key="vpn")


def told(verb) -> LearningEvent:
    return LearningEvent.objects.get(verb=verb)


def page_of(event) -> str:
    return f"{URL}/{event.pk}/"


# --- the row written with it --------------------------------------------------------------------------------------
def test_a_row_points_at_the_history_row_that_was_written_with_it(world, vpn):
    edit_memory(actor=world.actor(world.ada), memory_id=vpn.pk, content="The VPN is called Pipe", revision=1)
    newest, first = vpn.history.order_by("-history_id")
    assert (told(Verb.MEMORY_SAVED).history_row, told(Verb.MEMORY_EDITED).history_row) == (
        first.history_id,
        newest.history_id,
    )


def test_what_changes_no_such_row_points_at_none(world, as_user):
    as_user(world.olga).post(f"{URL}/export", {"format": "csv"})
    assert told(Verb.AUDIT_EXPORTED).history_row is None
    assert evidence_of(world.actor(world.olga), told(Verb.AUDIT_EXPORTED)).state == "none"


# --- who --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "status"), [("ben", 404), ("dan", 404), ("gus", 404), ("ada", 200), ("cleo", 200), ("olga", 200)]
)
def test_who_reads_one_row(world, as_user, vpn, name, status):
    assert as_user(getattr(world, name)).get(page_of(told(Verb.MEMORY_SAVED))).status_code == status


def test_what_is_sensitive_is_told_to_who_may_read_it(world, as_user, vpn):
    edit_memory(actor=world.actor(world.ada), memory_id=vpn.pk, content="The VPN is called Pipe", revision=1)
    Memory.objects.filter(pk=vpn.pk).update(sensitive=True)
    for event in (told(Verb.MEMORY_SAVED), told(Verb.MEMORY_EDITED)):
        page = as_user(world.ada).get(page_of(event))
        assert "What changed is sensitive: an owner, an admin or an auditor can read it." in page.text
        assert "Tunnel" not in page.text and "Pipe" not in page.text
    assert "Tunnel" in as_user(world.cleo).get(page_of(told(Verb.MEMORY_EDITED))).text


# --- what ---------------------------------------------------------------------------------------------------------
def test_the_fields_of_a_change_are_compared(world, as_user, vpn):
    longer = "The VPN is called Pipe, and everybody who works from home needs it"
    edit_memory(actor=world.actor(world.ada), memory_id=vpn.pk, content=longer, revision=1)
    event = told(Verb.MEMORY_EDITED)
    changes = {change.name: (change.old, change.new) for change in evidence_of(world.actor(world.ada), event).changes}
    assert changes["Content"] == ("The VPN is called Tunnel", longer)
    assert set(changes) <= {"Content", "Reviewed at"}
    page = as_user(world.ada).get(page_of(event))
    assert "<del>Tunnel</del>" in page.text and "Noted in its history: Ada: edited" in page.text
    first = evidence_of(world.actor(world.ada), told(Verb.MEMORY_SAVED))
    assert first.first and ("Key", "", "vpn") in [(c.name, c.old, c.new) for c in first.changes]


def test_a_settings_change_says_old_and_new_in_the_list_and_beside_it(world, as_user):
    role_agents.update_agent(actor=world.actor(world.olga), agent_id=world.it.pk, revision=1, memory_limit=70)
    event = told(Verb.SETTINGS_CHANGED)
    assert "Memory limit: 5000 → 70" in text_of(as_user(world.ada).get(f"{URL}?agent=it"))
    assert "Memory limit: 5000 → 70" in text_of(as_user(world.ada).get("/app/settings/digital-workers/it/audit/"))
    said = [(c.name, c.old, c.new) for c in evidence_of(world.actor(world.ada), event).changes]
    assert said == [("Memory limit", "5000", "70")]


def test_the_parts_of_a_proposal_are_told_one_by_one(world):
    worker = worker_actor(world.acme.pk, world.it.pk)
    proposal = Proposal(scope="role_agent", kind="fact", content="London uses gateway 2", key="gateway")
    item = propose(actor=worker, role_agent=world.it, proposal=proposal).item
    approve(
        actor=world.actor(world.ada),
        item_id=item.pk,
        revision=1,
        digest_seen=item.digest,
        edited={"content": "Gateway 3"},
    )
    changes = {c.name: (c.old, c.new) for c in evidence_of(world.actor(world.ada), told(Verb.APPROVED)).changes}
    assert changes["Content"] == ("London uses gateway 2", "Gateway 3")
    assert changes["Status"] == ("Pending", "Approved")
    assert "Key" not in changes


def test_after_an_erasure_the_row_stays_and_says_so(world, as_user, vpn):
    event = told(Verb.MEMORY_SAVED)
    erasing()
    vpn.history.all().delete()
    Memory.objects.filter(pk=vpn.pk).delete()
    page = as_user(world.ada).get(page_of(event))
    assert "What it said was erased since. That it happened stays." in page.text
    assert "Ada saved a fact for the agent" in text_of(page)


def test_the_fields_alone_come_for_a_piece_of_the_page(world, as_user, vpn):
    answer = as_user(world.ada).get(page_of(told(Verb.MEMORY_SAVED)), headers={"HX-Request": "true"})
    assert "<html" not in answer.text and "The VPN is called Tunnel" in answer.text


# --- links --------------------------------------------------------------------------------------------------------
def test_only_what_is_still_there_and_may_be_looked_at_is_linked(world, as_user, vpn):
    event = told(Verb.MEMORY_SAVED)
    address = f"/app/memories/{vpn.pk}/"
    assert address in as_user(world.ada).get(URL).text
    hr = remember(actor=world.actor(world.ben), role_agent=world.hr, content="Payday is the 25th")
    (line,) = presentation.lines([LearningEvent.objects.get(object_id=str(hr.pk))], world.actor(world.ada))
    assert str(hr.pk) not in line.sentence and line.agent_href == ""
    erasing()
    vpn.history.all().delete()
    Memory.objects.filter(pk=vpn.pk).delete()
    page = as_user(world.ada).get(URL)
    assert address not in page.text and "saved <b>a fact for the agent</b>" in page.text
    assert presentation.sentence(event)  # whoever asks for no links gets the sentence


def test_a_row_of_a_deleted_agent_and_user_still_reads(world, as_user):
    role_agents.update_agent(actor=world.actor(world.adam), agent_id=world.shop.pk, revision=1, name="Store")
    world.shop.refresh_from_db()
    erasing()
    world.shop.history.all().delete()
    world.shop.delete()
    world.adam.delete()
    page = as_user(world.olga).get(URL)
    assert "Adam</a> changed the settings of <b>Store</b>" in page.text
    assert "Store</a>" not in page.text.replace("<b>Store</b>", "")


def test_an_actor_leads_to_all_they_did(world, as_user, vpn):
    page = as_user(world.ada).get(URL)
    (href,) = set(re.findall(r'href="(/app/audit\?actor=Ada)"', page.text))
    assert "saved" in text_of(as_user(world.ada).get(href))


def test_links_cost_one_query_however_much_is_named(world, vpn, django_assert_num_queries):
    ada = world.actor(world.ada)
    for n in range(20):
        remember(actor=ada, role_agent=world.it, content=f"Door {n} sticks")
    events = list(LearningEvent.objects.all())
    with django_assert_num_queries(1):  # the memories and the role-agent together
        presentation.lines(events, ada)


def test_an_id_that_is_none_is_no_error(world):
    assert links.seen(world.actor(world.ada), [("memory", "no id"), ("memory", ""), ("nonsense", "7")]).there == {
        "memory": frozenset()
    }


# --- all that names it --------------------------------------------------------------------------------------------
def test_the_trail_of_a_thing_is_every_row_that_names_it(world, as_user, vpn):
    ada = world.actor(world.ada)
    newer = supersede(actor=ada, memory_id=vpn.pk, content="The VPN is called Pipe", revision=1)
    remember(actor=ada, role_agent=world.it, content="The door sticks")
    browser = as_user(world.ada)
    said = text_of(browser.get(f"{URL}?object_id={vpn.pk}"))
    assert "Ada saved a fact for the agent" in said and "Ada replaced a fact for the agent" in said
    lines = browser.get(f"{URL}?object_id={vpn.pk}").context["lines"]
    assert {line.event.object_id for line in lines} == {str(vpn.pk), str(newer.pk)}
    page = browser.get(page_of(told(Verb.MEMORY_SUPERSEDED)))
    assert f"/app/memories/{vpn.pk}/" in page.text  # what its details name
    assert as_user(world.ben).get(f"{URL}?object_id={vpn.pk}").context["lines"] == []


def test_the_trail_is_read_through_indexes(world, vpn):
    many(world, 15_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE audit_learningevent; SET LOCAL enable_seqscan = off")
    plan = audit.events_for(world.acme.pk).filter(audit._naming(str(vpn.pk))).order_by().explain()
    assert "audit_by_detail" in plan and "audit_by_source" in plan and "audit_by_object" in plan


def test_one_row_costs_the_same_however_much_names_the_thing(world, as_user, vpn, django_assert_max_num_queries):
    ada = world.actor(world.ada)
    for n in range(30):
        edit_memory(actor=ada, memory_id=vpn.pk, content=f"The VPN is called Tunnel {n}", revision=n + 1)
    event = LearningEvent.objects.filter(verb=Verb.MEMORY_EDITED).last()
    browser = as_user(world.ada)
    with django_assert_max_num_queries(12):
        page = browser.get(page_of(event))
    assert "The latest 20 are shown." in page.text


@pytest.mark.parametrize("name", ["olga", "cleo", "ada"])
def test_things_of_every_type_are_looked_for_together(world, name):
    membership = world.olga.memberships.get()
    named = [
        ("roleagent", str(world.it.pk)),
        ("organization", str(world.acme.pk)),
        ("membership", str(membership.pk)),
        *((each, "01900000-0000-7000-8000-000000000000") for each in links._links),
    ]
    there = links.seen(world.actor(getattr(world, name)), named).there
    assert there["roleagent"] == {str(world.it.pk)}
    assert bool(there["organization"]) is bool(there["membership"]) is (name == "olga")
    for alone in named:
        assert links.seen(world.actor(getattr(world, name)), [alone]).there.keys() <= {alone[0]}
