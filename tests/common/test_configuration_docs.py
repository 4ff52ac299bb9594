"""`docs/configuration.md` is what an operator reads: no variable may be missing from it, and none may be made up."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_names_exactly_the_variables_that_are_read():
    read = set(re.findall(r'"(DW_[A-Z_]+|DATABASE_URL)"', (ROOT / "digitalworker/settings.py").read_text())) - {
        "DW_SMTP_"
    }
    page = (ROOT / "docs/configuration.md").read_text()
    told = set(re.findall(r"\b(DW_[A-Z_]+|DATABASE_URL)\b", page))
    told |= {f"DW_SMTP_{part}" for part in re.findall(r"`_([A-Z]+)`", page)}
    assert told == read


def test_every_page_the_documents_link_to_is_there():
    for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]:
        for link in re.findall(r"\]\(([^)#:]+\.md)\)", page.read_text()):
            assert (page.parent / link).is_file(), f"{page.name} links to {link}"
