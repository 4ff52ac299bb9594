import json
import sys
import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from digitalworker.common import embedding as engines
from digitalworker.common.errors import Unavailable
from learning import embedding
from skills import embedding as skills


class Command(BaseCommand):
    help = (
        "Brings the vectors of all live memories and of all skills in use up to date with the configured engine (DW_EMBEDDING)."
        " Run it after changing the engine, or after restoring a backup without vectors. Safe while the product runs and safe"
        " to interrupt: a second run goes on where the first stopped, and until a memory or a skill has its vector, its words"
        " alone rank it. With the bundled engine about 1,000 memories take a minute."
        " Exit code: 0 every one has its vector, 1 the engine is off or failed; what was done before stays."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            *("--all",),
            action="store_true",
            help="Also redo vectors that are up to date, for example after the endpoint's model changed under its name.",
        )
        parser.add_argument("--json", action="store_true", help="Print the result as one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            report = _reembed(every=options["all"])
        except Unavailable as error:
            raise CommandError(f"{error.detail} What was embedded before stays; run this again later.") from error
        if options["json"]:
            self.stdout.write(json.dumps(report))
        else:
            left = f" {report['missing']} were added or changed meanwhile; run it again." if report["missing"] else ""
            done = f"{report['memories']} memories and {report['skills']} skills"
            self.stdout.write(f"Embedded {done} with {report['engine']}.{left}")


def _reembed(*, every: bool) -> dict:
    chosen = engines.engine()
    if chosen.name == engines.NoEngine.name:
        raise CommandError("DW_EMBEDDING=none: there is no engine to embed with. Use bundled or openai:<model>.")
    started, done = time.monotonic(), {"memories": 0, "skills": 0}
    with _progress() as progress:
        total = embedding.missing_count(every=every) + skills.missing_count(every=every)
        task = progress.add_task("Embedding", total=total)
        for what, kept in (("memories", embedding), ("skills", skills)):
            for ids in kept.missing_ids(every=every):
                done[what] += kept.embed(ids, again=every, progress=lambda count: progress.advance(task, count))
    return {
        "engine": chosen.name,
        "embedded": sum(done.values()),
        **done,
        "missing": embedding.missing_count() + skills.missing_count(),
        "seconds": round(time.monotonic() - started, 1),
    }


def _progress() -> Progress:
    """On standard error, and only where somebody watches: standard output is for the result."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty(), transient=True)
