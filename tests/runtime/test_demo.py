"""The demo: made once, through the actions, with log-ins that work and a password nobody can read in the code."""

import stat
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from digitalworker.agents.models import ChatEvent, Membership, Organization, RoleAgent, User
from digitalworker.agents.policies import managed_agents
from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from digitalworker.runtime.models import AgentRun
from learning.choices import ItemKind, ItemStatus, MemoryKind, MemoryScope, MemoryStatus, Risk
from learning.models import Detection, LearningItem, Memory
from skills.models import Skill
from tests.factories import actor


@pytest.fixture
def data_dir(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    settings.DW_EMBEDDING = "none"  # what is tested is what is there, not how it ranks
    return tmp_path


def demo(*arguments) -> str:
    out = StringIO()
    call_command("demo", *arguments, stdout=out)
    return out.getvalue()


def test_production_refuses(db, settings):
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="This is a production installation"):
        demo()
    assert not Organization.objects.exists()


def test_an_installation_in_use_is_left_alone(world, data_dir):
    assert demo("--if-empty").strip() == "kept as it is"
    assert Organization.objects.count() == 2
    assert "There is no demo here" in demo("--logins")
    with pytest.raises(CommandError, match="There are no demo log-ins"):
        demo("--reset-passwords")


def test_the_whole_demo(db, data_dir, settings, client):
    settings.DW_MODEL = "openai:would-cost-money"  # and is never asked
    assert demo("--if-empty").strip() == "made: Acme and Globex"
    before = [model.objects.count() for model in (User, RoleAgent, ChatEvent, Memory, LearningItem, AgentRun)]
    assert "The demo is there already." in demo()
    assert demo("--if-empty").strip() == "kept as it is"
    assert [model.objects.count() for model in (User, RoleAgent, ChatEvent, Memory, LearningItem, AgentRun)] == before

    # log-ins
    password_file = data_dir / "demo_password"
    assert stat.S_IMODE(password_file.stat().st_mode) == 0o600
    password = password_file.read_text().strip()
    table = demo("--logins")
    assert password in table
    assert all(f"{name}@acme.example" in table for name in ("olga", "adam", "ada", "ben", "cleo", "dan"))
    assert "gus@globex.example" in table
    assert all(user.check_password(password) for user in User.objects.all())
    entered = client.post("/accounts/login/", {"login": "ben@acme.example", "password": password})
    assert entered.headers["Location"] == "/app/"
    assert password not in demo("--reset-passwords")
    assert not User.objects.first().check_password(password)

    # people and their rights
    acme = Organization.objects.get(slug="acme")
    roles = dict(Membership.objects.filter(organization=acme).values_list("user__email", "role"))
    assert roles["olga@acme.example"] == "owner" and roles["cleo@acme.example"] == "auditor"
    ben = actor(User.objects.get(email="ben@acme.example"), acme)
    assert set(managed_agents(ben).values_list("code", flat=True)) == {"hr", "shop"}
    assert RoleAgent.objects.get(organization=acme, code="shop").people_learning == "review"

    # something of every kind
    for agent in RoleAgent.objects.filter(organization=acme):
        assert agent.threads.count() >= 12 and agent.channels.count() >= 2 and agent.runs.count() >= 4
        assert agent.learning_items.filter(status=ItemStatus.PENDING).exists()
    assert set(Memory.objects.values_list("kind", flat=True)) == set(MemoryKind.values)
    assert set(Memory.objects.values_list("scope", flat=True)) == set(MemoryScope.values)
    assert set(Memory.objects.values_list("status", flat=True)) == set(MemoryStatus.values)
    items = LearningItem.objects.filter(organization=acme)
    assert {ItemStatus.PENDING, ItemStatus.APPROVED, ItemStatus.REJECTED} <= set(items.values_list("status", flat=True))
    pending = items.filter(status=ItemStatus.PENDING)
    assert pending.filter(sensitive=True).exists() and pending.filter(replaces__isnull=False).exists()
    assert set(pending.values_list("risk", flat=True)) == set(Risk.values)
    assert {row["scope"] for row in pending.values_list("proposed_payload", flat=True)} == set(MemoryScope.values)

    # skills: one in its second version, one of everyone, one that only owners, admins and auditors read, one that waits
    assert Skill.objects.get(name="slow-vpn").active_version.number == 2
    assert Skill.objects.filter(role_agent=None).exists()
    assert Skill.objects.filter(active_version__sensitive=True).exists()
    assert pending.filter(kind=ItemKind.SKILL).exists()

    saved = Memory.objects.filter(autosaved=True)
    assert saved.filter(status=MemoryStatus.ACTIVE, reviewed_at=None).count() >= 4
    assert saved.filter(reviewed_at__isnull=False).exists() and saved.filter(status=MemoryStatus.DELETED).exists()
    assert len({memory.created_at.isocalendar().week for memory in saved}) >= 3

    # made through the actions, and settled
    verbs = set(LearningEvent.objects.values_list("verb", flat=True))
    assert {
        Verb.AGENT_CREATED,
        Verb.CHANNEL_ASSIGNED,
        Verb.MANAGER_ADDED,
        Verb.MEMORY_SAVED,
        Verb.MEMORY_SUPERSEDED,
    } <= verbs
    assert {Verb.MEMORY_DELETED, Verb.LEARNING_PROPOSED, Verb.APPROVED, Verb.REJECTED, Verb.LEARNING_REFUSED} <= verbs
    assert {Verb.MEMORY_AUTO_SAVED, Verb.AUTOSAVE_KEPT, Verb.AUTOSAVE_UNDONE} <= verbs
    assert Memory.history.count() >= Memory.objects.count()
    assert not Detection.objects.exclude(state="done").exists()
    assert set(AgentRun.objects.values_list("route", "status")) == {("local", "completed")}
    assert not Memory.objects.filter(content__contains="Tulip-Harbour").exists()
    assert "Tulip-Harbour" not in str(list(LearningEvent.objects.values()))


def test_a_lost_password_file_is_said_and_mended(db, data_dir):
    User.objects.create_user("olga@acme.example", "long forgotten")
    assert "Set a new one: manage.py demo --reset-passwords" in demo("--logins")
    assert "The password of all of them:" in demo("--reset-passwords")
    assert User.objects.get().check_password((data_dir / "demo_password").read_text().strip())
