"""What is said of somebody else in plain words is theirs: pay and debts, where they live, their birthday, the numbers of their
papers. What people say of themselves, and what a policy or a department says, is not."""

import pytest

from learning.screening import pii
from learning.screening.personal import KINDS
from learning.screening.sensitive import _BY_CHECK_DIGIT, THIRD_PARTY, find_sensitive

OF_OTHERS = {
    "pay": [
        "We pay Julia 5,000 euros a month",
        "Das Jahresgehalt von Frau Schmidt beträgt 80.000",
        "Bob earns 85k",
        "Bob makes $85,000 a year",
        "Bob makes 85000 a year",
        "Jack London earns 85k",
        "Ada Lovelace is paid 4200 euros a month",
        "She is on 90k",
        "Bob got a raise",
        "Maria received a bonus of 5000",
        "Ada's salary is 85k",
        "My boss's bonus is 10,000",
        "The salary of Bob is 85k",
        "Annas Gehalt ist 5000 Euro",
        "Anna verdient 5000 im Monat",
        "Das Gehalt von Anna liegt bei 85.000",
        "Herr Müller bekommt 4000 Euro",
        "Anna hat eine Gehaltserhöhung bekommen",
        "Marie gagne 3000 euros par mois",
        "Le salaire de Marie est de 3000 euros",
        "Marie a reçu une prime",
        "Ana cobra 2000 euros",
        "El sueldo de Ana es 2000",
    ],
    "debts": [
        "Lena hat 5000 Euro Schulden",
        "Paul a une dette de 2000 euros",
        "Bob owes us 500 euros",
        "Bob is in debt",
        "his debts are 20k",
        "Anna schuldet der Bank 5000 Euro",
        "Anna hat hohe Schulden",
        "Marie a des dettes",
        "Ana tiene muchas deudas",
        "Juan debe 300 euros",
    ],
    "home": [
        "Tom lives on Baker Street",
        "Klaus wohnt am Marktplatz",
        "Pedro vive junto a la estación",
        "Maria lives at the old mill behind the church",
        "my neighbour lives next to the station",
        "Anna wohnt in der Gartenstraße",
        "Anna wohnt neben der Kirche",
        "Annas Adresse ist Haus am See",
        "Marie habite rue de la Paix",
        "Marie habite chez ses parents",
        "Ana vive en la calle Mayor",
        "His home address is the farm behind the church",
    ],
    "birthday": [
        "his birthday is 3 May",
        "Bob's birthday is on May 3",
        "Bob turns 40 today",
        "Bob turns 30 on Monday",
        "Anna hat am Montag Geburtstag",
        "Marie fête son anniversaire lundi",
        "Ana cumple 30 años el lunes",
        "Anna hat am 3. Mai Geburtstag",
        "Annas Geburtstag ist am 3. Mai",
        "Der Geburtstag von Anna ist am 3. Mai",
        "L'anniversaire de Marie est le 3 mai",
        "El cumpleaños de Ana es el 3 de mayo",
        "Ana cumple años el 3 de mayo",
    ],
    "number": [
        "Bob's passport number is C01X00T47",
        "Her tax id is 12 345 678 901",
        "his social insurance number is QQ 12 34 56 C",
        "Annas Steuer-ID ist 86095742719",
        "die Sozialversicherungsnummer von Anna ist 65 170839 J 003",
        "Die Passnummer von Anna lautet C01X00T47",
        "seine Ausweisnummer ist L01X00T471",
        "Le numéro de passeport de Marie est 09AB12345",
        "son numéro de sécurité sociale est 2 85 05 78 006 084 36",
        "El DNI de Ana es 12345678Z",
        "su pasaporte es AAA123456",
        "my wife's passport number is C01X00T47",
    ],
}
TOLD = {
    "pay": {"it tells of a staff matter: pay, performance, discipline or leaving"},
    "debts": {"it tells of the debts of somebody else"},
    "home": {"it tells where somebody else lives"},
    "birthday": {"it tells the birthday of somebody else", "it holds the date of birth of somebody else"},
    "number": {
        "it holds the number of a paper or an insurance of somebody else",
        "it holds the social security number of somebody else",
    },
}
NOBODYS = [
    "La prime de Noël est de 100 euros",
    "Acme owes its suppliers 30 days",
    "Unser Lager ist am Marktplatz",
    "Send her tax form to payroll",
    "The budget is 85k",
    "Interns earn 15 an hour",
    "I earn 85k",
    "A manager earns 85k",
    "An intern earns 15 euros an hour",
    "Everyone earns 5000 points",
    "Bob earns 5000 points",
    "Das Gehalt wird am 25. gezahlt",
    "Dieses Gehalt ist zu hoch",
    "Jedes Gehalt ist vertraulich",
    "Ich verdiene 5000 Euro",
    "Praktikanten verdienen 15 Euro",
    "Le salaire est versé le 25",
    "Le budget de Marketing est de 3000 euros",
    "Je gagne 3000 euros",
    "El sueldo se paga el 25",
    "Los becarios ganan 10 euros",
    "Bob owes us an answer",
    "I live at 12 Elm Street",
    "My birthday is 3 May",
    "Mein Geburtstag ist am 3. Mai",
    "mon anniversaire est le 3 mai",
    "mi cumpleaños es el 3 de mayo",
    "The company lives at the edge of technology",
    "Maria lives in Berlin",
    "The data lives at the root",
    "Bob lives at home",
    "My passport number is C01X00T47",
    "Ask customers for their passport number",
    "Meine Steuer-ID ist 86095742719",
    "Enter the tax id 12345678901 of the company",
    "Our tax id is 12 345 678 901",
    "Our VAT number is DE123456789",
    "His order number is 12345678",
    "His passport is expired",
    "Der Preis von Müsli ist 5000",
    "Bonus of 500 euros for referrals",
    "The pay of Software engineers is good",
    "Bob made 3 changes",
    "Bob made $5 pancakes possible",
    "She is on 24 tickets",
    "She makes 2000 boxes",
    "Bob makes 12,000 widgets",
    "Anna bekommt 4000 Flyer",
    "Elle touche 2000 clients",
    "Version gets a 2000 bonus",
    "Laptop was given a raise",
    "Lisa is on 3000 today",
    "Paris lives at the old mill",
    "The shop opens on Monday",
    "The Sales bonus is paid in March",
    "The Christmas bonus is 500 euros",
    "Employees get a bonus in December",
    "The meeting is on 3 May",
    "The address of Berlin Office is 12 Main Street",
    "The income of Germany is high",
]


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in OF_OTHERS.items() for text in texts])
def test_what_is_said_of_somebody_else_is_found(kind, text):
    [finding] = find_sensitive(text)
    assert finding.rule == ("category.hr" if kind == "pay" else THIRD_PARTY)
    assert finding.why in TOLD[kind]
    assert 0 <= finding.start < finding.end <= len(text)


@pytest.mark.parametrize("text", NOBODYS)
def test_ones_own_a_policy_and_a_thing_are_not(text):
    assert find_sensitive(text) == []


def test_it_is_found_where_it_stands_and_once_a_sentence():
    text = "The gate is open. Bob earns 85k and Ada earns 90k. Maria owes us money."
    pay, debts = find_sensitive(text)
    assert text[pay.start : pay.end] == "Bob earns 85k"
    assert text[debts.start : debts.end] == "Maria owes us money"


def test_a_key_says_whose_its_value_is():
    [finding] = find_sensitive("C01X00T47", key="her_passport_number")
    assert (finding.rule, finding.start, finding.end) == (THIRD_PARTY, 0, 9)
    assert find_sensitive("C01X00T47", key="passport_number") == []


def test_a_german_date_does_not_end_a_sentence():
    [finding] = find_sensitive("Anna hat am 3. Mai Geburtstag.")
    assert finding.why == "it tells the birthday of somebody else"
    assert find_sensitive("Anna kommt am 3. Mein Geburtstag ist am 3. Mai.") == []


def test_ids_that_a_worker_finds_by_their_check_digit_are_the_ones_that_may_be_somebody_elses():
    assert set(pii._engine(False).get_supported_entities("en")) - set(KINDS) == _BY_CHECK_DIGIT
