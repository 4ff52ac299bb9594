"""Who is given proposals is told: in the console, and by mail where there is a mail server. Adam gives, Ada gets."""

import smtplib
from datetime import timedelta
from unittest import mock

import pytest
from django.core.mail import send_mail
from django.template import TemplateSyntaxError
from django.urls import reverse
from django.utils import timezone

from digitalworker.agents.models import Membership
from learning.actions import notices
from learning.actions.bulk import Choice, decide
from learning.actions.notices import send_due
from learning.actions.reassign import reassign
from learning.models import AssignmentNotice
from learning.models.inbox import ATTEMPTS_MOST
from learning.selectors.operations import operations
from learning.tasks import mail_assigned
from tests.learning import proposals

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mail_server(settings):
    settings.SMTP_HOST, settings.PUBLIC_URL = "mail.acme.test", "https://dw.acme.test"


@pytest.fixture
def items(world):
    return [proposals.pending(world.it, f"The {what} is on floor two") for what in ("printer", "archive", "gym")]


def give(world, items, to=None, by=None):
    choices = [Choice(item.pk, item.revision) for item in items]
    return decide(actor=world.actor(by or world.adam), name="reassign", choices=choices, user_id=(to or world.ada).pk)


def a_minute_later():
    AssignmentNotice.objects.update(due_at=timezone.now() - timedelta(seconds=1))


def test_a_batch_is_one_mail_that_says_how_many_and_nothing_of_what(world, items, mailoutbox):
    give(world, items)
    assert send_due() == 0  # what else is assigned within a minute goes along
    a_minute_later()
    assert mail_assigned() == 1
    (mail,) = mailoutbox
    assert mail.to == ["ada@acme.test"]
    assert mail.subject == "3 proposals to decide at Acme"
    assert "3 proposals at Acme wait for your decision" in mail.body
    assert "https://dw.acme.test/app/digital-workers/learning?assignee=me" in mail.body
    for word in ("printer", "archive", "gym", "floor", "IT Agent"):
        assert word not in mail.body + mail.subject
    a_minute_later()
    assert send_due() == 0 and len(mailoutbox) == 1


def test_one_is_one(world, items, mailoutbox):
    give(world, items[:1])
    a_minute_later()
    send_due()
    assert mailoutbox[0].subject == "1 proposal to decide at Acme"
    assert "1 proposal at Acme waits for your decision" in mailoutbox[0].body


def test_nobody_is_told_what_they_did_themselves_or_what_is_no_more(world, items, mailoutbox):
    give(world, items[:1], by=world.ada)
    assert not AssignmentNotice.objects.exists()
    (result,) = give(world, items[1:2])
    reassign(actor=world.actor(world.adam), item_id=result.item_id, revision=result.item.revision)
    decide(
        actor=world.actor(world.ada),
        name="reject",
        choices=[Choice(items[0].pk, items[0].revision + 1, items[0].digest)],
    )
    a_minute_later()
    assert send_due() == 0
    give(world, items[2:])
    Membership.objects.filter(user=world.ada).delete()
    a_minute_later()
    assert send_due() == 0 and not mailoutbox
    assert not AssignmentNotice.objects.exists()


def test_without_a_mail_server_nothing_is_owed(world, items, settings):
    settings.SMTP_HOST = ""
    give(world, items)
    assert not AssignmentNotice.objects.exists()


def test_a_mail_server_that_is_down_loses_no_mail_and_no_assignment(world, items, mailoutbox, monkeypatch):
    def down(*args, **kwargs):
        raise smtplib.SMTPServerDisconnected("gone")

    with monkeypatch.context() as broken:
        broken.setattr(notices, "send_mail", down)
        give(world, items)
        a_minute_later()
        assert send_due() == 0
        assert AssignmentNotice.objects.get().due_at > timezone.now() + timedelta(minutes=9)
    a_minute_later()
    assert send_due() == 1 and len(mailoutbox) == 1


FAULTS = {
    "the server closes": ("send_mail", smtplib.SMTPServerDisconnected("gone")),
    "the server refuses the address": ("send_mail", smtplib.SMTPRecipientsRefused({"ada@acme.test": (550, b"who?")})),
    "no connection": ("send_mail", ConnectionRefusedError()),
    "an address no mail can hold": ("send_mail", ValueError("Invalid address")),
    "a broken template": ("render_to_string", TemplateSyntaxError("endif")),
    "a bug of ours": ("_waiting_for", AttributeError("nobody")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_is_wrong_ends_after_five_tries_and_is_shown(world, items, mailoutbox, monkeypatch, fault, caplog):
    name, error = FAULTS[fault]
    broken = mock.Mock(side_effect=error)
    monkeypatch.setattr(notices, name, broken)
    give(world, items)
    for tries in range(1, ATTEMPTS_MOST + 3):
        a_minute_later()
        assert operations(world.actor(world.olga)).unsent == (tries > ATTEMPTS_MOST)
        assert send_due() == 0
        assert broken.call_count == min(tries, ATTEMPTS_MOST)
    told = [record.msg for record in caplog.records]
    assert [line["event"] for line in told] == [*["notice not mailed, will be tried again"] * 4, "notice not mailed"]
    assert told[-1]["error"] == type(error).__name__ and told[-1]["attempt"] == 5
    assert "ada@" not in caplog.text
    assert operations(world.actor(world.gus)).unsent == 0

    monkeypatch.undo()
    give(world, [proposals.pending(world.it, "The lift is out of order")])
    a_minute_later()
    assert send_due() == 1
    assert mailoutbox[0].subject == "4 proposals to decide at Acme"
    assert not AssignmentNotice.objects.exists()


def test_a_mail_that_can_not_be_sent_holds_up_no_other_and_the_page_says_so(
    world, items, mailoutbox, monkeypatch, as_user
):
    def not_to_ada(subject, body, sender, to):
        if to == ["ada@acme.test"]:
            raise ValueError("Invalid address")
        return send_mail(subject, body, sender, to)

    monkeypatch.setattr(notices, "send_mail", not_to_ada)
    give(world, items[:2])
    give(world, items[2:], to=world.olga)
    a_minute_later()
    assert send_due() == 1
    assert [mail.to for mail in mailoutbox] == [["olga@acme.test"]]

    page = reverse("learning:operations")
    assert "Mail could not be sent" not in as_user(world.adam).get(page).text
    AssignmentNotice.objects.update(attempts=ATTEMPTS_MOST, due_at=timezone.now())
    assert "1 person was not told by mail what they were given to decide" in as_user(world.adam).get(page).text
    AssignmentNotice.objects.update(due_at=timezone.now() - timedelta(days=8))
    assert "Mail could not be sent" not in as_user(world.adam).get(page).text


def test_what_is_given_while_a_mail_is_on_its_way_is_told_in_another(world, items, mailoutbox, monkeypatch):
    def meanwhile(*args, **kwargs):
        monkeypatch.undo()
        give(world, items[2:])

    give(world, items[:2])
    a_minute_later()
    monkeypatch.setattr(notices, "send_mail", meanwhile)
    assert send_due() == 1
    owed = AssignmentNotice.objects.get()
    assert owed.attempts == 0
    a_minute_later()
    assert send_due() == 1
    assert mailoutbox[0].subject == "3 proposals to decide at Acme"


def test_the_console_says_how_many_were_given(world, items, as_user):
    give(world, items[:2])
    page = as_user(world.ada).get("/app/")
    assert "Assigned to you" in page.text
    assert as_user(world.ada).get("/app/digital-workers/learning/assigned").url.endswith("learning?assignee=me")
    assert "Assigned to you" not in as_user(world.adam).get("/app/").text
