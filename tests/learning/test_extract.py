"""What plain statements give, and the much longer list of what gives nothing."""

import json

import pytest

from learning.choices import MemoryKind, MemoryScope
from learning.detection import extract
from learning.detection.triage import LONGEST, worth_hearing
from tests.collections import TEXTS


def said(text, kind="message"):
    return [(str(one.kind), one.key, one.content) for one in extract(text, kind)]


@pytest.mark.parametrize(
    ("text", "key", "content"),
    [
        ("do you have these pants in my size, 38?", "size", "38"),
        ("My size is M.", "size", "M"),
        ("size 38 fits me", "size", "38"),
        ("I usually wear a size 10 in dresses", "dress_size", "10"),
        ("I wear a 10.5 in shoes", "shoe_size", "10.5"),
        ("my shoe size is EU 43", "shoe_size", "EU 43"),
        ("I'm based in Lisbon", "location", "Lisbon"),
        ("Hi! I’m based in Lisbon, Portugal and I wear size M.", "location", "Lisbon, Portugal"),
        ("I live in Lisbon, do you ship there?", "location", "Lisbon"),
        ("I live in St. Louis and work in HR.", "location", "St. Louis"),
        ("call me Sam", "name", "Sam"),
        ("Sure! My name is Renée Dubois, and I have a question.", "name", "Renée Dubois"),
        ("my pronouns are they/them", "pronouns", "they/them"),
        ("my time zone is CET", "time_zone", "CET"),
        ("I'm on the platform team", "team", "platform"),
        ("I work in HR.", "team", "HR"),
        ("I work as a data engineer at Acme", "role", "data engineer"),
        ("I'm a nurse at the city clinic", "role", "nurse"),
        ("I prefer e-mail over phone", "contact_preference", "e-mail"),
        ("The best way to reach me is by WhatsApp", "contact_preference", "WhatsApp"),
        ("I'm vegetarian", "diet", "vegetarian"),
        ("My native language is Dutch", "language", "Dutch"),
    ],
)
def test_a_plain_statement_becomes_a_profile_attribute_that_is_the_value_alone(text, key, content):
    assert ("profile", key, content) in said(text)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("my team uses Figma", "My team uses Figma"),
        ("By the way, I have two dogs.", "I have two dogs"),
        ("I prefer aisle seats.", "I prefer aisle seats"),
        ("We use Jira for tickets", "We use Jira for tickets"),
        ("I work Mondays to Thursdays", "I work Mondays to Thursdays"),
        ("My favourite colour is green", "My favourite colour is green"),
        ("Please remember that I park on level 2", "I park on level 2"),
    ],
)
def test_a_fact_keeps_the_authors_own_words(text, content):
    assert said(text) == [("fact", None, content)]


@pytest.mark.parametrize(
    ("text", "key", "content"),
    [
        ("please always answer in German", "reply_language", "Please always answer in German"),
        ("I like short replies", "reply_length", "I like short replies"),
        ("Keep your answers short please.", "reply_length", "Keep your answers short please"),
        ("Please don't use emojis", "reply_style", "Please don't use emojis"),
        ("From now on, send me the report as a table.", None, "From now on, send me the report as a table"),
        ("Never call me on weekends.", None, "Never call me on weekends"),
    ],
)
def test_a_standing_order_becomes_a_rule_about_the_person(text, key, content):
    [one] = extract(text)
    assert (one.scope, one.kind, one.key, one.content) == (MemoryScope.PERSON, MemoryKind.RULE, key, content)


OF_THEIR_LIVES = [
    "I moved here from Brazil two years ago",
    "I grew up in a small town near Porto",
    "We have two kids",
    "I'm a single mom of three",
    "I've been married for 5 years",
    "We've got a pup and a kitty.",
    "my dog's name is Rex",
    "I work at Siemens",
    "I run my own bakery",
    "I opened a small coffee shop last year",
    "I lost my job as a banker yesterday",
    "I got a new job at Google!",
    "I'm studying nursing at the university",
    "I graduated from MIT in 2019",
    "I volunteer at a homeless shelter",
    "I just joined a local choir",
    "I play the violin",
    "I've been playing chess for ten years",
    "I'm really into pottery",
    "My hobbies are chess, running and baking",
    "I collect vintage stamps",
    "We go camping every summer",
    "I run Debian 12 on my laptop",
    "I have a Dell XPS 13 laptop",
    "my laptop is a ThinkPad T480",
]
OF_THE_DAY = [
    "I have a problem with my laptop",
    "my laptop is broken",
    "my phone is not working",
    "I have a new phone case in my order",
    "I work with this every day",
    "I work at home",
    "I love it!",
    "I love running this command",
    "I use this laptop",
    "I have a cat toy in my order",
    "I'm from support",
    "I'm from the IT team",
    "I'm from Monday on vacation",
    "I'm learning a lot from you",
    "I started a return",
    "I opened a ticket yesterday",
    "I opened a business account",
    "I have a shop voucher",
    "I have a kids' size question",
    "I'm on the free plan page",
    "I'm a big fan of this store",
    "I have the gold one",
    "I play the video but it stops",
    "I enjoy reading your emails",
    "I got my certificate error again",
    "I moved to the next step",
    "I moved the file",
    "my partner's phone is broken",
    "I joined the queue",
    "I teach my son to read",
    "I was born yesterday, you think?",
    "we have a company discount code",
    "I'm starting a new business chat",
    "I have a baby shower order",
    "I went hiking last week",
    "she has a dog",
    "my wife is a nurse",
    "I do yoga? no",
    "I'm keen on getting a refund",
]


@pytest.mark.parametrize("text", OF_THEIR_LIVES)
def test_what_people_tell_of_their_lives_is_kept_as_a_fact_about_them(text):
    [one] = extract(text)
    assert (one.scope, one.kind, one.key) == (MemoryScope.PERSON, MemoryKind.FACT, None)
    assert one.content.casefold() == text.rstrip(".!").casefold()


@pytest.mark.parametrize("text", OF_THE_DAY)
def test_what_looks_like_it_and_is_the_errand_at_hand_says_nothing(text):
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "key", "content"),
    [
        ("I'm from Sweden.", "home", "Sweden"),
        ("I'm an Ubuntu user", "system", "Ubuntu"),
        ("I am on the enterprise plan, can I get a refund?", "plan", "enterprise"),
        ("I'm a gold member", "plan", "gold"),
    ],
)
def test_where_from_which_plan_and_which_system(text, key, content):
    assert said(text) == [("profile", key, content)]


def test_a_thought_is_kept_up_to_where_it_ends():
    assert said("I love camping trips with my fam, 'cause nature brings such peace.") == [
        ("fact", None, "I love camping trips with my fam")
    ]


def test_an_allergy_is_sensitive():
    [one] = extract("I'm allergic to peanuts and shellfish, so please no samples.")
    assert (one.key, one.content, one.sensitive) == ("allergy", "peanuts and shellfish", True)


NOTHING = [
    *("Are you based in Lisbon?", "I'm based in Lisbon?", "do you have this in size 38?", "Can you answer in German?"),
    *("If I lived in Lisbon I would order it", "Imagine I'm vegan and I live in Lisbon", "I want to move to Lisbon"),
    *("she says I'm based in Lisbon", "My friend is allergic to nuts", "my sister wears a size 38"),
    *('"I\'m allergic to nuts" is what the form says', "> I'm based in Lisbon", "`my name is Sam`"),
    *("I'm a vegetarian, just kidding", "lol I'm a vegan now", "my name is Bond haha", "I'm vegan ;)"),
    *("My order number is W123456", "my reservation ID is 4WQ150", "Please cancel my order", "I got the wrong size."),
    *("I'd like to change them to a size 8, please", "my size 9 order has not arrived", "I take 2 sugars"),
    *("I take a size 4 for my son", "I'm so angry right now", "I love it!", "I am in Lisbon today"),
    *("I prefer the blue one", "I prefer this option, please refund it", "I'd prefer to keep the original"),
    *("call me back", "call me tomorrow", "Call me Monday", "never mind", "Always a pleasure", "Never give up!"),
    *("I used to live in Lisbon", "I was based in Lisbon", "I don't live in Lisbon", "I'm not allergic to nuts"),
    *("I'm allergic to Mondays", "I never got the refund", "I always get this error", "my job is hard"),
    *("I live in France / I live in the USA", "I am the admin agent", "I am an admin", "forget everything about me"),
    *("I use the original payment method", "I have one dog toy in my order", "I can't eat now", "thanks!", "", "?"),
]


@pytest.mark.parametrize("text", NOTHING)
def test_everything_else_says_nothing(text):
    assert said(text) == []


def test_two_values_for_one_attribute_cancel_each_other_out():
    assert said("I live in France. And I have two cats. I live in Spain.") == [("fact", None, "I have two cats")]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("No, the London office uses gateway 2", "The London office uses gateway 2"),
        ("That's wrong. The VPN for London is vpn-2.", "The VPN for London is vpn-2"),
        ("The return window is 30 days, not 14.", "The return window is 30 days, not 14"),
        ("Actually it's 4,000, not 40,000.", "It's 4,000, not 40,000"),
    ],
)
def test_a_correction_becomes_a_fact_of_the_agent(text, content):
    [one] = extract(text, "correction")
    assert (one.scope, one.kind, one.content) == (MemoryScope.ROLE_AGENT, MemoryKind.FACT, content)
    assert extract(text, "message") == []


def test_a_correction_may_be_a_rule_or_about_its_author():
    [rule] = extract('Always sign with "The Support Team".', "correction")
    assert (rule.scope, rule.kind) == (MemoryScope.ROLE_AGENT, MemoryKind.RULE)
    [own] = extract("No, I'm based in Porto.", "correction")
    assert (own.scope, own.key, own.content) == (MemoryScope.PERSON, "location", "Porto")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *[
            ("correction", text)
            for text in ("No", "No, cancel it", "No, I ordered the blue one", "Thanks, that's right.")
        ],
        *[("correction", text) for text in ("it's wrong", "Is the gateway 2?", "he said the gateway is 2")],
        ("draft_edit", "Hi Ana, your order ships on Monday. I'm based in Lisbon."),
        ("draft_edit", "The office opens at 9."),
    ],
)
def test_what_corrects_nothing_gives_nothing(kind, text):
    assert said(text, kind) == []


@pytest.mark.parametrize("text", ["do you have these pants in my size, 38?", "Hey, by the way, I’m based in Lisbon!"])
def test_the_span_is_where_the_evidence_stands(text):
    [one] = extract(text)
    assert one.content in text[slice(*one.span)]


def _lines(name):
    path = TEXTS / name
    if not path.exists():
        pytest.skip(f"{path} is not here; it is not part of the repository")
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_at_most_one_support_turn_in_twenty_says_anything():
    turns = _lines("support_turns.jsonl")
    loud = [turn for turn in turns if turn["role"] not in {"agent", "system"} and extract(turn["text"])]
    assert 10 <= len(loud) <= len(turns) * 0.05


def test_odd_inputs_neither_fail_nor_take_long():
    odd = [line["text"] for line in _lines("odd_inputs.jsonl")]
    for text in [*odd, *(one * 200 for one in odd), "my size, " * 2000, "a" * 20_000, "I prefer " * 2000, '"' * 5000]:
        for kind in ("message", "correction", "draft_edit"):
            extract(text[:LONGEST], kind)


def test_triage_hears_whatever_can_be_extracted():
    for text in ["please always answer in German", "size 38 fits me", "Keep your answers short please.", "call me Sam"]:
        assert worth_hearing(text, "message"), text
    for turn in _lines("support_turns.jsonl"):
        if extract(turn["text"]):
            assert worth_hearing(turn["text"], "message")


def test_triage_lets_logs_and_courtesies_pass_by():
    assert not worth_hearing("ok thanks", "message")
    assert not worth_hearing("Great, have a nice day!", "message")
    assert not worth_hearing("my " * LONGEST, "message")
