"""What people say with a secret in it, and what they say of secrets. The values are put together when the tests run, so
that none is written down."""

import random
import string

WEAK = ["sun" + "shine", "drag" + "on", "prin" + "cess", "mon" + "key", "foot" + "ball", "butter" + "fly"]
STRONG = ["hunt" + "er2", "Tr0ub" + "4dor&3", "Summer" + "2024!", "Abcd" + "1234"]
DIGITS = ["48" + "21", "90" + "34"]
SIX = ["482" + "913", "730" + "164"]
CODES = ["a1b2c-" + "d3e4f", "48291" + "034"]

# {} is the place of the secret, `kind` what it is called.
TOLD: list[tuple[str, list[str], list[str]]] = [
    (
        "password",
        WEAK + STRONG,
        [
            "my password is {}",
            "My new password is {}.",
            "Hi, my password is {} and I can't get in",
            "Our wifi password is {}.",
            "password: {}",
            "Password = {}",
            "pw: {}",
            "**Password:** `{}`",
            "password -> {}",
            "I changed my password to {}",
            "we set the admin password to {}.",
            "log in with password {}",
            "the password for the shared drive is {}",
            'the guest password is "{}"',
            '{{"password": "{}"}}',
            "mein Passwort ist {}",
            "Das WLAN-Passwort lautet {}.",
            "Kennwort: {}",
            "mon mot de passe est {}",
            "le mot de passe du wifi est {}",
            "mi contraseña es {}",
            "contraseña: {}",
            "la clave del wifi es {}",
            "the wpa key is {}",
            "the shared mailbox password has been changed to {}",
            "you can get in with username admin and password {}",
            "wifi: network Acme-Guest, password {}",
            "Das neue Kennwort fürs Intranet heißt {}",
            "Passwort hab ich auf {} gesetzt",
            "le nouveau mot de passe, c'est {}",
        ],
    ),
    (
        "password",
        STRONG,
        [
            "use {} as the password",
            "{} is my password",
            "credentials are admin / {}",
            "the pwd we use for the printer is {}",
            "pw {}",
            "pass for the archive: {}",
            "mon mdp c'est {}",
            "mi contraseña nueva es {}",
            "don't tell anyone but it's {}, my password",
            "curl -u ada:{} https://intranet.example",
        ],
    ),
    (
        "password",
        STRONG,
        [
            "The client secret is {}",
            "secret: {}",
            "access code: {}",
            "the access code for the lab is {}",
            "credentials: admin {}",
            "password1: {}",
            "passwords router: {}",
            "password_router: {}",
            "password.router = {}",
            "p a s s w o r d : {}",
            "P-a-s-s-w-o-r-t: {}",
            "Kennwort Router: {}",
            "WLAN-Schluessel: {}",
            "Zugangscode: {}",
            "Zugangsdaten: admin {}",
            "code d'accès : {}",
            "mot de passe routeur : {}",
            "identifiants : admin {}",
            "código de acceso: {}",
            "credenciales: admin {}",
            "contraseña router: {}",
        ],
    ),
    ("password", ["correct horse" + " battery"], ["passphrase: {}", "The passphrase is {}", "la frase de paso es {}"]),
    (
        "pin",
        DIGITS,
        [
            "the pin is {}",
            "My PIN: {}",
            "the door code is {}#",
            "alarm code {}",
            "the code to the server room is {}",
            "my voicemail pin's {}",
            "Zugangscode zur Tiefgarage: {}",
            "mon code secret est le {}",
            "meine Geheimzahl ist {}",
            "Der Türcode ist {}",
            "mon code PIN est {}",
            "le code de la porte est {}",
            "mi PIN es {}",
            "el código de la puerta es {}",
        ],
    ),
    ("card code", ["12" + "3"], ["The CVV is {}", "cvc: {}", "Kartenprüfnummer {}", "le cryptogramme est {}"]),
    (
        "one time code",
        SIX,
        [
            "my verification code is {}",
            "the code they texted me is {}",
            "{} is your Acme verification code",
            "use {} to sign in",
            "2fa code: {}",
            "der Bestätigungscode ist {}",
            "le code de vérification est {}",
            "el código de verificación es {}",
        ],
    ),
    (
        "recovery code",
        CODES,
        [
            "my recovery code is {}",
            "Backup codes: {}",
            "Wiederherstellungscode: {}",
            "codes de secours : {}",
            "código de recuperación: {}",
        ],
    ),
    (
        "security answer",
        ["Flu" + "ffy", "Kow" + "alski"],
        [
            "the answer to my security question is {}",
            "my mother's maiden name is {}",
            "der Mädchenname meiner Mutter ist {}",
            "nom de jeune fille de ma mère est {}",
            "el apellido de soltera de mi madre es {}",
        ],
    ),
    ("connection string", ["s3cr3t" + "pw"], ["postgres://app:{}@db.internal/x", "Server=db;User Id=sa;Password={};"]),
]

TALK = [
    *("I forgot my password", "password policy is 12 characters", "the PIN pad is broken", "my password is wrong"),
    *(
        "my password is too short",
        "my password is not accepted",
        "the password is case-sensitive",
        "password: required",
    ),
    *("my password is the same as before", "the password is in the vault", "Password: 12 characters minimum"),
    *(
        "I need to change my password to something stronger",
        "I need my password to continue.",
        "Password: see the vault",
    ),
    *(
        "reset my password to access the portal",
        "What is my password?",
        "The problem is my password",
        "my password is a mess",
    ),
    *(
        "the password reset ticket is INC0012978901",
        "the password for order W2702727 was sent by mail",
        "password expired",
    ),
    *(
        "the error code is 4821",
        "zip code is 12345",
        "the promo code is SAVE20",
        "PIN is 4 digits",
        "the PIN must be 4 to 6 digits",
    ),
    *("the verification code never arrived", "I did not get the code by SMS", "my verification code is not working"),
    *(
        "backup codes are in the safe",
        "the security answer is wrong",
        "the mother's maiden name is asked",
        "login page/home",
    ),
    *("credentials: username/password", "username and password are required", "password = request.POST['password']"),
    *(
        "the api key is in 1Password",
        "access token lifetime is 3600",
        "we store passwords with SHA-256",
        "login is at 10:30",
    ),
    *("mein Passwort ist falsch", "mein Passwort ist abgelaufen", "Das Passwort muss mindestens 12 Zeichen haben"),
    *("Ich habe mein Passwort vergessen", "das Passwort ist zu kurz", "Passwort: erforderlich", "die PIN ist gesperrt"),
    *(
        "mot de passe oublié",
        "mon mot de passe est incorrect",
        "le mot de passe est obligatoire",
        "le code PIN est bloqué",
    ),
    *(
        "mi contraseña es incorrecta",
        "la contraseña es demasiado corta",
        "olvidé mi contraseña",
        "la clave es escuchar",
    ),
    *(
        "The secret is to listen",
        "the wifi password is on the fridge",
        "connect pin 13 to ground",
        "use a longer password.",
    ),
    *(
        "set the password to expire after 90 days",
        "the password is valid until 2026-12-31",
        "Ask Ada for the admin password.",
    ),
    *("The password reset mail goes to spam", "my password was reset to the default", "Our area code is 030"),
    *("bar code 4006381333931 does not scan", "account number 00123456", "boarding pass for flight LH400"),
    *("Passwortänderung ist alle 90 Tage nötig", "Le mot de passe expire demain", "La contraseña no funciona"),
    *("Password manager: 1Password", "password rules: min12chars", "credentials: see 1Password", "login: room B2"),
    *("the access code was sent yesterday", "access code: 3rd floor", "we use secrets: AWS_SECRET_NAME2"),
    *("The passphrase is not correct any more", "the passphrase is too short now", "secret: see ticket INC0012978"),
    *("ASIA PACIFIC REGION SALES 2024 MORE", "keys start with sk-proj- and ghp_ then thirty six characters of text"),
    *("see http://intranet\nada@acme.example wrote it", "I forgot my password\nThe4 of us wait", "my login is ada42"),
    *("use single sign-on instead of a password.", "enter the password twice.", "the card ending in 4821 is expired"),
]


def told() -> list[tuple[str, str, str]]:
    """(kind, value, sentence) of every form with every value."""
    return [(kind, value, form.format(value)) for kind, values, forms in TOLD for value in values for form in forms]


def made_up(seed: int) -> str:
    """A password that is in no list and in no other test."""
    letters = random.Random(seed)
    return "Zq" + "".join(letters.choices(string.ascii_letters + string.digits, k=12)) + "7x"
