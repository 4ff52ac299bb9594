"""Who works at Acme and Globex, and which role-agents they have."""

from dataclasses import dataclass, field

from digitalworker.agents.choices import PeopleLearning, Provider, Role


@dataclass(frozen=True, slots=True)
class LogIn:
    """A person who can log in. `manages` holds codes of role-agents; `says` is what the table of log-ins shows."""

    email: str
    name: str
    role: str
    says: str
    manages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    provider: str
    external_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Worker:
    code: str
    name: str
    persona: str
    channels: tuple[Place, ...]
    settings: dict = field(default_factory=dict)
    soul: str = ""  # the code of one of the library; without it the default


@dataclass(frozen=True, slots=True)
class Company:
    """The first log-in is the owner who founds it."""

    name: str
    people: tuple[LogIn, ...]
    workers: tuple[Worker, ...]


ACME = Company(
    "Acme",
    (
        LogIn("olga@acme.example", "Olga Marin", Role.OWNER, "owner"),
        LogIn("adam@acme.example", "Adam Novak", Role.ADMIN, "admin"),
        LogIn("ada@acme.example", "Ada Lindqvist", Role.MEMBER, "manager of the IT Agent", ("it",)),
        LogIn(
            "ben@acme.example",
            "Ben Okafor",
            Role.MEMBER,
            "manager of the HR Agent and the Shop Assistant",
            ("hr", "shop"),
        ),
        LogIn("cleo@acme.example", "Cleo Duarte", Role.AUDITOR, "auditor, reads everything, decides nothing"),
        LogIn("dan@acme.example", "Dan Whitlock", Role.MEMBER, "member, manages nothing"),
    ),
    (
        Worker(
            "it",
            "IT Agent",
            "Solves access, VPN and device problems for everyone at Acme. Opens a ticket when a person has to act.",
            (
                Place(Provider.SLACK, "C01ITHELP", "#it-help"),
                Place(Provider.SLACK, "C01OFFICE", "#office-lisbon"),
                Place(Provider.EMAIL, "it@acme.example", "it@acme.example"),
                Place(Provider.WEB, "intranet", "Intranet chat"),
            ),
        ),
        Worker(
            "hr",
            "HR Agent",
            "Answers questions about leave, benefits and onboarding, and says which form is needed. It decides nothing itself.",
            (
                Place(Provider.TEAMS, "19:hr-questions", "HR questions"),
                Place(Provider.EMAIL, "people@acme.example", "people@acme.example"),
            ),
            {"people_learning": PeopleLearning.REVIEW},
            soul="friendly_host",
        ),
        Worker(
            "sales-ops",
            "Sales Ops Agent",
            "Keeps the pipeline tidy, prepares quotes and tells the team which discount needs whose approval.",
            (
                Place(Provider.SLACK, "C02DEALS", "#deal-desk"),
                Place(Provider.API, "crm", "CRM side panel"),
            ),
        ),
        Worker(
            "projects",
            "Project Coordinator",
            "Follows dates, owners and decisions of running projects, and writes the weekly summary.",
            (
                Place(Provider.TEAMS, "19:delivery", "Delivery"),
                Place(Provider.SLACK, "C03LAUNCH", "#launch-norrvik"),
            ),
        ),
        Worker(
            "shop",
            "Shop Assistant",
            "Helps customers of the web shop to find clothes that fit, and answers questions about orders and returns.",
            (
                Place(Provider.WEB, "shop.acme.example", "Web shop"),
                Place(Provider.EMAIL, "hello@acme.example", "hello@acme.example"),
            ),
            {"people_learning": PeopleLearning.REVIEW},
        ),
    ),
)

GLOBEX = Company(
    "Globex",
    (
        LogIn("gus@globex.example", "Gus Weber", Role.OWNER, "owner"),
        LogIn("mia@globex.example", "Mia Tanaka", Role.MEMBER, "manager of the Help Desk", ("help-desk",)),
    ),
    (
        Worker(
            "help-desk",
            "Help Desk",
            "First stop for anything that does not work at Globex: laptops, badges, printers, meeting rooms.",
            (Place(Provider.TEAMS, "19:helpdesk", "Help desk"),),
        ),
        Worker(
            "dispatch",
            "Dispatch Assistant",
            "Tells drivers and warehouses which lorry goes where, and what to do when one is late.",
            (Place(Provider.API, "yard", "Yard terminal"),),
        ),
    ),
)

COMPANIES = (ACME, GLOBEX)


def all_log_ins() -> list[tuple[Company, LogIn]]:
    return [(company, person) for company in COMPANIES for person in company.people]
