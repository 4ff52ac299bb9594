"""What Acme's agents know how to do: procedures that colleagues wrote, mended and approved."""

from skills.document import compose

from ..script import Skilled

ADA, BEN, ADAM, OLGA = "ada@acme.example", "ben@acme.example", "adam@acme.example", "olga@acme.example"


def _vpn(procedure: str, verification: str) -> str:
    return compose(
        "slow-vpn",
        "Finds out why somebody’s VPN connection is slow or drops, and what to do about it.",
        when_to_use="When somebody says that the VPN is slow, drops, or does not connect.",
        procedure=procedure,
        do_not_do="- Passwords and codes are never asked for.\n- Do not send people to another gateway than their office’s.",
        verification=verification,
        agent="it",
        risk="low",
    )


VPN = _vpn(
    "1. Ask which office the person is in.\n2. Name the gateway of that office.\n3. Ask them to connect again.",
    "The person says that the connection holds.",
)
BETTER_VPN = _vpn(
    "1. Ask which office the person is in, and whether they sit there or at home.\n"
    "2. Name the gateway of that office.\n"
    "3. Ask them to close the VPN client, wait ten seconds and connect again.\n"
    "4. At home: ask them to try once with a cable instead of wifi.\n"
    "5. If it is still slow, open a ticket with the office, the gateway and the time.",
    "- The connection held for ten minutes, or\n- there is a ticket and the person knows its number.",
)
LOST_DEVICE = compose(
    "lost-device",
    "What happens, in which order, when a laptop, phone or badge is lost or stolen.",
    when_to_use="When somebody cannot find a laptop, a phone or a badge of the company, or it was stolen.",
    procedure="1. Ask what is missing and since when.\n2. Tell them to call the service desk, which locks the device at once.\n"
    "3. Ask whether it was stolen; then they also report it to the police and keep the number.\n"
    "4. Say that a replacement is ordered once the manager has confirmed it.",
    do_not_do="- Do not wait for the person to look once more.\n- Do not promise when a replacement comes.",
    verification="The service desk has confirmed that the device is locked.",
    agent="it",
    risk="medium",
)
PARENTAL_LEAVE = compose(
    "parental-leave",
    "Leads through a request for parental leave: when it must be in, which form, who signs.",
    when_to_use="When somebody asks how to take parental leave, or how long before it must be asked for.",
    procedure="1. Ask for the month in which the leave begins.\n2. Name the form and where it is.\n"
    "3. Say that it must be in seven weeks before.\n4. Offer a talk with somebody from People.",
    do_not_do="- Do not ask about health.\n- Do not calculate anybody’s pay; People does.",
    verification="The person knows the date by which the form must be in.",
    agent="hr",
    risk="medium",
)
FIRE_DRILL = compose(
    "fire-alarm",
    "What to say when somebody asks about a fire alarm, a drill or where to meet.",
    when_to_use="When somebody mentions a fire alarm, a fire drill or the meeting point.",
    procedure="1. If it is burning now: say to leave the building and to call the emergency number, and nothing else.\n"
    "2. Otherwise name the meeting point of their office.",
    do_not_do="- Do not guess whether an alarm is a drill.",
    verification="The person knows where to go.",
    scope="organization",
    risk="high",
)

ACME = (
    Skilled("it", ADA, ADA, (VPN, BETTER_VPN), hours=24 * 16),
    Skilled("hr", BEN, OLGA, (PARENTAL_LEAVE,), hours=24 * 13),
    Skilled("it", ADAM, OLGA, (FIRE_DRILL,), hours=24 * 11),
    Skilled(
        "it",
        ADA,
        ADA,
        waits=LOST_DEVICE,
        why="Three people asked this month, and were told three different things.",
        hours=160,
    ),
)
