"""What a search box understands: phrases, beginnings, exclusions, filters, accents, and words nobody said quite so."""

from datetime import timedelta

import pytest
from django.db import connection

from digitalworker.agents.history import Filters, query, ranking, search_history, spelling
from digitalworker.agents.models import Channel, ChatEvent
from tests.agents.test_history import MONDAY, marked, person_of, search, talk, texts

# --- reading --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("vpn certificate", query.Query("vpn certificate")),
        ('vpn "red  cross"', query.Query("vpn red cross", phrases=("red cross",))),
        ("„rotes Kreuz“ «croix rouge»", query.Query("rotes Kreuz croix rouge", phrases=("rotes Kreuz", "croix rouge"))),
        ("config* vpn", query.Query("vpn", prefixes=("config",))),
        ("vpn -printer", query.Query("vpn", without=("printer",))),
        ('vpn -"red cross"', query.Query("vpn", without_phrases=("red cross",))),
        ("(print*), vpn", query.Query("( ), vpn", prefixes=("print",))),
        # None of these are forms of the language.
        ('a 5" pipe and a 6" one', query.Query('a 5" pipe and a 6" one')),
        ("it is -5 degrees", query.Query("it is -5 degrees")),
        ("well-known e-mail", query.Query("well-known e-mail")),
        ("- an item", query.Query("- an item")),
        ("5*3 * a* **bold**", query.Query("5*3 * a* **bold**")),
        ('"" "   " " ? "', query.Query('"" " " " ? "')),
        ('say "never closed', query.Query('say "never closed')),
    ],
)
def test_a_query_is_read(text, read):
    assert query.read(text) == read


def test_of_too_many_filters_the_last_are_words():
    read = query.read(" ".join(f"-word{'abcdefghij'[n]}" for n in range(10)))
    assert len(read.without) == query.FILTERS_MOST and read.words == "-wordi -wordj"


# --- phrases, beginnings, exclusions --------------------------------------------------------------------------------


@pytest.fixture
def desk(world):
    for text in (
        "My VPN shows a red cross.",
        "The cross is red.",
        "A Red\nCross, twice: red cross!",
        "The Red Crossing is closed.",
        "Printing needs a configuration.",
        "The printers were configured by hopping.",
    ):
        talk(world.it, text)
    return world.it


def test_a_phrase_is_found_as_it_stands_and_marked_whole(desk):
    hits = search(desk, '"red cross"')
    assert sorted(texts(hits)) == ["A Red Cross, twice: red cross!", "My VPN shows a red cross."]
    assert {mark for hit in hits for mark in marked(hit)} >= {"Red Cross", "red cross"}


def test_a_phrase_filters_and_other_words_rank(desk):
    assert texts(search(desk, 'vpn "red cross"'))[0] == "My VPN shows a red cross."
    assert texts(search(desk, '"red cross" printers')) != []
    assert "The printers were configured by hopping." not in texts(search(desk, '"red cross" printers'))


def test_a_phrase_nobody_said_finds_nothing(desk):
    assert texts(search(desk, '"cross red"')) == []


def test_a_phrase_of_stop_words_is_found(world):
    talk(world.it, "To be, or not.")
    talk(world.it, "Not to be outdone.")
    assert sorted(texts(search(world.it, '"to be"'))) == ["Not to be outdone.", "To be, or not."]
    assert texts(search(world.it, '"not to be"')) == ["Not to be outdone."]


@pytest.mark.parametrize("beginning", ["configur", "confi", "configura"])
def test_a_beginning_is_found_in_whatever_form(desk, beginning):
    found = texts(search(desk, f"{beginning}*"))
    assert "Printing needs a configuration." in found
    assert ("The printers were configured by hopping." in found) == (beginning != "configura")


@pytest.mark.parametrize(("beginning", "found"), [("printi", 1), ("printe", 1), ("print", 2), ("hopp", 1), ("rint", 0)])
def test_a_beginning_is_looked_for_in_words_and_not_in_their_stems(desk, beginning, found):
    assert len(search(desk, f"{beginning}*")) == found


def test_a_beginning_is_marked_with_the_rest_of_its_word(desk):
    [hit] = search(desk, "configura*")
    assert marked(hit) == ["configuration"]


def test_what_is_excluded_is_in_no_hit_not_even_beside_one(world):
    talk(world.it, "The VPN fails.", "Is the printer on?", "No printers here.", "So the VPN it is.")
    assert texts(search(world.it, "vpn -printer")) == ["So the VPN it is.", "The VPN fails."]
    assert "Is the printer on?" in texts(search(world.it, "vpn"))
    assert texts(search(world.it, 'vpn -"the vpn fails"'))[0] == "So the VPN it is."
    assert "The VPN fails." not in texts(search(world.it, 'vpn -"the vpn fails"'))


@pytest.mark.parametrize("asked", ["-printer", '-"red cross"', "-vpn -printer"])
def test_exclusions_alone_ask_for_nothing(desk, asked):
    assert texts(search(desk, asked)) == []


def test_in_quotes_nothing_is_a_filter(world):
    talk(world.it, "try ls -la there")
    talk(world.it, "ls is enough")
    assert texts(search(world.it, "ls -la")) == ["ls is enough"]
    assert texts(search(world.it, '"ls -la"')) == ["try ls -la there"]


# --- accents and languages ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "asked", "mark"),
    [
        ("Viele Grüße aus Köln", "grusse koln", ["Grüße", "Köln"]),
        ("Le café est fermé", "cafe ferme", ["café", "fermé"]),
        ("The cafe is closed", "café", ["cafe"]),
        ("Mañana en São Paulo", "manana sao", ["Mañana", "São"]),
        ("Les imprimantes sont déjà là", "imprimante", ["imprimantes"]),
        ("Вёрстка сломалась", "верстка", ["Вёрстка"]),
    ],
)
def test_accents_make_no_difference(world, said, asked, mark):
    talk(world.it, said)
    hits = search(world.it, asked)
    assert [marked(hit) for hit in hits] == [mark] and hits.corrected == ""


def test_accents_make_no_difference_to_phrases_and_beginnings(world):
    talk(world.it, "Der Drückertreiber für Köln fehlt.")
    for asked in ('"fur Koln"', '"für köln"', "drucker*", "Drückert*"):
        [hit] = search(world.it, asked)
        assert len(marked(hit)) == 1, asked


# --- misspelt -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "instead"),
    [
        ("prnter", "printer"),
        ("certifcate jams", None),
        ("globlprotect", "globalprotect"),
        ("vnp", "vpn"),
        ("zzzzz", ""),
    ],
)
def test_words_nobody_said_are_taken_for_similar_ones(world, asked, instead):
    talk(
        world.it,
        "The printer jams.",
        "GlobalProtect is a VPN.",
        "Its certificate is old.",
        "Many greetings from Koeln.",
    )
    hits = search(world.it, asked)
    if instead is None:  # a word that was said found something: nothing is corrected
        assert hits.corrected == "" and len(hits) > 0
    elif instead == "":
        assert hits.corrected == "" and len(hits) == 0
    else:
        assert hits.corrected == instead
        assert instead in [mark.lower() for hit in hits for mark in marked(hit)]


def test_filters_stay_when_words_are_corrected(world):
    talk(world.it, "The printer jams.")
    talk(world.it, "The printer on floor two jams.")
    hits = search(world.it, "prnter -floor")
    assert hits.corrected == "printer -floor" and texts(hits) == ["The printer jams."]


def test_pages_of_a_corrected_search_follow_each_other(world):
    for number in range(5):
        talk(world.it, f"printer {'abcde'[number]}")
    first = search(world.it, "prnter", limit=3)
    second = search(world.it, "prnter", limit=3, cursor=first.next)
    assert len({*texts(first), *texts(second)}) == 5 and second.corrected == "printer"


def test_another_persons_words_are_no_suggestion(world):
    abc, xyz = person_of(world.shop, "ABC"), person_of(world.shop, "XYZ")
    talk(world.shop, "My diagnosis is fibromyalgia.", person=xyz)
    talk(world.shop, "I wear size 38.", person=abc)
    hits = search(world.shop, "fibromialgia", person=abc)
    assert (hits.corrected, len(hits)) == ("", 0)
    assert search(world.shop, "fibromialgia").corrected == "fibromyalgia"


def test_another_agents_words_are_no_suggestion(world):
    talk(world.hr, "My diagnosis is fibromyalgia.")
    talk(world.it, "The printer jams.")
    assert search(world.it, "fibromialgia").corrected == ""


# --- filters --------------------------------------------------------------------------------------------------------


@pytest.fixture
def shop(world):
    """Two people in two channels, a question and an answer each, a day apart."""
    for day, (name, channel) in enumerate((("ABC", "web"), ("XYZ", "mail"))):
        person, at = person_of(world.shop, name), MONDAY + timedelta(days=day)
        said = talk(world.shop, f"Size for {name}?", f"Size of {name} noted.", person=person, at=at)
        where = Channel.objects.create(
            organization=world.acme, role_agent=world.shop, provider="web", external_id=channel, name=channel.title()
        )
        said[0].thread.channel = where
        said[0].thread.last_event_at = said[-1].occurred_at
        said[0].thread.save()
    return world.shop


def narrowed(agent, **filters):
    return sorted(texts(search(agent, "size", filters=Filters(**filters))))


def test_filters_narrow_to_a_person_a_channel_an_author_and_days(shop):
    abc, web = shop.people.get(external_user_id="ABC"), Channel.objects.get(external_id="web")
    everything = ["Size for ABC?", "Size for XYZ?", "Size of ABC noted.", "Size of XYZ noted."]
    assert narrowed(shop) == everything
    assert narrowed(shop, person=abc) == ["Size for ABC?", "Size of ABC noted."]
    assert narrowed(shop, channel=web) == ["Size for ABC?", "Size of ABC noted."]
    assert narrowed(shop, channel=web, author_kind="agent") == ["Size of ABC noted."]
    assert narrowed(shop, author_kind="person") == ["Size for ABC?", "Size for XYZ?"]
    tuesday = MONDAY + timedelta(days=1)
    assert narrowed(shop, since=tuesday) == ["Size for XYZ?", "Size of XYZ noted."]
    assert narrowed(shop, until=tuesday) == ["Size for ABC?", "Size of ABC noted."]
    assert narrowed(shop, since=MONDAY, until=MONDAY + timedelta(seconds=1)) == ["Size for ABC?"]
    assert narrowed(shop, channel=web, since=tuesday) == []


def test_a_filter_opens_nothing_to_a_person_the_search_is_made_for(shop):
    abc, xyz = shop.people.get(external_user_id="ABC"), shop.people.get(external_user_id="XYZ")
    mail = Channel.objects.get(external_id="mail")
    assert texts(search(shop, "size", person=abc, filters=Filters(person=xyz))) == []
    assert texts(search(shop, "size", person=abc, filters=Filters(channel=mail))) == []


def test_another_agents_channel_or_person_narrows_to_nothing(shop, world):
    talk(world.it, "Size of the disk?", person=person_of(world.it, "ABC"))
    other = world.it.people.get()
    assert narrowed(shop, person=other) == []


def test_a_rare_persons_or_channels_words_are_found_behind_everybody_elses(shop, monkeypatch):
    monkeypatch.setattr(ranking, "RECENT", 6)
    for number in range(12):
        talk(shop, f"Size {number}?", at=MONDAY + timedelta(days=9))
    abc, web = shop.people.get(external_user_id="ABC"), Channel.objects.get(external_id="web")
    assert narrowed(shop, person=abc) == narrowed(shop, channel=web) == ["Size for ABC?", "Size of ABC noted."]


def test_what_was_said_before_and_after_comes_along_whatever_is_filtered(shop):
    [hit] = search(shop, "noted", filters=Filters(author_kind="agent", channel=Channel.objects.get(external_id="web")))
    assert (hit.before.excerpt, hit.before.author_kind, hit.after, hit.channel) == (
        "Size for ABC?",
        "person",
        None,
        "Web",
    )


# --- what the database does -----------------------------------------------------------------------------------------


def test_a_word_longer_than_the_index_takes_can_be_said_and_is_found_as_text(world):
    long = "x" * 2_045
    talk(world.it, f"Look: {long}", "printer")
    assert len(search(world.it, "printer")) == 2
    assert texts(search(world.it, "x" * 300))[0].startswith("Look: xxx")


def test_each_agents_words_are_marked_as_its_own(world):
    [ours] = talk(world.it, "printer")
    [theirs] = talk(world.hr, "printer")
    ours, theirs = (ChatEvent.objects.get(pk=event.pk).tsv for event in (ours, theirs))
    assert ours.endswith("printer'") and theirs.endswith("printer'") and ours != theirs


def test_no_part_of_a_search_needs_the_whole_table(world, monkeypatch):
    """Rare words go through the index on words, the newest events through the index on time; a scan is no last resort."""
    talk(world.it, "The printer jams.")
    seen = []
    monkeypatch.setattr(ranking, "rows_of", lambda sql, parameters: seen.append((sql, parameters)) or [])
    asked = (Filters(), Filters(person=person_of(world.it, "ABC")), Filters(since=MONDAY, author_kind="agent"))
    for filters in asked:
        for text in ("printer paper", '"printer jams" toner* -ink', "ERR-42"):
            search_history(actor=world.actor(world.olga), agent=world.it, query=text, filters=filters)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        for sql, parameters in seen:
            cursor.execute("EXPLAIN " + sql, parameters)
            plan = "\n".join(row[0] for row in cursor.fetchall())
            assert "Seq Scan on agents_" not in plan
            assert "Bitmap Index Scan on event_words" in plan or not parameters["any"]
            assert parameters["person"] or "using event_latest on agents_chatevent" in plan


def test_the_choice_of_similar_words_is_bounded(world, monkeypatch):
    monkeypatch.setattr(spelling, "RECENT", 2)
    talk(world.it, "The plotter jams.", at=MONDAY)
    talk(world.it, "Hello.", "Good day.", at=MONDAY + timedelta(days=1))
    assert search(world.it, "ploter").corrected == ""
