"""Nothing is replaced that nobody read: an approval is bound to the memory it was shown as what it takes the place of."""

import json
import re

import pytest
from django.urls import reverse

from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Conflict
from learning.actions.remember import delete_memory, edit_memory, remember
from learning.actions.review import approve, edit
from learning.models import LearningItem, Memory
from tests import factories

from . import proposals
from .test_review_races import all_at_once

HAMBURG, ROTTERDAM, ANTWERP = (f"Parcels leave from {place}" for place in ("Hamburg", "Rotterdam", "Antwerp"))
CHANGED = "What this would replace changed meanwhile. Read it again, then decide. Nothing was changed."
GONE = "What this was to replace is gone meanwhile. Read it again, then decide. Nothing was changed."
NOT_SHOWN = (
    "This would replace something you were not shown. Read it again, then decide; if you changed the key, save it and keep"
    " it pending first. Nothing was changed."
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def held(world, ada):
    return remember(actor=ada, role_agent=world.it, content=HAMBURG, key="ships_from")


@pytest.fixture
def item(world, held):
    return proposals.pending(world.it, ROTTERDAM, key="ships_from")


def let_in(actor, item, seen, **more):
    how = {"revision": item.revision, "digest_seen": item.digest, "replaces_seen": seen}
    return approve(actor=actor, item_id=item.pk, **how, **more)


def refused(actor, item, seen, detail, **more) -> Conflict:
    before = list(Memory.objects.order_by("id").values_list("id", "status", "content"))
    with pytest.raises(Conflict, match=re.escape(detail)) as caught:
        let_in(actor, item, seen, **more)
    assert caught.value.code == "replaces_changed"
    item.refresh_from_db()
    assert item.is_pending and list(Memory.objects.order_by("id").values_list("id", "status", "content")) == before
    assert not LearningEvent.objects.filter(verb="approved").exists()
    return caught.value


def test_what_was_shown_is_replaced(ada, held, item):
    memory = let_in(ada, item, held.as_seen).memory
    held.refresh_from_db()
    assert (held.superseded_by, memory.content) == (memory, ROTTERDAM)


def test_another_wording_another_holder_and_none_any_more_are_told(world, ada, held, item):
    shown = held.as_seen
    held = edit_memory(actor=ada, memory_id=held.pk, content=ANTWERP, revision=1)
    assert refused(ada, item, shown, CHANGED).extra["holder"] == str(held.pk)
    shown = held.as_seen
    other = remember(actor=ada, role_agent=world.it, content=HAMBURG, key="ships_from")
    refused(ada, item, shown, CHANGED)
    delete_memory(actor=ada, memory_id=other.pk, revision=1)
    assert refused(ada, item, other.as_seen, GONE).extra["holder"] is None
    assert let_in(ada, item, "").memory.content == ROTTERDAM


def test_a_holder_where_none_was_shown_is_told_also_under_another_key(world, ada, held, item):
    refused(ada, item, "", NOT_SHOWN)
    free = proposals.pending(world.it, "Blue", key="colour_of_parcels")
    refused(ada, free, "", NOT_SHOWN, edited={"key": "ships_from"})
    assert let_in(ada, free, "").memory.key == "colour_of_parcels"


def test_under_a_free_key_it_replaces_nothing_of_what_was_shown(ada, held, item):
    assert let_in(ada, item, held.as_seen, edited={"key": "ships_also_from"}).memory.key == "ships_also_from"
    held.refresh_from_db()
    assert held.is_live


def test_the_same_words_known_meanwhile_replace_nothing(world, ada, held, item):
    known = remember(actor=ada, role_agent=world.it, content=ROTTERDAM, key="ships_from")
    assert let_in(ada, item, held.as_seen).memory == known


def test_who_says_nothing_of_it_is_not_asked(ada, held, item):
    edit_memory(actor=ada, memory_id=held.pk, content=ANTWERP, revision=1)
    assert let_in(ada, item, None).memory.content == ROTTERDAM


def test_the_page_sends_what_it_showed(world, ada, held, item, as_user):
    browser, address = as_user(world.ada), reverse("learning:item", args=[item.pk])
    shown = f'name="replaces" value="{held.as_seen}"'
    assert shown in browser.get(address).text
    assert shown in browser.get(reverse("learning:edit", args=[item.pk])).text
    form = {"revision": item.revision, "digest": item.digest, "replaces": held.as_seen}
    held = edit_memory(actor=ada, memory_id=held.pk, content=ANTWERP, revision=1)
    answer = browser.post(reverse("learning:approve", args=[item.pk]), form)
    assert answer.status_code == 409
    assert CHANGED in answer.text and "Antwerp" in answer.text and f'value="{held.as_seen}"' in answer.text
    edited = {**form, "kind": "fact", "key": "ships_from", "content": "Parcels leave from Bremen", "then": "approve"}
    assert browser.post(reverse("learning:edit", args=[item.pk]), edited).status_code == 409
    without = {"revision": item.revision, "digest": item.digest}
    assert browser.post(reverse("learning:approve", args=[item.pk]), without).status_code == 409
    assert (
        browser.post(reverse("learning:approve", args=[item.pk]), form | {"replaces": held.as_seen}).status_code == 302
    )
    held.refresh_from_db()
    assert held.superseded_by.content == ROTTERDAM


def ticks(page) -> list[str]:
    return re.findall(r'name="item" value="([^"]+)"', page.text)


def test_many_at_once_leave_what_would_replace_something_else_than_the_list_was_drawn_with(
    world, ada, held, item, as_user
):
    bin_, gate = (remember(actor=ada, role_agent=world.it, content="North", key=key) for key in ("bin", "gate"))
    others = [proposals.pending(world.it, "South", key=key) for key in ("bin", "gate", "dock")]
    browser, inbox, bulk = as_user(world.ada), reverse("learning:inbox"), reverse("learning:bulk")
    values = ticks(browser.get(inbox))
    assert {value.rpartition(".")[2] for value in values} == {held.as_seen, bin_.as_seen, gate.as_seen, ""}
    edit_memory(actor=ada, memory_id=held.pk, content=ANTWERP, revision=1)
    delete_memory(actor=ada, memory_id=bin_.pk, revision=1)
    remember(actor=ada, role_agent=world.it, content="West", key="dock")

    page = browser.post(bulk, {"do": "approve", "item": values}, follow=True)
    assert "1 approved, 3 would replace something else than was shown." in page.text
    assert LearningEvent.objects.filter(verb="approved").count() == 1
    assert set(LearningItem.objects.filter(status="pending")) == {item, others[0], others[2]}
    gate.refresh_from_db()
    assert gate.superseded_by.content == "South"
    # What the row names as it is now is what it may replace; what it never named is read on its own.
    page = browser.post(bulk, {"do": "approve", "item": ticks(browser.get(inbox))}, follow=True)
    assert "2 approved, 1 would replace something else than was shown." in page.text
    assert LearningItem.objects.get(status="pending") == others[2]


def test_a_form_without_it_replaces_nothing_and_over_rest_it_is_not_asked(world, ada, held, item, as_user, client):
    browser, short = as_user(world.ada), f"{item.pk}.{item.revision}.{item.digest}"
    page = browser.post(reverse("learning:bulk"), {"do": "approve", "item": short}, follow=True)
    assert "0 approved, 1 would replace something else than was shown." in page.text
    headers = factories.bearer(factories.make_key("review", organization=world.acme))
    row = {"id": str(item.pk), "revision": item.revision, "digest": item.digest}

    def call(**more):
        body = json.dumps({"action": "approve", "items": [row | more]})
        address = reverse("api:learning-items-bulk")
        return client.post(address, body, content_type="application/json", headers=headers).json()["results"][0]

    told = call(replaces_seen="")
    assert (told["status"], told["code"], told["detail"]) == (409, "replaces_changed", NOT_SHOWN)
    assert call()["status"] == 200


def test_what_a_row_names_counts_only_while_it_is_known_under_the_same_key(world, ada, held, item):
    assert LearningItem.objects.get(pk=item.pk).replaces_seen == held.as_seen
    edit(actor=ada, item_id=item.pk, revision=1, changes={"key": "ships_also_from"})
    assert LearningItem.objects.get(pk=item.pk).replaces_seen == ""
    edit(actor=ada, item_id=item.pk, revision=2, changes={"key": "ships_from"})
    delete_memory(actor=ada, memory_id=held.pk, revision=1)
    assert LearningItem.objects.get(pk=item.pk).replaces_seen == ""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("round_", range(3))
def test_of_two_items_under_one_key_the_second_does_not_replace_the_first_unread(transactional_db, round_):
    world = factories.make_world()
    items = [proposals.pending(world.it, words, key="ships_from") for words in (HAMBURG, ROTTERDAM)]
    adam, olga = world.actor(world.adam), world.actor(world.olga)
    hands = dict(zip(items, (adam, olga), strict=True))
    answers = all_at_once(lambda item: let_in(hands[item], item, ""), items)
    (winner,) = [answer for answer in answers if isinstance(answer, LearningItem)]
    (told,) = [answer for answer in answers if isinstance(answer, Conflict)]
    assert (told.code, told.detail, told.extra["holder"]) == ("replaces_changed", NOT_SHOWN, str(winner.memory_id))
    assert Memory.objects.get().pk == winner.memory_id
