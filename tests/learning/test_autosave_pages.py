"""Saved without asking: what the manager looks through week by week, and the buttons on a memory."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from digitalworker.agents import policies
from digitalworker.audit.models import LearningEvent
from learning.models import Memory
from learning.selectors import autosaves
from learning.views import autosaves as views
from tests.factories import bearer, make_key

from .hearing import heard, saved, told

PAGE = "/app/digital-workers/saved"
GATEWAY = "The London office uses gateway 2"


@pytest.fixture
def memory(world):
    return saved(world.it, GATEWAY, by=world.dan)


def text_of(client, address=PAGE):
    return client.get(address).content.decode()


def test_each_sees_what_their_own_agents_saved(world, as_user, memory):
    saved(world.hr, "Leave is asked for in form 7", by=world.dan)
    assert as_user(world.dan).get(PAGE).status_code == 404
    ben = text_of(as_user(world.ben))
    assert "Leave is asked for in form 7" in ben and "gateway 2" not in ben
    ada = text_of(as_user(world.ada))
    assert "gateway 2" in ada and "form 7" not in ada
    for reader in (world.olga, world.adam, world.cleo):
        both = text_of(as_user(reader))
        assert "gateway 2" in both and "form 7" in both
    assert "Nothing was saved without asking" in text_of(as_user(world.gus))


def test_it_says_who_said_it_where_and_that_they_were_verified(world, as_user, memory):
    heard(world.it, told(world.it, GATEWAY, by=world.ben))
    text = text_of(as_user(world.ada))
    assert "This week" in text and "IT Agent, said again in 1 more message" in text
    assert "Dan, " in text and "identity verified" in text
    assert reverse("runtime:message", args=[memory.event_id]) in text
    assert f"<mark>{GATEWAY}</mark>" in text


def test_an_auditor_has_no_buttons_and_a_manager_has_both(world, as_user, memory):
    addresses = [reverse(f"learning:{name}_autosave", args=[memory.pk]) for name in ("keep", "undo")]
    for page in (PAGE, reverse("learning:memory", args=[memory.pk])):
        cleo, ada = text_of(as_user(world.cleo), page), text_of(as_user(world.ada), page)
        assert [address in cleo for address in addresses] == [False, False]
        assert [address in ada for address in addresses] == [True, True]


def test_undo_goes_back_to_the_list_and_on_to_the_next(world, as_user, memory):
    later = saved(world.it, "The London office uses gateway 7", by=world.dan)
    other = saved(world.it, "Badges come from Facilities", by=world.dan)
    client = as_user(world.ada)
    form = {"revision": other.revision, "next": f"{PAGE}?after={other.pk}"}
    answer = client.post(reverse("learning:undo_autosave", args=[other.pk]), form, follow=True)
    text = answer.content.decode()
    assert "Undone. No answer uses it any more, and the same words are not saved again for a month." in text
    assert "Badges come from Facilities" not in text.partition('id="toasts"')[0].partition("<main")[2]
    focused = text[: text.index(" autofocus")]
    assert focused.rindex(str(later.pk)) > focused.rindex("<form")
    assert f'Instead of <a dir="auto" href="{reverse("learning:memory", args=[memory.pk])}"' in text


def test_keep_is_one_click_and_it_moves_to_what_was_kept(world, as_user, memory):
    client = as_user(world.ada)
    answer = client.post(
        reverse("learning:keep_autosave", args=[memory.pk]), {"revision": 1, "next": PAGE}, follow=True
    )
    text = answer.content.decode()
    assert "Kept. From now on nothing replaces it without asking." in text and "All looked at" in text
    kept = text_of(client, f"{PAGE}?state=kept")
    assert "kept by Ada" in kept and "gateway 2" in kept
    assert LearningEvent.objects.latest("id").verb == "autosave_kept"


def test_who_comes_second_is_told_and_nothing_happens(world, as_user, memory):
    client = as_user(world.ada)
    client.post(reverse("learning:keep_autosave", args=[memory.pk]), {"revision": 1})
    answer = client.post(
        reverse("learning:undo_autosave", args=[memory.pk]), {"revision": 1, "next": PAGE}, follow=True
    )
    assert "changed since you opened it" in answer.content.decode()
    assert Memory.objects.get().is_live


@pytest.mark.parametrize("address", ["https://evil.test/", "//evil.test", "-1", "a\0b", "home", "learning:inbox", ""])
def test_a_way_back_leads_to_this_site_only(world, as_user, memory, address):
    form = {"revision": 1, "next": address}
    answer = as_user(world.ada).post(reverse("learning:keep_autosave", args=[memory.pk]), form)
    assert answer["Location"] == reverse("learning:memory", args=[memory.pk])


def test_it_is_told_week_by_week_newest_first(world, as_user, memory):
    later = saved(world.it, "Badges come from Facilities", by=world.dan)
    newest = saved(world.it, "Toner is in room 12", by=world.dan)
    monday = timezone.localtime() - timedelta(days=timezone.localdate().weekday())
    Memory.objects.filter(pk=later.pk).update(created_at=monday - timedelta(days=2))
    Memory.objects.filter(pk=memory.pk).update(created_at=monday - timedelta(days=30))
    assert newest.pk > later.pk > memory.pk
    text = text_of(as_user(world.ada))
    places = [
        text.index(words) for words in ("This week", "Toner", "Last week", "Badges come", "Week of ", "gateway 2")
    ]
    assert places == sorted(places)


def test_of_a_sensitive_one_a_manager_sees_that_it_exists(world, as_user, memory):
    Memory.objects.filter(pk=memory.pk).update(sensitive=True)
    ada, adam = text_of(as_user(world.ada)), text_of(as_user(world.adam))
    assert "Sensitive memory" in ada and "gateway 2" not in ada
    assert reverse("learning:undo_autosave", args=[memory.pk]) not in ada
    assert "gateway 2" in adam


def test_an_agent_is_chosen_once_there_is_a_choice(world, as_user, memory):
    policies.grant_manager(world.ada, world.hr)
    client = as_user(world.ada)
    assert "All agents" not in text_of(client)
    saved(world.hr, "Leave is asked for in form 7", by=world.dan)
    assert "All agents 2" in text_of(client)
    of_hr = text_of(client, f"{PAGE}?agent=hr")
    assert "form 7" in of_hr and "gateway 2" not in of_hr
    assert "Nothing matches" in text_of(client, f"{PAGE}?agent=hr&state=undone")


def test_a_memory_says_that_policy_let_it_in_and_who_kept_it(world, as_user, memory):
    client, page = as_user(world.ada), reverse("learning:memory", args=[memory.pk])
    assert "policy, without asking" in text_of(client, page) and "Kept by" not in text_of(client, page)
    client.post(reverse("learning:keep_autosave", args=[memory.pk]), {"revision": 1})
    kept = text_of(client, page)
    assert "policy, without asking" in kept and "Kept by" in kept and "1 message" in kept


def test_home_tells_how_many_nobody_has_looked_at(world, as_user, memory):
    client = as_user(world.ada)
    assert "not looked at yet" in text_of(client, "/app/")
    client.post(reverse("learning:keep_autosave", args=[memory.pk]), {"revision": 1})
    assert "not looked at yet" not in text_of(client, "/app/")
    saved(world.it, "Badges come from Facilities", by=world.dan)
    assert "not looked at yet" not in text_of(as_user(world.cleo), "/app/")


def test_pages_go_on_by_cursor_and_cost_the_same_with_three_and_with_forty(
    world, as_user, django_assert_max_num_queries
):
    client = as_user(world.ada)

    def cost():
        client.get(PAGE)
        with django_assert_max_num_queries(100) as queries:
            client.get(PAGE)
        return len(queries)

    for number in range(3):
        saved(world.it, f"Gate{number} leads to hall{number}", by=world.dan)
    few = cost()
    for number in range(3, 40):
        saved(world.it, f"Gate{number} leads to hall{number}", by=world.dan)
    assert cost() == few <= 12
    first = text_of(client)
    assert "Gate39 " in first and "Gate9 " not in first
    onward = first.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
    assert "Gate9 " in text_of(client, PAGE + onward)


def test_more_than_are_counted_are_a_least_number(world, as_user, memory, monkeypatch):
    for number in range(2):
        saved(world.it, f"Gate{number} leads to hall{number}", by=world.dan)
    client = as_user(world.ada)
    assert "Not looked at 3<" in text_of(client)
    for module in (autosaves, views):
        monkeypatch.setattr(module, "COUNTED_MOST", 2)
    assert "Not looked at 2+<" in text_of(client) and ">2+<" in text_of(client, "/app/")


@pytest.mark.parametrize(
    ("ask", "index"),
    [
        (autosaves.not_looked_at, "memory_saved_new"),
        (lambda actor: autosaves.saved_page(actor, autosaves.SavedFilters()), "memory_saved_new"),
        (lambda actor: autosaves.saved_page(actor, autosaves.SavedFilters(autosaves.UNDONE)), "memory_saved_gone"),
        (lambda actor: autosaves.saved_page(actor, autosaves.SavedFilters(autosaves.REPLACED)), "memory_saved_gone"),
    ],
)
def test_the_few_of_a_kind_are_found_among_many_that_were_kept(world, memory, ask, index):
    fields = {name: getattr(memory, name) for name in ("organization", "role_agent", "scope", "created_by_label")}
    Memory.objects.bulk_create(
        Memory(**fields, content=f"{n}", digest=f"{n}", autosaved=True, reviewed_at=timezone.now()) for n in range(3000)
    )
    olga = world.actor(world.olga)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE learning_memory")
        with CaptureQueriesContext(connection) as asked:
            ask(olga)
        cursor.execute("EXPLAIN " + asked[0]["sql"])
        assert index in str(cursor.fetchall())


# --- over the API -----------------------------------------------------------------------------------------------------


def test_a_key_undoes_and_keeps_and_finds_what_was_saved_without_asking(world, client, memory):
    headers = bearer(make_key("review", issuer=world.adam, organization=world.acme))
    other = saved(world.it, "Badges come from Facilities", by=world.dan)

    def post(name, row, revision):
        address = reverse(f"api:memory-{name}", args=[row.pk])
        return client.post(address, {"revision": revision}, content_type="application/json", headers=headers)

    def found():
        rows = client.get("/api/v1/memories/?autosaved=true", headers=headers).json()["results"]
        return {row["content"] for row in rows}

    assert found() == {GATEWAY, "Badges come from Facilities"}
    undone = post("undo", memory, 1)
    assert (undone.status_code, undone.json()["status"], undone.json()["autosaved"]) == (200, "deleted", True)
    again = post("undo", memory, 2)
    assert (again.status_code, again.json()["code"]) == (409, "not_live")
    kept = post("keep", other, 1).json()
    assert kept["reviewed_by"] == "API key test key of Adam"
    assert post("keep", other, 2).json()["code"] == "nothing_to_do"
    assert found() == {"Badges come from Facilities"}
    by_hand = Memory.objects.create(
        organization=world.acme,
        role_agent=world.it,
        scope="role_agent",
        content="x",
        digest="x",
        created_by_label="Ada",
    )
    assert post("undo", by_hand, 1).json()["code"] == "not_autosaved"


@pytest.mark.parametrize("scopes", ["runtime", "audit", "admin"])
def test_a_key_that_does_not_review_undoes_nothing(world, client, memory, scopes):
    headers = bearer(make_key(scopes, organization=world.acme))
    address = reverse("api:memory-undo", args=[memory.pk])
    answer = client.post(address, {"revision": 1}, content_type="application/json", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")
    assert Memory.objects.get().is_live
