"""The Sales Ops Agent: pipeline, quotes, discounts."""

from learning.choices import MemoryKind, MemoryScope, Risk

from ..script import Asked, Decided, Known, Story, Suggested, Talk, answers, corrects, runs, says

ADAM, OLGA = "adam@acme.example", "olga@acme.example"
DESK, CRM = "#deal-desk", "CRM side panel"

STORY = Story(
    "sales-ops",
    known=(
        Known(
            ADAM,
            "Discounts up to 10 % are the account owner’s own decision.",
            key="discount_small",
            risk=Risk.MEDIUM,
            days=38,
        ),
        Known(
            ADAM,
            "Discounts above 10 % need the sales lead, above 20 % also Olga.",
            key="discount_large",
            risk=Risk.MEDIUM,
            days=38,
        ),
        Known(
            ADAM,
            "Quotes are valid for 30 days.",
            key="quote_validity",
            days=35,
            then=("Quotes are valid for 21 days.",),
        ),
        Known(ADAM, "A deal without a next step for 14 days is marked as stalled.", key="stalled_after", days=30),
        Known(ADAM, "Write amounts in euros, without cents.", kind=MemoryKind.RULE, days=28),
        Known(
            ADAM,
            "The quarter’s forecast is frozen on the second Friday of its last month.",
            key="forecast_freeze",
            days=21,
        ),
        Known(
            ADAM,
            "Norrvik renewed for two years in October after a call with their operations lead about delivery times.",
            kind=MemoryKind.EPISODE,
            days=23,
        ),
        Known(
            ADAM,
            "Leads from the spring fair are tagged SF.",
            key="fair_tag",
            days=36,
            deleted="They were all followed up.",
        ),
    ),
    talks=(
        Talk(
            "clara.m",
            575,
            DESK,
            (
                says("Norrvik asks for 15 % on the renewal. Who has to say yes?"),
                answers("Above 10 % the sales lead does. I prepared the note for her."),
                says("thanks, sent"),
            ),
            name="Clara Moreau",
        ),
        Talk(
            "david.k",
            498,
            CRM,
            (
                says("Make a quote for Pellar: 40 seats, one year."),
                runs("make_quote", "Q-2291, 40 seats, 12 months, 19,200 EUR, valid 30 days"),
                answers("Q-2291 is ready: 19,200 euros, valid for 30 days."),
                corrects("Adam Novak", "Quotes are valid for 21 days since this quarter, not 30."),
            ),
            name="David Kim",
        ),
        Talk(
            "clara.m",
            431,
            CRM,
            (
                says("Which of my deals have had no activity lately?"),
                runs("pipeline", "3 deals without a next step for more than 14 days"),
                answers("Three are stalled: Quarnbeek, Hollin and Lumen Foods. Quarnbeek is the largest."),
            ),
            name="Clara Moreau",
        ),
        Talk(
            "yusuf.a",
            377,
            DESK,
            (
                says("Is the forecast still open? I have two deals to move."),
                answers("It is frozen on Friday. Until then you can change it yourself."),
            ),
            name="Yusuf Aydin",
        ),
        Talk(
            "david.k",
            305,
            CRM,
            (
                says("Pellar wants the invoice split over two years. Possible?"),
                answers("I found no rule about that. I asked Adam."),
                corrects("Adam Novak", "Invoices are split only for contracts of at least 24 months."),
            ),
            name="David Kim",
        ),
        Talk(
            "clara.m",
            246,
            DESK,
            (
                says("What did we promise Lumen Foods about the start date?"),
                answers("In the call of 6 November you said: not before the middle of January."),
                says("right, I remember"),
            ),
            name="Clara Moreau",
        ),
        Talk(
            "yusuf.a",
            199,
            CRM,
            (
                says("Add Third Bean as a lead, they wrote through the web form."),
                runs("create_lead", "L-8810, Third Bean, source web"),
                answers("Done, L-8810. You are its owner."),
            ),
            name="Yusuf Aydin",
        ),
        Talk(
            "nora.b",
            151,
            DESK,
            (
                says("Do resellers get the same discount steps?"),
                answers("I treat them alike: up to 10 % is the account owner’s decision."),
                corrects(
                    "Adam Novak",
                    "Resellers have their own price list, the discount steps are only for direct customers.",
                ),
            ),
            name="Nora Berg",
        ),
        Talk(
            "david.k",
            99,
            CRM,
            (
                says("Remind me what Pellar pays today"),
                answers("19,200 euros a year for 40 seats, from quote Q-2291."),
            ),
            name="David Kim",
        ),
        Talk(
            "clara.m",
            52,
            DESK,
            (
                says("Hollin is dead, they went with somebody else."),
                answers("Closed as lost. What was the reason, if you know it?"),
                says("price, and they wanted a partner in Zurich"),
                answers("Both noted on the deal."),
            ),
            name="Clara Moreau",
        ),
        Talk(
            "nora.b",
            17,
            DESK,
            (
                says("Can I show Third Bean our roadmap?"),
                answers("I know of no rule against it."),
                corrects("Adam Novak", "From now on, never share the roadmap before a signed NDA."),
            ),
            name="Nora Berg",
        ),
        Talk(
            "yusuf.a",
            2,
            CRM,
            (
                says("Quote for Third Bean please, 12 seats, 12 months"),
                runs("make_quote", "Q-2317, 12 seats, 12 months, 6,480 EUR, valid 21 days"),
                answers("Q-2317: 6,480 euros, valid for 21 days."),
            ),
            name="Yusuf Aydin",
        ),
    ),
    suggested=(
        Suggested(
            "#deal-desk/clara.m/52",
            "they wanted a partner in Zurich",
            "Swiss customers ask for a partner in Zurich; two deals were lost over it this year.",
            rationale="The same reason was given for two lost deals.",
            confidence=0.66,
        ),
        Suggested(
            "#deal-desk/nora.b/151",
            "Do resellers get the same discount steps?",
            "Discount steps hold for direct customers only; resellers have their own price list.",
            key="discount_scope",
            scope=MemoryScope.ORGANIZATION,
            risk=Risk.MEDIUM,
            rationale="The Shop Assistant was asked the same.",
        ),
        Suggested(
            "#deal-desk/clara.m/575",
            "Norrvik asks for 15 %",
            "Norrvik always gets 15 % on renewals.",
            key="norrvik_discount",
            risk=Risk.HIGH,
            rationale="It was granted once.",
            confidence=0.38,
        ),
    ),
    decided=(
        Decided("Invoices are split only for contracts", ADAM, approved=True),
        Decided("norrvik_discount", ADAM, approved=False, reason="Once is not always."),
    ),
    asked=(
        Asked(ADAM, "clara.m", "Who approves a 15 % discount?", 145),
        Asked(ADAM, "david.k", "How long is a quote valid?", 97),
        Asked(ADAM, "yusuf.a", "When is the forecast frozen?", 49),
        Asked(OLGA, "nora.b", "What do we know about Norrvik?", 25),
        Asked(ADAM, "david.k", "Can the invoice be split over two years?", 6),
    ),
)
