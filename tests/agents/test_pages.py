"""Who sees which page of the console, and what opening one costs."""

import re

import pytest
from django.urls import reverse

from digitalworker.agents.actions.keys import create_key
from digitalworker.agents.models import AgentManager, Channel, Membership, RoleAgent, User
from digitalworker.agents.models.role_agents import MANAGE
from digitalworker.common.types import system_actor
from tests.factories import login, make_user

AGENTS = "/app/settings/digital-workers"
PEOPLE = ("olga", "adam", "ada", "ben", "cleo", "dan", "gus")
# Who gets which status, in the order of PEOPLE.
SEEN = {
    "/app/": (200, 200, 200, 200, 200, 200, 200),
    AGENTS: (200, 200, 200, 200, 200, 404, 200),
    f"{AGENTS}/new": (200, 200, 404, 404, 404, 404, 200),
    f"{AGENTS}/it/": (200, 200, 200, 404, 200, 404, 200),
    f"{AGENTS}/it/channels/": (200, 200, 200, 404, 200, 404, 200),
    f"{AGENTS}/it/settings/": (200, 200, 200, 404, 200, 404, 200),
    f"{AGENTS}/it/audit/": (200, 200, 200, 404, 200, 404, 200),
    f"{AGENTS}/shop/": (200, 200, 404, 404, 200, 404, 404),
    "/app/audit": (200, 200, 200, 200, 200, 404, 200),
    "/app/settings/members": (200, 200, 404, 404, 404, 404, 200),
    "/app/settings/members/new": (200, 200, 404, 404, 404, 404, 200),
    "/app/settings/keys": (200, 200, 404, 404, 404, 404, 200),
    "/app/settings/keys/new": (200, 200, 404, 404, 404, 404, 200),
    "/app/settings/organization": (200, 200, 404, 404, 404, 404, 200),
    "/app/settings/ai-access": (200, 200, 404, 404, 404, 404, 200),
    "/app/settings/prompts": (200, 200, 404, 404, 404, 404, 200),
}
MOST_QUERIES = 12


@pytest.mark.parametrize("who", PEOPLE)
def test_each_person_sees_their_pages_and_no_others(world, client, who):
    login(client, getattr(world, who))
    seen = {path: client.get(path).status_code for path in SEEN}
    assert seen == {path: statuses[PEOPLE.index(who)] for path, statuses in SEEN.items()}


@pytest.mark.parametrize("path", SEEN)
def test_strangers_are_sent_to_the_log_in(db, client, path):
    answer = client.get(path)
    assert (answer.status_code, answer["Location"]) == (302, f"/accounts/login/?next={path.replace('/', '/')}")


def test_a_piece_of_a_page_reloads_instead_of_showing_a_log_in_inside_it(db, client):
    answer = client.get("/app/audit", headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Refresh"]) == (204, "true")


def test_somebody_in_no_organisation_is_told_what_to_do(db, client):
    answer = login(client, make_user("Nell")).get("/app/")
    assert answer.status_code == 403
    assert b"Ask an owner or admin of your organisation to add this address" in answer.content
    assert b"nell@acme.test" in answer.content


def test_a_removed_member_is_out_at_once(world, client):
    login(client, world.ada)
    Membership.objects.filter(user=world.ada).delete()
    assert client.get(f"{AGENTS}/it/").status_code == 403
    assert not AgentManager.objects.filter(user=world.ada).exists()


def test_a_user_who_is_switched_off_is_out_at_once(world, client):
    login(client, world.olga)
    User.objects.filter(pk=world.olga.pk).update(is_active=False)
    assert client.get("/app/").status_code == 302


def test_pages_that_do_not_ask_who_looks_cost_no_query(world, client, django_assert_num_queries):
    with django_assert_num_queries(0):
        client.get("/favicon.ico")


# --- size -------------------------------------------------------------------------------------------------------------


def fill(world, number: int) -> None:
    """A large organisation around Acme's people."""
    agents = RoleAgent.objects.bulk_create(
        RoleAgent(organization=world.acme, code=f"agent-{n}", name=f"Agent {n:05}") for n in range(number)
    )
    Channel.objects.bulk_create(
        Channel(organization=world.acme, role_agent=world.it, external_id=f"C{n}", name=f"channel {n}")
        for n in range(number)
    )
    users = User.objects.bulk_create(
        User(email=f"u{n}@acme.test", name=f"User {n}", password="!") for n in range(number)
    )
    Membership.objects.bulk_create(Membership(organization=world.acme, user=user) for user in users)
    permission = AgentManager.objects.filter(permission__codename=MANAGE).values_list("permission", flat=True)[0]
    AgentManager.objects.bulk_create(
        AgentManager(organization=world.acme, content_object=agent, user=user, permission_id=permission)
        for agent, user in zip(agents, users, strict=True)
    )
    for n in range(min(number, 60)):
        create_key(
            actor=world.actor(world.olga), name=f"key {n}", scopes=["runtime"], agent_ids=[world.it.pk, world.hr.pk]
        )


@pytest.mark.parametrize("who", ["olga", "ada", "cleo"])
def test_no_page_asks_more_than_twelve_questions_whatever_its_size(world, client, django_assert_max_num_queries, who):
    fill(world, 70)
    login(client, getattr(world, who))
    for path, statuses in SEEN.items():
        if statuses[PEOPLE.index(who)] == 200:
            with django_assert_max_num_queries(MOST_QUERIES):
                client.get(path)


def test_no_page_shows_everything_a_large_organisation_has(world, client):
    fill(world, 300)
    login(client, world.olga)
    for path in (
        "/app/",
        AGENTS,
        f"{AGENTS}?q=Agent+00",
        f"{AGENTS}/it/channels/",
        f"{AGENTS}/it/settings/",
        "/app/settings/members",
        "/app/audit",
    ):
        page = client.get(path).text
        for one in (r"Agent \d{5}", r"channel \d+", r"u\d+@acme"):
            assert len(set(re.findall(one, page))) <= 200, path


def test_a_long_list_is_walked_by_pages_without_losing_anybody(world, client):
    fill(world, 120)
    login(client, world.cleo)
    seen, path = [], AGENTS
    while path:
        page = client.get(path).context["page"]
        seen += [agent.name for agent in page]
        path = page.next and f"{AGENTS}?cursor={page.next}"
    assert seen == sorted(seen)
    assert len(seen) == len(set(seen)) == 123


# --- the sidebar and the palette ----------------------------------------------------------------------------------------


def labels(client, path="/app/"):
    return [link["label"] for section in client.get(path).context["shell"].sections for link in section["links"]]


OURS = {"Home", "Audit", "Role-agents", "Members", "API keys", "AI access", "Prompts", "Organisation"}
THE_AGENTS = {"IT Agent", "HR Agent", "Shop Assistant"}


@pytest.mark.parametrize(
    ("who", "seen"),
    [
        ("dan", {"Home"}),
        ("ada", {"Home", "Audit", "IT Agent"}),
        ("cleo", {"Home", "Audit", *THE_AGENTS}),
        ("adam", {*OURS, *THE_AGENTS}),
    ],
)
def test_the_sidebar_knows_who_looks(world, client, who, seen):
    assert {*labels(login(client, getattr(world, who)))} & {*OURS, *THE_AGENTS} == seen


@pytest.mark.parametrize(("who", "badge"), [("ada", 3), ("olga", 3), ("cleo", None)])
def test_numbers_in_the_sidebar_come_from_other_apps_and_never_reach_an_auditor(world, client, monkeypatch, who, badge):
    from digitalworker.agents import dashboard

    monkeypatch.setattr(dashboard, "_badges", [lambda request: {world.it.pk: 1}, lambda request: {world.it.pk: 2}])
    answer = login(client, getattr(world, who)).get(f"{AGENTS}/it/")
    links = [
        link for section in answer.context["shell"].sections for link in section["links"] if link["label"] == "IT Agent"
    ]
    assert links[0]["badge"] == badge
    assert links[0]["current"]


def test_the_palette_finds_only_what_one_may_see(world, client):
    url = reverse("console:palette")
    assert b"IT Agent" in login(client, world.ada).get(url, {"q": "agent"}).content
    assert b"HR Agent" not in client.get(url, {"q": "agent"}).content
    assert b"IT Agent" not in login(client, world.dan).get(url, {"q": "agent"}).content


# --- two organisations ------------------------------------------------------------------------------------------------


def test_gus_in_both_organisations_switches_between_them(world, client):
    Membership.objects.create(organization=world.acme, user=world.gus, role="auditor")
    login(client, world.gus)
    assert b"<h1>Acme</h1>" in client.get("/app/").content
    switch = reverse("agents:switch")
    assert client.post(switch, {"organization": str(world.globex.pk), "next": "/app/"})["Location"] == "/app/"
    assert b"<h1>Globex</h1>" in client.get("/app/").content
    assert b"Globex IT" in client.get(f"{AGENTS}/it/").content


def test_nobody_switches_into_an_organisation_they_are_not_in(world, client):
    login(client, world.ada)
    client.post(reverse("agents:switch"), {"organization": str(world.globex.pk), "next": "https://evil.test/"})
    assert b"<h1>Acme</h1>" in client.get("/app/").content
    session = client.session
    session["organization_id"] = str(world.globex.pk)
    session.save()
    assert b"<h1>Acme</h1>" in client.get("/app/").content


# --- cards of other apps ------------------------------------------------------------------------------------------------


def test_cards_of_other_apps_appear_in_their_slots_and_their_order(world, client, monkeypatch):
    from digitalworker.agents import dashboard

    def card(label):
        return lambda *args: ("components/stat.html", {"label": label, "value": 7})

    monkeypatch.setattr(dashboard, "_overview", [])
    dashboard.register_overview_card(20, card("Second"), "stat")
    dashboard.register_overview_card(10, card("First"), "stat")
    dashboard.register_overview_card(15, lambda request, agent: None, "stat")
    text = login(client, world.ada).get(f"{AGENTS}/it/").content.decode()
    assert -1 < text.index("First") < text.index("Second")
    with pytest.raises(ValueError, match="There is no slot 'middle'"):
        dashboard.register_overview_card(1, card("x"), "middle")


def test_the_system_is_no_visitor(world):
    from digitalworker.agents import policies

    assert not policies.reads_whole_audit(system_actor(world.acme.pk))


def test_a_members_home_promises_nothing_that_is_not_there(world, as_user):
    text = as_user(world.dan).get("/app/").content.decode()
    assert "Correct an answer" in text
    assert "/memory" not in text


@pytest.mark.parametrize(
    "name",
    ["agents:list", "agents:members", "learning:inbox", "runtime:conversations", "runtime:runs", "console:palette"],
)
def test_a_nul_in_an_address_is_the_callers_mistake(world, as_user, name):
    for parameter in ("q", "agent", "cursor"):
        answer = as_user(world.olga).get(f"{reverse(name)}?{parameter}=a%00b")
        assert answer.status_code == 400
        assert "holds a NUL character" in answer.content.decode()
