"""The Project Coordinator: dates, owners, decisions."""

from learning.choices import MemoryKind, Risk

from ..script import Asked, Decided, Known, Looked, Story, Suggested, Talk, answers, corrects, edits, runs, says

ADAM, OLGA = "adam@acme.example", "olga@acme.example"
DELIVERY, LAUNCH = "Delivery", "#launch-norrvik"

STORY = Story(
    "projects",
    known=(
        Known(ADAM, "The weekly summary goes out on Fridays at 15:00.", key="weekly_summary", days=37),
        Known(
            ADAM, "A date is only moved by the owner of the milestone.", kind=MemoryKind.RULE, risk=Risk.MEDIUM, days=37
        ),
        Known(
            ADAM,
            "Norrvik goes live on 8 January.",
            key="norrvik_go_live",
            days=32,
            then=("Norrvik goes live on 15 January.",),
        ),
        Known(ADAM, "Priya owns the data migration for Norrvik.", key="norrvik_migration_owner", days=30),
        Known(ADAM, "Decisions are written down with a date and who took them.", kind=MemoryKind.RULE, days=29),
        Known(ADAM, "Red means that a date will be missed, amber that it may be.", key="colours", days=29),
        Known(
            ADAM,
            "The go-live of Pellar slipped by a week in September because the test data arrived late. Since then test data "
            "has a milestone of its own.",
            kind=MemoryKind.EPISODE,
            days=26,
        ),
        Known(
            ADAM,
            "The old planning board stays readable until the end of the year.",
            key="old_board",
            days=33,
            deleted="It was archived in November.",
        ),
    ),
    talks=(
        Talk(
            "priya.s",
            560,
            LAUNCH,
            (
                says("Migration dry run is done, 98 % of the rows came over."),
                answers("Noted. The other two per cent: is that a blocker for the milestone of 20 November?"),
                says("no, old orders only"),
            ),
            name="Priya Shah",
        ),
        Talk(
            "jan.h",
            506,
            DELIVERY,
            (
                says("What is late this week?"),
                runs("board", "2 of 31 milestones late: training plan, contract annex"),
                answers("Two milestones: the training plan (Jan) and the contract annex (Legal)."),
                says("the training plan is mine, will be done tomorrow"),
            ),
            name="Jan Hofman",
        ),
        Talk(
            "ruth.n",
            452,
            LAUNCH,
            (
                says("When is Norrvik's go-live?"),
                answers("On 8 January."),
                corrects(
                    "Adam Novak", "Norrvik goes live on 15 January, not on the 8th, their team is away until the 12th."
                ),
            ),
            name="Ruth Nolan",
        ),
        Talk(
            "priya.s",
            388,
            DELIVERY,
            (
                says("Please move the test data milestone to the 28th."),
                answers("You own it, so I moved it: 28 November. Two milestones after it keep their dates."),
            ),
            name="Priya Shah",
        ),
        Talk(
            "jan.h",
            321,
            DELIVERY,
            (
                says("Who decided that we train in two groups?"),
                answers("Ruth did, on 3 November, in the steering call."),
            ),
            name="Jan Hofman",
        ),
        Talk(
            "ruth.n",
            268,
            LAUNCH,
            (
                says("Draft the status for the customer please."),
                answers("Norrvik is on track. The migration is at 98 %. Training starts on 2 December."),
                edits(
                    "Ruth Nolan",
                    "Never put percentages into a status for the customer. Norrvik is on track; training starts on 2 December.",
                ),
            ),
            name="Ruth Nolan",
        ),
        Talk(
            "omar.t",
            214,
            DELIVERY,
            (
                says("I take over the contract annex from Legal."),
                answers("Then you own it from now on. Its date is 5 December."),
                says("fine"),
            ),
            name="Omar Tazi",
        ),
        Talk(
            "priya.s",
            157,
            LAUNCH,
            (
                says("The second dry run is on Thursday at 10."),
                answers("It is in the calendar of the launch team."),
                corrects("Priya Shah", "Dry runs take place on Thursdays at 10:00 until the go-live."),
            ),
            name="Priya Shah",
        ),
        Talk(
            "jan.h",
            103,
            DELIVERY,
            (
                says("Is the annex still amber?"),
                answers("Yes. Omar waits for one signature; the date may slip by two days."),
            ),
            name="Jan Hofman",
        ),
        Talk(
            "ruth.n",
            60,
            LAUNCH,
            (
                says("Who do I call at Norrvik when something breaks at the weekend?"),
                answers("I do not know that yet."),
                corrects(
                    "Ruth Nolan",
                    "At weekends Norrvik is reached through their service desk, not through the project lead.",
                ),
            ),
            name="Ruth Nolan",
        ),
        Talk(
            "omar.t",
            21,
            DELIVERY,
            (
                says("Annex is signed!"),
                answers("Closed, two days early. I take it out of the risks."),
            ),
            name="Omar Tazi",
        ),
        Talk(
            "priya.s",
            4,
            LAUNCH,
            (
                says("We may need the 22nd as a fallback for the go-live."),
                answers("Shall I write it down as a decision?"),
                says("not yet, Adam decides tomorrow"),
            ),
            name="Priya Shah",
        ),
    ),
    suggested=(
        Suggested(
            "#launch-norrvik/priya.s/4",
            "We may need the 22nd as a fallback",
            "Norrvik goes live on 15 January, with 22 January as the fallback.",
            key="norrvik_go_live",
            rationale="Priya named a fallback date; it is not decided yet.",
            confidence=0.58,
        ),
        Suggested(
            "Delivery/omar.t/214",
            "I take over the contract annex from Legal",
            "Omar owns the contract annex for Norrvik.",
            key="norrvik_annex_owner",
            rationale="He said so himself.",
            confidence=0.9,
        ),
    ),
    looked=(Looked("Norrvik goes live on 15 January, not", ADAM, kept=False),),  # it is known by its key already
    decided=(
        Decided(
            "Dry runs take place",
            ADAM,
            approved=True,
            edited="Dry runs for Norrvik take place on Thursdays at 10:00 until the go-live.",
        ),
        Decided("norrvik_annex_owner", ADAM, approved=True),
    ),
    asked=(
        Asked(ADAM, "ruth.n", "When does Norrvik go live?", 140),
        Asked(ADAM, "jan.h", "Who owns the data migration?", 95),
        Asked(OLGA, "omar.t", "What do red and amber mean?", 45),
        Asked(ADAM, "priya.s", "When is the next dry run?", 8),
    ),
)
