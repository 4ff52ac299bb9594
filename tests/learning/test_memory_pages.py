"""Pages of what is known: lists, one memory with its past, and changing it. Ada manages IT, Ben manages HR."""

import re

import pytest
from django.urls import reverse

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from learning import slots
from learning.actions import remember
from learning.choices import MemoryStatus
from learning.models import Memory
from tests.learning import proposals
from tests.learning.pages import seen, text_of

pytestmark = pytest.mark.django_db
IT = "/app/settings/digital-workers/it/memory/"
EVERYONE = "/app/settings/memory"


@pytest.fixture
def printer(world):
    return remember.remember(actor=world.actor(world.ada), role_agent=world.it, content="The printer is on floor two")


def at(memory, action: str = "") -> str:
    return f"/app/memories/{memory.pk}/{action + '/' if action else ''}"


# --- who may ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "reads", "changes"),
    [("ada", 200, True), ("adam", 200, True), ("olga", 200, True), ("cleo", 200, False), ("ben", 404, None),
     ("dan", 404, None), ("gus", 404, None)],
)  # fmt: skip
def test_who_reads_and_who_changes_a_memory(world, as_user, printer, name, reads, changes):
    browser = as_user(getattr(world, name))
    page = browser.get(at(printer))
    assert page.status_code == reads
    if reads == 200:
        assert ("Mend" in browser.get(at(printer, "edit")).text) is changes
        assert (at(printer, "delete") in page.text) is changes
    for action, data in (
        ("edit", {"content": "moved"}),
        ("supersede", {"content": "moved"}),
        ("delete", {}),
        ("restore", {}),
    ):
        answer = browser.post(at(printer, action), {"revision": 99, **data})
        assert answer.status_code == {True: 409, False: 403, None: 404}[changes], action
    printer.refresh_from_db()
    assert printer.is_live and printer.content == "The printer is on floor two"


@pytest.mark.parametrize(
    ("name", "everyone", "agent", "adds"),
    [("olga", 200, 200, 200), ("adam", 200, 200, 200), ("cleo", 200, 200, 403), ("ada", 200, 200, 403),
     ("ben", 200, 404, 403), ("dan", 404, 404, 404), ("gus", 200, 200, 200)],
)  # fmt: skip
def test_who_sees_the_lists(world, as_user, name, everyone, agent, adds):
    browser = as_user(getattr(world, name))
    assert browser.get(EVERYONE).status_code == everyone
    assert browser.get(IT).status_code == agent
    assert browser.get(f"{EVERYONE}/add/").status_code == adds
    assert browser.post(
        f"{EVERYONE}/add/", {"content": "Offices close at noon", "kind": "fact", "risk": "low"}
    ).status_code == (302 if adds == 200 else adds)
    assert Memory.objects.filter(organization=world.globex).count() == (1 if name == "gus" else 0)


def test_strangers_are_sent_to_the_log_in(client, printer):
    for path in (IT, EVERYONE, at(printer)):
        assert client.get(path).url.startswith("/accounts/login/")


def test_of_a_sensitive_memory_a_manager_sees_that_it_exists(world, as_user):
    old = proposals.known(world.it, "The boss is ill", key="boss", kind="rule", sensitive=True, reviewer_label="Olga")
    browser = as_user(world.ada)
    for path in (IT, at(old), at(old, "edit"), at(old, "supersede")):
        page = browser.get(path)
        assert "Sensitive memory" in page.text
        assert "ill" not in re.sub(r"[a-z]*ill[a-z-]+|fill|[a-z]+ill\b", "", text_of(page)), path
        assert "boss" not in page.text
    for query in ("q=boss", "q=ill", "kind=rule"):
        assert "Sensitive memory" not in browser.get(f"{IT}?{query}").text
    assert browser.post(at(old, "delete"), {"revision": 1}).status_code == 403
    assert "The boss is ill" in as_user(world.cleo).get(at(old)).text


def test_a_manager_can_not_take_the_key_of_what_they_may_not_read(world, as_user):
    old = proposals.known(world.it, "The boss is ill", key="boss", sensitive=True)
    answer = as_user(world.ada).post(f"{IT}add/", {"content": "Smith", "key": "boss", "kind": "fact", "risk": "low"})
    assert answer.status_code == 403
    assert "This is sensitive; an owner or an admin decides it." in text_of(answer)
    old.refresh_from_db()
    assert old.is_live and Memory.objects.count() == 1


# --- lists --------------------------------------------------------------------------------------------------------
def test_the_list_says_whose_what_and_who_let_it_in(world, as_user, printer):
    proposals.known(world.it, "42", key="shoe_size", kind="profile", person=proposals.person_of(world.it), use_count=7)
    proposals.known(None, "Offices close at noon", organization_id=world.acme.pk, risk="high")
    proposals.known(world.hr, "Holidays are asked for in the portal")
    page = as_user(world.ada).get(IT)
    said = text_of(page)
    for words in (
        "The printer is on floor two",
        "written by hand",
        "shoe_size = 42",
        "ABC",
        "Everyone at Acme",
        "Ada",
        "high",
    ):
        assert words in said
    assert "Holidays" not in said
    for chip in (
        "Active 3",
        "This role-agent 1",
        "One person 1",
        "Whole organisation 1",
        "Fact 2",
        "Profile attribute 1",
    ):
        assert chip in said
    for query, shown in {
        "scope=person": ["shoe"],
        "kind=profile": ["shoe"],
        "q=printer": ["printer"],
        "q=OFFICES": ["noon"],
        "status=deleted": [],
        "scope=nonsense": ["printer", "shoe", "noon"],
    }.items():
        listed = as_user(world.ada).get(f"{IT}?{query}").text.split("<tbody>")[-1].split("</tbody>")[0]
        for word in ("printer", "shoe", "noon"):
            assert (word in listed) is (word in shown), (query, word)
    first = as_user(world.ada).get(f"{IT}?sort=used").text.split("<tbody>")[-1]
    assert first.index("shoe") < first.index("printer")


@pytest.mark.parametrize("q", ["'", '"', "a & | !", "\\", "%", "_", "<b>", "‮", "x" * 500, "(", ":*"])
def test_any_search_is_safe(world, as_user, printer, q):
    page = as_user(world.ada).get(IT, {"q": q})
    assert page.status_code == 200
    assert "printer" not in page.text.split("</form>")[-1] or q == "_"


def test_kinds_of_nothing(world, as_user):
    browser = as_user(world.ada)
    assert "Nothing is known yet" in browser.get(IT).text
    assert "Nothing matches" in browser.get(f"{IT}?q=printer").text
    assert "Write the first one" not in as_user(world.cleo).get(IT).text


def test_lists_go_on_by_cursor_and_keep_their_filters(world, as_user):
    proposals.many_known(world.it, 70)
    browser = as_user(world.ada)
    page = browser.get(f"{IT}?kind=fact")
    older = re.search(r'rel="next" href="([^"]+)"', page.text)[1].replace("&amp;", "&")
    assert "kind=fact" in older
    rest = browser.get(IT + older)
    assert len(re.findall("row-link", page.text)) + len(re.findall("row-link", rest.text)) == 70


def test_lists_and_pages_cost_the_same_at_any_size(world, as_user, printer, django_assert_max_num_queries):
    browser = as_user(world.adam)
    paths = [IT, f"{IT}?q=route", EVERYONE, at(printer), at(printer, "edit")]

    def costs() -> list[int]:
        found = []
        for path in paths:
            with django_assert_max_num_queries(12) as queries:
                assert browser.get(path).status_code == 200
            found.append(len(queries))
        return found

    proposals.many_known(world.it, 3)
    few = costs()
    proposals.many_known(world.it, 60)
    assert costs() == few


# --- one memory ---------------------------------------------------------------------------------------------------
def test_a_memory_tells_where_it_came_from_and_who_let_it_in(world, as_user):
    item = proposals.size_of_abc(world.it)
    browser = as_user(world.ada)
    browser.post(f"/app/digital-workers/learning/{item.pk}/approve/", seen(item))
    memory = Memory.objects.get(key="size")
    page = browser.get(at(memory))
    said = text_of(page)
    assert "do you have these pants in <mark>my size, 38</mark>?" in page.text
    assert f"/app/messages/{item.event_id}" in page.text
    assert "IT Agent will use it in every later answer to ABC, and to nobody else." in said
    assert "Ada (you)" in said and "Asked for by the agent" in said
    assert reverse("learning:item", args=[item.pk]) in page.text
    assert "Used 0 times" in re.sub(r"\s+", " ", said.replace("Used0", "Used 0"))


def test_what_apps_above_know_of_a_memory_stands_on_its_page(world, as_user, printer, monkeypatch):
    monkeypatch.setattr(slots.memory_cards, "registered", [])
    slots.memory_cards.register(
        10, lambda request, memory: ("components/stat.html", {"label": "Answers", "value": memory.use_count + 41})
    )
    slots.memory_cards.register(20, lambda request, memory: None)
    assert "<b>41</b>" in as_user(world.ada).get(at(printer)).text


def test_mending_the_wording_keeps_the_words_before(world, as_user, printer):
    browser = as_user(world.ada)
    page = browser.post(at(printer, "edit"), {"revision": 1, "content": "The printer is on floor three"}, follow=True)
    assert page.redirect_chain == [(at(printer), 302)]
    assert "The wording is mended." in page.text
    assert "<del>two</del><ins>three</ins>" in page.text
    printer.refresh_from_db()
    assert (printer.content, printer.revision) == ("The printer is on floor three", 2)
    assert LearningEvent.objects.filter(verb=Verb.MEMORY_EDITED, object_id=str(printer.pk)).count() == 1


def test_replacing_leaves_the_old_one_readable(world, as_user, printer):
    browser = as_user(world.ada)
    page = browser.post(at(printer, "supersede"), {"revision": 1, "content": "There is no printer"}, follow=True)
    fresh = Memory.objects.live().get()
    assert page.redirect_chain == [(at(fresh), 302)]
    assert at(printer) in page.text  # what it took the place of
    old = browser.get(at(printer))
    assert "It was replaced and is in no answer any more." in old.text and at(fresh) in old.text


def test_delete_and_take_it_back(world, as_user, printer):
    browser = as_user(world.ada)
    page = browser.post(at(printer, "delete"), {"revision": 1, "reason": "sold"}, follow=True)
    assert "Deleted. No answer uses it any more." in page.text
    assert LearningEvent.objects.get(verb=Verb.MEMORY_DELETED).reason == "sold"
    assert "The printer is on floor two" in browser.get(f"{IT}?status=deleted").text
    undo = re.search(r'action="([^"]+/restore/\?revision=\d+)"', page.text)[1]
    page = browser.post(undo, follow=True)
    assert "Restored. It can be used again." in page.text
    printer.refresh_from_db()
    assert printer.status == MemoryStatus.ACTIVE


def test_words_survive_a_conflict(world, as_user, printer):
    as_user(world.adam).post(at(printer, "edit"), {"revision": 1, "content": "The printer is on floor four"})
    page = as_user(world.ada).post(at(printer, "edit"), {"revision": 1, "content": "The printer is on floor five"})
    assert page.status_code == 409
    assert "changed since you opened it" in text_of(page)
    assert "The printer is on floor five</textarea>" in page.text
    assert "<del>four</del><ins>five</ins>" in page.text
    assert 'name="revision" value="2"' in page.text
    as_user(world.adam).post(at(printer, "delete"), {"revision": 2})
    page = as_user(world.ada).post(at(printer, "edit"), {"revision": 2, "content": "The printer is on floor six"})
    assert page.status_code == 409 and "Your words, not saved" in page.text and "floor six</textarea>" in page.text


def test_a_secret_is_refused_at_the_field(world, as_user, printer):
    words = "the password is hunter2-Xy77qq"
    for path, data in (
        (at(printer, "edit"), {"revision": 1}),
        (at(printer, "supersede"), {"revision": 1}),
        (f"{IT}add/", {"kind": "fact", "risk": "low"}),
    ):
        page = as_user(world.ada).post(path, {"content": words, **data})
        assert page.status_code == 422, path
        assert words in page.text and 'aria-invalid="true"' in page.text
    assert not Memory.objects.filter(content__contains="hunter2").exists()


# --- adding -------------------------------------------------------------------------------------------------------
def test_a_manager_writes_one_by_hand(world, as_user):
    data = {"content": "Gate two is closed", "key": "gate", "kind": "fact", "risk": "medium", "sensitive": "on"}
    page = as_user(world.ada).post(f"{IT}add/", data, follow=True)
    assert "Saved. It can be used from the next answer on." in page.text
    memory = Memory.objects.get()
    assert (memory.role_agent, memory.risk, memory.sensitive) == (world.it, "medium", False)  # that word is an admin's
    as_user(world.adam).post(f"{IT}add/", data | {"key": "door"})
    assert Memory.objects.get(key="door").sensitive


def test_what_everyone_knows_is_written_by_an_admin_without_an_agent(world, as_user):
    page = as_user(world.adam).post(
        f"{EVERYONE}/add/", {"content": "Offices close at noon", "kind": "fact", "risk": "low"}, follow=True
    )
    assert "Every role-agent of Acme can use it, whoever asks." in text_of(page)
    event = LearningEvent.objects.get(verb=Verb.MEMORY_SAVED)
    assert event.role_agent_id is None
    assert "Offices close at noon" in as_user(world.ben).get(EVERYONE).text
    assert "Offices close at noon" not in as_user(world.gus).get(EVERYONE).text


def test_a_full_agent_is_told_so_and_the_words_stay(world, as_user, printer):
    world.it.memory_limit = 1
    world.it.save()
    page = as_user(world.ada).post(f"{IT}add/", {"content": "One more", "kind": "fact", "risk": "low"})
    assert page.status_code == 409
    assert "has reached its ceiling of 1 memories" in text_of(page) and "One more</textarea>" in page.text
