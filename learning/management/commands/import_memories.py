import json
import sys
from itertools import batched
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from digitalworker.agents.models import RoleAgent
from digitalworker.agents.policies import get_agent
from digitalworker.common.errors import DomainError
from digitalworker.common.types import Actor
from learning import portable
from learning.actions.transfer import Report, import_memories
from learning.management.members import actor_of


class Command(BaseCommand):
    help = (
        "Imports memories from a JSON Lines or CSV file, by the rules of writing each by hand; docs/memory-import.md tells"
        " the columns. Running it again adds nothing. Exit code: 0 all rows are in, 1 some were refused, 2 it could not run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file")
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument("--agent", metavar="CODE", help="The role-agent that will know it.")
        whose.add_argument("--everyone", action="store_true", help="The whole organisation will know it.")
        parser.add_argument(
            *("--by",), required=True, metavar="EMAIL", help="Whose decision it is: a manager, an admin or an owner."
        )
        parser.add_argument("--org", metavar="SLUG", help="Their organisation; needed where they belong to several.")
        parser.add_argument("--dry-run", action="store_true", help="Say what would happen, and save nothing.")
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        path = Path(options["file"])
        try:
            raw = path.read_bytes()
            actor = actor_of(options["by"], options["org"])
            agent = None if options["everyone"] else get_agent(actor, options["agent"])
            report = _import(actor, agent, raw, portable.kind_of(path.name, raw), dry_run=options["dry_run"])
        except DomainError as error:
            raise CommandError(error.detail, returncode=2) from error
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}", returncode=2) from error
        for refusal in report.refused:
            self.stderr.write(f"line {refusal.line}: {refusal.reason}")
        for guarded in report.guarded:
            self.stderr.write(f"line {guarded.line}: taken as sensitive: {guarded.reason}")
        self.stdout.write(json.dumps(report.counts) if options["json"] else _told(report, dry_run=options["dry_run"]))
        if report.refused:
            sys.exit(1)


def _import(actor: Actor, agent: RoleAgent | None, raw: bytes, kind: str, *, dry_run: bool) -> Report:
    """A long file in parts, so that nobody waits for all of it; each part is one step, told in one audit row."""
    total = Report()
    for part in batched(portable.lines(raw, kind), portable.ROWS_MOST, strict=False):
        total.add(import_memories(actor=actor, role_agent=agent, rows=part, dry_run=dry_run))
    return total


def _told(report: Report, *, dry_run: bool) -> str:
    would = "would be " if dry_run else ""
    return (
        f"{report.rows:,} rows read: {report.added:,} {would}added, {report.replaced:,} {would}replaced, "
        f"{report.unchanged:,} known already, {len(report.refused):,} refused."
    )
