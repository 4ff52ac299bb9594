"""What a proposal for a soul says: its three parts as one document, so that it is screened, compared and shown as a whole."""

from dataclasses import asdict, dataclass

from digitalworker.common.text import digest, within
from souls.models import RULES_MOST

from .soul_text import PARTS, soul_text


@dataclass(frozen=True, slots=True)
class SoulDraft:
    """`code`, `name` and `summary` are those of the soul; a new one is made with them, and they never change by an update.
    `scope` is `organization` where other agents than the item's have this soul, so that owners and admins decide."""

    scope: str
    code: str
    name: str
    tone_rules_md: str
    do_not_do_md: str = ""
    critique_rules_md: str = ""
    summary: str = ""

    key = None  # screening reads key and content, as of a memory

    @property
    def content(self) -> str:
        return soul_text(asdict(self))

    @property
    def parts(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in PARTS}

    @property
    def digest(self) -> str:
        return digest("soul", self.scope, self.code, self.tone_rules_md, self.do_not_do_md, self.critique_rules_md)

    @property
    def description(self) -> str:
        return self.name

    def dedupe_key(self, person_id) -> str:
        return self.digest

    def as_json(self) -> dict:
        return asdict(self) | {"description": self.name}


def soul_draft(given: dict) -> SoulDraft:
    """A checked draft from its fields, or Invalid by field."""
    texts = {name: within(given.get(name, ""), field=name, most=RULES_MOST, least=0) for name in PARTS}
    texts["tone_rules_md"] = within(texts["tone_rules_md"], field="tone_rules_md", most=RULES_MOST)
    return SoulDraft(
        scope=given["scope"], code=given["code"], name=given["name"], summary=given.get("summary", ""), **texts
    )
