"""The souls that every organisation starts with."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from digitalworker.agents.actions.organizations import create_organization
from digitalworker.agents.models import Organization
from souls.library import DEFAULT, library, soul_digest
from souls.models import RULES_MOST, Soul, SoulAssignment, SoulVersion
from souls.selectors import soul_of
from tests.factories import make_user

pytestmark = pytest.mark.django_db
CODES = ["balanced_helper", "careful_reviewer", "concise_expert", "friendly_host", "patient_teacher", "plain_writer"]


def test_a_new_organisation_has_the_library_from_its_first_moment(django_assert_max_num_queries):
    with django_assert_max_num_queries(12):
        organization = create_organization(name="Initech", owner=make_user("Ira"))
    souls = Soul.objects.filter(organization=organization).select_related("active_version")
    assert sorted(souls.values_list("code", flat=True)) == CODES
    for soul in souls:
        version = soul.active_version
        assert (version.number, version.soul_id, version.sensitive) == (1, soul.pk, False)
        assert version.approved_by_label == "Digital Worker"
        assert version.digest == soul_digest(version.tone_rules_md, version.do_not_do_md, version.critique_rules_md)
        assert soul.history.count() == 1


def test_each_starting_soul_says_how_to_talk_what_not_to_do_and_how_to_look_at_a_draft():
    assert library()[0].code == DEFAULT
    for soul in library():
        assert soul.name and 20 < len(soul.summary) <= 200
        for part in (soul.tone_rules_md, soul.do_not_do_md, soul.critique_rules_md):
            assert len(part.splitlines()) >= 3 and len(part) <= RULES_MOST
            assert all(line.startswith("- ") for line in part.splitlines())


def test_an_agent_talks_by_the_default_until_somebody_assigns_another(world, django_assert_num_queries):
    with django_assert_num_queries(1):
        used = soul_of(world.it)
    assert (used.code, used.name, used.number) == (DEFAULT, "Balanced helper", 1)
    assert used.tone_rules_md.startswith("- Answer the question in the first sentence")
    host = Soul.objects.get(organization=world.acme, code="friendly_host")
    SoulAssignment.objects.create(role_agent=world.it, organization=world.acme, soul=host)
    with django_assert_num_queries(1):
        assert soul_of(world.it).soul_id == host.pk
    assert soul_of(world.hr).code == DEFAULT
    assert soul_of(world.their_it).soul_id != soul_of(world.hr).soul_id


def test_a_paused_soul_is_in_no_prompt(world, django_assert_num_queries):
    world.it.soul_paused = True
    with django_assert_num_queries(0):
        assert soul_of(world.it) is None


@pytest.mark.django_db(transaction=True)
def test_an_organisation_from_before_gets_the_library_by_the_migration_and_only_once():
    executor = MigrationExecutor(connection)
    executor.migrate([("souls", "0002_same_owner")])
    old = Organization.objects.create(name="Old", slug="old")
    assert not Soul.objects.filter(organization=old).exists()
    executor = MigrationExecutor(connection)
    executor.migrate([("souls", "0003_library")])
    assert sorted(Soul.objects.filter(organization=old).values_list("code", flat=True)) == CODES
    assert SoulVersion.objects.filter(organization=old, number=1).count() == len(CODES)
    for target in ("0002_same_owner", "0003_library"):  # there and back: what is there stays as it is
        MigrationExecutor(connection).migrate([("souls", target)])
    assert Soul.objects.filter(organization=old).count() == len(CODES)
