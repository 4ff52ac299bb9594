"""The people and role-agents every test speaks of. Plain functions: they write rows directly, without audit.

Acme: olga owns it, adam is its admin; ada manages IT, ben manages HR; cleo audits; dan is nobody in particular.
Globex: gus owns it, and it has an IT agent too.
"""

from datetime import timedelta
from types import SimpleNamespace

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Permission
from django.utils import timezone
from simple_history.utils import bulk_create_with_history

from digitalworker.agents import policies
from digitalworker.agents.actions.keys import create_key
from digitalworker.agents.actors import actor_for_membership
from digitalworker.agents.choices import PeopleLearning, Role
from digitalworker.agents.models import AgentManager, Membership, Organization, RoleAgent, User
from digitalworker.common.types import Actor
from souls.actions.furnish import furnish

PASSWORD = "correct horse battery"


def make_user(name: str, domain: str = "acme.test", **fields) -> User:
    return User.objects.create_user(f"{name.lower()}@{domain}", PASSWORD, name=name, **fields)


def make_organization(name: str) -> Organization:
    organization = Organization.objects.create(name=name, slug=name.lower())
    furnish(organization)
    return organization


def add(organization: Organization, user: User, role: str = Role.MEMBER) -> Membership:
    return Membership.objects.create(organization=organization, user=user, role=role)


def make_agent(organization: Organization, code: str, name: str = "", **fields) -> RoleAgent:
    agent = _agent(organization, code, name, **fields)
    agent.save()
    return agent


def _agent(organization: Organization, code: str, name: str = "", **fields) -> RoleAgent:
    fields.setdefault("persona", f"Looks after {code} questions")
    return RoleAgent(organization=organization, code=code, name=name or f"{code.upper()} Agent", **fields)


def actor(user: User, organization: Organization) -> Actor:
    """The user as an actor, as a request of theirs would make it."""
    return actor_for_membership(Membership.objects.get(user=user, organization=organization), user)


def make_world() -> SimpleNamespace:
    """Both organisations. Users under their names; `it`, `hr`, `shop` are Acme's agents, `their_it` is Globex's.

    Half of all tests begin with it, so rows of a kind are written together: a fifth of the statements, the same rows.
    """
    acme, globex = (Organization(name=name, slug=name.lower()) for name in ("Acme", "Globex"))
    Organization.objects.bulk_create([acme, globex])
    furnish(acme, globex)
    people = {
        "olga": (acme, Role.OWNER),
        "adam": (acme, Role.ADMIN),
        "ada": (acme, Role.MEMBER),
        "ben": (acme, Role.MEMBER),
        "dan": (acme, Role.MEMBER),
        "cleo": (acme, Role.AUDITOR),
        "gus": (globex, Role.OWNER),
    }
    users = {
        name: User(email=f"{name}@{home.slug}.test", name=name.title(), password=make_password(PASSWORD))
        for name, (home, _) in people.items()
    }
    User.objects.bulk_create(users.values())
    Membership.objects.bulk_create(
        Membership(organization=home, user=users[name], role=role) for name, (home, role) in people.items()
    )
    agents = {
        "it": _agent(acme, "it", "IT Agent"),
        "hr": _agent(acme, "hr", "HR Agent"),
        "shop": _agent(acme, "shop", "Shop Assistant"),
        "their_it": _agent(globex, "it", "Globex IT"),
    }
    bulk_create_with_history(list(agents.values()), RoleAgent)
    w = SimpleNamespace(acme=acme, globex=globex, **users, **agents)
    manages = Permission.objects.get(content_type__app_label="agents", codename=policies.MANAGE)
    AgentManager.objects.bulk_create(
        AgentManager(permission=manages, user=user, content_object=agent, organization=acme)
        for user, agent in ((w.ada, w.it), (w.ben, w.hr))
    )
    w.actor = lambda user: actor(user, w.globex if user == w.gus else w.acme)
    return w


def let_shop_learn(w):
    """The Shop Assistant of `w` learns about people, after a review, and Ben manages it as well."""
    w.shop.people_learning = PeopleLearning.REVIEW
    w.shop.save(update_fields=["people_learning"])
    policies.grant_manager(w.ben, w.shop)
    return w


def make_key(
    scopes, agents=None, *, issuer: User | None = None, organization: Organization | None = None, **fields
) -> str:
    """The plain text of a new key. `scopes` is a list or a string such as "runtime review"; `agents` limits it.

    Issued by the organisation's first owner unless `issuer` is given; the organisation is that of the agents or the
    only one whose owner there is, else give it.
    """
    scopes = scopes.split() if isinstance(scopes, str) else list(scopes)
    organization = organization or (agents[0].organization if agents else Organization.objects.order_by("id").first())
    if issuer is None:
        issuer = User.objects.filter(memberships__organization=organization, memberships__role=Role.OWNER).earliest(
            "pk"
        )
    _, plain = create_key(
        actor=actor(issuer, organization),
        name=fields.pop("name", "test key"),
        scopes=scopes,
        agent_ids=None if agents is None else [agent.pk for agent in agents],
        **fields,
    )
    return plain


def login(client, user: User, organization: Organization | None = None):
    """Logs `user` in, in `organization` if they have several, and returns the client."""
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    if organization is not None:
        session = client.session
        session["organization_id"] = str(organization.pk)
        session.save()
    return client


def bearer(key: str) -> dict[str, str]:
    """Headers for Django's test client: `client.get(url, headers=bearer(key))`."""
    return {"Authorization": f"Bearer {key}"}


def soon(**delta):
    return timezone.now() + timedelta(**delta)
