import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from digitalworker.agents.policies import get_agent
from digitalworker.common.errors import DomainError
from learning.actions.import_skills import Imported, counts, import_skills
from learning.choices import MemoryScope
from learning.management.members import actor_of
from skills.package import Reading, read_folder, read_upload


class Command(BaseCommand):
    help = (
        "Proposes the skills of a folder, a zip archive or a SKILL.md; each waits in the Learning Inbox for a decision. Running"
        " it again adds nothing. Exit code: 0 all are in, 1 some were refused, 2 it could not run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("agent", metavar="agent-code", help="The role-agent they are for.")
        parser.add_argument("path")
        parser.add_argument(
            "--organization",
            action="store_true",
            help="Once approved, every role-agent uses them; an owner's or admin's.",
        )
        parser.add_argument(
            *("--by",), required=True, metavar="EMAIL", help="Who proposes them: a manager, an admin or an owner."
        )
        parser.add_argument("--org", metavar="SLUG", help="Their organisation; needed where they belong to several.")
        parser.add_argument("--dry-run", action="store_true", help="Say what would happen, and save nothing.")
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(options["path"])
        try:
            actor = actor_of(options["by"], options["org"])
            results = import_skills(
                actor=actor,
                role_agent=get_agent(actor, options["agent"]),
                reading=_read(path),
                scope=MemoryScope.ORGANIZATION if options["organization"] else MemoryScope.ROLE_AGENT,
                dry_run=options["dry_run"],
            )
        except DomainError as error:
            raise CommandError(error.detail, returncode=2) from error
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}", returncode=2) from error
        found = counts(results)
        if options["json"]:
            self.stdout.write(json.dumps({**found, "skills": [_as_json(result) for result in results]}))
        else:
            self._tell(results, found, dry_run=options["dry_run"])
        if found["refused"]:
            sys.exit(1)

    def _tell(self, results: list[Imported], found: dict[str, int], *, dry_run: bool) -> None:
        for result in results:
            if result.status == "refused":
                self.stderr.write(f"{result.name or 'SKILL.md'}: {result.reason}")
            elif result.sensitive:
                self.stderr.write(f"{result.name}: sensitive; an owner or an admin decides it")
        would = "would be " if dry_run else ""
        self.stdout.write(
            f"{len(results):,} skills read: {found['new']:,} {would}proposed as new, {found['update']:,} {would}proposed as"
            f" updates, {found['waiting']:,} waiting already, {found['known']:,} known already, {found['refused']:,} refused."
        )


def _read(path: Path) -> Reading:
    return read_folder(path) if path.is_dir() else read_upload(path.name, path.read_bytes())


def _as_json(result: Imported) -> dict[str, Any]:
    told = {field.name: getattr(result, field.name) for field in fields(result)}
    return told | {"item": str(result.item.pk) if result.item else None}
