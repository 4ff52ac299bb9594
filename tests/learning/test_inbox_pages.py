"""The reviewer's inbox: who sees what, what a page says, what a decision does. Ada manages IT, Ben manages HR."""

import re

import pytest
from django.urls import reverse

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from learning.choices import ItemStatus, MemoryScope, MemoryStatus
from learning.models import LearningItem, Memory
from tests.learning import proposals
from tests.learning.pages import HTMX, INBOX, at, seen, text_of

pytestmark = pytest.mark.django_db


# --- who may ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "inbox", "item", "decides"),
    [
        ("ada", 200, 200, True),
        ("adam", 200, 200, True),
        ("olga", 200, 200, True),
        ("cleo", 200, 200, False),
        ("ben", 200, 404, None),
        ("dan", 404, 404, None),
        ("gus", 200, 404, None),
    ],
)
def test_who_sees_the_inbox_and_an_item_of_it(world, as_user, size, name, inbox, item, decides):
    browser = as_user(getattr(world, name))
    assert browser.get(INBOX).status_code == inbox
    page = browser.get(at(size))
    assert page.status_code == item
    if decides is not None:
        assert ("Approve <kbd>" in page.text) is decides
        assert "size = 38" in page.text
    answer = browser.post(at(size, "approve"), seen(size))
    assert answer.status_code == {True: 302, False: 403, None: 404}[decides]
    size.refresh_from_db()
    assert size.status == (ItemStatus.APPROVED if decides else ItemStatus.PENDING)


def test_an_auditor_who_posts_is_told_who_decides(world, as_user, size):
    for action in ("approve", "reject"):
        answer = as_user(world.cleo).post(at(size, action), seen(size))
        assert answer.status_code == 403
        assert "Only a manager of IT Agent, an admin or an owner may decide this." in text_of(answer)
    assert not LearningEvent.objects.filter(verb__in=[Verb.APPROVED, Verb.REJECTED]).exists()
    assert as_user(world.cleo).get(at(size, "edit")).url == at(size)


def test_strangers_are_sent_to_the_log_in(client, size):
    assert client.get(INBOX).url.startswith("/accounts/login/")
    assert client.post(at(size, "approve"), seen(size)).url.startswith("/accounts/login/")


def test_a_decision_by_a_link_is_none(world, as_user, size):
    for action in ("approve", "reject", "reopen"):
        assert as_user(world.ada).get(at(size, action)).status_code == 405


# --- sensitive ----------------------------------------------------------------------------------------------------
def test_a_manager_sees_that_something_sensitive_waits_and_nothing_of_it(world, as_user):
    person = proposals.person_of(world.it, "quiet-person")
    event = proposals.said(world.it, "my blood group is zero", person=person)
    item = proposals.pending(
        world.it,
        "blood group zero",
        key="blood",
        person=person,
        event=event,
        sensitive=True,
        rationale="states illness",
    )
    browser = as_user(world.ada)
    pages = [browser.get(path) for path in (INBOX, at(item), "/app/", "/app/settings/digital-workers/it/inbox/")]
    pages += [browser.get(at(item), headers=HTMX), browser.get(at(item, "edit"), follow=True)]
    for page in pages:
        assert page.status_code == 200
        assert "Sensitive proposal" in page.text or page is pages[2]
        for word in ("blood", "zero", "quiet-person", "illness", item.digest, "Approve <kbd>"):
            assert word not in page.text, word
    assert "you can see that it exists" in pages[1].text
    assert browser.post(at(item, "approve"), seen(item)).status_code == 403
    assert browser.get(f"{INBOX}?kind=fact").text.count("Sensitive proposal") == 0
    for name in ("olga", "adam", "cleo"):
        assert "blood = blood group zero" in text_of(as_user(getattr(world, name)).get(at(item)))


def test_a_decision_never_leads_a_manager_to_what_is_not_theirs(world, as_user):
    last = proposals.pending(world.it, "The printer is on floor two")
    proposals.pending(world.it, "Somebody is ill", sensitive=True)
    proposals.pending(world.it, "Offices close at noon", scope=MemoryScope.ORGANIZATION)
    page = as_user(world.ada).post(at(last, "approve"), seen(last), headers=HTMX)
    assert "Nothing more for you" in page.text
    page = as_user(world.adam).get(INBOX)
    assert "Offices close at noon" in page.text


# --- what an item says --------------------------------------------------------------------------------------------
def test_an_item_says_what_it_is_where_it_comes_from_and_what_happens(world, as_user, size):
    world.it.retention_days = 30
    world.it.save()
    proposals.known(world.it, "English", key="language", kind="profile", person=size.person)
    page = as_user(world.ada).get(at(size))
    said = text_of(page)
    assert "Remember size = 38 for ABC" in said
    assert "If you approve, IT Agent will use it in every later answer to ABC, and to nobody else." in said
    assert "do you have these pants in <mark>my size, 38</mark>?" in page.text
    assert "ABC, web shop" in said and "identity verified" in said
    assert f"/app/messages/{size.event_id}" in page.text
    beside = as_user(world.ada).get(at(size, "beside"))
    assert "## Known facts about this user" in text_of(beside) and "<ins>- size: 38</ins>" in beside.text
    assert "17 of 3,000 characters, 8 more with this one" in text_of(beside)
    assert f'hx-get="{at(size, "beside")}" hx-trigger="load"' in page.text
    assert "Kept until" not in said  # nothing purges it yet
    assert "0.93" in said and "1 message" in said


@pytest.mark.parametrize(
    ("scope", "kind", "key", "sentence"),
    [
        ("person", "fact", None, "IT Agent will use it when it fits a question of ABC, and with nobody else."),
        ("person", "rule", None, "IT Agent will follow it in every later answer to ABC, and to nobody else."),
        ("role_agent", "fact", None, "IT Agent can use it whoever asks, in all of its channels."),
        ("organization", "fact", "hours", "every role-agent of Acme can use it, whoever asks."),
    ],
)
def test_the_sentence_fits_the_reach(world, as_user, scope, kind, key, sentence):
    person = proposals.person_of(world.it) if scope == "person" else None
    item = proposals.pending(world.it, "nine to five", kind=kind, key=key, person=person, scope=scope)
    assert f"If you approve, {sentence}" in text_of(as_user(world.olga).get(at(item)))


def test_a_manager_reads_an_organisation_wide_proposal_and_does_not_decide_it(world, as_user):
    item = proposals.pending(world.it, "Offices close at noon", scope=MemoryScope.ORGANIZATION)
    page = text_of(as_user(world.ada).get(at(item)))
    assert "If it is approved, every role-agent of Acme can use it" in page
    assert "An owner or admin decides about this." in page
    answer = as_user(world.ada).post(at(item, "approve"), seen(item))
    assert answer.status_code == 403
    assert "What the whole organisation will know is decided by an owner or an admin." in text_of(answer)


def test_an_update_shows_what_it_replaces(world, as_user):
    proposals.known(world.it, "Parcels leave from Hamburg", key="ships_from", reviewer_label="Adam")
    item = proposals.pending(world.it, "Parcels leave from Rotterdam", key="ships_from")
    page = as_user(world.ada).get(at(item))
    assert "It replaces “Parcels leave from Hamburg”" in text_of(page)
    assert "Parcels leave from <del>Hamburg</del></div>" in page.text  # side by side
    assert "Parcels leave from <ins>Rotterdam</ins></div>" in page.text
    assert "Replaces what was saved on" in page.text
    beside = as_user(world.ada).get(at(item, "beside"))
    assert "<del>- ships_from: Parcels leave from Hamburg</del>" in beside.text


def test_similar_memories_stand_beside_a_proposal(world, as_user):
    near = proposals.known(world.it, "The gateway of the London office is slow")
    proposals.known(world.hr, "The London office uses gateway nine")
    proposals.known(world.it, "The London office gateway is watched by somebody ill", sensitive=True)
    item = proposals.pending(world.it, "The London office uses gateway three")
    page = as_user(world.ada).get(at(item, "beside"))
    assert reverse("learning:memory", args=[near.pk]) in page.text
    assert "gateway nine" not in page.text and "somebody ill" not in page.text
    assert "somebody ill" in as_user(world.adam).get(at(item, "beside")).text


def test_invisible_characters_are_shown(world, as_user):
    item = proposals.pending(world.it, "opens at noon")
    hidden = item.proposed_payload | {"content": "opens\u200bat \u202enoon"}  # as it could be before a rule was known
    LearningItem.objects.filter(pk=item.pk).update(proposed_payload=hidden)
    page = as_user(world.ada).get(at(item))
    assert "\u200b" not in page.text and "\u202e" not in page.text
    assert "ZWSP" in page.text and "RLO" in page.text


def test_markup_in_a_proposal_stays_text(world, as_user):
    item = proposals.pending(world.it, "<script>alert(1)</script><b>bold</b>")
    for page in (as_user(world.ada).get(at(item)), as_user(world.ada).get(at(item), headers=HTMX)):
        assert "<script>alert" not in page.text and "<b>bold" not in page.text


# --- deciding -----------------------------------------------------------------------------------------------------
def test_after_a_decision_the_next_one_is_open(world, as_user, size):
    newer = proposals.pending(world.it, "The printer is on floor two")
    browser = as_user(world.ada)
    page = browser.post(at(newer, "approve"), seen(newer, shown=f"{newer.pk} {size.pk}"), headers=HTMX)
    assert page.status_code == 200
    assert page["HX-Push-Url"] == at(size)
    assert "Remember" in page.text and "size = 38" in page.text
    assert f'id="row-{newer.pk}" hx-swap-oob="true"' in page.text
    assert "All pending 1" in text_of(page)
    assert 'id="navs" hx-swap-oob="true"' in page.text
    assert "Approved “The printer is on floor two”. Noted in the audit." in page.text
    assert LearningEvent.objects.get(verb=Verb.APPROVED).actor_label == "Ada"


def test_without_scripts_a_decision_leads_to_the_next_item(world, as_user, size):
    newer = proposals.pending(world.it, "The printer is on floor two")
    page = as_user(world.ada).post(at(newer, "reject"), seen(newer, reason="moved"), follow=True)
    assert page.redirect_chain == [(at(size), 302)]
    assert "Rejected “The printer is on floor two”. Noted in the audit." in page.text
    newer.refresh_from_db()
    assert (newer.status, newer.decision_reason) == (ItemStatus.REJECTED, "moved")


def test_filters_last_through_a_decision(world, as_user):
    a = proposals.pending(world.it, "The printer is on floor two", kind="fact")
    rule = proposals.pending(world.it, "Greet people by name", kind="rule")
    other = proposals.pending(world.it, "Never promise a date", kind="rule")
    answer = as_user(world.ada).post(at(other, "approve") + "?kind=rule", seen(other))
    assert answer.url == at(rule) + "?kind=rule"
    answer = as_user(world.ada).post(at(rule, "approve") + "?kind=rule", seen(rule))
    assert answer.url == f"{INBOX}?kind=rule"
    a.refresh_from_db()
    assert a.is_pending


def test_undo_takes_a_decision_back(world, as_user, size):
    browser = as_user(world.ada)
    browser.post(at(size, "approve"), seen(size))
    size.refresh_from_db()
    assert 'data-key="z"' in browser.get(INBOX).text
    page = browser.post(at(size, "reopen"), {"revision": size.revision}, follow=True)
    assert "Taken back. It waits for a decision again." in page.text
    size.refresh_from_db()
    assert size.is_pending
    assert Memory.objects.get(item=size).status == MemoryStatus.DELETED
    assert LearningEvent.objects.filter(verb=Verb.REOPENED).count() == 1
    assert browser.session.get("last_decision") is None


def test_the_undo_of_a_toast_carries_what_it_saw(world, as_user, size):
    browser = as_user(world.ada)
    page = browser.post(at(size, "approve"), seen(size), follow=True)
    undo = re.search(r'action="([^"]+/reopen/\?revision=\d+)"', page.text).group(1)
    assert browser.post(undo).status_code == 302
    again = browser.post(undo)
    assert again.status_code == 409


@pytest.mark.parametrize("form", [{}, {"revision": "1"}, {"revision": "x", "digest": "y"}, {"digest": "y"}])
def test_a_form_that_saw_nothing_decides_nothing(world, as_user, size, form):
    answer = as_user(world.ada).post(at(size, "approve"), form)
    assert answer.status_code == 409
    size.refresh_from_db()
    assert size.is_pending


# --- editing ------------------------------------------------------------------------------------------------------
def words(item, **changes) -> dict:
    return seen(item) | {name: item.proposed_payload[name] or "" for name in ("kind", "key", "content")} | changes


def test_edit_and_approve_in_one_step(world, as_user, size):
    browser = as_user(world.ada)
    form = browser.get(at(size, "edit"))
    assert 'name="content"' in form.text and "Save, keep pending" in form.text
    browser.post(at(size, "edit"), words(size, content="39", then="approve"))
    size.refresh_from_db()
    assert (size.status, size.edited) == (ItemStatus.APPROVED, True)
    assert Memory.objects.live().get(key="size").content == "39"


def test_edit_and_keep_pending(world, as_user, size):
    page = as_user(world.ada).post(at(size, "edit"), words(size, content="39", then="keep"), follow=True)
    assert "Saved. It still waits for a decision." in page.text
    size.refresh_from_db()
    assert size.is_pending and size.proposed_payload["content"] == "39"
    assert not Memory.objects.exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"content": ""}, "Write something."),
        ({"content": "x" * 1001}, "1,001 characters are too many; at most 1,000 fit. Shorten it, nothing was saved."),
        ({"key": "Grösse!"}, "Use small letters, digits, _ . and -"),
        ({"key": ""}, "A profile attribute needs a key"),
    ],
)
def test_a_fault_stands_at_its_field_and_what_was_typed_stays(world, as_user, size, changes, message):
    page = as_user(world.ada).post(at(size, "edit"), words(size, **changes), headers=HTMX)
    assert page.status_code in {400, 422}
    assert message in text_of(page)
    assert f">{changes['content']}</textarea>" in page.text.replace("\n", "") if changes.get("content") else True
    size.refresh_from_db()
    assert size.is_pending and size.proposed_payload["content"] == "38"


def test_a_secret_is_refused_at_the_field_and_kept_nowhere(world, as_user, size):
    secret = "my password is hunter2-Xy77qq"
    for then in ("approve", "keep"):
        page = as_user(world.ada).post(at(size, "edit"), words(size, content=secret, then=then), headers=HTMX)
        assert page.status_code == 422
        assert secret in page.text  # in the form, for the person who typed it
        assert 'aria-invalid="true"' in page.text
    size.refresh_from_db()
    assert "hunter2" not in str(size.proposed_payload) and not Memory.objects.exists()
    assert not LearningItem.history.filter(proposed_payload__content__contains="hunter2").exists()
    refusal = LearningEvent.objects.filter(verb=Verb.LEARNING_REFUSED).first()
    assert "hunter2" not in f"{refusal.object_label}{refusal.details}{refusal.reason}"


# --- conflicts ----------------------------------------------------------------------------------------------------
def test_who_comes_second_reads_who_was_first(world, as_user, size):
    as_user(world.adam).post(at(size, "approve"), seen(size))
    page = as_user(world.ada).post(at(size, "reject"), seen(size), headers=HTMX)
    assert page.status_code == 409
    assert "Adam approved this already. Nothing was changed." in text_of(page)
    assert "Adam approved this just now" in text_of(page)
    assert "Reject <kbd>" not in page.text and "Reopen <kbd>" in page.text
    whole = as_user(world.ada).post(at(size, "reject"), seen(size))
    assert whole.status_code == 409 and "<html" in whole.text


def test_words_survive_a_conflict(world, as_user, size):
    as_user(world.adam).post(at(size, "edit"), words(size, content="40", then="keep"))
    page = as_user(world.ada).post(at(size, "edit"), words(size, content="41", then="approve"), headers=HTMX)
    assert page.status_code == 409
    assert "Adam edited this meanwhile. Read it again, then decide. Nothing was changed." in text_of(page)
    assert ">41</textarea>" in page.text.replace("\n", "")
    assert "<del>40</del><ins>41</ins>" in page.text
    size.refresh_from_db()
    assert f'name="revision" value="{size.revision}"' in page.text

    as_user(world.adam).post(at(size, "approve"), seen(size))
    page = as_user(world.ada).post(at(size, "edit"), words(size, content="42", then="approve"), headers=HTMX)
    assert page.status_code == 409
    assert "Your words, not saved" in page.text and ">42</textarea>" in page.text


def test_a_full_memory_says_what_to_look_at(world, as_user):
    world.it.memory_limit = 1
    world.it.save()
    old = proposals.known(world.it, "The old printer is green")
    item = proposals.pending(world.it, "The printer is on floor two")
    page = as_user(world.ada).post(at(item, "approve"), seen(item), headers=HTMX)
    assert page.status_code == 409
    assert "IT Agent has reached its ceiling of 1 memories." in text_of(page)
    assert reverse("learning:memory", args=[old.pk]) in page.text
    item.refresh_from_db()
    assert item.is_pending
