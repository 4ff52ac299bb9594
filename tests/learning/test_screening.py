"""Secrets are found and named by kind. Those here are put together at run time, so that none is written down."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digitalworker.common import secrets as screening
from digitalworker.common.errors import Refused
from digitalworker.common.secrets import scanner
from tests.learning.told import TALK, told

GITHUB = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
AWS = "AK" + "IA" + "IOSFODNN7EXAMPL3"
PASS = "Tr0ub" + "4dor&3"
OPENAI = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4"
JWT = [
    "ey" + "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.",
    "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0.",
    "dozjgNryP4J3jVmN" + "Hl0w5N_XgL0n3I9PlFUP0THsR8U",
]
WORDS = " ".join(
    ["apple", "river", "stone", "cloud", "tiger", "ocean", "light", "green", "house", "bread", "chair", "mouse"]
)

SECRETS = [
    ("password", "my password is " + "hunt" + "er2"),
    ("password", "password: " + PASS),
    ("password", "pw " + PASS),
    ("password", "my password is " + "sword" + "fish"),
    ("password", "Our wifi password is " + "sun" + "shine."),
    ("password", "The password for the vpn is " + "Abcd" + "1234"),
    ("password", "Passwort lautet " + "Sommer" + "2024!"),
    ("password", "la contraseña es " + "Verano" + "2024!"),
    ("password", "my \u200bpass\u200bword is " + "hunt" + "er2"),
    ("password", "hello\x00 my password is " + "hunt" + "er2"),
    ("password", "lone \ud83d my password is " + "hunt" + "er2"),
    ("pin", "the pin is " + "48" + "21"),
    ("pin", "my PIN for the card is " + "48" + "21"),
    ("pin", "the door code is " + "12" + "34#"),
    ("recovery code", "recovery code: " + "a1b2c-" + "d3e4f"),
    ("recovery code", "My backup codes are " + "48291" + "034 and more"),
    ("recovery phrase", "my seed phrase: " + WORDS),
    ("one time code", "the MFA code is " + "482 " + "913"),
    ("one time code", "your verification code is " + "482" + "913"),
    ("one time code", "the authenticator secret is " + "JBSWY3DP" + "EHPK3PXP"),
    ("connection string", "postgres://app:" + "s3cr3tpw" + "@db.internal/x"),
    ("connection string", "Server=db;User Id=sa;Password=" + "Abc" + "123!x;"),
    ("aws access key", "key id " + AWS),
    ("api key", "client_secret=" + "abc~DEF." + "1234567890ghIJ"),
    ("github pat", "use " + GITHUB),
    ("github pat", "use " + GITHUB + " gitleaks" + ":allow"),
    ("private key", "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE"),
    ("api key", "use " + OPENAI),
    ("aws access key", "key id " + " ".join(AWS[at : at + 4] for at in range(0, 20, 4)) + " for backups"),
    ("aws access key", "key id " + " ".join(AWS)),
    ("aws access key", "key id " + AWS[:13] + "\n" + AWS[13:]),
    ("api key", OPENAI[:20] + "\r\n  " + OPENAI[20:]),
    ("github pat", "use " + GITHUB[:20] + "\n" + GITHUB[20:]),
    ("token", "use " + "\n".join(JWT)),
    ("token", "use " + " ".join(JWT)),
    ("connection string", "postgres://app:\n" + "s3cr3tpw" + "@db.internal/x"),
]
# (key, what it holds)
UNDER = [
    *((key, PASS) for key in ("password_router", "password.router", "client_secret", "access_code_router", "secret")),
    *(
        (key, "sun" + "shine")
        for key in ("password_router", "router-password-1", "passwords.router", "wlan_schluessel")
    ),
    *((key, "sun" + "shine") for key in ("kennwort-router", "contrasena_router", "password1", "dbPasswordMain")),
    *(("passphrase", "correct horse" + " battery"), ("credentials", "admin " + PASS), ("code_door", "48" + "21")),
]
NOT_UNDER = [
    *(("password_policy", "rotated every 90 days"), ("password_manager", "Bitwarden"), ("password_hash", "argon2id")),
    *(("password_reset_contact", "Martha"), ("access_code_location", "in the safe"), ("access_code", "ask Martha")),
    *(
        ("token_limit", "200000"),
        ("pin_board", "4 rows"),
        ("login_page", "sso.acme.example/v2"),
        ("2024", "a good year"),
    ),
]
CLEAN = [
    *("size = 38", "my password is wrong", "The password is expired.", "password must be 12 characters", "port 5432"),
    *("passwords expire after 90 days", "please reset my password", "my password is not working", "Do not share it"),
    *("order number 100234567", "ERR-4821", "my badge number is 44-1882", "ticket INC0012978901", "phone 555-0100"),
    *("the recovery code is stored in the vault", "use ${DB_PASSWORD}", "password: <your-password>", "W1234567"),
    *("we use two-factor authentication", "the session token expires after 3600 seconds", "login is at 10:30"),
    *(
        "My pin board has 20 items",
        "use the API key from the vault",
        "The VPN for London is vpn-2",
        "token limit is 200000",
    ),
    *("the access code was sent yesterday", "confirmation code 4WQ150", "", "   ", "株", "👩‍👩‍👧‍👦"),
]


@pytest.mark.parametrize(("kind", "text"), SECRETS)
def test_a_secret_is_found_and_named(kind, text):
    assert kind in screening.find_secrets(text)


@pytest.mark.parametrize(("key", "value"), UNDER)
def test_a_value_is_what_its_key_says_from_whichever_part_it_is_read(key, value):
    assert screening.find_secrets(value) == screening.find_secrets(key) == []
    with pytest.raises(Refused):
        screening.refuse_secrets(value, under=key)
    assert value not in str(screening.redact_json({key: value})[0])


@pytest.mark.parametrize(("key", "value"), NOT_UNDER)
def test_a_key_about_a_password_does_not_make_its_value_one(key, value):
    screening.refuse_secrets(value, under=key)


def test_a_key_broken_over_lines_is_taken_out_with_both_its_halves():
    text = "The key is " + OPENAI[:20] + "\n" + OPENAI[20:] + " for now\nThanks, Ada"
    assert screening.redact(text).text == "The key is [api key removed] for now\nThanks, Ada"


@pytest.mark.parametrize("text", CLEAN)
def test_ordinary_words_are_no_secret(text):
    assert screening.find_secrets(text) == []


def test_the_fallback_finds_the_same_texts(monkeypatch):
    monkeypatch.setattr(scanner, "find_spec", lambda name: None)
    assert [text for _, text in SECRETS if not screening.find_secrets(text)] == []
    assert [text for text in CLEAN if screening.find_secrets(text)] == []


def test_a_refusal_names_the_kind_and_never_the_secret():
    with pytest.raises(Refused) as refusal:
        screening.refuse_secrets("Write down that my password is " + PASS)
    error = refusal.value
    assert error.code == "secret"
    assert error.extra == {"kinds": ["password"]}
    assert (
        error.detail == "This text holds what looks like a password, so it was not stored. Take it out and try again."
    )
    assert PASS not in repr(error.__dict__) + str(error)


def test_a_forked_child_asks_another_process_instead_of_hanging():
    screening.find_secrets("loads the scanner")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, ",".join(screening.find_secrets("use " + GITHUB)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    assert os.read(reader, 1000) == b"github pat"
    os.waitpid(child, 0)


def test_a_scanner_that_fails_is_replaced_and_said_so(monkeypatch, capfd):
    import betterleaks

    def broken(text):
        raise betterleaks.BetterleaksError("holds " + text)

    monkeypatch.setattr(betterleaks, "scan_string", broken)
    monkeypatch.setattr(scanner, "_scanner_pid", os.getpid())
    assert screening.find_secrets("use " + GITHUB) == ["github token"]
    assert GITHUB not in "".join(capfd.readouterr())


@pytest.mark.parametrize(("kind", "value", "text"), [pytest.param(*one, id=str(n)) for n, one in enumerate(told())])
def test_a_secret_is_known_by_the_words_around_it_also_a_weak_one(kind, value, text):
    assert kind in screening.find_secrets(text)
    assert value not in screening.redact(text).text


@pytest.mark.parametrize("text", TALK)
def test_talk_about_secrets_is_none(text):
    assert screening.find_secrets(text) == []
    assert screening.redact(text) == screening.Redacted(text, [])


def test_what_is_taken_out_leaves_a_marker_with_its_kind_and_the_rest_as_it_was():
    value = "sun" + "shine"
    redacted = screening.redact(f"Hi! My password is {value}, and {value} does not work. My order is W2702727.")
    assert redacted == screening.Redacted(
        "Hi! My password is [password removed], and [password removed] does not work. My order is W2702727.",
        ["password"],
    )


def test_a_marker_is_no_secret_and_nothing_else_hides_behind_one():
    once = screening.redact("my pin is " + "48" + "21" + " and my password is " + PASS).text
    assert screening.redact(once) == screening.Redacted(once, [])
    assert "password" in screening.find_secrets("my password is [" + PASS + " removed]")


def test_all_codes_of_a_list_are_taken_out():
    codes = ["48291" + "034", "19283" + "746", "99281" + "122"]
    text = screening.redact("My backup codes: " + " ".join(codes)).text
    assert not any(code in text for code in codes)


def test_a_private_key_is_taken_out_to_its_end():
    body = "MIIEow" + "IBAAKCAQEA7" * 5
    key = f"-----BEGIN RSA {'PRIVATE'} KEY-----\n{body}\n{body}\n-----END RSA {'PRIVATE'} KEY-----"
    assert body not in screening.redact(f"Here it is:\n{key}\nThanks!").text


def test_a_secret_behind_invisible_letters_is_taken_out_where_it_stands():
    value = "hunt" + "er2"
    redacted = screening.redact(f"my \u200bpass\u200bword is {value[:3]}\u200b{value[3:]} today")
    assert redacted.kinds == ["password"]
    assert value[3:] not in redacted.text


@pytest.mark.parametrize("word", ["passw\u043erd", "\u0440\u0430ssword", "p\u03b1ssword", "PASSW\u041eRD"])
def test_a_secret_behind_letters_of_another_script_is_taken_out(word):
    value = "Hunt" + "er22!"
    redacted = screening.redact(f"mein {word}: {value}, спасибо")
    assert redacted == screening.Redacted(f"mein {word}: [password removed], спасибо", ["password"])
    assert screening.find_secrets("парковка у входа, 12 мест; 3 \u03bcm") == []


def test_json_is_read_with_the_names_of_its_values():
    value, pin = "sun" + "shine", int("48" + "21")
    payload = {
        "dbPassword": value,
        "pin": pin,
        "size": 38,
        "steps": [f"my password is {value}"],
        "ok": True,
        "note": None,
    }
    clean, kinds = screening.redact_json(payload)
    assert clean == {
        "dbPassword": "[password removed]",
        "pin": "[pin removed]",
        "size": 38,
        "steps": ["my password is [password removed]"],
        "ok": True,
        "note": None,
    }
    assert kinds == {"password", "pin"}


@given(st.text(max_size=200), st.sampled_from(told()))
@settings(max_examples=80, deadline=None)
def test_whatever_stands_around_it_nothing_is_left_after_redaction(around, one):
    _, value, text = one
    redacted = screening.redact(f"{around}\n{text}\n")
    assert value not in redacted.text.removeprefix(around)
    assert screening.find_secrets(redacted.text) == []
