"""Personal data is named by its kind. The numbers are test numbers that belong to nobody."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.screening import pii
from learning.screening.pii import find_pii
from tests.processes import ROOT, clean_environment


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("EMAIL_ADDRESS", "Write to ada.lovelace@example.org, please."),
        ("PHONE_NUMBER", "She is at +49 30 901820 until noon."),
        ("PHONE_NUMBER", "Call (212) 736-5000 and ask for room 5."),
        ("CREDIT_CARD", "The card is 4111 1111 1111 1111."),
        ("IBAN_CODE", "Pay to DE89 3704 0044 0532 0130 00."),
        ("IP_ADDRESS", "Her machine has 203.0.113.24."),
        ("US_SSN", "His SSN is 536-22-1234."),
        ("UK_NINO", "Her number is AB 12 34 56 C."),
        ("DE_TAX_ID", "Die Steuer-ID ist 86095742719."),
        ("ES_NIF", "Su NIF es 12345678Z."),
        ("IT_FISCAL_CODE", "Il codice fiscale: MRTMTT91D08F205J."),
        ("PL_PESEL", "PESEL 44051401359"),
        ("EMAIL_ADDRESS", "Ｗｒｉｔｅ to ada@exa\u200bmple.org"),
    ],
)
def test_what_tells_who_somebody_is_is_found(kind, text):
    assert kind in find_pii(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "size = 38",
            "timeout of 30 seconds",
            "port 5432",
            "order number 100234567",
            "next Monday at 10:30",
            "ERR-4821",
        ),
        *(
            "see main.py and settings.py",
            "commit 9fceb02",
            "https://example.org/help",
            "version 6.1.3",
            "ORD-2026-00417",
        ),
        *(
            "We deploy Django on Kubernetes in Berlin.",
            "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
            "",
            "  ",
            "株式会社",
            "👩‍👩‍👧‍👦",
        ),
    ],
)
def test_ordinary_numbers_and_words_are_not(text):
    assert find_pii(text) == []


def test_kinds_are_sorted_and_named_once():
    assert find_pii("b@example.org a@example.org 203.0.113.24") == ["EMAIL_ADDRESS", "IP_ADDRESS"]


def test_a_long_text_is_looked_at_to_its_end_and_over_the_seams():
    for before in (5 * pii.LONGEST, pii.LONGEST - 8):
        assert find_pii("x " * (before // 2) + "ada.lovelace@example.org") == ["EMAIL_ADDRESS"]


def test_names_need_a_model_and_are_left_out_without_it(monkeypatch):
    monkeypatch.setattr(pii, "find_spec", lambda name: None)
    assert pii.names_available() is False
    assert find_pii("Please tell Ada Lovelace, ada@example.org", with_names=True) == ["EMAIL_ADDRESS"]


@pytest.mark.skipif(not pii.names_available(), reason=f"the package of the language model {pii.MODEL} is not installed")
def test_names_are_found_with_the_model():
    assert "PERSON" in find_pii("Please tell Ada Lovelace that her laptop is ready.", with_names=True)


def test_nothing_is_asked_of_the_network_and_importing_loads_nothing():
    code = (
        "import socket, sys\n"
        "def refuse(*args, **options): raise AssertionError('the network was asked')\n"
        "socket.getaddrinfo = socket.socket.connect = refuse\n"
        "from learning.screening import pii\n"
        "assert not {'spacy', 'presidio_analyzer', 'tldextract'} & set(sys.modules)\n"
        "print(pii.find_pii('ada@example.co.uk'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "['EMAIL_ADDRESS']", done.stderr


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_any_text_is_answered_with_kinds(text):
    found = find_pii(text)
    assert found == sorted(set(found))
    assert all(kind.isupper() for kind in found)
