"""What everyone at Acme knows."""

from learning.choices import MemoryKind, MemoryScope, Risk

from ..script import Known

ALL = MemoryScope.ORGANIZATION
OLGA, ADAM = "olga@acme.example", "adam@acme.example"

KNOWN = (
    Known(OLGA, "Acme’s financial year starts on 1 April.", key="financial_year", scope=ALL, days=44),
    Known(
        ADAM,
        "Head office is Rua do Alecrim 40, Lisbon.",
        key="head_office",
        scope=ALL,
        days=41,
        then=("Head office is Avenida 24 de Julho 60, Lisbon, since 1 October.",),
    ),
    Known(OLGA, "Offices are closed from 24 December to 1 January.", key="winter_closure", scope=ALL, days=12),
    Known(
        OLGA,
        "Write to customers and colleagues by first name, unless they sign with a title.",
        kind=MemoryKind.RULE,
        scope=ALL,
        days=38,
    ),
    Known(
        ADAM,
        "Which suppliers we work with is told to nobody outside Acme.",
        kind=MemoryKind.RULE,
        scope=ALL,
        risk=Risk.MEDIUM,
        days=37,
    ),
    Known(ADAM, "Badge requests go to Facilities, not to IT.", key="badges", scope=ALL, days=29),
    Known(
        OLGA,
        "Questions of journalists are answered by Olga alone. Say only that somebody will write to them.",
        kind=MemoryKind.RULE,
        scope=ALL,
        risk=Risk.MEDIUM,
        sensitive=True,
        days=9,
    ),
    Known(
        ADAM,
        "The canteen is open from 12:00 to 14:30.",
        key="canteen",
        scope=ALL,
        days=40,
        deleted="The canteen was handed over to the landlord.",
    ),
)
