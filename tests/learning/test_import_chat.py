"""Conversations from files: all of it, once, in constant memory, with a reason for each line that is refused."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from unittest import mock

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from digitalworker.agents.models import Channel, ChatEvent, Person, Thread
from digitalworker.audit.models import LearningEvent
from digitalworker.common.types import system_actor
from learning import importing, queue, tasks
from learning.models import Detection, LearningItem
from tests.collections import TEXTS


@pytest.fixture(autouse=True)
def _queue():
    with mock.patch.object(queue, "async_task") as task:
        yield task


@pytest.fixture
def run(world, capsys):
    """`run(path, "--map", ...)`: exit code, standard output, standard error."""

    def run(path, *options, agent="shop", org="acme"):
        code = 0
        scope = ["--org", org] if org else []
        try:
            call_command("import_chat", str(path), "--agent", agent, *scope, *options)
        except SystemExit as stop:
            code = stop.code
        except CommandError as error:
            return error.returncode, "", str(error)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def file(tmp_path):
    def file(*lines, name="chat.jsonl"):
        path = tmp_path / name
        path.write_bytes(b"".join((x if isinstance(x, bytes) else json.dumps(x).encode()) + b"\n" for x in lines))
        return path

    return file


def line(text="hello", thread="t1", role="user", **fields):
    return {"text": text, "thread": thread, "role": role, **fields}


def test_lines_become_conversations_that_are_learned_from(world, run, file):
    world.shop.people_learning = "review"
    world.shop.save()
    path = file(
        line("How can I help?", role="assistant", id=1, time="2026-05-08T13:56:00+02:00"),
        line("do you have these pants in my size, 38?", id=2, user="ABC", author="Abe", time=1778241420),
    )
    assert run(path) == (0, "2 lines read: 2 added to Shop Assistant, 0 were there already, 0 refused.\n", "")
    assert not list(path.parent.glob("*.rejects*"))
    greeting, question = ChatEvent.objects.order_by("occurred_at")
    assert (greeting.kind, greeting.author_kind, greeting.occurred_at) == (
        *("reply", "agent"),
        datetime(2026, 5, 8, 11, 56, tzinfo=UTC),
    )
    assert (question.person.external_user_id, question.author, question.verified) == ("ABC", "Abe", False)
    assert question.thread == greeting.thread == Thread.objects.get(external_id="t1")
    tasks.run_detection()
    assert LearningItem.objects.get().title == "size = 38"


def test_a_second_run_adds_nothing_and_says_so(world, run, file):
    rows = [line("a", id="1"), line("b"), line("c", thread="t2", id="1"), line("d", id="x" * 300)]
    assert run(file(*rows))[0] == 0
    code, out, _ = run(file(*rows, name="copy under another name.jsonl"))
    assert (code, out) == (
        0,
        "4 lines read: 0 added to Shop Assistant, 4 were there already, 0 refused. Nothing was added.\n",
    )
    assert (ChatEvent.objects.count(), Thread.objects.count(), Detection.objects.count()) == (4, 2, 4)


def test_each_run_is_audited_once_with_its_counts(world, run, file):
    run(file(line("a", id=1), b"nonsense"))
    [row] = LearningEvent.objects.filter(verb="history_imported")
    assert row.details == {"lines": 2, "added": 1, "known": 0, "refused": 1}
    assert row.sentence == "import_chat imported conversations into Shop Assistant"


def test_refused_lines_are_listed_with_their_reasons_and_the_rest_is_kept(world, run, file):
    path = file(
        line("good", id=1),
        b"{not json",
        b"[1, 2]",
        b'"just text"',
        b'{"text": "\xff\xfe", "thread": "t", "role": "user"}',
        b"",
        {"thread": "t", "role": "user"},
        line("   "),
        line("nul \x00 inside"),
        line("x" * 20_001),
        line("who", role="ghost"),
        line("where", thread=None),
        line("when", time="the day before"),
        line({"no": "text"}),
        line("deep", id={"a": 1}),
        b"[" * 100_000,
        b'{"text": "' + b"y" * 1_000_001 + b'"}',
        line("good as well", id=2),
    )
    code, out, err = run(path)
    assert code == 1
    assert out == "17 lines read: 2 added to Shop Assistant, 0 were there already, 15 refused.\n"
    rejects = [json.loads(row) for row in Path(f"{path}.rejects.jsonl").read_text().splitlines()]
    assert sorted((row["line"], row["reason"]) for row in rejects) == [
        (2, "the line is not JSON"),
        (3, "the line is not a JSON object"),
        (4, "the line is not a JSON object"),
        (5, "the line is not UTF-8"),
        (7, "text: it is missing or empty"),
        (8, "text: it is missing or empty"),
        (9, "text: it holds a NUL character"),
        (10, "text: 20,001 characters are too many; at most 20,000 fit."),
        (11, "role: it is unknown; say what it means with --roles"),
        (12, "thread: it is missing or empty"),
        (13, "time: it can not be read"),
        (14, "text: this is not text"),
        (15, "id: this is neither text nor a number"),
        (16, "the line is not JSON"),
        (17, "the line is longer than 1,000,000 bytes"),
    ]
    assert "refused 2 x the line is not JSON (line 2, 16)" in err
    assert f"Refused lines are listed in {path}.rejects.jsonl" in err
    assert ChatEvent.objects.count() == 2


def test_a_line_in_another_persons_thread_is_refused_alone(world, run, file, tmp_path):
    rows = [line(u, id=n, user=u) for n, u in enumerate(["ABC", "XYZ", "ABC"])]
    code, out, _ = run(file(*rows), "--rejects", str(tmp_path / "no.jsonl"), "--json")
    assert (code, json.loads(out)["added"], json.loads(out)["refused"]) == (1, 2, 1)
    assert json.loads((tmp_path / "no.jsonl").read_text())["line"] == 2
    assert Person.objects.get().external_user_id == "ABC"


def test_the_field_map_and_the_role_map_read_other_files(world, run, file):
    rows = [{"body": "Hi", "conv": "c", "session": 3, "nr": 7, "who": "Caroline", "at": "1:56 pm on 8 May, 2023"}]
    columns = "text=body, thread=conv+session, id=nr, role=who, author=who, user=who, time=at"
    assert run(file(*rows), "--map", columns, "--roles", "caroline=person,*=staff", "--verified", "--json")[0] == 0
    event = ChatEvent.objects.get()
    assert (event.thread.external_id, event.idempotency_key, event.verified) == ("c/3", "import:c/3:7", True)
    assert event.occurred_at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (
            "support_turns.jsonl",
            "--map thread=conv,id=id,text=text,role=role --roles helper1=staff,helper2=staff,helper3=staff",
        ),
        ("support_turns.jsonl", "--preset dialogue --map user=conv --roles *=staff"),
        (
            "locomo_turns.jsonl",
            "--map thread=conv+session,id=dia_id,text=text,role=speaker,author=speaker,user=speaker,time=session_date_time"
            " --roles Caroline=person,Jon=person,*=staff",
        ),
        ("locomo_turns.jsonl", "--preset locomo --roles Caroline=person,Jon=person,*=staff"),
    ],
)
def test_public_conversations_are_imported_as_they_are(world, run, tmp_path, name, options):
    path = TEXTS / name
    if not path.exists():
        pytest.skip(f"{path} is not here; it is not part of the repository")
    count = len(path.read_bytes().splitlines())
    options = [*options.split(), "--json", "--rejects", str(tmp_path / "refused")]
    code, out, err = run(path, *options)
    assert (code, err) == (0, "")
    counts = {"lines": count, "added": count, "known": 0, "refused": 0}
    assert json.loads(out) == {"agent": "shop", **counts, "reasons": {}, "rejects": None}
    code, out, _ = run(path, *options)
    assert (json.loads(out)["added"], json.loads(out)["known"]) == (0, count)
    assert ChatEvent.objects.count() == Detection.objects.count() == count


def test_standard_input_is_read(world, run, monkeypatch):
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbf" + json.dumps(line("a")).encode() + b"\nx"))
    )
    code, _, err = run("-")
    assert (code, ChatEvent.objects.count()) == (1, 1)
    assert "refused 1 x the line is not JSON (line 2)" in err


def test_a_channel_is_named(world, run, file):
    channel = Channel.objects.create(organization=world.acme, role_agent=world.shop, external_id="w1", name="Website")
    assert run(file(line("a")), "--channel", "Website")[0] == 0
    assert Thread.objects.get().channel == channel
    assert run(file(line("a")), "--channel", "Fax") == (
        *(2, ""),
        "Shop Assistant has no channel Fax. Assigned are: Website (w1).",
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"org": None}, "Say which organisation with --org. There are: acme, globex."),
        ({"org": "initech"}, "There is no organisation initech. There are: acme, globex."),
        ({"agent": "legal"}, "Acme has no role-agent legal. It has: hr, it, shop."),
        ({"path": "/nowhere/at all"}, "/nowhere/at all: No such file or directory"),
        (
            {"more": ["--map", "speech=x"]},
            "'speech=x' is no field map. Write field=column; the fields are text, thread, ",
        ),
        (
            {"more": ["--roles", "x=robot"]},
            "'x=robot' is no role. Write word=kind; the kinds are person, agent, staff, ",
        ),
    ],
)
def test_what_can_not_run_says_why(world, run, file, options, message):
    path = options.pop("path", None) or file(line("a"))
    more = options.pop("more", [])
    code, _, err = run(path, *more, **options)
    assert code == 2
    assert err.startswith(message)
    assert not ChatEvent.objects.exists()


def test_the_file_is_read_as_it_is_needed(world):
    """Ten thousand lines are handed on in batches while the rest of the stream is still unread."""
    seen = []

    class Stream(io.RawIOBase):
        given = 0

        def readline(self, size=-1):
            if self.given == 10_000:
                return b""
            self.given += 1
            return json.dumps(line(f"{self.given}", id=self.given)).encode() + b"\n"

    stream = Stream()

    def take_in(*, drafts, **rest):
        seen.append((len(drafts), stream.given))
        return [mock.Mock(created=True)] * len(drafts)

    with mock.patch.object(importing, "take_in", take_in):
        report = importing.import_chat(
            actor=system_actor(world.acme.pk), role_agent=world.shop, lines=stream, layout=importing.Layout()
        )
    assert (report.lines, report.added) == (10_000, 10_000)
    assert seen == [(200, 200 * n) for n in range(1, 51)]


def test_a_run_that_is_broken_off_is_audited_with_what_it_did(world, file):
    path = file(*(line(f"{n}", id=n) for n in range(250)))
    real, calls = importing.take_in, []

    def second_fails(**arguments):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(**arguments)

    with (
        mock.patch.object(importing, "take_in", second_fails),
        path.open("rb") as stream,
        pytest.raises(KeyboardInterrupt),
    ):
        importing.import_chat(
            actor=system_actor(world.acme.pk), role_agent=world.shop, lines=stream, layout=importing.Layout()
        )
    [row] = LearningEvent.objects.filter(verb="history_imported")
    assert row.details == {"lines": 250, "added": 200, "known": 0, "refused": 0}


def test_a_rejects_file_that_can_not_be_written_is_told(world, run, file, tmp_path):
    path = file(line("a"), b"nonsense")
    Path(f"{path}.rejects.jsonl").mkdir()
    code, _, err = run(path)
    assert (code, ChatEvent.objects.count()) == (1, 1)
    assert f"{path}.rejects.jsonl can not be written (Is a directory); name another file with --rejects." in err
    assert run(file(line("b")), "--rejects", "/nowhere/at/all") == (2, "", "/nowhere/at/all: No such file or directory")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2004-11-15 03h 03:18", datetime(2004, 11, 15, 3, 18, tzinfo=UTC)),
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("2026-05-08T13:56:00-02:00", datetime(2026, 5, 8, 15, 56, tzinfo=UTC)),
        ("2026-05-08 13:56", datetime(2026, 5, 8, 13, 56, tzinfo=UTC)),
        (1778248560, datetime(2026, 5, 8, 13, 56, tzinfo=UTC)),
        (1778248560000, datetime(2026, 5, 8, 13, 56, tzinfo=UTC)),
    ],
)
def test_times_as_files_write_them(world, run, file, written, meant):
    assert run(file(line("a", time=written)))[0] == 0
    assert ChatEvent.objects.get().occurred_at == meant
