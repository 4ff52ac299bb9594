"""What a reviewer does from the pane of one proposal. Ada manages IT."""

import re

import pytest

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from learning.actions.reassign import reassign
from learning.actions.review import edit
from learning.actions.sensitivity import mark_sensitive
from learning.choices import ItemStatus
from tests.learning import proposals
from tests.learning.pages import HTMX, at, pane_of, seen, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _words_alone(settings):
    """The preview ranks by words, so that answers it is compared with do as well."""
    settings.DW_EMBEDDING = "none"


# --- doing it on the page -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("name", "status"), [("cleo", 403), ("ben", 404), ("dan", 404), ("gus", 404)])
@pytest.mark.parametrize("action", ["mark-sensitive", "unmark-sensitive", "reassign", "convert"])
def test_who_may_not_is_refused_on_the_page_as_well(world, as_user, name, status, action):
    item = proposals.pending(world.it, "The printer is on floor two")
    answer = as_user(getattr(world, name)).post(at(item, action), {"revision": 1, "reason": "x"})
    assert answer.status_code == status
    item.refresh_from_db()
    assert item.revision == 1


def test_assigning_on_the_page(world, as_user, size):
    page = as_user(world.ada).get(at(size))
    choices = re.search(r'<select id="to".*?</select>', page.text, re.S)[0]
    assert re.findall(r">([A-Z]\w+)</option>", choices) == ["Nobody", "Ada", "Adam", "Olga"]
    page = as_user(world.ada).post(at(size, "reassign"), {"revision": 1, "to": world.adam.pk}, follow=True)
    assert "Assigned to Adam." in page.text and "ReviewerAdam" in pane_of(page)
    for to in (world.dan.pk, "nonsense", "9" * 30):
        page = as_user(world.ada).post(at(size, "reassign"), {"revision": 2, "to": to})
        assert page.status_code == 400 and "Choose somebody who may decide this." in text_of(page)
    assert as_user(world.ada).post(at(size, "reassign"), {"to": ""}).status_code == 409  # saw nothing, changes nothing


def test_somebody_who_lost_the_right_some_other_way_is_shown_as_such(world, as_user, size):
    reassign(actor=world.actor(world.ada), item_id=size.pk, revision=1, user_id=world.adam.pk)
    world.adam.is_active = False  # by the operator, past every action
    world.adam.save()
    assert "Adam, who may not decide it any more" in pane_of(as_user(world.ada).get(at(size)))


def test_a_skill_on_the_page_there_edited_and_back(world, as_user):
    item = proposals.pending(world.it, "Check the stock first. Never promise a date.")
    browser = as_user(world.ada)
    page = browser.post(at(item, "convert"), {"revision": 1}, follow=True)
    said = pane_of(page)
    assert "Learn the skill check-the-stock-first-never-promise-a for IT Agent" in said
    assert "Written up as a skill. What nobody said yet is still to be written." in page.text
    assert "If you approve, IT Agent follows it wherever it fits a question, whoever asks." in said
    assert "## Do Not Do" in page.text and "Make it a memory" in page.text
    item.refresh_from_db()
    form = browser.get(at(item, "edit"))
    assert 'name="document"' in form.text and "Save and approve" in form.text
    document = item.proposed_payload["document"]
    broken = browser.post(at(item, "edit"), seen(item, document=document.replace("risk: low", "risk: no"), then="keep"))
    assert (
        broken.status_code == 400 and "Line 6: risk is &quot;no&quot;. Write one of: low, medium, high." in broken.text
    )
    changed = document.replace("Still to be written.", "A customer asks when.", 1)
    page = browser.post(at(item, "edit"), seen(item, document=changed, then="keep"), follow=True)
    assert "A customer asks when." in page.text
    assert "<del>Still to be written.</del><ins>A customer asks when.</ins>" in page.text  # its history
    item.refresh_from_db()
    page = browser.post(at(item, "convert"), {"revision": item.revision}, follow=True)
    assert "It is a memory again." in page.text
    item.refresh_from_db()
    assert item.proposed_payload["content"] == "Check the stock first. Never promise a date."


def test_what_is_typed_is_shown_against_what_is_proposed_before_it_is_saved(world, as_user, size):
    words = {"kind": "profile", "key": "size", "content": "39", "then": "preview"}
    button, typing = HTMX, HTMX | {"HX-Target": "changes"}
    for headers in ({}, button, typing):
        page = as_user(world.ada).post(at(size, "edit"), seen(size, **words), headers=headers)
        assert page.status_code == 200
        assert "size = <del>38</del><ins>39</ins>" in page.text
        assert ('id="edit"' in page.text) is (headers != typing)  # a button's answer is the whole pane
    assert page.text.startswith('<div id="changes"') and "<html" not in page.text
    size.refresh_from_db()
    assert (size.revision, size.proposed_payload["content"]) == (1, "38")
    page = as_user(world.cleo).post(at(size, "edit"), seen(size, **words))
    assert page.status_code == 302
    assert as_user(world.ben).post(at(size, "edit"), seen(size, **words)).status_code == 404


def test_words_typed_for_another_kind_meanwhile_are_kept(world, as_user):
    item = proposals.pending(world.it, "The printer is on floor two")
    as_user(world.adam).post(at(item, "convert"), {"revision": 1})
    typed = seen(item, kind="fact", key="", content="The printer is on floor three", then="approve")
    page = as_user(world.ada).post(at(item, "edit"), typed, headers=HTMX)
    assert page.status_code == 409
    assert "This became another kind of proposal meanwhile." in text_of(page)
    assert ">The printer is on floor three</textarea>" in page.text.replace("\n", "")


@pytest.mark.parametrize(
    ("form", "reason"),
    [({"why": "wrong"}, "Wrong"), ({"why": "steering", "reason": "look"}, "Tries to steer the agent: look")],
)
def test_rejecting_in_one_click(world, as_user, size, form, reason):
    page = as_user(world.ada).get(at(size))
    for value in ("wrong", "not_worth_keeping", "too_personal", "duplicate", "steering"):
        assert f'name="why" value="{value}"' in page.text
    as_user(world.ada).post(at(size, "reject"), seen(size, **form))
    size.refresh_from_db()
    assert (size.status, size.decision_reason) == (ItemStatus.REJECTED, reason)
    assert LearningEvent.objects.get(verb=Verb.REJECTED).details == {"why": form["why"]}


def test_a_reason_that_does_not_fit_decides_nothing(world, as_user, size):
    page = as_user(world.ada).post(at(size, "reject"), seen(size, why="bored"))
    assert page.status_code == 400 and "Use one of: wrong" in text_of(page)
    size.refresh_from_db()
    assert size.is_pending


def test_the_history_reads_as_sentences_with_what_changed(world, as_user, size):
    ada, adam = world.actor(world.ada), world.actor(world.adam)
    edit(actor=ada, item_id=size.pk, revision=1, changes={"content": "39"})
    reassign(actor=adam, item_id=size.pk, revision=2, user_id=world.ada.pk)
    mark_sensitive(actor=adam, item_id=size.pk, revision=3)
    page = as_user(world.adam).get(at(size))
    history = page.text.partition("History, 4 steps")[2]
    told = ["Adam marked it as sensitive", "Adam reassigned it, to Ada", "Ada edited it", "IT Agent proposed it"]
    assert [history.index(each) for each in told] == sorted(history.index(each) for each in told)
    assert "size = <del>38</del></div>" in history and "size = <ins>39</ins></div>" in history
    assert "dw_worker" not in page.text
