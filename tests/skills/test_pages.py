"""The tab Skills and the page of one skill, as each person sees them."""

import io
import re
import zipfile

import pytest

from digitalworker.audit.models import LearningEvent
from skills.actions.lifecycle import archive, pause
from skills.document import parse
from skills.models import Skill
from skills.package import File
from skills.slots import skill_cards
from tests.skills.making import document, let_in, three_versions

LIST = "/app/settings/digital-workers/it/skills/"


def at(skill):
    return f"/app/skills/{skill.pk}/"


def text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


@pytest.fixture
def hidden(world, adam):
    source = document("leave-of-the-boss", "What to say about the illness.", procedure="1. Say nothing of the clinic.")
    return let_in(adam, world.it, source, sensitive=True, files=(File("clinic.txt", b"St. Mary"),)).skill


WORDS = ("leave-of-the-boss", "illness", "clinic", "St. Mary")


# --- the list ---------------------------------------------------------------------------------------------------------


def test_the_list_says_what_is_in_use_and_who_let_it_in(world, as_user, adam, skill):
    let_in(adam, None, document("fire-drill", scope="organization"))
    let_in(adam, world.hr, document("parental-leave"))
    Skill.objects.filter(pk=skill.pk).update(use_count=7)
    page = as_user(world.ada).get(LIST)
    shown = text(page)
    assert "expense-claim Checks an expense claim against the travel policy." in shown
    assert re.search(r"active 3 medium +Adam 7 never", shown)
    assert re.search(r"fire-drill .* of everyone", shown) and "parental-leave" not in shown
    assert "Active 2" in shown and "Paused 0" in shown


def test_filters_and_search_have_addresses(world, as_user, adam, skill):
    other = let_in(adam, world.it, document("vpn-gateway", "Which gateway London uses.")).skill
    pause(actor=adam, skill_id=other.pk, revision=other.revision)
    ada = as_user(world.ada)
    assert "vpn-gateway" not in text(ada.get(LIST))
    assert "vpn-gateway" in text(ada.get(LIST + "?status=paused"))
    assert "vpn-gateway" in text(ada.get(LIST + "?status=paused&q=LONDON"))
    assert "expense-claim" in text(ada.get(LIST + "?q=expense claim"))
    missed = text(ada.get(LIST + "?q=nothing"))
    assert "Nothing matches" in missed and "Show all" in missed
    assert "expense-claim" in text(ada.get(LIST + "?status=of-old&x=y"))


def test_three_ways_to_be_empty(world, as_user):
    ada = as_user(world.ada)
    assert "No skills yet" in text(ada.get(LIST))
    assert "Nothing is paused" in text(ada.get(LIST + "?status=paused"))
    assert "Nothing is archived" in text(ada.get(LIST + "?status=archived"))


def test_a_page_of_the_list_leads_to_the_next(world, as_user, adam, monkeypatch):
    monkeypatch.setattr("skills.reading.PAGE_SIZE", 2)
    for name in ("c-three", "a-one", "b-two"):
        let_in(adam, world.it, document(name))
    ada = as_user(world.ada)
    first = ada.get(LIST)
    assert re.search(r"a-one.*b-two", text(first)) and "c-three" not in text(first)
    (link,) = re.findall(r'href="(\?cursor=[^"]+)"', first.content.decode())
    assert "c-three" in text(ada.get(LIST + link.replace("&amp;", "&")))


def test_a_sensitive_skill_is_a_line_without_words_for_a_manager(world, as_user, skill, hidden, monkeypatch):
    monkeypatch.setattr("skills.reading.PAGE_SIZE", 1)
    ada = as_user(world.ada)
    pages = ada.get(LIST)
    (link,) = re.findall(r'href="(\?cursor=[^"]+)"', pages.content.decode())
    second = ada.get(LIST + link.replace("&amp;", "&"))
    shown = text(pages) + text(second)
    assert "Sensitive skill" in shown and "An owner or admin can read it" in shown
    assert not any(word in shown for word in WORDS)
    assert "Nothing matches" in text(ada.get(LIST + "?q=boss"))
    assert "Nothing matches" in text(ada.get(LIST + "?q=illness"))
    (back,) = re.findall(r'rel="prev" href="\?cursor=([^"]+)"', second.content.decode())
    import base64

    assert b"boss" not in base64.urlsafe_b64decode(back + "==")
    assert "leave-of-the-boss" in text(as_user(world.cleo).get(LIST + "?q=illness"))


@pytest.mark.parametrize("many", [1, 30])
def test_the_list_asks_the_same_however_long_it_is(world, as_user, adam, django_assert_max_num_queries, many):
    for number in range(many):
        let_in(adam, world.it, document(f"skill-{number}"))
    ada = as_user(world.ada)
    ada.get(LIST)
    with django_assert_max_num_queries(12):
        ada.get(LIST)


# --- one skill --------------------------------------------------------------------------------------------------------


def test_the_page_says_what_it_says_and_where_it_comes_from(world, as_user, skill):
    page = as_user(world.ada).get(at(skill))
    shown = text(page)
    assert "expense-claim" in shown and "Pay within 30 days." in shown
    assert "<h3>Procedure</h3>" in page.content.decode()
    assert "Proposed by Ben, written by hand" in shown and "Approved by Adam" in shown
    assert skill.active_version.digest[:12] in shown
    for label in ("Pause", "Archive", "Revert to it", "Export"):
        assert label in shown
    assert "Resume" not in shown
    assert "Adam put version 3 in use" in shown


def test_as_source_every_character_is_there(world, as_user, skill):
    page = as_user(world.ada).get(at(skill) + "?as=source")
    assert "## Procedure" in page.content.decode() and "name: expense-claim" in text(page)


def test_an_earlier_version_says_that_it_is_not_in_use(world, as_user, skill):
    shown = text(as_user(world.ada).get(at(skill) + "?version=1"))
    assert "This is version 1. In use is version 3" in shown and "Pay within 7 days." in shown
    assert as_user(world.ada).get(at(skill) + "?version=9").status_code == 404


def test_any_two_versions_are_compared_line_by_line(world, as_user, adam, skill):
    let_in(adam, world.it, document(procedure="1. Pay."), skill=skill, files=(File("forms/a.txt", b"a"),))
    page = as_user(world.ada).get(at(skill) + "?from=1&to=3").content.decode()
    assert "<del>1. Pay within 7 days.</del>" in page and "<ins>1. Pay within 30 days.</ins>" in page
    shown = text(as_user(world.ada).get(at(skill) + "?from=3&to=4"))
    assert "From version 3 to 4" in shown and "forms/a.txt added" in shown
    assert "forms/a.txt removed" in text(as_user(world.ada).get(at(skill) + "?from=4&to=3"))
    assert "Both say exactly the same." in text(as_user(world.ada).get(at(skill) + "?from=2&to=2"))


def test_what_somebody_else_wrote_does_nothing(world, as_user, adam):
    words = "1. See <script>alert(1)</script> and [this](https://evil.example)\u200b."
    found = let_in(adam, world.it, document(procedure=words)).skill
    for address in (at(found), at(found) + "?as=source"):
        page = as_user(world.ada).get(address).content.decode()
        assert "<script>alert" not in page and 'href="https://evil.example' not in page and "\u200b" not in page


def test_who_may_not_decide_has_no_buttons(world, as_user, skill):
    shown = text(as_user(world.cleo).get(at(skill)))
    assert "Pay within 30 days." in shown
    for label in ("Pause", "Archive", "Revert to it", "Propose a change"):
        assert label not in shown


def test_a_manager_sees_that_a_sensitive_skill_exists_and_nothing_of_it(world, as_user, hidden):
    ada = as_user(world.ada)
    page = ada.get(at(hidden))
    assert page.status_code == 200 and "Version 1 is in use." in text(page)
    assert not any(word in page.content.decode() for word in WORDS)
    for address in ("?version=1", "?from=1&to=1", "?as=source"):
        assert not any(word in ada.get(at(hidden) + address).content.decode() for word in WORDS)
    assert ada.get(at(hidden) + "versions/1/file/?path=clinic.txt").status_code == 403
    refused = ada.post(at(hidden) + "export/")
    assert refused.status_code == 403 and "This is sensitive" in text(refused)
    assert "illness" in text(as_user(world.olga).get(at(hidden)))


def test_one_sensitive_version_of_a_skill_is_named_and_not_shown(world, as_user, adam):
    skill = let_in(adam, world.it, document(procedure="1. Say nothing of the clinic."), sensitive=True).skill
    let_in(adam, world.it, document(procedure="1. Harmless."), skill=skill)
    ada = as_user(world.ada)
    shown = text(ada.get(at(skill)))
    assert "Version 1, sensitive" in shown and "clinic" not in shown and "Revert to it" not in shown
    for address in ("?version=1", "?from=1&to=2"):
        assert ada.get(at(skill) + address).status_code == 403
    assert "clinic" in text(as_user(world.olga).get(at(skill) + "?version=1"))


# --- files ------------------------------------------------------------------------------------------------------------


def test_files_are_shown_saved_and_never_run(world, as_user, adam):
    files = (
        File("assets/form.bin", b"\0\1"),
        File("references/a b.md", "# Größe <b>".encode()),
        File("run", b"#!/bin/sh\nrm -rf /\n"),
    )
    skill = let_in(adam, world.it, files=files).skill
    ada = as_user(world.ada)
    shown = ada.get(at(skill)).content.decode()
    assert shown.count("script: kept, never run") == 1
    addresses = [link.replace("&amp;", "&") for link in re.findall(r'href="([^"]+/file/[^"]+)"', shown)]
    assert len(addresses) == 6
    view, save = (address for address in addresses if "references" in address)
    assert "# Größe &lt;b&gt;" in ada.get(view).content.decode()
    saved = ada.get(save)
    assert saved.content == "# Größe <b>".encode()
    assert saved["Content-Disposition"] == "attachment; filename*=UTF-8''a%20b.md"
    assert (saved["Content-Type"], saved["X-Content-Type-Options"]) == ("application/octet-stream", "nosniff")
    assert "Not a text" in text(ada.get(at(skill) + "versions/1/file/?path=assets/form.bin"))
    assert "here it is kept, and never run" in text(ada.get(at(skill) + "versions/1/file/?path=run"))
    for nowhere in ("?path=../../etc/passwd", "?path=", ""):
        assert ada.get(at(skill) + "versions/1/file/" + nowhere).status_code == 404


# --- acts -------------------------------------------------------------------------------------------------------------


def test_a_manager_reverts_in_the_browser(world, as_user, skill):
    ada = as_user(world.ada)
    done = ada.post(at(skill) + "revert/", {"revision": 4, "number": 1, "reason": "The old form"}, follow=True)
    assert "Version 1 is in use from the next answer on." in text(done)
    assert "Ada reverted it to version 1 because The old form" in text(done)
    skill.refresh_from_db()
    assert skill.active_version.number == 1


def test_who_comes_second_reads_who_was_faster(world, as_user, adam, skill):
    archive(actor=adam, skill_id=skill.pk, revision=4)
    late = as_user(world.ada).post(at(skill) + "pause/", {"revision": 4})
    assert late.status_code == 409
    assert "This skill is archived already, by Adam. Nothing was changed." in text(late)


def test_what_screening_refuses_is_said_on_the_page(world, as_user, adam):
    skill = let_in(adam, world.it, document(procedure="1. Turn off the antivirus before you begin.")).skill
    pause(actor=adam, skill_id=skill.pk, revision=skill.revision)
    refused = as_user(world.ada).post(at(skill) + "resume/", {"revision": 3})
    assert refused.status_code == 422
    assert "Screening finds something in version 1 that nobody judged" in text(refused)


def test_without_a_revision_nobody_changes_anything(world, as_user, skill):
    assert as_user(world.ada).post(at(skill) + "pause/").status_code == 409


# --- export -----------------------------------------------------------------------------------------------------------


def test_an_export_is_an_archive_and_is_audited(world, as_user, skill):
    answer = as_user(world.ada).post(at(skill) + "export/", {"number": 2})
    assert answer["Content-Type"] == "application/zip"
    assert answer["Content-Disposition"] == "attachment; filename*=UTF-8''expense-claim.zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive_:
        assert archive_.namelist() == ["expense-claim/SKILL.md"]
        read = parse(archive_.read("expense-claim/SKILL.md"))
    assert "Pay within 14 days." in read.body and read.metadata["digitalworker-risk"] == "medium"
    told = LearningEvent.objects.first()
    assert (told.verb, told.details["version"], told.object_label) == ("skills_exported", 2, "a skill")


def test_all_of_an_agent_leave_what_the_reader_may_not_read(world, as_user, skill, hidden):
    answer = as_user(world.ada).post(LIST + "export/")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive_:
        assert archive_.namelist() == ["expense-claim/SKILL.md"]
    assert LearningEvent.objects.first().object_label == "1 skill of IT Agent"
    answer = as_user(world.olga).post(LIST + "export/")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive_:
        assert "leave-of-the-boss/clinic.txt" in archive_.namelist()


# --- for apps above, and the audit ------------------------------------------------------------------------------------


def test_an_app_above_adds_a_card(world, as_user, skill, hidden, monkeypatch):
    card = (5, lambda request, shown: ("components/card.html", {"title": f"Answers with {shown.name}", "body": ""}))
    monkeypatch.setattr(skill_cards, "registered", [card])
    assert "Answers with expense-claim" in text(as_user(world.ada).get(at(skill)))
    assert "Answers with" not in text(as_user(world.ada).get(at(hidden)))


def test_a_version_is_found_by_its_id(world, as_user, skill):
    version = skill.versions.get(number=2)
    answer = as_user(world.ada).get(f"/app/skills/versions/{version.pk}/")
    assert answer["Location"] == at(skill) + "?version=2"
    assert as_user(world.ben).get(f"/app/skills/versions/{version.pk}/").status_code == 404


def test_the_audit_leads_to_the_skill_and_shows_no_word_of_a_sensitive_one(world, as_user, adam, skill, hidden):
    pause(actor=adam, skill_id=hidden.pk, revision=hidden.revision, reason="The clinic asked")
    event = LearningEvent.objects.first()
    page = as_user(world.ada).get(f"/app/audit/{event.pk}/").content.decode()
    assert at(hidden) in page and not any(word in page for word in WORDS)
    pause(actor=adam, skill_id=skill.pk, revision=4)
    page = as_user(world.ada).get(f"/app/audit/{LearningEvent.objects.first().pk}/")
    assert "Active" in text(page) and "Paused" in text(page)


def test_operators_see_metadata_alone(world, client, skill):
    from tests.factories import make_user

    client.force_login(make_user("Root", is_staff=True, is_superuser=True))
    from django.conf import settings

    listed = client.get(f"/{settings.ADMIN_PATH}skills/skill/")
    assert listed.status_code == 200 and "expense-claim" not in listed.content.decode()
    assert client.get(f"/{settings.ADMIN_PATH}skills/skill/{skill.pk}/change/").status_code in (302, 403)


def test_everyones_skills_are_read_by_managers_and_changed_by_admins(world, as_user, adam):
    everyones = three_versions(adam, None, "fire-drill")
    assert "Archive" not in text(as_user(world.ada).get(at(everyones)))
    assert "Archive" in text(as_user(world.olga).get(at(everyones)))
    assert as_user(world.ada).post(at(everyones) + "pause/", {"revision": 4}).status_code == 403
