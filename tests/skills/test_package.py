"""Skills as folders and archives: what comes in comes out byte for byte, and what is hostile stays outside."""

import io
import json
import os
import stat
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digitalworker.common.errors import Conflict, Invalid
from skills.document import parse
from skills.package import File, Package, Skipped, limits, read_folder, read_upload, read_zip, write_folder, write_zip
from tests.collections import TEXTS


def text(name="expense-claim"):
    return f"---\nname: {name}\ndescription: Checks claims.\n---\n\n# Claims\r\n\u00e9".encode()


def info(path, mode=0o100644):
    made = zipfile.ZipInfo("x")
    made.filename = path  # as it is: the constructor would mend it
    made.external_attr = mode << 16
    made.create_system = 3
    return made


def zipped(*files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files:
            archive.writestr(path, content, zipfile.ZIP_DEFLATED)
    return held.getvalue()


def skill(*files):
    return zipped(("expense-claim/SKILL.md", text()), *files)


FILES = (
    ("expense-claim/references/rates.md", b"# Rates\n"),
    ("expense-claim/assets/logo.png", b"\x89PNG\0\xff"),
    (info("expense-claim/scripts/sum.py", 0o100755), b"#!/usr/bin/env python\nprint(1)\n"),
    ("expense-claim/assets/inner.zip", b"PK\x03\x04 not looked into"),
)


def test_a_skill_comes_with_its_files_and_scripts_are_flagged():
    read = read_zip(skill(*FILES))
    (package,) = read
    assert (package.name, read.refusals, read.skipped) == ("expense-claim", (), ())
    assert [(file.path, file.is_text, file.executable, file.media_type) for file in package.files] == [
        ("assets/inner.zip", True, False, "application/zip"),
        ("assets/logo.png", False, False, "image/png"),
        ("references/rates.md", True, False, "text/markdown"),
        ("scripts/sum.py", True, True, "text/x-python"),
    ]
    assert [file.path for file in package.scripts] == ["scripts/sum.py"]
    assert package.document.content == text()


@pytest.mark.parametrize("path", ["run.sh", "scripts/README", "x/deep.PS1"])
def test_what_could_be_run_is_a_script_wherever_it_lies(path):
    assert File(path, b"").is_script
    assert File("a.txt", b"#!/bin/sh").is_script
    assert not File("references/a.txt", b"echo").is_script


def test_what_is_written_reads_back_the_same_and_is_written_the_same(tmp_path):
    packages = read_zip(skill(*FILES, ("other/SKILL.md", text("other")))).packages
    archive = write_zip(packages)
    assert read_zip(archive).packages == packages
    assert write_zip(reversed(packages)) == archive
    assert write_folder(packages, tmp_path) == [tmp_path / "expense-claim", tmp_path / "other"]
    assert read_folder(tmp_path).packages == packages
    assert read_folder(tmp_path / "other").packages == packages[1:]
    assert os.access(tmp_path / "expense-claim/scripts/sum.py", os.X_OK)
    with pytest.raises(Conflict, match="expense-claim is there already. Move it away, or name another place."):
        write_folder(packages, tmp_path)


def test_the_digest_covers_paths_marks_and_contents():
    document = parse(text())
    files = [(), (File("a", b"b"),), (File("a", b"c"),), (File("c", b"b"),), (File("a", b"b", True),)]
    assert len({Package("expense-claim", document, held).digest for held in files}) == 5


def test_one_skill_may_lie_at_the_top_or_be_sent_as_a_single_file():
    (package,) = read_zip(zipped(("SKILL.md", text()), ("references/a.md", b"a")))
    assert package.files == (File("references/a.md", b"a"),)
    (single,) = read_upload("Whatever.MD", text())
    assert (single.document, single.files) == (package.document, ())
    assert read_upload("no ending", skill()).packages == read_zip(skill()).packages


def test_a_skill_inside_a_skill_is_a_file_of_it():
    (package,) = read_zip(skill(("expense-claim/examples/other/SKILL.md", text("other"))))
    assert [file.path for file in package.files] == ["examples/other/SKILL.md"]


def test_what_a_system_wrote_for_itself_is_skipped_and_said():
    read = read_zip(
        skill(("__MACOSX/expense-claim/._SKILL.md", b"x"), ("expense-claim/.DS_Store", b"x"), ("README.md", b"x"))
    )
    assert len(read) == 1
    assert read.packages[0].files == ()
    assert read.skipped == (
        Skipped("__MACOSX/expense-claim/._SKILL.md", "A system wrote it for itself."),
        Skipped("expense-claim/.DS_Store", "A system wrote it for itself."),
        Skipped("README.md", "It lies in no skill's folder."),
    )


def test_one_skill_that_is_refused_does_not_stop_the_others():
    read = read_zip(skill(("Bad Name/SKILL.md", text("Bad Name")), ("b/expense-claim/SKILL.md", text("expense-claim"))))
    assert [package.name for package in read] == ["expense-claim"]
    assert [(refusal.folder, refusal.code) for refusal in read.refusals] == [
        ("Bad Name", "name"),
        ("expense-claim", "same_name"),
    ]
    assert read.refusals[0].faults[0].line == 2
    assert read.refusals[0].reason.endswith("Write: name: bad-name, and name the folder the same.")
    assert read.refusals[1].reason == "Another skill here is named expense-claim as well. Send one, or rename it."


HOSTILE = [
    ("../../etc/cron.d/x", "The path ../../etc/cron.d/x leads out of its folder. Take the file out, or move it into the folder."),
    (
        "expense-claim/../../x",
        "The path expense-claim/../../x leads out of its folder. Take the file out, or move it into the folder.",
    ),
    ("/etc/passwd", "The path /etc/passwd is absolute. Make the archive from inside the folder."),
    ("C:/windows/x", "The path C:/windows/x names a drive. Make the archive from inside the folder."),
    (
        "expense-claim\\x",
        "The path expense-claim\\x is written with backslashes. Make the archive anew with a program that writes slashes.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("path", "message"), HOSTILE)
def test_a_path_that_leads_out_refuses_the_whole_archive(path, message):
    with pytest.raises(Invalid) as caught:
        read_zip(skill((info(path), b"x")))
    assert str(caught.value) == message


ONE = [
    (
        info("expense-claim/link", stat.S_IFLNK | 0o777),
        "expense-claim/link is a symbolic link. Put the file itself in its place.",
    ),
    (info("expense-claim/pipe", stat.S_IFIFO | 0o644), "expense-claim/pipe is no file. Leave it out."),
    (info("expense-claim/aux.md"), "aux.md: aux.md is the name of a device on Windows. Rename the file."),
    (info("expense-claim/a\u202eb.md"), "The name a\\u202eb.md holds a character that can not be seen. Rename the file."),
    (info("expense-claim//x"), "The path /x has an empty part. Make the archive anew."),
    (
        info("expense-claim/a?.md"),
        'a?.md can not be a file on every system. Rename it, without any of < > : " | ? * and without a dot'
        " or a space at the end.",
    ),
    (info("expense-claim/" + "a/" * 13 + "b"), f"{'a/' * 13}b lies more than 12 folders deep. Move it up."),
    (info("expense-claim/" + "a" * 250), f"The path {'a' * 99}… has more than 240 characters. Shorten it."),
    (info("expense-claim/skill.MD"), "SKILL.md and skill.MD are one file on many systems. Rename one."),
    (info("expense-claim/SKILL.md"), "SKILL.md is in the archive twice. Keep one."),
    (info("expense-claim/SKILL.md/x"), "SKILL.md is a file and a folder at once. Rename one."),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("path", "message"), ONE)
def test_a_file_that_can_not_be_kept_refuses_its_skill_only(path, message):
    read = read_zip(skill((path, b"x"), ("other/SKILL.md", text("other"))))
    assert [package.name for package in read] == ["other"]
    assert [(refusal.folder, refusal.reason) for refusal in read.refusals] == [("expense-claim", message)]


def test_accents_written_apart_are_one_name_with_those_written_together():
    (package,) = read_zip(skill(("expense-claim/cafe\u0301.md", b"x")))
    assert [file.path for file in package.files] == ["caf\u00e9.md"]
    (refusal,) = read_zip(skill(("expense-claim/cafe\u0301.md", b"x"), ("expense-claim/caf\u00e9.md", b"y"))).refusals
    assert refusal.reason == "caf\u00e9.md is in the archive twice. Keep one."


def test_a_bomb_is_stopped_while_it_grows_whatever_its_header_says():
    with pytest.raises(Invalid) as caught:
        read_zip(skill(("expense-claim/a", b"\0" * 9 * 2**20)))
    assert caught.value.code == "bomb"
    assert str(caught.value) == (
        "expense-claim/a grows to more than 200 times its packed size, as an archive does that is made to fill a disk. Leave it"
        " out."
    )
    bomb = bytearray(skill(("expense-claim/a", b"\0" * 9 * 2**20)))
    for place in range(len(bomb) - 4):
        if bomb[place : place + 4] == b"PK\x01\x02" and bomb[place + 46 :].startswith(b"expense-claim/a"):
            bomb[place + 24 : place + 28] = struct.pack("<I", 10)
    with pytest.raises(Invalid) as caught:
        read_zip(bytes(bomb))
    assert caught.value.code == "not_zip"


def test_a_file_of_100_mb_is_refused_without_being_read_to_its_end(tmp_path):
    folder = tmp_path / "expense-claim"
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(text())
    with open(folder / "huge.bin", "wb") as stream:
        stream.truncate(100 * 2**20)
    (refusal,) = read_folder(folder).refusals
    assert refusal.reason == "huge.bin has more than 10 MB. Leave it out, or make it smaller."
    noise = os.urandom(11 * 2**20)
    (refusal,) = read_zip(skill(("expense-claim/huge.bin", noise))).refusals
    assert (refusal.code, refusal.reason) == ("file", "huge.bin has more than 10 MB. Leave it out, or make it smaller.")
    with pytest.raises(Invalid, match="The archive has more than 20 MB. Leave out what the skills do not need"):
        read_zip(io.BytesIO(noise + noise))


def test_all_files_together_have_a_limit(monkeypatch):
    monkeypatch.setattr("skills.package.grouping.TOTAL_MOST", 3 * 2**20)
    with pytest.raises(Invalid, match="The files have more than 3 MB together.") as caught:
        read_zip(skill(*((f"expense-claim/{number}", os.urandom(2**20)) for number in range(4))))
    assert caught.value.code == "total"


def test_ten_thousand_files_are_refused(tmp_path):
    message = "There are more than 5,000 files. Leave out what the skills do not need, or send fewer at a time."
    with pytest.raises(Invalid, match=message):
        read_zip(skill(*((f"expense-claim/{number}", b"") for number in range(10_000))))
    for number in range(limits.FILES_MOST + 1):
        (tmp_path / str(number)).touch()
    with pytest.raises(Invalid, match=message):
        read_folder(tmp_path)


LOCKED = skill().replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.zip", zipped(), "There is no file in it. Send a folder with a SKILL.md."),
        ("a.zip", zipped(("a/README.md", b"")), "There is no SKILL.md in it. Each skill is a folder with a file of that name."),
        ("a.zip", zipped(("a/Skill.md", text())), "The file a/Skill.md must be named SKILL.md, in these letters. Rename it."),
        ("a.zip", b"", "The file is empty. Send a zip archive."),
        ("a.zip", b"no zip", "The archive is damaged, or no zip archive. Make it anew."),
        ("a.zip", skill()[:-30], "The archive is damaged, or no zip archive. Make it anew."),
        ("a.zip", LOCKED, "The archive is locked with a password. Make it anew without one."),
        ("a.tgz", b"\x1f\x8b\x08", "This is a gzip archive. Send a zip archive."),
        ("a.exe", b"MZ", "This is neither a zip archive nor a SKILL.md. Send one of them."),
    ],
)  # fmt: skip
def test_what_is_no_archive_of_skills_says_what_to_send(name, data, message):
    with pytest.raises(Invalid) as caught:
        read_upload(name, data)
    assert str(caught.value) == message


def test_a_folder_is_read_without_following_links(tmp_path):
    for name in ("good", "bad"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_bytes(text(name))
    (tmp_path / "bad" / "link").symlink_to("/etc/hostname")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    read = read_folder(tmp_path)
    assert [package.name for package in read] == ["good"]
    assert {(refusal.folder, refusal.code) for refusal in read.refusals} == {
        ("bad", "link"),
        ("loop", "link"),
        ("pipe", "special"),
    }
    with pytest.raises(Invalid, match="nowhere is no folder."):
        read_folder(tmp_path / "nowhere")


def test_what_would_not_be_read_again_is_not_written():
    with pytest.raises(Invalid, match="leads out of its folder"):
        write_zip([Package("a", parse(text("a")), (File("../x", b""),))])
    with pytest.raises(Invalid, match="can not be the name of a folder"):
        write_zip([Package("../a", parse(text("a")))])


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.from_regex(r"[a-d]{1,3}(/[a-d]{1,2}){0,2}", fullmatch=True), st.binary(max_size=40), max_size=6)
)
def test_any_files_come_back_byte_for_byte_or_are_refused(files):
    read = read_zip(skill(*((f"expense-claim/{path}", content) for path, content in files.items())))
    if read.packages:
        assert {file.path: file.content for file in read.packages[0].files} == files
        assert read_zip(write_zip(read)).packages == read.packages
    else:
        assert read.refusals[0].code == "file_and_folder"


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 400), st.binary(min_size=1, max_size=4))
def test_a_damaged_archive_never_crashes(place, damage):
    data = bytearray(skill(*FILES))
    data[place : place + len(damage)] = damage
    try:
        read_zip(bytes(data))
    except Invalid as error:
        assert str(error)


def test_every_skill_found_in_the_wild_survives_the_way_there_and_back():
    path = TEXTS / "skills_wild.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is not here; it is not part of the repository")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    sent = {f"{row['id']}/{row['path']}": row["text"].encode() for row in rows}
    read = read_zip(zipped(*sent.items()))
    assert len(read) + len(read.refusals) == len(sent)
    assert len(read) >= 50
    assert all(refusal.reason and refusal.folder for refusal in read.refusals)
    again = read_zip(write_zip(read))
    assert (
        {package.document.content for package in again}
        == {package.document.content for package in read}
        <= set(sent.values())
    )
