"""Makes the demo, through the actions. One transaction: either all of it is there, or nothing."""

from django.conf import settings
from django.db import transaction

from digitalworker.agents.actions.channels import assign_channel
from digitalworker.agents.actions.managers import add_manager
from digitalworker.agents.actions.organizations import add_member, create_organization
from digitalworker.agents.actions.role_agents import create_agent
from digitalworker.agents.actors import actor_for_membership
from digitalworker.agents.models import Membership, Organization, User
from digitalworker.common.types import Actor
from souls.actions.assign import assign

from .cast import COMPANIES, Company
from .stories import EVERYONE, SKILLS, STORIES
from .telling import Teller


def missing_companies() -> list[Company]:
    """Those whose founder has no account: a company and its founder are made in one transaction."""
    founders = [company.people[0].email for company in COMPANIES]
    there = set(User.objects.filter(email__in=founders).values_list("email", flat=True))
    return [company for company in COMPANIES if company.people[0].email not in there]


@transaction.atomic
def build(companies: list[Company]) -> None:
    for company in companies:
        teller = _found(company)
        teller.tell(EVERYONE[company.name], STORIES[company.name], SKILLS.get(company.name, ()))


def _found(company: Company) -> Teller:
    """The organisation with its people, role-agents, channels and managers, before anybody said a word."""
    founder = company.people[0]
    owner = User.objects.create_user(founder.email, name=founder.name)
    organization = create_organization(name=company.name, owner=owner)
    boss = _actor(organization, owner)
    actors, users = {founder.email: boss}, {founder.email: owner.pk}
    for person in company.people[1:]:
        membership = add_member(actor=boss, email=person.email, name=person.name, role=person.role).membership
        actors[person.email] = actor_for_membership(membership, membership.user)
        users[person.email] = membership.user.pk
    agents = {}
    for worker in company.workers:
        agent = create_agent(actor=boss, code=worker.code, name=worker.name, persona=worker.persona, **worker.settings)
        agents[worker.code] = agent
        if worker.soul:
            assign(actor=boss, agent_id=agent.pk, code=worker.soul, revision=0)
        for place in worker.channels:
            assign_channel(
                actor=boss, agent_id=agent.pk, provider=place.provider, external_id=place.external_id, name=place.name
            )
    for person in company.people:
        for code in person.manages:
            add_manager(actor=boss, agent_id=agents[code].pk, user_id=users[person.email])
    return Teller(actors, agents, embeds=settings.DW_EMBEDDING == "bundled")


def _actor(organization: Organization, user: User) -> Actor:
    return actor_for_membership(Membership.objects.get(organization=organization, user=user), user)
