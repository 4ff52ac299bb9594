"""How one proposal, and what a reviewer weighs beside it, is put into words."""

from collections.abc import Sequence
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString

from digitalworker.agents.models import User
from digitalworker.common.secrets import find_secrets
from digitalworker.common.types import Actor
from digitalworker.console.templatetags.console import ago
from learning import soul_pane
from learning.choices import SKILLS, ItemKind, ItemStatus, MemoryScope, Risk, Source
from learning.models import LearningItem, Memory
from learning.payload import searched
from learning.screening import find_injections
from learning.screening.normalise import PLAIN
from learning.screening.procedures import is_danger
from learning.screening.sensitive import is_sensitive
from learning.sections import CHARACTERS_MOST, MEMORIES_MOST, SKILL_CHARACTERS_MOST
from learning.selectors.evidence import Evidence
from learning.selectors.proposed_skills import ProposedSkill
from learning.slots import Preview
from learning.words import HOW, RISK_TONES, STATUS_TONES, chip, consequence, reach, scope_words, whom

SHORT = 90  # a claim up to this long stands in the heading; a longer text gets a paragraph of its own
SEVERITY_TONES = {"high": "bad", "medium": "warn", "low": ""}
NAMED_MOST = 4
VERBS: dict[str, str] = {ItemKind.SKILL: "Learn the skill", ItemKind.SKILL_UPDATE: "Change the skill"}

NOBODY_ELSE = "and nobody else may decide about this yet: {} needs another manager."


def named(people: Sequence[User | str]) -> str:
    """ "Adam, Olga or Ada"; of many the first."""
    names = [str(person) for person in people[:NAMED_MOST]]
    if len(people) > NAMED_MOST:
        names.append("another")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}" if names else "Nobody"


def hidden_summary(item: LearningItem, deciders: Sequence[User]) -> dict:
    """Of what somebody may know about, and not read."""
    status = chip(item.get_status_display(), STATUS_TONES.get(item.status, ""))
    return {
        "chips": [status, chip("sensitive", "guard")],
        "claim": "Sensitive proposal",
        "sentence": f"{item.role_agent.name} proposed something that only an owner or admin may read and decide.",
        "waits_for": f"{named(deciders)} can decide it." if item.is_pending else "",
    }


def summary(
    item: LearningItem,
    organization: str,
    *,
    decides: bool,
    held: Memory | None,
    instead: Sequence[str] | None = None,
    skill: ProposedSkill | None = None,
) -> dict:
    """The head of the page: chips, the claim, and one sentence about what happens on approval. `instead`: who decides what
    the reader wrote; None where it is not their own."""
    payload = item.proposed_payload
    is_memory = item.kind == ItemKind.MEMORY
    chips = [chip(item.get_status_display(), STATUS_TONES.get(item.status, ""))]
    what = scope_words(payload.get("scope"), payload.get("kind")) if is_memory else item.get_kind_display().lower()
    chips.append(chip(what, plain=True))
    chips.append(chip(item.get_risk_display().lower(), RISK_TONES[Risk(item.risk)]))
    if item.sensitive:
        chips.append(chip("sensitive", "guard"))
    if item.edited:
        chips.append(chip("edited", plain=True))
    if skill is not None and skill.scripts:
        chips.append(chip("with scripts", "warn"))
    claim = _claim(item) if is_memory else {"verb": VERBS.get(item.kind, "Talk as"), "code": payload.get("name", "")}
    return claim | {
        "chips": chips,
        "whom": whom(item, organization),
        "sentence": _sentence(item, organization, decides=decides, skill=skill),
        "replaces": held,
        "waits_for": _waits_for(item, instead) if item.is_pending and not decides else "",
    }


def _claim(item: LearningItem) -> dict:
    key, content = item.proposed_payload.get("key"), item.proposed_payload.get("content", "")
    short = len(content) <= SHORT and "\n" not in content
    return {
        "verb": "Remember",
        "code": (item.title if short else key) if key else "",
        "words": content if short and not key else "",
        "text": "" if short else content,
    }


def _sentence(item: LearningItem, organization: str, *, decides: bool, skill: ProposedSkill | None) -> SafeString | str:
    if item.kind == ItemKind.SOUL_UPDATE:
        return soul_pane.sentence(item, organization, decides=decides)
    if not item.is_pending:
        return _outcome(item, organization)
    if skill is None:
        return consequence(item, organization, decides=decides)
    approved = f"If {'you approve' if decides else 'it is approved'}, {_skill_reach(item, organization)}."
    if skill.hidden:
        return f"{approved} It replaces something sensitive."
    return approved + (f" It replaces version {skill.active.number}, which stays readable." if skill.active else "")


def _skill_reach(item: LearningItem, organization: str) -> str:
    everyone = item.proposed_payload.get("scope") == MemoryScope.ORGANIZATION
    who = f"every role-agent of {organization}" if everyone else item.role_agent.name
    return f"{who} follows it wherever it fits a question, whoever asks"


def skill_room(skill: ProposedSkill) -> dict:
    """How much of what one answer carries of skills this one takes."""
    most, used = SKILL_CHARACTERS_MOST, skill.characters
    text = f"{used:,} of the {most:,} characters that an answer carries of skills"
    if used > most:
        text += ": too long to be there from the start, so the agent fetches it when it needs it"
    return {"used": used, "most": most, "text": f"{text}."}


def _outcome(item: LearningItem, organization: str) -> SafeString:
    who, when = item.decided_by_label or "Somebody", ago(item.decided_at, "long")
    if item.status == ItemStatus.REJECTED:
        return format_html("{} rejected this {}. Nothing was learned.", who, when)
    if item.kind in SKILLS and item.skill_version_id:
        in_use = (
            item.skill is not None and item.skill.active_version_id == item.skill_version_id and item.skill.is_active
        )
        now = _skill_reach(item, organization) if in_use else "it is not in use any more"
        return format_html("{} approved this {}: {}.", who, when, now)
    if item.memory and item.memory.is_live:
        payload = item.proposed_payload
        then = reach(payload.get("scope"), payload.get("kind"), item.role_agent.name, str(item.person), organization)
        return format_html("{} approved this {}: {}.", who, when, then)
    return format_html("{} approved this {}. It is not used any more.", who, when)


def _waits_for(item: LearningItem, instead: Sequence[str] | None) -> str:
    if instead is not None:
        who = f"so {named(instead)} decides about this." if instead else NOBODY_ELSE.format(item.role_agent.name)
        return f"You wrote it, {who}"
    if item.sensitive or item.proposed_payload.get("scope") == MemoryScope.ORGANIZATION:
        return "An owner or admin decides about this."
    return f"A manager of {item.role_agent.name}, an admin or an owner decides about this."


def told_on(item: LearningItem, organization: str) -> str:
    """What an approval of something sensitive means for who gets to know it: said before it is given."""
    if item.proposed_payload.get("scope") == MemoryScope.ORGANIZATION:
        who, agent = f"everybody who talks to a role-agent of {organization}", "those agents"
    else:
        who = str(item.person) if item.person_id else f"everybody who talks to {item.role_agent.name}"
        agent = item.role_agent.name
    return (
        f"Once approved, {agent} will use it in answers. Whoever reads such an answer can learn it from there: {who}, and the"
        f" managers of {agent}, who read the conversations. Lists, answers’ pages and the audit go on hiding it from them."
    )


# --- beside it ----------------------------------------------------------------------------------------------------
def checks(item: LearningItem, messages: Sequence[Evidence]) -> list[tuple[str, object]]:
    """Only what was really looked at: a check that has not run is not shown as passed, and words that are clean do not speak
    for the message they were taken from."""
    # A text that held a secret never became a proposal.
    found: list[tuple[str, object]] = [("Secrets", "none in these words")]
    dangers = [finding["why"] for finding in item.findings if is_danger(finding["rule"])]
    if item.kind in SKILLS:
        found += [("Dangerous", why) for why in dict.fromkeys(dangers) or ["no order that is known as such"]]
    own = (finding for finding in item.findings if not is_danger(finding["rule"]))
    steering = list(dict.fromkeys(finding["why"] for finding in own if not is_sensitive(finding["rule"])))
    found += [("Steering", why) for why in steering or ["none in these words"]]
    found += [("Sensitive", finding["why"]) for finding in item.findings if is_sensitive(finding["rule"])]
    types = ", ".join(name.replace("_", " ").lower() for name in item.pii_entities)
    unseen = "" if item.pii_digest == item.digest else "not looked through yet"
    found.append(("Personal data", ", ".join(filter(None, (types, unseen))) or "none in these words"))
    if messages:
        around = _in_messages(messages) or ["no secret and no steering"]
        found += [("In the message" if len(messages) == 1 else "In the messages", what) for what in around]
    return found


def _in_messages(messages: Sequence[Evidence]) -> list[str]:
    """What is in the messages that a proposal rests on, besides what was taken from them. They are looked at when somebody
    reads them: as they are, by the rules of today."""
    texts = [message.event.text for message in messages]
    kinds = sorted({kind for text in texts for kind in find_secrets(text)})
    secrets = [f"what looks like a secret: {', '.join(kinds)}"] if kinds else []
    return [*secrets, *dict.fromkeys(finding.why for text in texts for finding in find_injections(text))]


def findings(item: LearningItem) -> list[dict[str, Any]]:
    """Each finding with the words it is about, as they stand in the proposal, and the layer it was read in."""
    text = searched(item.proposed_payload)
    return [
        {
            "excerpt": finding.get("excerpt", "") or text[finding.get("start", 0) : finding.get("end", 0)],
            "place": _place(finding, text) if item.kind in SKILLS else "",
            "severity": finding["severity"],
            "tone": SEVERITY_TONES.get(finding["severity"], ""),
            "rule": finding["rule"],
            "why": finding["why"],
            "layer": "" if finding.get("layer") in {PLAIN, "characters", None} else finding["layer"],
        }
        for finding in item.findings
    ]


def _place(finding: dict, text: str) -> str:
    """Where in a skill it is: the line of its document, or of a file."""
    if "file" in finding:
        return f"{finding['file']}, line {finding['line']}" if "line" in finding else finding["file"]
    if "start" not in finding:
        return ""
    return f"line {text.count(chr(10), 0, finding['start']) + 1}"


def proposal_facts(item: LearningItem, actor: Actor, deciders: Sequence[User]) -> list[tuple[str, object]]:
    def who(user_id: int | None, label: str) -> str:
        return f"{label} (you)" if user_id == actor.user_id else label

    facts: list[tuple[str, object]] = [
        ("Proposed by", f"{item.proposed_by_label}, {HOW[Source(item.source)]}"),
        ("When", ago(item.created_at, "long")),
    ]
    if item.rationale:
        facts.append(("Why", item.rationale))
    if item.detector:
        facts.append(("Heard by", item.detector))
    if item.confidence is not None:
        facts.append(("Confidence", f"{item.confidence:.2f}"))
    messages = item.evidence_count if item.source_refs else 0
    facts.append(("Evidence", f"{messages} message{'' if messages == 1 else 's'}" if messages else "no message"))
    if item.assigned_to_id and item.is_pending:
        gone = deciders and all(person.pk != item.assigned_to_id for person in deciders)
        label = who(item.assigned_to_id, str(item.assigned_to))
        facts.append(("Reviewer", f"{label}, who may not decide it any more" if gone else label))
    if not item.is_pending:
        facts.append(("Decided by", who(item.decided_by_id, item.decided_by_label)))
        facts.append(("Decided", ago(item.decided_at, "long")))
    if item.decision_reason:
        facts.append(("Reason", item.decision_reason))
    return facts


def budget(preview: Preview) -> dict:
    """How much of one answer's room is taken, and how much this adds."""
    more = preview.more_characters
    change = f"{more:,} more with this one" if more >= 0 else f"{-more:,} fewer with this one"
    text = (
        f"{preview.characters:,} of {CHARACTERS_MOST:,} characters, {change};"
        f" {preview.memories + preview.more_memories} of {MEMORIES_MOST} memories"
    )
    return {
        "used": min(preview.characters, preview.characters + more),
        "more": max(0, more),
        "most": CHARACTERS_MOST,
        "text": text,
    }
