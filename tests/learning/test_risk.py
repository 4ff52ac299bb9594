"""Low risk is earned: whatever changes what is done or allowed, or is said in words nobody here can judge, is not low."""

import time

import pytest

from learning import tasks
from learning.choices import MemoryKind, MemoryScope, Risk
from learning.models import LearningItem, Memory
from learning.risk import risk_of

from .saying import say


def risk(content, *, scope=MemoryScope.ROLE_AGENT, kind=MemoryKind.FACT, key=None, quote=""):
    return risk_of(scope, kind, key, content, quote)


HIGH = [
    "The night shift gets the keys to the server room",
    "Always offer a refund up to $50",
    "Interns may open the vault without asking",
    "Contracts need no lawyer from now on",
    "Ada decides about discounts",
    "Visitors can bypass the alarm",
    "Stammkunden bekommen 10 % Rabatt",
    "Praktikanten dürfen auf das Konto zugreifen",
    "Zugang zum Serverraum bekommt, wer danach fragt",
    "Rueckerstattungen genehmigt die Schichtleitung",
    "Les remboursements sont accordés au téléphone",
    "Tous les stagiaires reçoivent les clés",
    "Le mot de passe peut être donné aux clients",
    "Los becarios pueden acceder a la caja fuerte",
    "El descuento se concede siempre",
    "Hay que dar las llaves al turno de noche",
]
MEDIUM = [
    # changes of what is done
    "Tickets are closed without a second look at the customer",
    "Deploys must go straight to production on Fridays",
    "Managers sign off first",
    "Complaints are ignored",
    "Interns decide on returns",
    "Use gateway 2 for London",
    "Tickets are closed on Fridays",
    "The bin is emptied daily",
    "The copies are to be burned",
    "A verbal yes is enough",
    "The London office may use gateway 3 between 9:00 and 10:00",
    "Monitors are ordered by the office manager since October",
    "Returns need the order number first",
    "Old drafts evaporate on Sundays",
    "The printer is on floor 3 and tickets close by themselves",
    "The printer is on floor 3, ignore what it prints",
    # limits, money, access, people, policy, data
    "Leave is carried over until the end of April",
    "Quotes are valid for 21 days",
    "The refund limit is 500",
    "The support team has root",
    "Ben is the owner of the CRM",
    "Her manager is on floor 3",
    "The leave policy is on the wiki",
    "Der Generalschlüssel liegt am Empfang",
    "Der Zugang ist im Keller",
    "Der Rabatt ist im System",
    "Tickets sind sofort zu schließen",
    "Die Tickets werden nachts geschlossen",
    "Die Anfragen sind erledigt",
    "Man schließt Tickets am Abend",
    "Gateway 2 verwenden",
    "Les demandes se ferment le soir",
    "Les tickets sont fermés par le robot",
    "On ferme les tickets le soir",
    "Le tarif est sur le site",
    "Los tickets se cierran solos",
    "Las solicitudes están aprobadas",
    "El reembolso es de 50 en la tienda",
    "Los datos están en la nube",
    # disguised
    "The rеfund line is open",  # a Cyrillic letter
    "The re\u200bfund line is open",
    # other languages
    "Kortingen zijn in orde",
    "Iedereen is welkom in de kelder",
    "Os descontos são de todos",
    "Zwroty bez limitu",
    "割引は自由",
    "The office is on floor 3 割引は自由",
    "Скидка для всех",
]
LOW = [
    "The London office uses gateway 2",
    "London office uses gateway 2, not gateway 1",
    "The London office's router is gw-3",
    "New badges are handed out at gate 2, not at gate 1",
    "Orders ship from Rotterdam, not from Hamburg, since October",
    "Norrvik goes live on 15 January, not on the 8th, their team is away until the 12th",
    "Head office is Avenida 24 de Julho 60, Lisbon",
    "The canteen is open from 12:00 to 14:30",
    "The printer is on the first floor",
    "The meeting is on 3 May at 10:00",
    "The CRM is called Harbor",
    "The latest version is 4.2",
    "The name is spelled Müller with ü",
    "Room Douro has a projector",
    "The support channel is #it-help",
    "Der Drucker steht im dritten Stock",
    "Die Kantine öffnet um 11:30",
    "Das CRM heißt Harbor",
    "Das Büro in Köln nutzt Gateway 2",
    "Es gibt Parkplätze hinter dem Haus",
    "L'imprimante est au troisième étage",
    "Le CRM s'appelle Harbor",
    "La cantine ouvre à 11h30",
    "Le bureau de Lyon utilise la passerelle 2",
    "Il y a un parking derrière la gare",
    "La impresora está en la tercera planta",
    "El CRM se llama Harbor",
    "La cantina abre a las 12:30",
    "La oficina de Madrid usa la pasarela 2",
    "Está en la planta 3",
]


@pytest.mark.parametrize("content", HIGH)
def test_a_change_of_who_may_have_or_do_something_grave_is_of_high_risk(content):
    assert risk(content) == Risk.HIGH


@pytest.mark.parametrize("content", MEDIUM)
def test_what_changes_how_work_is_done_or_can_not_be_judged_is_of_medium_risk(content):
    assert risk(content) == Risk.MEDIUM


@pytest.mark.parametrize("content", LOW)
def test_how_something_is_where_it_is_and_what_it_is_called_is_of_low_risk(content):
    assert risk(content) == Risk.LOW
    assert risk(content, kind=MemoryKind.RULE) == Risk.MEDIUM


@pytest.mark.parametrize(
    ("key", "content", "quote"),
    [
        ("refund_limit", "500", ""),
        ("refundLimit", "500", ""),
        ("limit", "500", "The refund limit is 500"),
        ("office_name", "Tulip", "The admin password of the office is Tulip"),
        ("approver", "Ada", ""),
        ("location", "zwroty bez limitu", ""),
        ("location", "割引は自由", ""),
        ("location", "Tickets close by themselves", ""),
        (None, "The office is on floor 3", "Everybody may enter, and the office is on floor 3"),
    ],
)
def test_key_and_quote_are_read_as_well(key, content, quote):
    assert risk(content, key=key, quote=quote) != Risk.LOW


@pytest.mark.parametrize(
    ("key", "content"),
    [("printer_name", "Laserjet 9"), ("opening_hours", "9:00-17:00"), ("standort", "Köln"), ("support_channel", "#it")],
)
def test_a_value_under_a_harmless_key_needs_no_sentence(key, content):
    assert risk(content, key=key) == Risk.LOW


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Refunds always go to Ben", Risk.HIGH),
        ("Works with the admin account", Risk.MEDIUM),
        ("Prefers to pay in euros", Risk.MEDIUM),
        ("Is exempt from the travel policy", Risk.MEDIUM),
        ("Never wants to be called on the phone", Risk.LOW),
        ("Answer me only in German", Risk.LOW),
        ("Lizbona, zawsze", Risk.LOW),
    ],
)
def test_what_somebody_says_of_themself_is_low_unless_it_names_access_money_or_policy(content, expected):
    assert risk(content, scope=MemoryScope.PERSON, kind=MemoryKind.RULE) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Tickets are closed without a second look at the customer", "medium"),
        ("The night shift gets the keys to the server room", "high"),
        ("Deploys must go straight to production on Fridays", "medium"),
        ("The sign-off belongs to the managers first", "medium"),
    ],
)
def test_a_verified_colleagues_change_of_a_process_waits_for_a_person(db, world, said, expected):
    say(world.it, said, kind="correction", author_kind="staff", external_user_id=None)
    tasks.run_detection()
    assert not Memory.objects.exists()
    assert LearningItem.objects.get().risk == expected


def test_a_verified_colleagues_correction_of_a_place_is_saved(db, world):
    say(world.it, "The spare cables are in room 4", kind="correction", author_kind="staff", external_user_id=None)
    tasks.run_detection()
    assert Memory.objects.get().content == "The spare cables are in room 4"
    assert not LearningItem.objects.exists()


@pytest.mark.parametrize(
    "text", ["a" * 2000, "ist " * 500, "is very " * 250, "von a " * 330, "ä" * 2000, "A de " * 400]
)
def test_no_text_takes_long(text):
    start = time.process_time()
    assert risk(f"{text} 割引", quote=text) == Risk.MEDIUM
    assert time.process_time() - start < 3
