"""Which skills a question loads: by name, by words, by nearness, and none where it is uncertain."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digitalworker.common.embedding import BundledEngine
from skills.everyday import QUESTIONS
from skills.selection import Catalogue, Choice, Considered, Entry, commands, passage_text

EXPENSES = Entry(
    "a1",
    "expense-claim",
    "Check and book a claim for travel expenses: receipts, hotel bills, mileage and daily allowances.",
    "Someone hands in receipts of a business trip.",
)
FIREWALL = Entry(
    "a2", "firewall-change", "Prepare a change of firewall rules: ports, source addresses, approval, rollback."
)
ONBOARDING = Entry(
    "a3", "onboard-colleague", "Onboarding checklist for somebody who joins: laptop, badge, mailbox, mentor."
)
ALL = (EXPENSES, FIREWALL, ONBOARDING)
TRIP = "Check the receipts and hotel bills of my business trip and book the mileage"


def names(choice: Choice) -> list[str]:
    return [each.name for each in choice.chosen]


# --- by name ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question",
    [
        "/firewall-change open port 443",
        "please use /firewall-change, for port 443",
        "Open port 443 (/firewall-change).",
        "/Firewall-Change",
        "/FIREWALL_CHANGE!",
    ],
)
def test_a_skill_asked_for_by_name_is_loaded_wherever_and_however_the_name_stands(question):
    choice = Catalogue(ALL).choose(question)

    assert [(each.name, each.why, each.score) for each in choice.chosen] == [("firewall-change", "asked by name", 1.0)]
    assert choice.unknown == ()


def test_who_names_a_skill_gets_that_one_and_not_what_the_words_would_fit():
    assert names(Catalogue(ALL).choose(f"/onboard-colleague {TRIP}")) == ["onboard-colleague"]


def test_several_names_load_in_their_order_each_once_up_to_the_most_and_the_rest_is_said():
    choice = Catalogue(ALL).choose("/onboard-colleague /expense-claim /onboard-colleague /firewall-change")

    assert names(choice) == ["onboard-colleague", "expense-claim"]
    assert [(each.name, each.why) for each in choice.considered] == [
        ("firewall-change", "asked by name, but 2 at most are loaded")
    ]


def test_a_name_with_spaces_or_of_another_script_is_asked_for_with_hyphens():
    catalogue = Catalogue([Entry("b1", "Attio Automation", "Contacts."), Entry("b2", "翻译", "把文件翻译成中文")])

    assert names(catalogue.choose("/attio-automation who is new?")) == ["Attio Automation"]
    assert names(catalogue.choose("请用 /翻译")) == ["翻译"]


def test_a_question_that_begins_with_an_unknown_name_loads_nothing_in_its_place_and_says_so():
    choice = Catalogue(ALL).choose(f"/expnse-claim {TRIP}")

    assert (choice.chosen, choice.considered) == ((), ())
    assert choice.unknown == ("/expnse-claim",)
    assert choice.notices == ("not found: /expnse-claim",)


def test_an_unknown_name_further_inside_is_said_and_the_rest_of_the_question_chooses():
    choice = Catalogue(ALL).choose(f"{TRIP} with /receipts")

    assert names(choice) == ["expense-claim"]
    assert choice.notices == ("not found: /receipts",)


def test_an_unknown_name_beside_a_known_one_is_said_and_the_known_one_loaded():
    choice = Catalogue(ALL).choose("/nothing /expense-claim")

    assert (names(choice), choice.unknown) == (["expense-claim"], ("/nothing",))


@pytest.mark.parametrize(
    "question",
    [
        "Who may write to /etc/hosts?",
        "/etc/hosts is wrong",
        "/tmp is full",
        "https://example.com/expense-claim is down",
        "example.com/expense-claim",
        "is it due on 1/2 or 3/4?",
        "we have 24/7 and/or weekday support",
        "what does /24 mean?",
        "a / b",
        "//expense-claim",
        "/expense-claim/form",
        "/",
    ],
)
def test_paths_addresses_dates_and_slashes_between_words_are_no_names(question):
    choice = Catalogue(ALL).choose(question)

    assert "asked by name" not in [each.why for each in choice.chosen]
    assert choice.unknown == ()


def test_a_skill_may_be_named_like_a_folder():
    assert names(Catalogue([Entry("c1", "home", "Help with the home page.")]).choose("/home")) == ["home"]


# --- by words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("skills", [(EXPENSES,), ALL])
def test_words_alone_load_what_clearly_fits_from_one_skill_as_from_three(skills):
    choice = Catalogue(skills).choose(TRIP)

    assert names(choice) == ["expense-claim"]
    assert (choice.chosen[0].why, choice.chosen[0].similarity) == ("fits the question", None)
    assert choice.chosen[0].score >= 0.5


@pytest.mark.parametrize("skills", [(EXPENSES,), (FIREWALL,), (ONBOARDING,), ALL])
@pytest.mark.parametrize(
    "question",
    [
        "Who is on duty tonight?",
        "Hello!",
        "",
        "My laptop is broken",
        "What is a hotel like there?",
        "Which port is Hamburg's?",
    ],
)
def test_what_shares_nothing_or_one_word_with_a_skill_loads_none(skills, question):
    choice = Catalogue(skills).choose(question)

    assert choice.chosen == ()
    assert {each.why for each in choice.considered} == {"does not fit"}


def test_endings_do_not_keep_words_apart():
    assert names(Catalogue(ALL).choose("booking travels, receipt, hotels, bill")) == ["expense-claim"]


def test_when_to_use_counts_too_but_less_than_the_description():
    when = "Parcel damaged, carrier, courier, insurance."
    asked = "The courier damaged the parcel, does the carrier's insurance pay?"
    scores = [
        Catalogue([entry]).choose(asked)
        for entry in (
            Entry("d1", "refund", "Money back."),
            Entry("d1", "refund", "Money back.", when),
            Entry("d1", "refund", f"Money back. {when}"),
        )
    ]
    said_nowhere, said_in_when, said_in_description = [
        (*choice.chosen, *choice.considered)[0].lexical for choice in scores
    ]

    assert said_nowhere < said_in_when < said_in_description


def test_two_that_fit_as_well_are_both_loaded_where_two_may_be_and_neither_where_one_may():
    twin = Entry("a9", "travel-claim", EXPENSES.description, EXPENSES.when)
    catalogue = Catalogue([EXPENSES, twin, FIREWALL])

    assert sorted(names(catalogue.choose(TRIP))) == ["expense-claim", "travel-claim"]
    choice = catalogue.choose(TRIP, at_most=1)
    assert choice.chosen == ()
    assert {each.name: each.why for each in choice.considered} == {
        "expense-claim": "uncertain: two fit as well",
        "travel-claim": "uncertain: two fit as well",
        "firewall-change": "does not fit",
    }


def test_one_that_fits_less_well_than_another_is_not_loaded_beside_it_and_says_so():
    lesser = Entry("a9", "mileage", "Receipts, hotel bills, mileage.")
    choice = Catalogue([EXPENSES, lesser]).choose(f"{TRIP}: daily allowances, travel expenses, claim")

    assert names(choice) == ["expense-claim"]
    assert [(each.name, each.why) for each in choice.considered] == [("mileage", "another fits better")]


def test_of_two_with_one_name_the_one_with_the_least_key_counts():
    other = Entry("a0", "Expense Claim", "Something else.")

    assert [each.key for each in Catalogue([EXPENSES, other]).choose("/expense-claim").chosen] == ["a0"]


def test_an_agent_without_skills_loads_none():
    assert Catalogue([]).choose("/expense-claim").unknown == ("/expense-claim",)
    assert Catalogue([], [[1.0, 0.0]] * len(QUESTIONS)).choose("anything", [1.0, 0.0]) == Choice()


# --- by nearness ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def engine():
    return BundledEngine()


@pytest.fixture(scope="module")
def everyday(engine):
    return [engine.embed_query(question) for question in QUESTIONS]


@pytest.fixture(scope="module")
def single(engine, everyday):
    """The catalogue of an agent with one skill."""
    text = passage_text(EXPENSES.name, EXPENSES.description)
    vector = engine.embed_passages([text])[0]
    return Catalogue([Entry(EXPENSES.key, EXPENSES.name, EXPENSES.description, vector=vector)], everyday)


@pytest.mark.parametrize(
    "question",
    [
        "How do I get my hotel bill from the trip to Vienna paid back?",
        "Meine Hotelrechnung der Dienstreise abrechnen, bitte",
    ],
)
def test_an_agent_with_a_single_skill_loads_it_in_other_words_and_in_another_language(single, engine, question):
    choice = single.choose(question, engine.embed_query(question))

    assert names(choice) == ["expense-claim"]
    assert choice.chosen[0].similarity > 0.8


@pytest.mark.parametrize(
    "question",
    [
        "My VPN drops every ten minutes",
        "Good morning!",
        "When is my probation over?",
        "Der Drucker geht nicht",
        "ok",
        "?",
    ],
)
def test_an_agent_with_a_single_skill_does_not_load_it_for_anything_else(single, engine, question):
    choice = single.choose(question, engine.embed_query(question))

    assert choice.chosen == ()
    assert [type(each) for each in choice.considered] == [Considered]


def test_a_skill_whose_vector_is_missing_is_judged_by_its_words_beside_others(single, engine, everyday):
    vector = engine.embed_passages([passage_text(FIREWALL.name, FIREWALL.description)])[0]
    firewall = Entry(FIREWALL.key, FIREWALL.name, FIREWALL.description, vector=vector)
    choice = Catalogue([EXPENSES, firewall], everyday).choose(TRIP, engine.embed_query(TRIP))

    assert [(each.name, each.similarity) for each in choice.chosen] == [("expense-claim", None)]
    assert choice.considered[0].similarity is not None


def test_vectors_that_can_not_be_judged_are_not_used(engine):
    vector = engine.embed_query(TRIP)
    entry = Entry("e1", "unlike", "Nothing of it.", vector=vector)

    assert Catalogue([entry]).choose(TRIP, vector).chosen == ()
    with pytest.raises(ValueError, match=f"1 vectors for {len(QUESTIONS)} everyday questions"):
        Catalogue([entry], [vector])


# --- any question -----------------------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    [*TRIP.split(), "/expense-claim", "/FIREWALL-change", "/nobody", "/", "/etc/x", "港", "🦊", "\x00", "ﬃ"]
)
ANY = st.one_of(st.text(), st.lists(WORDS, max_size=30).map(" ".join))


@given(question=ANY, at_most=st.integers(-1, 4), seed=st.integers(0, 5))
@settings(max_examples=200, deadline=None)
def test_any_question_is_answered_alike_in_whatever_order_the_skills_come_and_by_no_more_than_may_be(
    question, at_most, seed
):
    shuffled = random.Random(seed).sample(ALL, len(ALL))
    choice = Catalogue(ALL).choose(question, at_most=at_most)

    assert choice == Catalogue(shuffled).choose(question, at_most=at_most)
    assert len(choice.chosen) <= max(at_most, 0)
    assert not {each.key for each in choice.chosen} & {each.key for each in choice.considered}


@given(question=ANY, numbers=st.lists(st.floats(-1, 1, width=16), min_size=3, max_size=3).filter(any))
@settings(max_examples=100, deadline=None)
def test_any_vector_gives_scores_between_0_and_1(question, numbers):
    chance = random.Random(1)
    vectors = [[chance.uniform(-1, 1) for _ in range(3)] for _ in range(len(QUESTIONS) + 1)]
    catalogue = Catalogue([Entry("f1", "f", "g", vector=vectors[0])], vectors[1:])
    choice = catalogue.choose(question, numbers)

    assert all(0 <= each.score <= 1 and 0 <= each.lexical <= 1 for each in (*choice.chosen, *choice.considered))


def test_a_command_is_told_as_written():
    assert commands("/A-b, then (/c_d)!") == [("/A-b", True), ("/c_d", False)]
