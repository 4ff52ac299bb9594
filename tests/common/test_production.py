"""Production starts with every setting it needs, or not at all."""

import pytest

SETTINGS = {
    "DW_ENV": "production",
    "DW_SECRET_KEY": "k" * 50,
    "DW_ALLOWED_HOSTS": "worker.example.org",
    "DATABASE_URL": "postgresql://app@db.example/worker",
}
LOAD = "from django.conf import settings; settings.DEBUG; print('loaded', settings.SECURE_SSL_REDIRECT)"


def last_line(done) -> str:
    return done.stderr.strip().splitlines()[-1]


def test_it_starts_with_all_of_them(python):
    done = python(LOAD, **SETTINGS)
    assert done.stdout == "loaded True\n", done.stderr


@pytest.mark.parametrize("missing", ["DW_SECRET_KEY", "DW_ALLOWED_HOSTS", "DATABASE_URL"])
def test_it_names_the_one_that_is_missing(python, missing):
    done = python(LOAD, **{name: value for name, value in SETTINGS.items() if name != missing})
    assert done.returncode == 1
    assert f"{missing} is not set" in last_line(done)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("DW_SECRET_KEY", "short", "DW_SECRET_KEY is shorter than 40 characters"),
        ("DW_DEBUG", "1", "DW_DEBUG must be off"),
        ("DW_ENV", "staging", "DW_ENV='staging' is unknown"),
        ("DATABASE_URL", "sqlite:///db", "DATABASE_URL must start with postgresql://"),
    ],
)
def test_it_refuses_what_is_unsafe(python, name, value, complaint):
    done = python(LOAD, **(SETTINGS | {name: value}))
    assert done.returncode == 1
    assert complaint in last_line(done)


def test_a_local_key_is_made_once_and_private(python, tmp_path):
    show = "from django.conf import settings; print(settings.SECRET_KEY)"
    first, second = python(show).stdout, python(show).stdout
    assert first == second
    assert len(first) > 50
    assert (tmp_path / "data/secret_key").stat().st_mode & 0o077 == 0


def test_the_application_is_not_the_owner_of_its_tables(python):
    show = "from django.conf import settings; print(settings.DATABASES['default']['USER'])"
    assert python(show).stdout == "digitalworker_app\n"
    assert python(show, DW_DATABASE_OWNER="1").stdout == "digitalworker_owner\n"
