"""The audit: written with the change or not at all, changed by nobody, read by those who may."""

import csv
import io
import json
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from digitalworker.agents import selectors
from digitalworker.agents.actions import role_agents
from digitalworker.agents.models import Organization
from digitalworker.audit import actions, export, links, presentation
from digitalworker.audit import selectors as audit
from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common import context
from digitalworker.common.types import system_actor, worker_actor

URL = "/app/audit"


def record(world, verb=Verb.SETTINGS_CHANGED, *, actor=None, obj=None, agent=None, **fields):
    with transaction.atomic():
        return actions.record(
            verb=verb, actor=actor or world.actor(world.olga), obj=obj or world.acme, role_agent=agent, **fields
        )


def many(world, number, **fields):
    return LearningEvent.objects.bulk_create(
        LearningEvent(
            organization_id=world.acme.pk,
            verb=Verb.MEMORY_SAVED,
            actor_kind="user",
            actor_label="Ada",
            object_type="memory",
            object_id=str(n),
            object_label=f"memory {n}",
            role_agent_id=world.it.pk,
            role_agent_label="IT Agent",
            **fields,
        )
        for n in range(number)
    )


# --- writing ----------------------------------------------------------------------------------------------------------


def test_no_row_outside_a_transaction(transactional_db):
    organization = Organization.objects.create(name="Acme", slug="acme")
    with pytest.raises(actions.NotInTransaction, match="settings_changed"):
        actions.record(verb=Verb.SETTINGS_CHANGED, actor=system_actor(organization.pk), obj=organization)
    assert not LearningEvent.objects.exists()


def test_the_row_goes_with_the_change_it_tells_of(world):
    with pytest.raises(RuntimeError), transaction.atomic():
        role_agents.pause_learning(actor=world.actor(world.olga), agent_id=world.it.pk)
        raise RuntimeError
    assert not LearningEvent.objects.exists()


def test_an_unknown_verb_is_refused(world):
    with pytest.raises(ValueError, match="'made_tea' is not a valid Verb"):
        record(world, "made_tea")


def test_the_request_is_on_the_row(world):
    with context.bind(request_id="abcdef123456"):
        assert record(world).request_id == "abcdef123456"


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE audit_learningevent SET reason = 'other'",
        "DELETE FROM audit_learningevent",
        "UPDATE audit_learningevent SET id = id",
    ],
)
def test_the_database_refuses_to_change_history(world, sql):
    event = record(world, reason="as it was")
    with (
        pytest.raises(DatabaseError, match="Cannot update or delete rows"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(sql)
    assert LearningEvent.objects.get() == event


def test_the_applications_role_may_not_even_try(world):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT has_table_privilege(%s, 'audit_learningevent', kind)"
            " FROM unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) kind",
            ["digitalworker_app"],
        )
        assert [row[0] for row in cursor.fetchall()] == [True, False, False, False]


def test_rows_outlive_what_they_name(world):
    record(world, Verb.AGENT_CREATED, obj=world.shop, agent=world.shop)
    world.shop.delete()
    assert LearningEvent.objects.get().sentence == "Olga created Shop Assistant"


# --- sentences --------------------------------------------------------------------------------------------------------


def test_every_verb_makes_a_sentence():
    for verb in Verb:
        text = verb.sentence("Ada", "the thing")
        assert text.startswith("Ada ")
        assert "the thing" in text
        assert "{" not in text


def test_a_role_agent_goes_by_its_name_and_labels_are_text(world, monkeypatch):
    monkeypatch.setattr(links, "_links", {})
    event = record(
        world,
        Verb.MEMORY_AUTO_SAVED,
        actor=worker_actor(world.acme.pk, world.it.pk),
        agent=world.it,
        label="<img src=x>",
    )
    assert presentation.sentence(event) == ("IT Agent saved <b>&lt;img src=x&gt;</b> without asking, as policy allows")
    links.register_link("organization", lambda pk: f"/somewhere/{pk}")
    assert f'<a href="/somewhere/{world.acme.pk}"><b>' in presentation.sentence(event)
    facts = dict(presentation.facts(event))
    assert str(world.it.pk) in facts["Acted as"]


def test_details_say_what_changed_and_from_where(world, monkeypatch):
    monkeypatch.setattr(links, "_links", {})
    links.register_link("chatevent", lambda pk: f"/app/conversations/{pk}")
    event = record(
        world,
        reason="Because",
        details={"changed": {"retention_days": [None, 30], "learning": [True, False]}, "rows": 3, "to": {"a": []}},
        source_refs=[{"type": "chatevent", "id": "7"}, {"type": "item", "id": "<8>"}],
    )
    facts = {name: str(value) for name, value in presentation.facts(event)}
    assert facts["Retention days"] == "nothing → 30"
    assert facts["Learning"] == "yes → no"
    assert facts["Rows"] == "3"
    assert facts["To"] == "A: nothing"
    assert facts["Sources"] == '<a href="/app/conversations/7">Event …7</a>, Item &lt;8&gt;'


# --- who reads what ---------------------------------------------------------------------------------------------------


def test_each_reads_their_part(world):
    record(world, obj=world.it, agent=world.it)
    record(world, obj=world.hr, agent=world.hr)
    record(world, obj=world.acme)
    record(world, actor=world.actor(world.gus), obj=world.their_it, agent=world.their_it)

    def labels(user):
        return set(selectors.events_for(world.actor(user)).values_list("object_label", flat=True))

    assert labels(world.dan) == set()
    assert labels(world.ada) == {"IT Agent"}
    assert labels(world.ben) == {"HR Agent"}
    assert labels(world.cleo) == labels(world.olga) == labels(world.adam) == {"IT Agent", "HR Agent", "Acme"}
    assert labels(world.gus) == {"Globex IT"}


@pytest.mark.parametrize(("who", "status"), [("dan", 404), ("ada", 200), ("cleo", 200), ("olga", 200)])
def test_the_explorer_and_its_export_open_for_the_same_people(world, as_user, who, status):
    client = as_user(getattr(world, who))
    assert client.get(URL).status_code == status
    assert client.post(f"{URL}/export", {"format": "csv"}).status_code == status


# --- filters ----------------------------------------------------------------------------------------------------------


def shown(answer):
    return [line.event.object_label for line in answer.context["lines"]]


def test_filters_narrow_and_bad_values_are_named_without_losing_the_rest(world, as_user):
    record(world, Verb.AGENT_CREATED, obj=world.it, agent=world.it)
    record(world, Verb.AGENT_DISABLED, obj=world.hr, agent=world.hr, actor=world.actor(world.adam))
    client, today = as_user(world.olga), timezone.localdate()
    tomorrow = today + timedelta(days=1)
    for query, labels in {
        "": ["HR Agent", "IT Agent"],
        "agent=it": ["IT Agent"],
        "actor=ada": ["HR Agent"],
        "verb=agent_created": ["IT Agent"],
        "object_type=roleagent": ["HR Agent", "IT Agent"],
        f"object_id={world.hr.pk}": ["HR Agent"],
        f"since={today}&until={today}": ["HR Agent", "IT Agent"],
        f"since={tomorrow}": [],
        "agent=it&verb=agent_disabled": [],
    }.items():
        assert shown(client.get(f"{URL}?{query}")) == labels, query

    for query, says, kept in (
        ("since=yesterday&actor=olga", "“yesterday” is no day. Write it as 2026-11-29.", 'value="olga"'),
        ("verb=nonsense&actor=olga", "There is no “nonsense”. Choose one of the list.", 'value="olga"'),
        ("agent=nobody", "There is no role-agent “nobody” among those you see.", 'value="nobody" selected'),
        ("since=2026-11-29&until=2026-11-01", "This day lies before the first one.", 'value="2026-11-29"'),
        ("object_id=" + "x" * 65, "at most 64 characters", "x" * 65),
    ):
        answer = client.get(f"{URL}?{query}")
        text = answer.content.decode()
        assert (answer.status_code, says in text, kept in text, shown(answer)) == (200, True, True, []), query


def test_a_manager_can_not_name_another_ones_agent(world, as_user):
    record(world, obj=world.hr, agent=world.hr)
    text = as_user(world.ada).get(f"{URL}?agent=hr").content.decode()
    assert "There is no role-agent “hr” among those you see." in text
    assert shown(as_user(world.ada).get(f"{URL}?object_id={world.hr.pk}")) == []


def test_a_damaged_page_link_says_so(world, as_user):
    answer = as_user(world.olga).get(f"{URL}?cursor=bad")
    assert answer.status_code == 400
    assert "This page link is damaged" in answer.content.decode()


def test_pages_go_on_and_keep_the_filters(world, as_user):
    many(world, 120)
    client, seen, query = as_user(world.ada), [], "actor=ada"
    while query:
        answer = client.get(f"{URL}?{query}")
        seen += shown(answer)
        following = answer.context["page"].next
        query = following and f"actor=ada&cursor={following}"
    assert seen == [f"memory {n}" for n in reversed(range(120))]
    assert "actor=ada&amp;cursor=" in client.get(f"{URL}?actor=ada").content.decode()


def test_many_agents_are_typed_instead_of_chosen(world, as_user):
    from tests.factories import make_agent

    for n in range(101):
        make_agent(world.acme, f"agent-{n}")
    record(world, obj=world.it, agent=world.it)
    answer = as_user(world.olga).get(f"{URL}?agent=it")
    assert shown(answer) == ["IT Agent"]
    assert '<select name="agent"' not in answer.content.decode()


def test_the_tab_of_an_agent_shows_only_its_rows(world, as_user):
    record(world, obj=world.it, agent=world.it)
    record(world, obj=world.hr, agent=world.hr)
    tab = "/app/settings/digital-workers/it/audit/"
    assert shown(as_user(world.olga).get(tab)) == ["IT Agent"]
    assert shown(as_user(world.olga).get(f"{tab}?agent=hr")) == ["IT Agent"]


@pytest.mark.parametrize("number", [1, 10_000])
def test_the_explorer_costs_the_same_at_any_size(world, as_user, django_assert_max_num_queries, number):
    many(world, number)
    client = as_user(world.ada)
    with django_assert_max_num_queries(12):
        client.get(URL)


# --- export -----------------------------------------------------------------------------------------------------------


def test_csv_holds_what_the_filters_show_and_is_itself_told(world, as_user):
    record(world, Verb.AGENT_CREATED, obj=world.it, agent=world.it, details={"code": "it"})
    record(world, Verb.AGENT_CREATED, obj=world.hr, agent=world.hr)
    answer = as_user(world.cleo).post(f"{URL}/export", {"format": "csv", "agent": "it"})
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["sentence"], row["details"]) == ("Olga created IT Agent", '{"code": "it"}')
    assert answer["Content-Disposition"] == f'attachment; filename="audit-{timezone.localdate()}.csv"'
    told = LearningEvent.objects.latest("id")
    assert told.sentence == "Cleo exported the audit as CSV"
    assert told.details == {"filters": {"agent": "it"}, "rows": 1}


def test_jsonl_has_one_object_a_line(world, as_user):
    record(world, obj=world.it, agent=world.it, label="naïve “label”")
    answer = as_user(world.ada).post(f"{URL}/export", {"format": "jsonl"})
    # The row of the export itself is the organisation's, so a manager does not get it.
    (row,) = [json.loads(line) for line in b"".join(answer.streaming_content).decode().splitlines()]
    assert row["object_label"] == "naïve “label”"
    assert row["created_at"].endswith("+00:00")


def test_ada_exports_nothing_of_hr(world, as_user):
    record(world, obj=world.hr, agent=world.hr)
    answer = as_user(world.ada).post(f"{URL}/export", {"format": "jsonl"})
    assert b"".join(answer.streaming_content) == b""


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(world, start):
    event = record(world, label=f"{start}HYPERLINK(1)")
    event.reason = f"{start}1+1"
    header, row = csv.reader(io.StringIO("".join(export.as_csv([[event]])).removeprefix("\ufeff"), newline=""))
    cells = dict(zip(header, row, strict=True))
    assert cells["object_label"] == f"'{start}HYPERLINK(1)"
    assert cells["reason"] == f"'{start}1+1"


@pytest.mark.parametrize("data", [{}, {"format": "xml"}, {"format": "csv", "since": "x"}])
def test_an_export_that_makes_no_sense_is_refused_and_not_told(world, as_user, data):
    answer = as_user(world.olga).post(f"{URL}/export", data)
    assert answer.status_code == 400
    assert not LearningEvent.objects.exists()


def test_an_export_is_read_in_batches_and_never_whole(world, django_assert_num_queries):
    many(world, 2500)
    events = audit.events_for(world.acme.pk)
    pieces = export.as_csv(audit.in_batches(events, size=1000))
    next(pieces)  # the header, which asks nothing
    with django_assert_num_queries(1):
        assert next(pieces).count("\n") == 1000
    rest = "".join(pieces)
    assert rest.count("\n") == 1500
    assert len({line.split(",")[0] for line in rest.splitlines()}) == 1500


def test_rows_written_during_an_export_do_not_make_it_endless(world):
    many(world, 30)
    batches = audit.in_batches(audit.events_for(world.acme.pk), size=10)
    seen = []
    for batch in batches:
        many(world, 20)
        seen += [event.pk for event in batch]
    assert len(seen) == len(set(seen)) == 30


def test_served_asynchronously_it_streams_as_well(world):
    from asgiref.sync import async_to_sync
    from django.test import AsyncRequestFactory

    many(world, 1500)
    answer = export.response(AsyncRequestFactory().post(URL), audit.events_for(world.acme.pk), "jsonl")
    assert answer.is_async

    async def read():
        return [piece async for piece in answer]

    pieces = async_to_sync(read)()
    assert [piece.count(b"\n") for piece in pieces] == [1000, 500]


def test_the_last_day_of_the_calendar_is_a_day(world, as_user):
    many(world, 1)
    assert len(shown(as_user(world.olga).get(f"{URL}?since=0001-01-01&until=9999-12-31"))) == 1


def test_a_reason_is_kept_as_the_database_can_hold_it(world):
    assert record(world, reason=" a\x00b\ud800 ").reason == "ab?"
