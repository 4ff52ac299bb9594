"""The Soul tab, the shelf of souls and the page of each, as people use them."""

import pytest
from django.urls import reverse

from digitalworker.audit.selectors import last_event_of
from learning.models import LearningItem
from souls.models import Soul, SoulAssignment, SoulVersion
from souls.selectors import soul_of
from tests.souls.making import approved, proposed, soul_named

pytestmark = pytest.mark.django_db
TAB = reverse("souls:agent_soul", args=["it"])
PROPOSE = reverse("learning:propose_soul", args=["it"])


def text(answer) -> str:
    return " ".join(answer.content.decode().split())


def test_the_tab_stands_between_channels_and_memory(world, as_user):
    page = text(as_user(world.ada).get(TAB))
    places = [page.index(f'href="{reverse(name, args=["it"])}"') for name in ("agents:channels", "souls:agent_soul")]
    assert places[0] < places[1] < page.index(f'href="{reverse("learning:agent_memory", args=["it"])}"')


def test_the_tab_says_how_the_agent_talks_and_who_let_it_in(world, as_user):
    page = text(as_user(world.ada).get(TAB))
    for said in (
        "Balanced helper",
        "How it talks",
        "<li>Answer the question in the first sentence, then say what it rests on.</li>",
        "What it does not do",
        "Kept with the soul. No answer uses it yet.",
        "<dt>Let in by</dt><dd>Digital Worker</dd>",
        "The organisation’s default; nobody assigned another.",
        "Talks so: IT Agent and 2 more.",  # the others are not ada's to see by name
    ):
        assert said in page


def test_an_auditor_reads_and_has_no_buttons(world, as_user):
    page = text(as_user(world.cleo).get(TAB))
    assert "How it talks" in page
    assert "Give it another soul" not in page and "Propose" not in page and "Revert" not in page


def test_the_manager_assigns_pauses_and_resumes(world, as_user):
    browser = as_user(world.ada)
    answer = browser.post(reverse("souls:assign", args=["it"]), {"soul": "friendly_host", "revision": 0}, follow=True)
    assert "From its next answer on IT Agent talks by Friendly host." in text(answer)
    late = browser.post(reverse("souls:assign", args=["it"]), {"soul": "plain_writer", "revision": 0})
    assert late.status_code == 409 and "changed since you opened it" in text(late)
    assert SoulAssignment.objects.get().soul.code == "friendly_host"
    paused = browser.post(reverse("souls:switch", args=["it"]), {"to": "pause", "reason": "Too chatty"}, follow=True)
    assert "No answer of IT Agent has this tone until somebody resumes it." in text(paused)
    assert "<b>paused</b>" in text(paused)
    again = browser.post(reverse("souls:switch", args=["it"]), {"to": "pause"})
    assert again.status_code == 409 and "The soul of IT Agent is paused already." in text(again)
    browser.post(reverse("souls:switch", args=["it"]), {"to": "resume"})
    world.it.refresh_from_db()
    assert soul_of(world.it).code == "friendly_host"


def test_a_change_is_typed_against_what_is_in_use_and_waits_in_the_inbox(world, as_user):
    browser, held = as_user(world.ada), soul_named(world.acme).active_version
    page = text(browser.get(PROPOSE))
    assert "an owner or an admin decides" in page and "Answer the question in the first sentence" in page
    typed = {
        "tone_rules_md": held.tone_rules_md + "\n- Sign with the team’s name.",
        "do_not_do_md": held.do_not_do_md,
        "critique_rules_md": held.critique_rules_md,
        "rationale": "Guests ask who wrote to them",
    }
    changes = browser.post(PROPOSE, typed | {"then": "preview"}, headers={"HX-Request": "true", "HX-Target": "changes"})
    assert "What you change" in text(changes) and "Sign with the team’s name." in text(changes)
    assert "<html" not in text(changes) and not LearningItem.objects.exists()
    answer = browser.post(PROPOSE, typed, follow=True)
    item = LearningItem.objects.get()
    assert answer.redirect_chain[-1][0] == reverse("learning:item", args=[item.pk])
    assert (item.rationale, item.proposed_by) == ("Guests ask who wrote to them", world.ada)


def test_faults_are_shown_while_one_types_and_refused_with_the_words_kept(world, as_user):
    browser = as_user(world.ada)
    typed = {"tone_rules_md": "- Be warm.\n- Act without approval.", "do_not_do_md": "", "critique_rules_md": ""}
    shown = text(browser.post(PROPOSE, typed | {"then": "preview"}))
    assert "This will be refused" in shown and "“Act without approval.” asks the agent to act on its own." in shown
    answer = browser.post(PROPOSE, typed)
    assert answer.status_code == 422
    assert "“Act without approval.” asks the agent to act on its own." in text(answer)
    assert "- Be warm.\n- Act without approval.</textarea>" in answer.content.decode()
    assert not LearningItem.objects.exists()


def test_a_new_soul_is_proposed_and_approved_in_the_browser(world, as_user):
    browser = as_user(world.ada)
    typed = {"name": "Night porter", "code": "night_porter", "summary": "", "tone_rules_md": "- Be quiet and quick."}
    browser.post(PROPOSE + "?new=1", typed | {"do_not_do_md": "", "critique_rules_md": "", "rationale": ""})
    item = LearningItem.objects.get()
    page = text(browser.get(reverse("learning:item", args=[item.pk])))
    assert "Be quiet and quick." in page and "Night porter" in page
    assert "If you approve, Night porter is on the shelf. No agent talks so before somebody assigns it." in page
    decision = {"revision": item.revision, "digest": item.digest, "replaces": item.replaces_seen}
    edited = decision | {
        "tone_rules_md": "- Be quiet.",
        "do_not_do_md": "- Shout",
        "critique_rules_md": "",
        "then": "keep",
    }
    assert browser.get(reverse("learning:edit", args=[item.pk])).status_code == 200
    browser.post(reverse("learning:edit", args=[item.pk]), edited)
    item.refresh_from_db()
    assert item.proposed_payload["do_not_do_md"] == "- Shout"
    decision |= {"revision": item.revision, "digest": item.digest}
    browser.post(reverse("learning:approve", args=[item.pk]), decision)
    assert soul_named(world.acme, "night_porter").active_version.approved_by_label == "Ada"
    assert browser.get(reverse("learning:item", args=[item.pk])).status_code == 200


def test_any_two_versions_are_compared_and_an_admin_reverts(world, as_user):
    soul = soul_named(world.acme)
    approved(world, world.olga, proposed(world, world.olga, soul=soul))
    here = reverse("souls:soul", args=[soul.code])
    page = text(as_user(world.ada).get(here + "?from=1&to=2"))
    assert "From version 1 to 2" in page and "Answer in two sentences." in page and "Revert to it" not in page
    browser = as_user(world.adam)
    assert "Revert to it" in text(browser.get(here))
    assert "This is version 1." in text(browser.get(here + "?version=1"))
    answer = browser.post(reverse("souls:revert", args=[soul.code]), {"number": 1, "revision": 2}, follow=True)
    assert "Version 1 is in use again." in text(answer)
    late = browser.post(reverse("souls:revert", args=[soul.code]), {"number": 2, "revision": 2})
    assert late.status_code == 409 and "changed since you opened it" in text(late)


def test_of_a_sensitive_version_a_manager_sees_that_it_exists(world, as_user):
    soul = soul_named(world.acme)
    approved(world, world.olga, proposed(world, world.olga, soul=soul, sensitive=True))
    for address in (TAB, reverse("souls:soul", args=[soul.code]) + "?from=1&to=2"):
        page = text(as_user(world.ada).get(address))
        assert "two sentences" not in page and "Version 2, sensitive" in page
        assert "you can see that it exists" in page
        assert "two sentences" in text(as_user(world.cleo).get(address))
    assert as_user(world.ada).get(PROPOSE).status_code == 403


def test_the_shelf_tells_who_talks_by_which(world, as_user):
    approved(world, world.ada, proposed(world, world.ada))
    page = text(as_user(world.adam).get(reverse("souls:list")))
    assert page.index("Balanced helper") < page.index("Careful reviewer") < page.index("Night porter")
    assert "HR Agent, IT Agent, Shop Assistant" in page and "New soul" in page
    assert "New soul" not in text(as_user(world.ada).get(reverse("souls:list")))
    assert as_user(world.dan).get(reverse("souls:list")).status_code == 404


def test_an_admin_puts_a_soul_of_their_own_on_the_shelf_and_renames_it(world, as_user):
    browser = as_user(world.adam)
    typed = {"name": "Night porter", "code": "night_porter", "summary": "", "do_not_do_md": "", "critique_rules_md": ""}
    bad = browser.post(reverse("learning:create_soul"), typed | {"tone_rules_md": ""})
    assert bad.status_code == 400 and "Write something." in text(bad)
    browser.post(reverse("learning:create_soul"), typed | {"tone_rules_md": "- Be quiet."})
    taken = browser.post(reverse("learning:create_soul"), typed | {"tone_rules_md": "- Be loud."})
    assert taken.status_code == 409 and "There is a soul with the code “night_porter” already." in text(taken)
    answer = browser.post(
        reverse("souls:describe", args=["night_porter"]),
        {"name": "Porter", "summary": "Quiet", "revision": 2},
        follow=True,
    )
    assert '<h1 class="claim">Porter</h1>' in text(answer)
    assert as_user(world.ada).get(reverse("learning:create_soul")).status_code == 404


def test_words_of_a_soul_are_shown_as_words(world, as_user):
    soul = soul_named(world.acme)
    tone = "- <b onclick=alert(1)>Bold</b>\n- [here](javascript:alert(1))\n- zero\u200bwidth"
    version = SoulVersion.objects.create(
        organization=world.acme, soul=soul, number=2, tone_rules_md=tone, digest="x" * 64
    )
    Soul.objects.filter(pk=soul.pk).update(active_version=version)
    page = as_user(world.ada).get(TAB).content.decode()
    assert "<b onclick" not in page and 'href="javascript' not in page and "zero\u200bwidth" not in page


def test_who_decides_reads_what_a_change_changes(world, as_user):
    item = proposed(world, world.ada, soul=soul_named(world.acme))
    page = text(as_user(world.adam).get(reverse("learning:item", args=[item.pk])))
    assert "If you approve, every role-agent of Acme that has Balanced helper talks so from its next answer on." in page
    assert "What it changes" in page and "Answer the question in the first sentence" in page
    assert "An owner or admin decides about this." in text(
        as_user(world.ada).get(reverse("learning:item", args=[item.pk]))
    )


def test_the_audit_links_to_the_soul_and_its_version_and_tells_what_changed(world, as_user):
    soul = soul_named(world.acme)
    version = approved(world, world.olga, proposed(world, world.olga, soul=soul))
    event = last_event_of(soul)
    page = as_user(world.adam).get(reverse("agents:audit_event", args=[event.pk])).content.decode()
    assert "Olga activated soul balanced_helper" in page and "two sentences" not in page
    assert reverse("souls:by_id", args=[soul.pk]) in page and reverse("souls:by_version", args=[version.pk]) in page
    assert as_user(world.adam).get(reverse("souls:by_id", args=[soul.pk])).url == "/app/settings/souls/balanced_helper/"
    there = as_user(world.adam).get(reverse("souls:by_version", args=[version.pk])).url
    assert there == "/app/settings/souls/balanced_helper/?version=2"


def test_the_palette_finds_souls_by_name(world, as_user):
    assert "Careful reviewer" in text(as_user(world.ada).get(reverse("console:palette") + "?q=careful"))
    assert "Careful reviewer" not in text(as_user(world.dan).get(reverse("console:palette") + "?q=careful"))


def test_what_a_sensitive_soul_is_called_is_for_who_may_read_it(world, as_user):
    approved(world, world.olga, proposed(world, world.olga, sensitive=True))
    for address in (reverse("souls:list"), TAB, reverse("souls:soul", args=["night_porter"])):
        assert "Night porter" not in text(as_user(world.ada).get(address))
    assert "Sensitive soul" in text(as_user(world.ada).get(reverse("souls:list")))
    assert "Night porter" not in text(as_user(world.ada).get(reverse("console:palette") + "?q=porter"))
    assert "Night porter" in text(as_user(world.cleo).get(reverse("souls:list")))
