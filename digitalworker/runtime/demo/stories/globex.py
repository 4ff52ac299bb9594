"""Globex: a second organisation, which Acme never sees."""

from learning.choices import MemoryKind, MemoryScope, Risk

from ..script import Asked, Known, Looked, Story, Talk, answers, corrects, runs, says

GUS, MIA = "gus@globex.example", "mia@globex.example"
TEAMS, YARD = "Help desk", "Yard terminal"

KNOWN = (
    Known(
        GUS,
        "Globex works in two shifts, 6:00 to 14:00 and 14:00 to 22:00.",
        key="shifts",
        scope=MemoryScope.ORGANIZATION,
        days=30,
    ),
    Known(
        GUS,
        "Safety questions are answered by a person, never by an agent.",
        kind=MemoryKind.RULE,
        scope=MemoryScope.ORGANIZATION,
        risk=Risk.MEDIUM,
        days=30,
    ),
)

STORIES = (
    Story(
        "help-desk",
        known=(
            Known(MIA, "Scanners are charged in the rack beside gate 2.", key="scanner_rack", days=20),
            Known(
                MIA,
                "A lost badge is blocked first and replaced the next day.",
                key="lost_badge",
                risk=Risk.MEDIUM,
                days=19,
            ),
        ),
        talks=(
            Talk(
                "driver-118",
                300,
                TEAMS,
                (
                    says("my scanner does not start"),
                    answers("Please put it into the charging rack for ten minutes."),
                    says("works"),
                ),
            ),
            Talk(
                "o.brandt",
                210,
                TEAMS,
                (
                    says("I lost my badge on the way home."),
                    answers("It is blocked now. A new one lies at gate 1 from tomorrow 6:00 on."),
                    corrects("Mia Tanaka", "New badges are handed out at gate 2, not at gate 1."),
                ),
                name="Oskar Brandt",
            ),
            Talk(
                "f.ito",
                88,
                TEAMS,
                (
                    says("The printer in dispatch prints stripes."),
                    answers("That is the drum. I asked for a new one."),
                ),
                name="Fumi Ito",
            ),
            Talk(
                "driver-118",
                12,
                TEAMS,
                (
                    says("where do I get new gloves?"),
                    answers("From the cupboard beside the scanner rack; sign the list."),
                    corrects("Mia Tanaka", "Gloves are kept at gate 2, not in the cupboard."),
                ),
            ),
        ),
        looked=(Looked("New badges are handed out", MIA, kept=True),),
        asked=(
            Asked(MIA, "o.brandt", "Where do I get a new badge?", 80),
            Asked(MIA, "driver-118", "My scanner is empty, where do I charge it?", 30),
        ),
    ),
    Story(
        "dispatch",
        known=(
            Known(
                GUS,
                "A lorry that is more than 30 minutes late loses its gate.",
                key="late_after",
                risk=Risk.MEDIUM,
                days=18,
            ),
            Known(GUS, "Frozen goods use gates 7 and 8 only.", key="frozen_gates", days=18),
        ),
        talks=(
            Talk(
                "gate-4",
                140,
                YARD,
                (
                    says("Lorry 7712 is 40 minutes late"),
                    runs("slots", "7712 lost gate 4, next free gate 6 at 11:30"),
                    answers("It lost its gate. Send it to gate 6 at 11:30."),
                ),
            ),
            Talk(
                "gate-7",
                33,
                YARD,
                (
                    says("Two frozen loads at the same time, which goes first?"),
                    answers("The one with the shorter shelf life: 7730."),
                ),
            ),
        ),
        asked=(Asked(GUS, "gate-4", "What happens with a lorry that is late?", 28),),
    ),
)
