"""Skills leave in the public format, and what came from elsewhere leaves as it came."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from digitalworker.audit.models import LearningEvent
from digitalworker.common.errors import Invalid
from skills.actions.export import export_skill, export_skills
from skills.document import parse
from skills.package import File, read_folder, read_zip, write_zip
from tests.collections import TEXTS
from tests.skills.making import document, let_in
from tests.skills.test_package import zipped

FOREIGN = "---\r\nname: foreign-one\r\ndescription: 'It''s from elsewhere'\r\nrisk: bananas\r\n---\r\n\r\n# Do it\t\r\n"
FILES = (File("references/a.md", b"\xff\xfe\0"), File("scripts/go.sh", b"#!/bin/sh\n", executable=True))


@pytest.fixture
def command(tmp_path):
    def run(*arguments):
        out = StringIO()
        call_command("export_skills", *map(str, arguments), stdout=out)
        return out.getvalue()

    return run


def test_our_own_fields_go_under_metadata_and_come_back(world, adam):
    source = document(scope="role_agent", agent="it", risk="high")
    skill = let_in(adam, world.it, source).skill
    (package,) = export_skill(actor=adam, skill_id=skill.pk).packages
    head = package.document.source.split("---")[1]
    assert "\nrisk:" not in head and "\nscope:" not in head and "metadata:" in head
    (again,) = read_zip(write_zip([package]))
    read = parse(source)
    assert (again.document.risk, again.document.scope, again.document.agent) == (read.risk, read.scope, read.agent)
    assert again.document.body == read.body
    assert not again.document.errors


def test_what_came_from_elsewhere_leaves_byte_for_byte(world, adam):
    skill = let_in(adam, world.it, FOREIGN, files=FILES).skill
    (package,) = read_zip(write_zip(export_skill(actor=adam, skill_id=skill.pk).packages))
    assert package.document.content == FOREIGN.encode()
    assert package.files == FILES
    assert package.digest == skill.active_version.digest


def test_every_skill_found_in_the_wild_leaves_as_it_came(world, adam):
    path = TEXTS / "skills_wild.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is not here; it is not part of the repository")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    read = read_zip(zipped(*((f"{row['id']}/{row['path']}", row["text"].encode()) for row in rows)))
    assert len(read) >= 50
    came: dict[str, bytes] = {}
    for package in read:
        if package.name not in came:
            let_in(adam, world.it, package.document.source, files=package.files)
            came[package.name] = package.document.content
    exported = export_skills(actor=adam, role_agent=world.it)
    assert {package.name: package.document.content for package in read_zip(write_zip(exported.packages))} == came
    assert exported.withheld == 0


def test_an_export_is_told_once_for_all(world, adam, ada):
    let_in(adam, world.it, document("one"))
    let_in(adam, world.it, document("two"), sensitive=True)
    let_in(adam, None, document("fire-drill", scope="organization"))
    exported = export_skills(actor=ada, role_agent=world.it)
    assert ([package.name for package in exported.packages], exported.withheld) == (["one"], 1)
    told = LearningEvent.objects.first()
    assert (told.verb, told.actor_label, told.object_label) == ("skills_exported", "Ada", "1 skill of IT Agent")
    with pytest.raises(Invalid, match=r"HR Agent has no skill of its own that you may read\."):
        export_skills(actor=adam, role_agent=world.hr)


def test_the_command_writes_folders_or_an_archive(world, adam, command, tmp_path):
    let_in(adam, world.it, document("one"), files=FILES)
    let_in(adam, world.it, document("two"), sensitive=True)
    assert command("it", tmp_path / "out", "--by", "adam@acme.test") == f"Wrote 2 skills to {tmp_path / 'out'}.\n"
    assert sorted(package.name for package in read_folder(tmp_path / "out")) == ["one", "two"]
    assert (tmp_path / "out/one/scripts/go.sh").stat().st_mode & 0o111
    said = command("it", tmp_path / "out.zip", "--by", "ada@acme.test")
    assert said == f"Wrote 1 skill to {tmp_path / 'out.zip'}. 1 you may not read was left out.\n"
    assert [package.name for package in read_zip((tmp_path / "out.zip").read_bytes())] == ["one"]
    assert json.loads(command("it", tmp_path / "more", "--by", "ada@acme.test", "--json")) == {
        "skills": ["one"],
        "withheld": 1,
    }


@pytest.mark.parametrize(
    ("agent", "by", "says"),
    [
        ("it", "ben@acme.test", r"There is no such role-agent\."),
        ("it", "nora@nowhere.test", r"There is no member nora@nowhere\.test\."),
        ("hr", "ben@acme.test", r"HR Agent has no skill of its own that you may read\."),
    ],
)
def test_the_command_says_why_not(world, adam, command, tmp_path, agent, by, says):
    let_in(adam, world.it)
    with pytest.raises(CommandError, match=says):
        command(agent, tmp_path / "out", "--by", by)
    assert not (tmp_path / "out").exists()


def test_the_command_writes_over_nothing(world, adam, command, tmp_path):
    let_in(adam, world.it)
    (tmp_path / "a.zip").write_bytes(b"kept")
    (tmp_path / "expense-claim").mkdir()
    with pytest.raises(CommandError, match=r"a\.zip: File exists"):
        command("it", tmp_path / "a.zip", "--by", "adam@acme.test")
    with pytest.raises(CommandError, match=r"expense-claim is there already\. Move it away, or name another place\."):
        command("it", tmp_path, "--by", "adam@acme.test")
    assert (tmp_path / "a.zip").read_bytes() == b"kept"
