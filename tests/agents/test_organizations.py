"""Who joins, rises, falls and leaves, and that an organisation never loses its last owner."""

import threading

import pytest
from django.core import mail
from django.db import connection
from django.urls import reverse

from digitalworker.agents.accounts import set_password_path
from digitalworker.agents.actions import organizations as actions
from digitalworker.agents.choices import Role, StorageMode
from digitalworker.agents.models import AgentManager, Membership, Organization, User
from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.common.errors import Conflict, Denied, Invalid, NotFound
from tests.factories import PASSWORD, add, login, make_user, make_world


def of(user, organization):
    return Membership.objects.get(user=user, organization=organization)


def verbs():
    return list(LearningEvent.objects.order_by("id").values_list("verb", flat=True))


@pytest.mark.parametrize("who", ["dan", "ada", "cleo"])
def test_only_owners_and_admins_add_members(world, who):
    with pytest.raises(Denied, match="Only an owner or an admin of the organisation may do this"):
        actions.add_member(actor=world.actor(getattr(world, who)), email="eva@acme.test")
    assert not User.objects.filter(email="eva@acme.test").exists()
    assert verbs() == []


def test_adam_adds_eva_who_sets_her_password_by_the_link_and_gets_in(world, client):
    welcome = actions.add_member(actor=world.actor(world.adam), email=" eva@acme.test ", name="Eva", role="auditor")
    eva = welcome.membership.user
    assert not eva.has_usable_password()
    event = LearningEvent.objects.get()
    assert (event.verb, event.sentence) == (Verb.MEMBER_ADDED, "Adam added Eva as auditor")
    assert event.details == {"role": "auditor", "new_account": True}

    answer = client.get(welcome.set_password_path, follow=True)
    target = answer.request["PATH_INFO"]
    client.post(target, {"password1": "a long password", "password2": "a long password"})
    answer = client.post("/accounts/login/", {"login": "EVA@acme.test", "password": "a long password"})
    assert answer["Location"] == "/app/"
    assert client.get("/app/audit").status_code == 200


def reset_by_mail(client, user):
    """What "Forgot password" leads to."""
    target = client.get(set_password_path(user), follow=True).request["PATH_INFO"]
    client.post(target, {"password1": "another long password", "password2": "another long password"})
    user.refresh_from_db()


def test_an_account_another_organisation_may_hold_is_not_let_in_until_its_address_was_shown_to_be_its_own(
    world, client
):
    """Globex adds Eva's address, keeps the link and sets the password; Acme then invites the real Eva."""
    theirs = actions.add_member(actor=world.actor(world.gus), email="eva@acme.test")
    target = client.get(theirs.set_password_path, follow=True).request["PATH_INFO"]
    client.post(target, {"password1": "known to globex", "password2": "known to globex"})
    eva = theirs.membership.user
    with pytest.raises(Conflict, match="Ask them to use “Forgot password”"):
        actions.add_member(actor=world.actor(world.olga), email="eva@acme.test")
    eva.refresh_from_db()
    assert eva.check_password("known to globex") and not eva.email_confirmed

    reset_by_mail(client, eva)
    assert eva.email_confirmed and not eva.check_password("known to globex")
    assert actions.add_member(actor=world.actor(world.olga), email="eva@acme.test").membership.user == eva


def test_somebody_with_an_account_is_added_without_a_link_to_it(world):
    User.objects.filter(pk=world.gus.pk).update(email_confirmed=True)
    welcome = actions.add_member(actor=world.actor(world.olga), email="GUS@globex.test")
    assert welcome.set_password_path is None
    assert welcome.membership.user == world.gus
    assert world.gus.check_password(PASSWORD)


def test_a_link_another_organisation_still_holds_does_not_open_ours(world, client):
    theirs = actions.add_member(actor=world.actor(world.gus), email="eva@acme.test")
    ours = actions.add_member(actor=world.actor(world.olga), email="eva@acme.test")
    assert ours.set_password_path is None
    answer = client.get(theirs.set_password_path, follow=True)
    assert answer.context["token_fail"]
    with pytest.raises(Denied, match="can reset it on the log-in page"):
        actions.new_password_link(actor=world.actor(world.olga), membership_id=ours.membership.pk)


def test_nobody_is_added_twice(world):
    with pytest.raises(Conflict, match="Ada is a member already"):
        actions.add_member(actor=world.actor(world.olga), email="ada@acme.test")


def test_a_switched_off_account_is_not_added(world):
    User.objects.filter(pk=world.gus.pk).update(is_active=False)
    with pytest.raises(Conflict, match="This account is switched off"):
        actions.add_member(actor=world.actor(world.olga), email="gus@globex.test")


@pytest.mark.parametrize("email", ["", "eva", "eva@", "a b@c.de", "eva@acme.test\nbcc: x@y.zz"])
def test_what_is_no_address_is_refused(world, email):
    with pytest.raises(Invalid) as caught:
        actions.add_member(actor=world.actor(world.olga), email=email)
    assert caught.value.errors["email"] == ["Write an e-mail address such as ada@example.org."]


def test_an_admin_makes_no_owner_and_touches_none(world):
    adam = world.actor(world.adam)
    with pytest.raises(Denied, match="Only an owner may make somebody an owner"):
        actions.add_member(actor=adam, email="eva@acme.test", role=Role.OWNER)
    with pytest.raises(Denied, match="Only an owner may make somebody an owner"):
        actions.change_role(actor=adam, membership_id=of(world.adam, world.acme).pk, role=Role.OWNER)
    add(world.acme, world.gus, Role.OWNER)
    for action, extra in ((actions.change_role, {"role": "member"}), (actions.remove_member, {})):
        with pytest.raises(Denied, match="Only an owner may change or remove an owner"):
            action(actor=adam, membership_id=of(world.olga, world.acme).pk, **extra)
    assert of(world.olga, world.acme).role == Role.OWNER


def test_another_link_is_told_as_what_it_is(world):
    """It opens an account, so its line in the audit may not read like a change of role."""
    eva = actions.add_member(actor=world.actor(world.adam), email="eva@acme.test", name="Eva").membership
    assert actions.new_password_link(actor=world.actor(world.adam), membership_id=eva.pk).startswith("/accounts/")
    event = LearningEvent.objects.latest("id")
    assert (event.verb, event.sentence) == ("member_linked", "Adam made a set-password link for Eva")
    assert event.details == {}


def test_an_actor_from_before_a_demotion_has_no_power_left(world):
    adam = world.actor(world.adam)
    Membership.objects.filter(user=world.adam).update(role=Role.MEMBER)
    with pytest.raises(Denied):
        actions.change_role(actor=adam, membership_id=of(world.dan, world.acme).pk, role=Role.ADMIN)


def test_another_organisations_member_does_not_exist(world):
    theirs = of(world.gus, world.globex).pk
    for action, extra in ((actions.change_role, {"role": "member"}), (actions.remove_member, {})):
        with pytest.raises(NotFound, match="There is no such membership"):
            action(actor=world.actor(world.olga), membership_id=theirs, **extra)


def test_olga_makes_dan_an_admin(world):
    actions.change_role(actor=world.actor(world.olga), membership_id=of(world.dan, world.acme).pk, role=Role.ADMIN)
    event = LearningEvent.objects.get()
    assert event.sentence == "Olga changed the role of Dan"
    assert event.details == {"changed": {"role": ["member", "admin"]}}


def test_the_same_role_again_is_no_event(world):
    actions.change_role(actor=world.actor(world.olga), membership_id=of(world.dan, world.acme).pk, role=Role.MEMBER)
    assert verbs() == []


def test_who_is_removed_stops_managing_and_each_loss_is_told(world):
    actions.remove_member(actor=world.actor(world.adam), membership_id=of(world.ada, world.acme).pk, reason="left")
    assert verbs() == [Verb.MANAGER_REMOVED, Verb.MEMBER_REMOVED]
    assert LearningEvent.objects.filter(role_agent_id=world.it.pk).get().sentence == "Adam removed Ada as a manager"
    assert not AgentManager.objects.filter(user=world.ada).exists()
    assert User.objects.filter(pk=world.ada.pk).exists()


def test_everybody_may_leave_but_not_the_last_owner(world):
    actions.remove_member(actor=world.actor(world.dan), membership_id=of(world.dan, world.acme).pk)
    for action, extra in ((actions.remove_member, {}), (actions.change_role, {"role": "admin"})):
        with pytest.raises(Conflict, match=r"Olga is the last owner\. Make somebody else an owner first") as caught:
            action(actor=world.actor(world.olga), membership_id=of(world.olga, world.acme).pk, **extra)
        assert caught.value.code == "last_owner"
    assert of(world.olga, world.acme).role == Role.OWNER


def test_an_owner_who_can_not_log_in_counts_for_nothing(world):
    add(world.acme, make_user("Ghost", is_active=False), Role.OWNER)
    with pytest.raises(Conflict, match="last owner"):
        actions.remove_member(actor=world.actor(world.olga), membership_id=of(world.olga, world.acme).pk)


@pytest.mark.parametrize("how", ["demote", "remove", "leave"])
def test_two_owners_removing_each_other_at_once_leave_one(transactional_db, how):
    world = make_world()
    add(world.acme, world.gus, Role.OWNER)
    olga, gus = world.actor(world.olga), actions.actor_for_membership(of(world.gus, world.acme), world.gus)
    mine, theirs = of(world.olga, world.acme).pk, of(world.gus, world.acme).pk
    start, answers = threading.Barrier(2), []

    def go(actor, target):
        start.wait()
        try:
            if how == "demote":
                actions.change_role(actor=actor, membership_id=target, role=Role.MEMBER)
            else:
                actions.remove_member(actor=actor, membership_id=target)
            answers.append("done")
        except (Conflict, Denied, NotFound) as error:
            answers.append(type(error).__name__)
        finally:
            connection.close()

    pairs = [(olga, mine), (gus, theirs)] if how == "leave" else [(olga, theirs), (gus, mine)]
    threads = [threading.Thread(target=go, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers)[-1] == "done"
    assert len(answers) == 2
    assert Membership.objects.filter(organization=world.acme, role=Role.OWNER).count() == 1


def test_a_new_organisation_has_an_owner_and_an_address_of_its_own(world):
    nell = make_user("Nell")
    first = actions.create_organization(name="Acme", owner=nell)
    assert first.slug == "acme-2"
    assert of(nell, first).role == Role.OWNER
    assert LearningEvent.objects.get().organization_id == first.pk
    assert actions.create_organization(name="株式会社", owner=nell).slug == "organization"


def test_storage_is_changed_by_admins_and_told(world):
    with pytest.raises(Denied):
        actions.change_storage_mode(actor=world.actor(world.ada), storage_mode=StorageMode.METADATA_ONLY)
    actions.change_storage_mode(actor=world.actor(world.adam), storage_mode=StorageMode.METADATA_ONLY)
    assert not Organization.objects.get(pk=world.acme.pk).stores_text
    assert LearningEvent.objects.get().details == {"changed": {"storage_mode": ["full", "metadata_only"]}}


@pytest.mark.parametrize("who", ["ada", "ben", "cleo", "dan"])
def test_how_carefully_it_decides_is_not_for_everybody_to_say(world, who):
    with pytest.raises(Denied, match="Only an owner or an admin of the organisation may do this"):
        actions.change_care(actor=world.actor(getattr(world, who)), separation_of_duties=True, redact_secrets=True)
    assert not Organization.objects.get(pk=world.acme.pk).separation_of_duties


def test_an_admin_separates_duties_and_has_secrets_blanked_on_the_page(world, as_user):
    page = reverse("agents:organization")
    client = as_user(world.adam)
    assert client.post(page, {"form": "care", "separation_of_duties": "on"}).status_code == 302
    organization = Organization.objects.get(pk=world.acme.pk)
    assert (organization.separation_of_duties, organization.redact_secrets) == (True, False)
    told = LearningEvent.objects.get()
    assert (told.verb, told.sentence) == ("settings_changed", "Adam changed the settings of Acme")
    assert told.details == {"changed": {"separation_of_duties": [False, True]}}
    text = client.get(page).content.decode()
    switch = text[text.index('name="separation_of_duties"') :]
    assert "checked" in switch[: switch.index(">")]
    client.post(page, {"form": "care", "redact_secrets": "on"})
    organization.refresh_from_db()
    assert (organization.separation_of_duties, organization.redact_secrets) == (False, True)
    assert not Organization.objects.get(pk=world.globex.pk).redact_secrets


# --- on the pages -----------------------------------------------------------------------------------------------------


def test_the_members_page_adds_somebody_and_shows_the_link_once(world, as_user):
    client = as_user(world.olga)
    answer = client.post(reverse("agents:add_member"), {"email": "eva@acme.test", "name": "Eva", "role": "member"})
    assert answer["Cache-Control"] == "no-store"
    assert answer.context["link"].startswith("http://testserver/accounts/password/reset/key/")
    assert mail.outbox == []
    again = client.post(reverse("agents:add_member"), {"email": "eva@acme.test", "name": "Eva", "role": "member"})
    assert b"Eva is a member already." in again.content
    assert b'value="eva@acme.test"' in again.content


def test_the_link_is_mailed_where_mail_is_set_up(world, as_user, settings):
    settings.SMTP_HOST, settings.PUBLIC_URL = "mail.acme.test", "https://worker.acme.test/"
    as_user(world.olga).post(
        reverse("agents:add_member"), {"email": "eva@acme.test", "name": "Eva <b>", "role": "member"}
    )
    (message,) = mail.outbox
    assert message.to == ["eva@acme.test"]
    assert "Hello Eva <b>" in message.body
    assert "https://worker.acme.test/accounts/password/reset/key/" in message.body


@pytest.mark.parametrize("who", ["ada", "cleo", "dan"])
def test_others_can_not_post_to_the_members_pages(world, as_user, who):
    client, target = as_user(getattr(world, who)), of(world.ben, world.acme).pk
    for name in ("member", "remove_member", "member_link"):
        assert client.post(reverse(f"agents:{name}", args=[target]), {"role": "owner"}).status_code == 404
    assert of(world.ben, world.acme).role == Role.MEMBER


def test_the_last_owners_page_says_why_not(world, as_user):
    mine = of(world.olga, world.acme).pk
    answer = as_user(world.olga).post(reverse("agents:member", args=[mine]), {"role": "member"})
    assert "Olga is the last owner. Make somebody else an owner first." in answer.content.decode()
    answer = as_user(world.olga).post(reverse("agents:remove_member", args=[mine]))
    assert answer.status_code == 409


def test_sign_up_is_closed(db, client):
    assert b"password1" not in client.get("/accounts/signup/").content
    client.post("/accounts/signup/", {"email": "x@y.test", "password1": "a long password"})
    assert not User.objects.exists()


def test_a_log_in_does_not_tell_who_has_an_account(world, client):
    def trying(email):
        answer = client.post("/accounts/login/", {"login": email, "password": "wrong wrong wrong"})
        return answer.status_code, answer.context["form"].errors.as_json()

    assert trying("olga@acme.test") == trying("nobody@acme.test")


def test_nobody_takes_over_an_address_somebody_will_be_invited_under(world, client):
    login(client, world.dan)
    client.post("/accounts/email/", {"action_add": "", "email": "future@acme.test"})
    world.dan.refresh_from_db()
    assert world.dan.email == "dan@acme.test"
    from allauth.account.models import EmailAddress

    assert not EmailAddress.objects.filter(email="future@acme.test").exists()
