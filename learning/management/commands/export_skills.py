import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from digitalworker.agents.policies import get_agent
from digitalworker.common.errors import DomainError
from learning.management.members import actor_of
from skills.actions.export import export_skills
from skills.package import write_folder, write_zip


class Command(BaseCommand):
    help = (
        "Writes a role-agent's own skills that are in use or paused in the public Agent Skills format: a folder for each, or"
        " one zip archive where the path ends with .zip. Nothing that is there already is written over. It is audited."
        " Exit code: 0 written, 2 it could not be."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("agent", metavar="agent-code", help="The role-agent whose they are.")
        parser.add_argument("path", help="A folder that will hold theirs, or a file that ends with .zip.")
        parser.add_argument(
            *("--by",), required=True, metavar="EMAIL", help="In whose name; what they may not read stays."
        )
        parser.add_argument("--org", metavar="SLUG", help="Their organisation; needed where they belong to several.")
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(options["path"])
        try:
            actor = actor_of(options["by"], options["org"])
            exported = export_skills(actor=actor, role_agent=get_agent(actor, options["agent"]))
            if path.suffix.lower() == ".zip":
                with path.open("xb") as file:
                    file.write(write_zip(exported.packages))
            else:
                write_folder(exported.packages, path)
        except DomainError as error:
            raise CommandError(error.detail, returncode=2) from error
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}", returncode=2) from error
        names = [package.name for package in exported.packages]
        if options["json"]:
            self.stdout.write(json.dumps({"skills": names, "withheld": exported.withheld}))
            return
        self.stdout.write(
            f"Wrote {len(names)} skill{'' if len(names) == 1 else 's'} to {path}.{_left(exported.withheld)}"
        )


def _left(number: int) -> str:
    return f" {number} you may not read {'was' if number == 1 else 'were'} left out." if number else ""
