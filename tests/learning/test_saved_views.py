"""Views of the inbox belong to one person in one organisation. Ada and Adam are colleagues; Gus is of another organisation."""

from urllib.parse import urlencode

import pytest

from digitalworker.agents.choices import Role
from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Conflict, Denied, Full, Invalid, NotFound, Refused
from digitalworker.common.types import system_actor
from learning.actions import saved_views as actions
from learning.actions.saved_views import delete_view, move_view, rename_view, save_view, set_default_view
from learning.models import SavedView
from learning.selectors.views import views_of
from tests import factories
from tests.learning import proposals

pytestmark = pytest.mark.django_db
INBOX = "/app/digital-workers/learning"


def names(actor) -> list[str]:
    return [view.name for view in views_of(actor)]


# --- whose --------------------------------------------------------------------------------------------------------
def test_nobody_else_sees_or_changes_a_view(world, ada):
    view = save_view(actor=ada, name="Grave ones", query="risk=high")
    for other in (world.actor(world.adam), world.actor(world.gus)):
        assert names(other) == []
        for change in (
            lambda who: rename_view(actor=who, view_id=view.pk, name="x"),
            lambda who: delete_view(actor=who, view_id=view.pk),
            lambda who: move_view(actor=who, view_id=view.pk, step=1),
            lambda who: set_default_view(actor=who, view_id=view.pk, default=True),
        ):
            with pytest.raises(NotFound, match="There is no such view."):
                change(other)
    assert names(ada) == ["Grave ones"]
    with pytest.raises(Denied, match="Views belong to people."):
        save_view(actor=system_actor(world.acme.pk), name="x", query="")


def test_one_person_has_other_views_in_another_organisation(world, ada):
    save_view(actor=ada, name="Grave ones", query="risk=high")
    factories.add(world.globex, world.ada, Role.ADMIN)
    there = factories.actor(world.ada, world.globex)
    assert names(there) == []
    save_view(actor=there, name="Grave ones", query="")
    assert names(ada) == names(there) == ["Grave ones"]


# --- what is kept -------------------------------------------------------------------------------------------------
def test_a_view_keeps_only_what_filters_mean(ada):
    view = save_view(actor=ada, name="  Grave\n ones ", query="risk=high&cursor=abc&nonsense=1&kind=x")
    assert (view.name, view.query) == ("Grave ones", "risk=high")
    assert not LearningEvent.objects.exists()


@pytest.mark.parametrize("name", ["q", "agent"])
def test_what_is_searched_for_holds_no_secret(ada, name):
    with pytest.raises(Refused, match="query: This text holds what looks like a password, so it was not stored."):
        save_view(actor=ada, name="Mine", query=urlencode({name: "my password is " + "hunt" + "er2"}))
    assert not SavedView.objects.exists()


def test_a_name_is_there_once_and_fits(ada):
    view = save_view(actor=ada, name="Grave", query="risk=high")
    with pytest.raises(Conflict, match="You have a view of this name. Choose another name; nothing was saved."):
        save_view(actor=ada, name="GRAVE", query="")
    other = save_view(actor=ada, name="Other", query="")
    with pytest.raises(Conflict, match="You have a view of this name."):
        rename_view(actor=ada, view_id=other.pk, name="grave")
    for name, message in (("", "name: write something."), ("x" * 61, "name: 61 characters are too many")):
        with pytest.raises(Invalid, match=message):
            rename_view(actor=ada, view_id=view.pk, name=name)
    assert rename_view(actor=ada, view_id=view.pk, name="Gravest").name == "Gravest"


def test_there_is_room_for_so_many(ada):
    for n in range(actions.MOST):
        save_view(actor=ada, name=f"View {n}", query="")
    with pytest.raises(Full, match="You have 20 views, which is all there is room for."):
        save_view(actor=ada, name="One more", query="")


def test_views_are_moved_and_stay_at_the_ends(ada):
    a, b, c = (save_view(actor=ada, name=name, query="") for name in "abc")
    move_view(actor=ada, view_id=c.pk, step=-1)
    assert names(ada) == ["a", "c", "b"]
    move_view(actor=ada, view_id=b.pk, step=1)
    move_view(actor=ada, view_id=a.pk, step=-1)
    assert names(ada) == ["a", "c", "b"]
    delete_view(actor=ada, view_id=c.pk)
    save_view(actor=ada, name="d", query="")
    assert names(ada) == ["a", "b", "d"]


def test_at_most_one_opens_first(ada):
    first, second = (save_view(actor=ada, name=name, query="") for name in "ab")
    set_default_view(actor=ada, view_id=first.pk, default=True)
    set_default_view(actor=ada, view_id=second.pk, default=True)
    assert list(SavedView.objects.filter(is_default=True)) == [second]
    set_default_view(actor=ada, view_id=second.pk, default=False)
    assert not SavedView.objects.filter(is_default=True).exists()


# --- pages --------------------------------------------------------------------------------------------------------
def test_filters_are_kept_found_again_and_opened_first(world, as_user):
    proposals.pending(world.it, "Refunds go out unasked", risk="high")
    proposals.pending(world.it, "The printer is on floor two")
    browser = as_user(world.ada)
    assert "Keep these filters" in browser.get(f"{INBOX}?risk=high").text
    page = browser.get(f"{INBOX}/views?risk=high")
    assert "Keep what you were looking at" in page.text and "High risk" in page.text
    page = browser.post(f"{INBOX}/views?risk=high", {"name": "Grave ones"}, follow=True)
    assert page.redirect_chain == [(f"{INBOX}?risk=high", 302)]
    assert "Kept as “Grave ones”." in page.text and "Keep these filters" not in page.text

    view = SavedView.objects.get()
    browser.post(f"{INBOX}/views/{view.pk}/", {"do": "default"})
    page = browser.get(INBOX, follow=True)
    assert page.redirect_chain == [(f"{INBOX}?risk=high", 302)]
    listed = page.text.split('id="work"')[0]
    assert "Refunds" in listed and "printer" not in listed
    assert f'href="{INBOX}?status=pending"' in listed  # the way to everything does not lead back to the view
    assert "printer" in browser.get(f"{INBOX}?status=pending").text.split('id="work"')[0]


def test_a_secret_in_a_view_is_told_on_the_page_and_not_kept(world, as_user):
    browser, secret = as_user(world.ada), "my password is " + "hunt" + "er2"
    for address, name in ((f"{INBOX}/views?{urlencode({'q': secret})}", "Mine"), (f"{INBOX}/views?risk=low", secret)):
        page = browser.post(address, {"name": name})
        assert page.status_code == 422 and "This text holds what looks like a password" in page.text
    assert not SavedView.objects.exists()


def test_a_refused_name_stays_to_be_mended(world, as_user):
    browser = as_user(world.ada)
    browser.post(f"{INBOX}/views?risk=high", {"name": "Grave"})
    page = browser.post(f"{INBOX}/views?risk=low", {"name": "grave"})
    assert page.status_code == 409
    assert "You have a view of this name." in page.text and 'value="grave"' in page.text
    page = browser.post(f"{INBOX}/views/{SavedView.objects.get().pk}/", {"do": "rename", "name": ""})
    assert page.status_code == 400 and "name: write something." in page.text
    browser.post(f"{INBOX}/views/{SavedView.objects.get().pk}/", {"do": "delete"})
    assert not SavedView.objects.exists()
    assert "No view yet" in browser.get(f"{INBOX}/views").text
