"""The same said again, the same with another value, and everything else."""

import pytest

from learning.sameness import before_value, normal, overlap, updates


@pytest.mark.parametrize(
    "one, other",
    [
        ("We close at six", "we close at 6."),
        ("The London office uses gateway 2", "London office uses “gateway two”!"),
        ("  Badges   come from Facilities ", "badges come from the facilities"),
    ],
)
def test_the_same_statement(one, other):
    assert normal(one) == normal(other)
    assert not updates(one, other, names=True)


@pytest.mark.parametrize(
    "one, other",
    [
        ("C++ is used here", "C is used here"),
        ("Version 1.5 is out", "Version 15 is out"),
        ("The VPN works on guest wifi", "The VPN does not work on guest wifi"),
        ("Ask Anna about invoices", "Ask Anna about badges"),
    ],
)
def test_another_statement(one, other):
    assert normal(one) != normal(other)


def test_a_text_of_nothing_but_articles_and_marks_is_still_something():
    assert normal("The ?!") == "the ?!"
    assert normal("???") == "???"


@pytest.mark.parametrize(
    "new, old",
    [
        ("The London office uses gateway 7", "The London office uses gateway 2"),
        ("We close at seven", "We close at 6"),
        ("Laptops last five years", "Laptops last four years"),
        ("The return window is fourteen days", "The return window is thirty days"),
        ("The return window is twenty-one days", "The return window is 14 days"),
        ("A pallet weighs a hundred kg", "A pallet weighs ninety-nine kg"),
        ("Parcels to Norway take 5 to 7 days", "Parcels to Norway take 5 to 9 days"),
        ("Parcel route 3 leaves from gate 4", "Parcel route 3 leaves from gate 9"),
    ],
)
def test_another_number_at_the_end_is_an_update(new, old):
    assert updates(new, old, names=False)
    assert updates(old, new, names=False)
    assert before_value(new, names=False) == before_value(old, names=False) != ""


@pytest.mark.parametrize(
    "new, old",
    [
        ("The London office uses gateway 2", "The Paris office uses gateway 2"),
        ("The London office uses gateway 2", "The Paris office uses gateway 7"),
        ("Parcel route 5 leaves from gate 3", "Parcel route 6 leaves from gate 3"),
        ("Parcel route 5 leaves from gate 3", "Parcel route 6 leaves from gate 4"),
        ("Floor 2 has no printer", "Floor 3 has no printer"),
        ("Room number 2 has a projector", "Room number 3 has a projector"),
        ("Meeting room 2 leaks", "Meeting room 3 leaks"),
        ("Ask Anna about invoices", "Ask Anna about badges"),
        ("Gateway 2 is used by the London office", "Gateway 7 is used by the London office"),
        ("Laptops last four years", "Laptops last five months"),
        ("", "6"),
    ],
)
def test_whatever_else_differs_is_left_to_a_person(new, old):
    assert not updates(new, old, names=False)
    assert not updates(old, new, names=False)


def test_a_name_is_a_value_only_where_somebody_corrects():
    new, old = "The VPN profile of Lisbon is Harbor", "The VPN profile of Lisbon is Tulip Field"
    assert updates(new, old, names=True)
    assert not updates(new, old, names=False)
    assert not updates("Ask Anna about Norrvik", "Ask Ben about Norrvik", names=True)


@pytest.mark.parametrize(
    "one, other",
    [
        ("The entrance is at the front", "The entrance is at the back"),
        ("We open at 9 am on Mondays", "We open at 8 am on Mondays"),
        ("Support is closed on Sundays", "Support is open on Sundays"),
        ("Ask Anna about invoices", "Ask Anna about badges"),
    ],
)
def test_what_shares_half_of_its_words_may_say_otherwise(one, other):
    assert overlap(one, other) == overlap(other, one) >= 0.5
    assert not updates(one, other, names=True)


@pytest.mark.parametrize(
    "one, other", [("We close at 6", "We open at 9"), ("Badges come from Facilities", "We close at 6")]
)
def test_what_shares_less_is_of_another_thing(one, other):
    assert overlap(one, other) == 0
