"""`manage.py demo`: two made-up organisations with log-ins, to look around in."""

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from digitalworker.agents.models import Organization
from digitalworker.runtime.demo import build, logins


class Command(BaseCommand):
    help = "Makes the demo organisations Acme and Globex. A second call adds nothing."

    def add_arguments(self, parser):
        parser.add_argument("--if-empty", action="store_true", help="only where there is no organisation yet")
        parser.add_argument("--logins", action="store_true", help="print who can log in, and make nothing")
        parser.add_argument("--reset-passwords", action="store_true", help="a new password for all demo log-ins")
        parser.add_argument("--yes-really", action="store_true", help="also with DW_ENV=production")

    def handle(self, *, if_empty, reset_passwords, yes_really, **options):
        if settings.PRODUCTION and not yes_really:
            raise CommandError("This is a production installation. Add --yes-really if it shall hold a demo.")
        if options["logins"]:
            self._logins()
        elif reset_passwords:
            self._reset()
        elif if_empty and Organization.objects.exists():
            self.stdout.write("kept as it is")
        else:
            self._make()

    def _make(self) -> None:
        missing = build.missing_companies()
        if not missing:
            self.stdout.write("The demo is there already. Its log-ins: manage.py demo --logins")
            return
        build.build(missing)
        logins.set_password(logins.known_password() or logins.new_password())
        self.stdout.write(f"made: {' and '.join(company.name for company in missing)}")

    def _reset(self) -> None:
        if not logins.demo_users().exists():
            raise CommandError("There are no demo log-ins. Make them with: manage.py demo")
        logins.set_password(logins.new_password())
        self._logins()

    def _logins(self) -> None:
        self.stdout.write(
            logins.table(logins.known_password()) or "There is no demo here. Make it with: manage.py demo"
        )
