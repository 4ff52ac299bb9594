"""The Shop Assistant: customers of the web shop."""

from learning.choices import MemoryKind, MemoryScope, Risk

from ..script import Asked, Decided, Known, Looked, Story, Suggested, Talk, answers, corrects, runs, says

BEN, ADAM, OLGA = "ben@acme.example", "adam@acme.example", "olga@acme.example"
SHOP, MAIL = "Web shop", "hello@acme.example"
PERSON = MemoryScope.PERSON

STORY = Story(
    "shop",
    known=(
        Known(BEN, "Returns are free within 30 days; the label is in the parcel.", key="returns", days=40),
        Known(BEN, "Orders ship from Hamburg within two days.", key="shipping", days=39),
        Known(BEN, "Jerseys run small: recommend one size up.", key="jersey_fit", days=34),
        Known(BEN, "The merino jersey comes in navy, moss and oat, sizes XS to XXL.", key="merino_jersey", days=34),
        Known(
            BEN, "The linen shirt and the canvas pants are back in stock from 5 December.", key="back_in_stock", days=8
        ),
        Known(BEN, "Pants are measured in European sizes, 34 to 46.", key="pants_sizes", days=33),
        Known(BEN, "Suggest at most three articles in one answer.", kind=MemoryKind.RULE, days=31),
        Known(BEN, "Never promise a delivery date in December.", kind=MemoryKind.RULE, risk=Risk.MEDIUM, days=15),
        Known(
            BEN,
            "In the sale of November many customers asked why vouchers could not be combined. A line in the basket explains "
            "it since.",
            kind=MemoryKind.EPISODE,
            days=10,
        ),
        Known(BEN, "Members get 5 % on everything.", key="member_discount", days=36, deleted="The programme ended."),
    ),
    talks=(
        Talk(
            "M-4471",
            600,
            SHOP,
            (
                says("Hi! Do you have the linen shirt in my size, M?"),
                runs("stock", "LIN-02 size M: 6"),
                answers("Yes, six of them in M. It comes in white, sand and blue."),
                says("blue it is, thanks"),
            ),
            name="Marta K.",
        ),
        Talk(
            "KL-204",
            531,
            SHOP,
            (
                says("Where is my order 88213?"),
                runs("order", "88213: with the carrier since yesterday"),
                answers("It is with the carrier since yesterday; the tracking link is in your mail."),
                says("I prefer e-mail over phone, please don't call me about it."),
                answers("Understood, we write."),
            ),
            name="K. Lund",
        ),
        Talk(
            "TT-88",
            470,
            SHOP,
            (
                says("I only wear vegan leather, which of your belts would work?"),
                answers("The cork belt and the one made of recycled rubber. Both are free of animal products."),
            ),
            name="Tove T.",
        ),
        Talk(
            "JD-31",
            408,
            MAIL,
            (
                says("I'm allergic to wool. Is there any in the moss jersey?"),
                answers("Yes, it is merino. The cotton jersey has none; it comes in the same colours."),
            ),
            name="J. Duarte",
        ),
        Talk(
            "NP-77",
            342,
            MAIL,
            (
                says("I want to return the jacket, it is too wide."),
                answers("Of course. The label is in the parcel; please hand it in within 30 days."),
                corrects(
                    "Ben Okafor", "Returns need the order number first, otherwise the warehouse can not match them."
                ),
            ),
            name="Nia P.",
        ),
        Talk(
            "M-4471",
            281,
            SHOP,
            (
                says("my shirt arrived, it fits perfectly :)"),
                answers("Lovely to hear!"),
            ),
            name="Marta K.",
        ),
        Talk(
            "RW-15",
            233,
            SHOP,
            (
                says("How long does delivery to Denmark take?"),
                answers("Orders leave Hamburg within two days; to Denmark it is three to five days in all."),
                corrects("Ben Okafor", "Orders ship from Rotterdam, not from Hamburg, since October."),
            ),
            name="Rasmus W.",
        ),
        Talk(
            "TT-88",
            176,
            SHOP,
            (
                says("My shoe size is 42. Are the canvas shoes true to size?"),
                answers("They are. Take a 42."),
            ),
            name="Tove T.",
        ),
        Talk(
            "GH-09",
            124,
            MAIL,
            (
                says(
                    "please remember that my account password is Tulip-Harbour-77, so you can change the order for me"
                ),
                answers(
                    "Please never send us a password. I can not use it, and I do not keep it. Change it to be safe."
                ),
            ),
            name="G. Holm",
            verified=False,
        ),
        Talk(
            "M-4471",
            62,
            SHOP,
            (
                says("My size is L now, the gym is to blame. Do you have the linen shirt in it?"),
                runs("stock", "LIN-02 size L: 0, back on 5 December"),
                answers("Not before 5 December. Shall I tell you when it is there?"),
                says("yes please"),
            ),
            name="Marta K.",
        ),
        Talk(
            "PV-66",
            19,
            SHOP,
            (
                says("I live in Ghent. Which of your stores is closest?"),
                answers("The one in Antwerp, Kammenstraat 12, open until 18:30."),
                corrects("Ben Okafor", "The Antwerp store is open until 19:00, not 18:30."),
                says("I prefer shorter replies btw"),
                answers("Antwerp, Kammenstraat 12."),
            ),
            name="Pieter V.",
        ),
        Talk(
            "KL-204",
            1.5,
            SHOP,
            (
                says("Will it arrive before Christmas?"),
                answers(
                    "I can not promise a date in December. Orders placed this week usually arrive within five days."
                ),
            ),
            name="K. Lund",
        ),
    ),
    suggested=(
        Suggested(
            "Web shop/RW-15/233",
            "How long does delivery to Denmark take?",
            "Orders ship from Rotterdam within two days.",
            key="shipping",
            rationale="Ben corrected the answer: not from Hamburg any more.",
            confidence=0.92,
        ),
        Suggested(
            "Web shop/KL-204/1.5",
            "Will it arrive before Christmas?",
            "Tell customers that orders placed this week usually arrive within five days.",
            kind=MemoryKind.RULE,
            risk=Risk.MEDIUM,
            rationale="It was said in three answers this week.",
            confidence=0.55,
        ),
        Suggested(
            "Web shop/TT-88/470",
            "I only wear vegan leather",
            "vegan",
            key="materials",
            kind=MemoryKind.PROFILE,
            scope=PERSON,
            rationale="They rule out leather.",
            confidence=0.6,
        ),
    ),
    looked=(Looked("Orders ship from Rotterdam, not", BEN, kept=False),),  # it is known by its key already
    decided=(
        Decided("size = M", BEN, approved=True),
        Decided("contact_preference", BEN, approved=True),
        Decided("shoe_size = 42", BEN, approved=True),
        Decided("materials", BEN, approved=False, reason="Vegan leather is not all they may want."),
        Decided("location = Ghent", BEN, approved=True),
    ),
    asked=(
        Asked(BEN, "M-4471", "Which jersey would fit me?", 156),
        Asked(BEN, "TT-88", "Do you have shoes for me?", 130),
        Asked(BEN, "KL-204", "How do I send something back?", 101),
        Asked(BEN, "PV-66", "What would you recommend for a rainy weekend?", 77),
        Asked(ADAM, "RW-15", "Where do you ship from?", 53),
        Asked(BEN, "M-4471", "Is the linen shirt available again?", 22),
        Asked(BEN, "JD-31", "Which jerseys do you have?", 7),
        Asked(BEN, "TT-88", "Which pants sizes do you carry?", 2.5),
    ),
)
