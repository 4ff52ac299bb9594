"""Souls and proposals of them, as people make them."""

from learning.actions.propose_soul import SoulWords, propose_soul
from learning.actions.review import approve
from learning.models import LearningItem
from souls.models import Soul, SoulVersion

TONE = "- Answer in two sentences.\n- Say what it rests on."


def soul_named(organization, code="balanced_helper") -> Soul:
    return Soul.objects.select_related("active_version").get(organization=organization, code=code)


def words(tone=TONE, do_not="", critique="", **named) -> SoulWords:
    return SoulWords({"tone_rules_md": tone, "do_not_do_md": do_not, "critique_rules_md": critique}, **named)


def proposed(w, user, agent=None, *, tone=TONE, code="night_porter", soul=None, **fields) -> LearningItem:
    named = {} if soul else {"code": code, "name": "Night porter", "summary": "Quiet and quick."}
    said = words(tone, fields.pop("do_not", ""), **named)
    return propose_soul(actor=w.actor(user), role_agent=agent or w.it, words=said, soul=soul, **fields)


def approved(w, user, item: LearningItem, **fields) -> SoulVersion:
    seen = {"replaces_seen": item.replaces_seen} | fields
    done = approve(actor=w.actor(user), item_id=item.pk, revision=item.revision, digest_seen=item.digest, **seen)
    return done.soul_version
