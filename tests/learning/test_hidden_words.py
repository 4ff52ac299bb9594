"""What somebody may not read does not come to them by another way: history, preview, errors, or what an undo left behind."""

import pytest
from django.urls import reverse
from django.utils import timezone

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Denied
from learning.actions.convert import convert
from learning.actions.remember import edit_memory
from learning.actions.review import approve, edit, reopen
from learning.actions.sensitivity import mark_sensitive, unmark_sensitive
from learning.actions.suggest import suggest
from learning.models import LearningItem, Memory
from tests.learning import proposals

pytestmark = pytest.mark.django_db


def page(browser, name, row) -> str:
    headers = {"HX-Request": "true"} if name == "beside" else {}
    return browser.get(reverse(f"learning:{name}", args=[row.pk]), headers=headers).text


def test_what_it_said_while_it_was_sensitive_is_no_step_of_its_history(world, as_user, adam):
    item = proposals.pending(world.it, "Payroll closes soon")
    mark_sensitive(actor=adam, item_id=item.pk, revision=1)
    edit(actor=adam, item_id=item.pk, revision=2, changes={"content": "Bob waits for ADMINWORD"})
    edit(actor=adam, item_id=item.pk, revision=3, changes={"content": "Payroll closes on Friday"})
    unmark_sensitive(actor=adam, item_id=item.pk, revision=4, reason="nobody is named any more")
    said = page(as_user(world.ada), "item", item)
    assert "Payroll closes on Friday" in said and "ADMINWORD" not in said and "Adam edited it" in said
    assert "Adam found it not to be sensitive" in said
    assert "ADMINWORD" in page(as_user(world.adam), "item", item)


def test_what_became_of_it_may_be_sensitive_by_now(world, as_user, ada, adam):
    item = proposals.pending(world.it, "Ask Anna at the desk")
    memory = approve(actor=ada, item_id=item.pk, revision=1, digest_seen=item.digest).memory
    edit_memory(actor=adam, memory_id=memory.pk, revision=1, content="Anna Berg was diagnosed with asthma")
    said = page(as_user(world.ada), "item", item)
    assert "asthma" not in said and "A sensitive memory" in said
    assert "asthma" in page(as_user(world.adam), "item", item)


def test_marking_reaches_the_memory_of_an_approval_that_was_undone(world, as_user, ada, adam):
    item = proposals.pending(world.it, "The vault key hangs in room four")
    memory = approve(actor=ada, item_id=item.pk, revision=1, digest_seen=item.digest).memory
    reopen(actor=adam, item_id=item.pk, revision=2)
    assert "room four" in page(as_user(world.ada), "memory", memory)
    mark_sensitive(actor=adam, item_id=item.pk, revision=3)
    memory.refresh_from_db()
    assert (memory.sensitive, memory.revision) == (True, 3)
    assert memory.history.first().history_change_reason == "Adam: marked as sensitive"
    assert "room four" not in page(as_user(world.ada), "memory", memory)
    listed = as_user(world.ada).get("/app/settings/digital-workers/it/memory/?status=deleted").text
    assert "room four" not in listed


def test_why_it_is_not_sensitive_stays_with_what_is_about_a_person(world, adam):
    item = proposals.size_of_abc(world.it)
    mark_sensitive(actor=adam, item_id=item.pk, revision=1)
    unmark_sensitive(actor=adam, item_id=item.pk, revision=2, reason="ABC is well again")
    assert LearningEvent.objects.get(verb=Verb.ITEM_UNMARKED_SENSITIVE).reason == ""
    assert item.history.first().history_change_reason == "Adam: found not sensitive: ABC is well again"


@pytest.mark.parametrize("who", ["ada", "cleo"])
@pytest.mark.parametrize(
    "attempt",
    [
        lambda **k: edit(**k, changes={"key": "password"}),
        lambda **k: edit(**k, changes={"kind": "profile"}),
        lambda **k: edit(**k, changes={"document": "x"}),
        lambda item_id, **k: approve(
            item_id=item_id, **k, digest_seen=LearningItem.objects.get(pk=item_id).digest, edited={"key": "password"}
        ),
        convert,
    ],
)
def test_who_may_not_decide_learns_nothing_from_trying(world, who, attempt):
    item = proposals.pending(world.it, "Xk29fjQ8hh", sensitive=True)
    answers = set()
    for content in ("Xk29fjQ8hh", "The gate is blue"):
        item.proposed_payload["content"] = content
        item.save()
        with pytest.raises(Denied) as caught:
            attempt(actor=world.actor(getattr(world, who)), item_id=item.pk, revision=1)
        answers.add(caught.value.detail)
    assert len(answers) == 1
    assert not LearningEvent.objects.filter(verb=Verb.LEARNING_REFUSED).exists()


def test_a_preview_is_the_same_whether_or_not_something_hidden_fits(world, as_user):
    item = proposals.pending(world.it, "Dentist appointments are free")
    proposals.known(world.it, "Dentist lists hang on the board")
    before, all_of_it = (page(as_user(user), "beside", item) for user in (world.ada, world.adam))
    hidden = proposals.known(world.it, f"Anna was at the dentist {'and again ' * 30}", sensitive=True)
    assert page(as_user(world.ada), "beside", item) == before and "without what is sensitive" in before
    assert page(as_user(world.adam), "beside", item) != all_of_it
    Memory.objects.filter(pk=hidden.pk).update(sensitive=False)
    assert page(as_user(world.ada), "beside", item) != before


def test_the_audit_does_not_say_that_something_hidden_is_like_it(world):
    proposals.known(world.it, "The London office uses gateway nine in summer", sensitive=True)
    item = proposals.pending(world.it, "The London office uses gateway nine in winter")
    event = LearningEvent.objects.get(verb=Verb.LEARNING_PROPOSED)
    assert item.near is None and "policy" not in event.details


@pytest.mark.parametrize("where", ["known", "waiting", "deleted", "rejected"])
@pytest.mark.parametrize("guess", ["4711", "4712"])
def test_proposing_by_hand_is_no_way_to_guess(world, where, guess):
    """Both guesses come to the same: an item of their own."""
    world.acme.separation_of_duties = True
    world.acme.save()
    world.it.refresh_from_db()
    if where in {"known", "deleted"}:
        hidden = proposals.known(world.it, "The vault opens with 4711", sensitive=True)
        if where == "deleted":
            Memory.objects.filter(pk=hidden.pk).update(status="deleted", deleted_at=timezone.now())
    else:
        hidden = proposals.pending(world.it, "The vault opens with 4711", sensitive=True)
        if where == "rejected":
            LearningItem.objects.filter(pk=hidden.pk).update(status="rejected", decided_at=timezone.now())
    content = f"The vault opens with {guess}"
    proposed = suggest(actor=world.actor(world.ada), role_agent=world.it, content=content)
    assert proposed.item is not None and proposed.item.title == content and proposed.item.is_pending
