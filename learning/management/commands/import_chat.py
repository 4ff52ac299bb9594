import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from digitalworker.agents.models import Channel, Organization, RoleAgent
from digitalworker.common.errors import DomainError, Invalid
from digitalworker.common.types import system_actor
from learning import importing


class Command(BaseCommand):
    help = (
        "Imports conversations from a JSON Lines file, one message a line. Fields: text, thread, role (needed), id, user,"
        " author, time, kind. Where the file calls them differently, say so with --map. What is imported is learned from"
        " like live conversations, by the same rules. Running it again adds nothing."
        " Exit code: 0 all lines are in, 1 some were refused, 2 it could not run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help='The file, or "-" for standard input.')
        parser.add_argument(
            "--agent", required=True, metavar="CODE", help="The role-agent that gets the conversations."
        )
        parser.add_argument("--org", metavar="SLUG", help="Its organisation; needed where there are several.")
        parser.add_argument("--channel", metavar="NAME", help="A channel assigned to the agent, by name or id.")
        parser.add_argument(
            *("--map",), default="", metavar="FIELD=COLUMN,...", help="For example text=body,thread=conv+session,id=nr."
        )
        parser.add_argument("--preset", choices=sorted(importing.PRESETS), help="A ready field map; --map adds to it.")
        parser.add_argument(
            *("--roles",),
            default="",
            metavar="WORD=KIND,...",
            help="What the roles in the file mean: person, agent, staff or system; * is everybody else."
            " For example helper=staff or Caroline=person,*=staff.",
        )
        parser.add_argument(
            "--verified",
            action="store_true",
            help="The identity of the people in this file was checked when they spoke.",
        )
        parser.add_argument(
            "--rejects",
            metavar="FILE",
            help="Where to list refused lines; by default FILE.rejects.jsonl beside the file.",
        )
        parser.add_argument("--json", action="store_true", help="Print the result as JSON.")

    def handle(self, *args: Any, **options: Any) -> None:
        agent = _agent(options["org"], options["agent"])
        layout = _layout(agent, options)
        rejects = _Rejects(options["rejects"], options["file"])
        with _opened(options["file"]) as (stream, size), rejects, _progress(size) as advance:
            try:
                report = importing.import_chat(
                    actor=system_actor(agent.organization_id, "import_chat"),
                    role_agent=agent,
                    lines=stream,
                    layout=layout,
                    on_refused=rejects.add,
                    on_progress=advance,
                )
            except DomainError as error:
                raise CommandError(error.detail, returncode=2) from error
            except OSError as error:
                raise CommandError(f"{error.filename or options['file']}: {error.strerror}", returncode=2) from error
        if rejects.problem:
            self.stderr.write(rejects.problem)
        self._tell(report, agent, rejects.path if report.refused else None, as_json=options["json"])
        if report.refused:
            sys.exit(1)

    def _tell(self, report: importing.Report, agent: RoleAgent, rejects: Path | None, *, as_json: bool) -> None:
        for reason, (count, first) in sorted(report.reasons.items(), key=lambda item: -item[1][0]):
            where = ", ".join(map(str, first)) + (", ..." if count > len(first) else "")
            self.stderr.write(f"refused {count} x {reason} (line {where})")
        if rejects:
            self.stderr.write(f"Refused lines are listed in {rejects}")
        if as_json:
            counts = {"lines": report.lines, "added": report.added, "known": report.known, "refused": report.refused}
            reasons = {reason: count for reason, (count, _) in report.reasons.items()}
            result = {"agent": agent.code, **counts, "reasons": reasons, "rejects": str(rejects) if rejects else None}
            self.stdout.write(json.dumps(result))
            return
        nothing = " Nothing was added." if not report.added else ""
        self.stdout.write(
            f"{report.lines:,} lines read: {report.added:,} added to {agent.name}, {report.known:,} were there already,"
            f" {report.refused:,} refused.{nothing}"
        )


def _agent(slug: str | None, code: str) -> RoleAgent:
    organizations = {one.slug: one for one in Organization.objects.order_by("slug")}
    known = ", ".join(organizations) or "none yet"
    if slug is None and len(organizations) != 1:
        raise CommandError(f"Say which organisation with --org. There are: {known}.", returncode=2)
    organization = organizations.get(slug) if slug else next(iter(organizations.values()))
    if organization is None:
        raise CommandError(f"There is no organisation {slug}. There are: {known}.", returncode=2)
    agents = {agent.code: agent for agent in RoleAgent.objects.filter(organization=organization)}
    if code not in agents:
        codes = ", ".join(sorted(agents)) or "none yet"
        raise CommandError(f"{organization.name} has no role-agent {code}. It has: {codes}.", returncode=2)
    if not agents[code].is_active:
        raise CommandError(f"{agents[code].name} is disabled and takes no events.", returncode=2)
    return agents[code]


def _layout(agent: RoleAgent, options: dict) -> importing.Layout:
    try:
        preset = importing.parse_map(importing.PRESETS[options["preset"]]) if options["preset"] else {}
        columns = importing.PLAIN_MAP | preset | importing.parse_map(options["map"])
        roles = importing.ROLES | importing.parse_roles(options["roles"])
    except Invalid as error:
        raise CommandError(error.detail, returncode=2) from error
    channel = _channel(agent, options["channel"]) if options["channel"] else None
    return importing.Layout(columns, roles, channel, verified=options["verified"])


def _channel(agent: RoleAgent, name: str) -> Channel:
    channels = list(Channel.objects.filter(role_agent=agent))
    found = [one for one in channels if one.external_id == name] or [one for one in channels if one.name == name]
    if len(found) != 1:
        known = ", ".join(f"{one.name} ({one.external_id})" for one in channels) or "none yet"
        what = "more than one channel" if found else "no channel"
        raise CommandError(f"{agent.name} has {what} {name}. Assigned are: {known}.", returncode=2)
    return found[0]


@contextlib.contextmanager
def _opened(name: str) -> Iterator[tuple[BinaryIO, int | None]]:
    if name == "-":
        yield sys.stdin.buffer, None
        return
    try:
        file = open(name, "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror}", returncode=2) from error
    with file:
        yield file, Path(name).stat().st_size


class _Rejects:
    """The file of refused lines.

    One that was asked for must be writable from the start. The usual one is made when the first line is refused, so that
    a clean run leaves nothing behind; where it can not be written, beside a file that may only be read, the summary tells.
    """

    def __init__(self, wanted: str | None, source: str) -> None:
        self.path = Path(wanted) if wanted else None if source == "-" else Path(f"{source}.rejects.jsonl")
        self.problem = ""
        self._file: TextIO | None = None
        self._eager = wanted is not None

    def __enter__(self) -> "_Rejects":
        if self._eager:
            try:
                self._open()
            except OSError as error:
                raise CommandError(f"{self.path}: {error.strerror}", returncode=2) from error
        return self

    def __exit__(self, *exception: object) -> None:
        if self._file:
            self._file.close()

    def add(self, line: int, reason: str) -> None:
        if self._file is None and self.path is not None:
            try:
                self._open()
            except OSError as error:
                self.problem = f"{self.path} can not be written ({error.strerror}); name another file with --rejects."
                self.path = None
        if self._file:
            self._file.write(json.dumps({"line": line, "reason": reason}) + "\n")

    def _open(self) -> None:
        if self.path is not None:
            self._file = self.path.open("w", encoding="utf-8")


@contextlib.contextmanager
def _progress(size: int | None):
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("Importing"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("import", total=size)
        yield lambda count: progress.advance(task, count)
