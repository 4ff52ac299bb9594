"""The HR Agent: leave, benefits, onboarding."""

from learning.choices import MemoryKind, MemoryScope, Risk

from ..script import Asked, Decided, Known, Story, Suggested, Talk, answers, corrects, edits, says

BEN, ADAM, OLGA = "ben@acme.example", "adam@acme.example", "olga@acme.example"
ROOM, MAIL = "HR questions", "people@acme.example"
PERSON = MemoryScope.PERSON

STORY = Story(
    "hr",
    known=(
        Known(
            BEN,
            "Everyone has 25 days of leave a year, and one more for every five years at Acme.",
            key="leave_days",
            days=40,
        ),
        Known(
            BEN,
            "Leave of more than ten days in a row is asked for six weeks ahead.",
            key="long_leave_notice",
            days=40,
            then=("Leave of more than ten days in a row is asked for four weeks ahead.",),
        ),
        Known(BEN, "Sick notes are needed from the fourth day on.", key="sick_note", days=34),
        Known(
            BEN, "New colleagues meet their buddy on the first day at 9:30 at the reception.", key="first_day", days=31
        ),
        Known(BEN, "The language course is paid by Acme once a year, up to 400 euros.", risk=Risk.MEDIUM, days=27),
        Known(
            BEN,
            "Whether somebody’s request was granted is told to nobody but themselves.",
            kind=MemoryKind.RULE,
            risk=Risk.MEDIUM,
            days=33,
        ),
        Known(
            BEN,
            "In September forty people asked about the new pension scheme within a week. The short guide on the intranet "
            "answered nearly all of them.",
            kind=MemoryKind.EPISODE,
            days=25,
        ),
        Known(
            OLGA,
            "Whoever reports harassment is put through to Olga the same day. Ask for no details in the chat.",
            key="harassment_reports",
            kind=MemoryKind.RULE,
            risk=Risk.HIGH,
            sensitive=True,
            days=13,
        ),
        Known(BEN, "The gym subsidy is 15 euros a month.", key="gym", days=30, deleted="The offer ended in October."),
    ),
    talks=(
        Talk(
            "h.bauer",
            590,
            ROOM,
            (
                says("How many days of leave do I have left this year?"),
                answers("I can not see balances yet. Your own page in the time system shows them at the top."),
                says("ok. I work part-time, is it still 25?"),
                answers("Part-time leave follows your working days: three days a week are 15 days of leave."),
            ),
            name="Hanna Bauer",
        ),
        Talk(
            "r.costa",
            515,
            MAIL,
            (
                says("I would like to take three weeks in August. When do I have to ask?"),
                answers("For more than ten days in a row, six weeks ahead."),
                corrects("Ben Okafor", "That is outdated, it is four weeks ahead since the summer, not six."),
                answers("Thank you. Four weeks ahead, then."),
            ),
            name="Rui Costa",
        ),
        Talk(
            "m.dahl",
            444,
            ROOM,
            (
                says("I'm vegetarian, is there anything for me at the summer party?"),
                answers("Yes, the caterer always brings a vegetarian menu. Please tick it on the sign-up form."),
            ),
            name="Mette Dahl",
        ),
        Talk(
            "a.ferri",
            396,
            MAIL,
            (
                says("My preferred language is Italian, could the contract documents come in Italian?"),
                answers("The contract itself is in English; there is an Italian reading copy. I asked for it."),
            ),
            name="Anna Ferri",
        ),
        Talk(
            "li.wei",
            333,
            ROOM,
            (
                says("What happens on my first day?"),
                answers("You meet your buddy at 9:30 at the reception. After that there is a tour, then lunch."),
                says("Please call me Wei."),
                answers("Gladly, Wei."),
            ),
            name="Li Wei",
        ),
        Talk(
            "h.bauer",
            250,
            ROOM,
            (
                says("I only work Monday to Wednesday, please send the invitations for those days."),
                answers("Noted for this invitation. I will ask the organisers."),
            ),
            name="Hanna Bauer",
        ),
        Talk(
            "j.moss",
            212,
            MAIL,
            (
                says("Who gets the doctor's note if I am ill for a week?"),
                answers(
                    "From the fourth day on it goes to people@acme.example. Your team only learns that you are away."
                ),
            ),
            name="Jonah Moss",
        ),
        Talk(
            "r.costa",
            166,
            MAIL,
            (
                says("Best way to reach me is by e-mail, I am at the warehouse most of the day."),
                answers("Understood, I write to you."),
            ),
            name="Rui Costa",
        ),
        Talk(
            "k.alvarez",
            118,
            ROOM,
            (
                says("Can I get the language course paid twice, I did not finish the first one?"),
                answers("It is paid once a year, up to 400 euros. A second one needs a word from your manager."),
                edits("Ben Okafor", "It is paid once a year. Ask again in January, then a new year begins."),
            ),
            name="Karla Alvarez",
        ),
        Talk(
            "m.dahl",
            70,
            ROOM,
            (
                says("I'm going to be on parental leave from February. Which form do I need?"),
                answers("Form P2, eight weeks ahead. I sent you the link; only your manager and HR see it."),
            ),
            name="Mette Dahl",
        ),
        Talk(
            "a.ferri",
            26,
            MAIL,
            (
                says("I'm allergic to nuts, is that known to the canteen for the offsite?"),
                answers("I passed it on for this event, without your name."),
            ),
            name="Anna Ferri",
        ),
        Talk(
            "j.moss",
            5,
            ROOM,
            (
                says("I prefer short answers, one line is enough."),
                answers("Fine."),
                says("Until when can I carry leave over?"),
                answers("Until 31 March."),
                corrects("Ben Okafor", "Leave is carried over until the end of April, not March."),
            ),
            name="Jonah Moss",
        ),
    ),
    suggested=(
        Suggested(
            "HR questions/m.dahl/70",
            "on parental leave from February",
            "Will be on parental leave from February.",
            scope=PERSON,
            sensitive=True,
            risk=Risk.MEDIUM,
            rationale="They said so while asking for a form.",
            confidence=0.88,
        ),
        Suggested(
            "HR questions/k.alvarez/118",
            "language course paid twice",
            "A second language course in one year is refused; the person may ask again in January.",
            kind=MemoryKind.RULE,
            risk=Risk.MEDIUM,
            rationale="Ben changed the draft that promised an exception.",
        ),
        Suggested(
            "people@acme.example/j.moss/212",
            "Who gets the doctor's note",
            "A person’s team learns that they are away, and not why.",
            scope=MemoryScope.ORGANIZATION,
            kind=MemoryKind.RULE,
            risk=Risk.MEDIUM,
            rationale="It would hold for every role-agent, not only for HR.",
            confidence=0.71,
        ),
    ),
    decided=(
        Decided("diet = vegetarian", BEN, approved=True),
        Decided("language = Italian", BEN, approved=True),
        Decided("name = Wei", BEN, approved=True),
        Decided("contact_preference", BEN, approved=True),
    ),
    asked=(
        Asked(BEN, "r.costa", "How early do I ask for three weeks off?", 160),
        Asked(BEN, "m.dahl", "What can I eat at the Christmas party?", 116),
        Asked(BEN, "li.wei", "What happens on the first day?", 92),
        Asked(ADAM, "j.moss", "When do I need a sick note?", 66),
        Asked(BEN, "a.ferri", "Is a language course paid?", 43),
        Asked(BEN, "m.dahl", "How many days of leave do I have a year?", 20),
    ),
)
