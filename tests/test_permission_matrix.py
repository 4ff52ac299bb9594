"""Who gets what at every address: a row for each page and call, a column for each kind of visitor.

A cell is `ok` (let in: answered, sent onwards, or told what is wrong with the input), `login` (sent to the log-in), or the
status `401`, `403`, `404`. An address without a row fails a test of its own. Which scope of a key opens which call is in
`tests/api/test_scopes.py`.
"""

import json
from contextlib import contextmanager

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from digitalworker.audit.selectors import last_event_of
from tests.everything import everything
from tests.factories import bearer, login, make_key
from tests.skills import making

pytestmark = pytest.mark.django_db

# Owner, admin, manager of IT, manager of HR, auditor, member; somebody without an organisation, somebody not logged in,
# and the owner of another organisation. Whatever an address names belongs to Acme, and to its IT agent.
VISITORS = ["olga", "adam", "ada", "ben", "cleo", "dan", "nobody", "anonymous", "gus"]
EVERYBODY = "ok ok ok ok ok ok ok ok ok"
MEMBERS = "ok ok ok ok ok ok 403 login ok"
LOGGED_IN = "ok ok ok ok ok ok ok login ok"
READERS = "ok ok ok ok ok 404 403 login ok"  # whoever sees any agent: a list of their own
READ_IT = "ok ok ok 404 ok 404 403 login 404"
ACT_ON_IT = "ok ok ok 404 403 404 403 login 404"
SET_UP_IT = "ok ok 403 404 403 404 403 login 404"
SET_UP = "ok ok 404 404 404 404 403 login ok"  # one's own organisation
RUN_IT = "ok ok 404 404 ok 404 403 login ok"
SET_UP_ACME = "ok ok 404 404 404 404 403 login 404"
READ_ACME = "ok ok ok ok ok 404 403 login 404"
DECIDE_ACME = "ok ok 403 403 403 404 403 login 404"
DECIDE_OWN = "ok ok 403 403 403 404 403 login ok"


QUESTIONS_MOST = 12  # of any page to the database, whoever looks


def page(name, who, *, args=lambda w: [], data=None):
    """A row: `data` makes it a POST; `args` and `data` are asked with the world."""
    return pytest.param(name, who, args, data, id=("POST " if data else "GET ") + name)


def it(w):
    return ["it"]


def decision(w):
    return {"revision": w.item.revision, "digest": w.item.digest}


PAGES = [
    page("healthz", EVERYBODY),
    page("readyz", EVERYBODY.replace("ok", "503")),  # there is no worker here
    page("home", EVERYBODY),
    # the shell
    page("console:favicon", EVERYBODY),
    page("console:palette", LOGGED_IN),
    page("console:theme", EVERYBODY, data=lambda w: {"theme": "dark"}),
    page("console:keys", EVERYBODY, data=lambda w: {"keys": "off"}),
    page("console:styleguide", EVERYBODY.replace("ok", "404")),  # a developer's page
    # an organisation
    page("agents:home", MEMBERS),
    page("agents:switch", MEMBERS, data=lambda w: {"organization": w.acme.pk}),
    page("agents:audit", READERS),
    page("agents:audit_export", READERS, data=lambda w: {"format": "csv"}),
    page("agents:audit_event", READ_IT, args=lambda w: [last_event_of(w.memory).pk]),
    page("agents:members", SET_UP),
    page("agents:add_member", SET_UP),
    page("agents:add_member", SET_UP, data=lambda w: {"email": "new@acme.test", "role": "member"}),
    page("agents:member", SET_UP_ACME, args=lambda w: [w.membership.pk]),
    page("agents:member", SET_UP_ACME, args=lambda w: [w.membership.pk], data=lambda w: {"role": "auditor"}),
    page("agents:member_link", SET_UP_ACME, args=lambda w: [w.membership.pk], data=lambda w: {}),
    page("agents:remove_member", SET_UP_ACME, args=lambda w: [w.membership.pk], data=lambda w: {}),
    page("agents:keys", SET_UP),
    page("agents:create_key", SET_UP),
    page("agents:create_key", SET_UP, data=lambda w: {"name": "k", "scopes": ["runtime"]}),
    page("agents:revoke_key", SET_UP_ACME, args=lambda w: [w.key.pk], data=lambda w: {}),
    page("agents:organization", SET_UP),
    page("agents:organization", SET_UP, data=lambda w: {"name": "New", "storage_mode": "full"}),
    page("agents:access", SET_UP),
    page("agents:access", SET_UP, data=lambda w: {}),
    page("agents:prompts", SET_UP),
    page("agents:prompt", SET_UP, args=lambda w: ["ask"]),
    page("agents:prompt", SET_UP, args=lambda w: ["ask"], data=lambda w: {"body": "x"}),
    page("agents:reset_prompt", SET_UP, args=lambda w: ["ask"], data=lambda w: {}),
    # role-agents
    page("agents:list", READERS),
    page("agents:create", SET_UP),
    page("agents:create", SET_UP, data=lambda w: {"code": "new", "name": "New"}),
    page("agents:by_id", READ_IT, args=lambda w: [w.it.pk]),
    page("agents:agent", READ_IT, args=it),
    page("agents:channels", READ_IT, args=it),
    page("agents:channels", SET_UP_IT, args=it, data=lambda w: {"provider": "slack", "external_id": "C2", "name": "x"}),
    page("agents:channel", SET_UP_ACME, args=lambda w: ["it", w.channel.pk]),
    page("agents:channel", SET_UP_ACME, args=lambda w: ["it", w.channel.pk], data=lambda w: {"name": "x"}),
    page("agents:remove_channel", SET_UP_ACME, args=lambda w: ["it", w.channel.pk], data=lambda w: {}),
    page("agents:agent_settings", READ_IT, args=it),
    page("agents:agent_settings", SET_UP_IT, args=it, data=lambda w: {"name": "x", "revision": 1}),
    page("agents:switch_learning", SET_UP_IT, args=it, data=lambda w: {"to": "pause"}),
    page("agents:switch_status", SET_UP_IT, args=it, data=lambda w: {"to": "disable"}),
    page("agents:add_manager", SET_UP_IT, args=it, data=lambda w: {"user": w.dan.pk}),
    page("agents:remove_manager", SET_UP_IT, args=lambda w: ["it", w.ada.pk], data=lambda w: {}),
    page("agents:agent_audit", READ_IT, args=it),
    # what is learned
    page("learning:inbox", READERS),
    page("learning:filter", READERS),
    page("learning:assigned", MEMBERS),
    page("learning:groups", READERS),
    page("learning:views", READERS),
    page("learning:views", READERS, data=lambda w: {"name": "Mine"}),
    page(
        "learning:view", "ok 404 404 404 404 404 403 login 404", args=lambda w: [w.view.pk], data=lambda w: {"do": "up"}
    ),
    page("learning:bulk", READERS, data=lambda w: {"do": "approve", "item": f"{w.item.pk}.1.{w.item.digest}"}),
    page("learning:undo_bulk", READERS, data=lambda w: {}),
    page("learning:item", READ_IT, args=lambda w: [w.item.pk]),
    page("learning:beside", READ_IT, args=lambda w: [w.item.pk]),
    page("learning:approve", ACT_ON_IT, args=lambda w: [w.item.pk], data=decision),
    page("learning:reject", ACT_ON_IT, args=lambda w: [w.item.pk], data=decision),
    page("learning:edit", READ_IT, args=lambda w: [w.item.pk]),  # who may not edit is sent to the item
    page(
        "learning:edit",
        ACT_ON_IT,
        args=lambda w: [w.item.pk],
        data=lambda w: {**decision(w), "kind": "fact", "key": "", "content": "London uses gateway 7"},
    ),
    page(
        "learning:reopen", ACT_ON_IT, args=lambda w: [w.rejected.pk], data=lambda w: {"revision": w.rejected.revision}
    ),
    page("learning:mark_sensitive", ACT_ON_IT, args=lambda w: [w.item.pk], data=lambda w: {"revision": 1}),
    page(
        "learning:unmark_sensitive",
        SET_UP_IT,
        args=lambda w: [w.hidden.pk],
        data=lambda w: {"revision": w.hidden.revision, "reason": "no"},
    ),
    page("learning:reassign", ACT_ON_IT, args=lambda w: [w.item.pk], data=lambda w: {"revision": 1, "to": w.ada.pk}),
    page("learning:convert", ACT_ON_IT, args=lambda w: [w.item.pk], data=lambda w: {"revision": 1}),
    page("learning:agent_inbox", READ_IT, args=it),
    page("learning:agent_memory", READ_IT, args=it),
    page("learning:add_agent_memory", ACT_ON_IT, args=it),
    page(
        "learning:add_agent_memory", ACT_ON_IT, args=it, data=lambda w: {"kind": "fact", "content": "x", "risk": "low"}
    ),
    page("learning:organization_memory", READERS),
    page(
        "learning:add_organization_memory", DECIDE_OWN, data=lambda w: {"kind": "fact", "content": "x", "risk": "low"}
    ),
    page("learning:memory", READ_IT, args=lambda w: [w.memory.pk]),
    page("learning:memory", READ_ACME, args=lambda w: [w.ours.pk]),
    page(
        "learning:edit_memory", ACT_ON_IT, args=lambda w: [w.memory.pk], data=lambda w: {"content": "x", "revision": 1}
    ),
    page(
        "learning:edit_memory", DECIDE_ACME, args=lambda w: [w.ours.pk], data=lambda w: {"content": "x", "revision": 1}
    ),
    page(
        "learning:supersede_memory",
        ACT_ON_IT,
        args=lambda w: [w.memory.pk],
        data=lambda w: {"content": "x", "revision": 1},
    ),
    page(
        "learning:supersede_memory",
        DECIDE_ACME,
        args=lambda w: [w.ours.pk],
        data=lambda w: {"content": "x", "revision": 1},
    ),
    page("learning:delete_memory", ACT_ON_IT, args=lambda w: [w.memory.pk], data=lambda w: {"revision": 1}),
    page("learning:delete_memory", DECIDE_ACME, args=lambda w: [w.ours.pk], data=lambda w: {"revision": 1}),
    page("learning:restore_memory", ACT_ON_IT, args=lambda w: [w.deleted.pk], data=lambda w: {"revision": 2}),
    page("learning:autosaved", READERS),
    page("learning:undo_autosave", ACT_ON_IT, args=lambda w: [w.saved.pk], data=lambda w: {"revision": 1}),
    page("learning:keep_autosave", ACT_ON_IT, args=lambda w: [w.saved.pk], data=lambda w: {"revision": 1}),
    page("learning:pin_memory", ACT_ON_IT, args=lambda w: [w.memory.pk], data=lambda w: {"revision": 1}),
    page("learning:pin_memory", DECIDE_ACME, args=lambda w: [w.ours.pk], data=lambda w: {"revision": 1}),
    page("learning:unpin_memory", ACT_ON_IT, args=lambda w: [w.memory.pk], data=lambda w: {"revision": 1}),
    page(
        "learning:unmark_sensitive_memory",
        SET_UP_IT,
        args=lambda w: [w.secret.pk],
        data=lambda w: {"revision": 1, "reason": "no"},
    ),
    page("learning:promote_memory", SET_UP_IT, args=lambda w: [w.memory.pk], data=lambda w: {"revision": 1}),
    page("learning:demote_memory", DECIDE_ACME, args=lambda w: [w.ours.pk], data=lambda w: {"revision": 1}),
    page("learning:agent_memory_import", ACT_ON_IT, args=it),
    page(
        "learning:agent_memory_import",
        ACT_ON_IT,
        args=it,
        data=lambda w: {"kind": "csv", "content": "Y29udGVudAp4Cg=="},
    ),
    page("learning:agent_memory_export", READ_IT, args=it, data=lambda w: {"format": "csv"}),
    page("learning:organization_memory_import", DECIDE_OWN),
    page(
        "learning:organization_memory_import", DECIDE_OWN, data=lambda w: {"kind": "csv", "content": "Y29udGVudAp4Cg=="}
    ),
    page("learning:organization_memory_export", READERS, data=lambda w: {"format": "csv"}),
    page("learning:item_file", READ_IT, args=lambda w: [w.proposed_skill.pk, w.proposed_file.pk]),
    page("learning:item", READ_IT, args=lambda w: [w.proposed_skill.pk]),
    page("learning:new_skill", ACT_ON_IT, args=it),
    page("learning:new_skill", ACT_ON_IT, args=it, data=lambda w: {"document": "x", "rationale": ""}),
    page("learning:propose_skill", ACT_ON_IT, args=lambda w: [w.skill.pk]),
    page("learning:propose_skill", ACT_ON_IT, args=lambda w: [w.skill.pk], data=lambda w: {"document": "x"}),
    page("learning:import_skills", ACT_ON_IT, args=it),
    page("learning:import_skills", ACT_ON_IT, args=it, data=lambda w: {"name": "SKILL.md", "content": "eA=="}),
    page("learning:operations", RUN_IT),
    page("learning:retry_failed", SET_UP, data=lambda w: {}),
    page("learning:retry_detection", SET_UP_ACME, args=lambda w: [w.run.question_id], data=lambda w: {}),
    # skills
    page("skills:agent_skills", READ_IT, args=it),
    page("skills:export_agent", READ_IT, args=it, data=lambda w: {"x": 1}),
    page("skills:skill", READ_IT, args=lambda w: [w.skill.pk]),
    page("skills:skill", READ_ACME, args=lambda w: [w.everyones_skill.pk]),
    page("skills:skill", READ_IT, args=lambda w: [w.paused_skill.pk]),
    page("skills:skill", READ_IT, args=lambda w: [w.hidden_skill.pk]),  # what a manager reads of it is in its own tests
    page("skills:version", READ_IT, args=lambda w: [w.skill.active_version_id]),
    page("skills:file", "404 404 404 404 404 404 403 login 404", args=lambda w: [w.skill.pk, 1]),  # it has none
    page("skills:pause", ACT_ON_IT, args=lambda w: [w.skill.pk], data=lambda w: {"revision": 4}),
    page("skills:pause", DECIDE_ACME, args=lambda w: [w.everyones_skill.pk], data=lambda w: {"revision": 4}),
    page("skills:pause", SET_UP_IT, args=lambda w: [w.hidden_skill.pk], data=lambda w: {"revision": 2}),
    page("skills:resume", ACT_ON_IT, args=lambda w: [w.paused_skill.pk], data=lambda w: {"revision": 3}),
    page("skills:archive", ACT_ON_IT, args=lambda w: [w.skill.pk], data=lambda w: {"revision": 4}),
    page("skills:archive", DECIDE_ACME, args=lambda w: [w.everyones_skill.pk], data=lambda w: {"revision": 4}),
    page("skills:revert", ACT_ON_IT, args=lambda w: [w.skill.pk], data=lambda w: {"revision": 4, "number": 1}),
    page(
        "skills:revert", DECIDE_ACME, args=lambda w: [w.everyones_skill.pk], data=lambda w: {"revision": 4, "number": 1}
    ),
    page("skills:export", READ_IT, args=lambda w: [w.skill.pk], data=lambda w: {"number": 1}),
    page(
        "skills:export",
        "ok ok 403 404 ok 404 403 login 404",
        args=lambda w: [w.hidden_skill.pk],
        data=lambda w: {"x": 1},
    ),
    # souls
    page("souls:agent_soul", READ_IT, args=it),
    page("souls:assign", ACT_ON_IT, args=it, data=lambda w: {"soul": "plain_writer", "revision": 0}),
    page("souls:switch", ACT_ON_IT, args=it, data=lambda w: {"to": "pause"}),
    page("souls:list", READERS),
    page("souls:by_id", READ_ACME, args=lambda w: [w.soul.pk]),
    page("souls:by_version", READ_ACME, args=lambda w: [w.soul.active_version_id]),
    page(
        "souls:soul", READ_ACME.replace("login 404", "login ok"), args=lambda w: [w.soul.code]
    ),  # every organisation's
    page(
        "souls:soul", READ_ACME, args=lambda w: [w.hidden_soul.code]
    ),  # what a manager reads of it is in its own tests
    page(
        "souls:describe", DECIDE_ACME, args=lambda w: [w.hidden_soul.code], data=lambda w: {"revision": 2, "name": "x"}
    ),
    page("souls:revert", DECIDE_OWN, args=lambda w: [w.soul.code], data=lambda w: {"revision": 2, "number": 1}),
    page("learning:propose_soul", ACT_ON_IT, args=it),
    page("learning:propose_soul", ACT_ON_IT, args=it, data=lambda w: {"tone_rules_md": "- Be kind."}),
    page("learning:item", READ_IT, args=lambda w: [w.proposed_soul.pk]),
    page("learning:edit", READ_IT, args=lambda w: [w.proposed_soul.pk]),
    page("learning:create_soul", SET_UP),
    page("learning:create_soul", SET_UP, data=lambda w: {"code": "new", "name": "New", "tone_rules_md": "- Be kind."}),
    # talking, and what was said
    page("runtime:playgrounds", READERS),
    page("runtime:playground", READ_IT, args=it),
    page("runtime:playground", ACT_ON_IT, args=it, data=lambda w: {"question": "hello", "as": "ABC"}),
    page("runtime:compare_souls", ACT_ON_IT, args=it),
    page("runtime:compare_souls", ACT_ON_IT, args=it, data=lambda w: {"question": "hello"}),
    page("runtime:runs", READERS),
    page("runtime:run", READ_IT, args=lambda w: [w.run.pk]),
    page("runtime:known", READ_IT, args=lambda w: ["it"]),
    page("runtime:learned", READ_IT, args=lambda w: [w.run.pk]),
    page("runtime:prompt", READ_IT, args=lambda w: [w.run.pk]),
    page("runtime:conversations", READERS),
    page("runtime:conversation", READ_IT, args=lambda w: [w.run.thread_id]),
    page("runtime:message", READ_IT, args=lambda w: [w.run.question_id]),
    page("api:schema", EVERYBODY),
]
ELSEWHERE = {  # libraries' own pages, and what is the same for everybody
    "admin",
    "account",
    "mfa",
    "api:nowhere",
}

CALLERS = ["acme", "other agent", "globex", "none", "session"]
# A key of Acme with every scope; the same limited to the HR agent; a key of Globex; no key; a browser's session.
OWN = "ok ok ok 401 401"
OF_IT = "ok 404 404 401 401"
OF_ACME = "ok 404 404 401 401"  # the organisation's own memory: a key limited to agents does not reach it
SETTING_UP = "ok 403 ok 401 401"


QUERIES = {
    ("GET", "history"): "?q=gateway",
    ("GET", "memories-export"): "?role_agent=it",
    ("DELETE", "memory"): "?revision=1",
}


def call(name, who, method="GET", *, args=lambda w: [], data=lambda w: {}):
    return pytest.param(name, who, method, args, data, id=f"{method} {name}")


CALLS = [
    call("role-agents", OWN),
    call("role-agents", SETTING_UP, "POST", data=lambda w: {"code": "new", "name": "New"}),
    call("role-agent", OF_IT, args=it),
    call("role-agent", OF_IT, "PATCH", args=it, data=lambda w: {"name": "x", "revision": 1}),
    call("ask", OF_IT, "POST", args=it, data=lambda w: {"question": "hello"}),
    call("context", OF_IT, "POST", args=it, data=lambda w: {"question": "hello"}),
    call(
        "events", OF_IT, "POST", args=it, data=lambda w: {"kind": "message", "text": "hello", "author_kind": "person"}
    ),
    call("history", OF_IT, args=it),
    call("memories", OWN),
    call("memories", OF_IT, "POST", data=lambda w: {"role_agent": "it", "content": "x"}),
    call("memory", OF_IT, args=lambda w: [w.memory.pk]),
    call("memory", OF_ACME, args=lambda w: [w.ours.pk]),
    call("memory", OF_IT, "PATCH", args=lambda w: [w.memory.pk], data=lambda w: {"content": "x", "revision": 1}),
    call("memory", OF_IT, "DELETE", args=lambda w: [w.memory.pk], data=lambda w: {"revision": 1}),
    call(
        "memory-supersede", OF_IT, "POST", args=lambda w: [w.memory.pk], data=lambda w: {"content": "x", "revision": 1}
    ),
    call("memory-restore", OF_IT, "POST", args=lambda w: [w.deleted.pk], data=lambda w: {"revision": 2}),
    call("memory-undo", OF_IT, "POST", args=lambda w: [w.saved.pk], data=lambda w: {"revision": 1}),
    call("memory-keep", OF_IT, "POST", args=lambda w: [w.saved.pk], data=lambda w: {"revision": 1}),
    call("memory-promote", OF_IT, "POST", args=lambda w: [w.memory.pk], data=lambda w: {"revision": 1}),
    call("memory-demote", OF_ACME, "POST", args=lambda w: [w.ours.pk], data=lambda w: {"revision": 1}),
    call(
        "memory-unmark-sensitive",
        OF_IT,
        "POST",
        args=lambda w: [w.secret.pk],
        data=lambda w: {"revision": 1, "reason": "no"},
    ),
    call("memory-pin", OF_IT, "POST", args=lambda w: [w.memory.pk], data=lambda w: {"revision": 1}),
    call("memory-unpin", OF_IT, "POST", args=lambda w: [w.memory.pk], data=lambda w: {"revision": 1}),
    call("memories-import", OF_IT, "POST", data=lambda w: {"role_agent": "it", "content": '{"content": "x"}'}),
    call("skills", OF_IT, "POST", data=lambda w: {"role_agent": "it", "document": making.document("other")}),
    call(
        "skill-propose-update",
        OF_IT,
        "POST",
        args=lambda w: [w.skill.pk],
        data=lambda w: {"document": making.document(procedure="1. Pay.")},
    ),
    call(
        "skills-import",
        OF_IT,
        "POST",
        data=lambda w: {"role_agent": "it", "filename": "SKILL.md", "content": "eA=="},
    ),
    call("memories-export", OF_IT),
    call("learning-items", OWN),
    call("learning-items", OF_IT, "POST", data=lambda w: {"role_agent": "it", "content": "x"}),
    call(
        "learning-items-bulk",
        OWN,
        "POST",
        data=lambda w: {"action": "reject", "items": [{"id": str(w.item.pk), "revision": 1}]},
    ),
    call("learning-item", OF_IT, args=lambda w: [w.item.pk]),
    call("learning-item-approve", OF_IT, "POST", args=lambda w: [w.item.pk], data=decision),
    call("learning-item-reject", OF_IT, "POST", args=lambda w: [w.item.pk], data=decision),
    call(
        "learning-item-edit", OF_IT, "POST", args=lambda w: [w.item.pk], data=lambda w: {"revision": 1, "content": "x"}
    ),
    call("learning-item-reopen", OF_IT, "POST", args=lambda w: [w.rejected.pk], data=lambda w: {"revision": 2}),
    call(
        "learning-item-reassign",
        OF_IT,
        "POST",
        args=lambda w: [w.item.pk],
        data=lambda w: {"revision": 1, "to": w.ada.email},
    ),
    call("learning-item-mark-sensitive", OF_IT, "POST", args=lambda w: [w.item.pk], data=lambda w: {"revision": 1}),
    call(
        "learning-item-unmark-sensitive",
        OF_IT,
        "POST",
        args=lambda w: [w.hidden.pk],
        data=lambda w: {"revision": 1, "reason": "no"},
    ),
    call("learning-item-convert", OF_IT, "POST", args=lambda w: [w.item.pk], data=lambda w: {"revision": 1}),
    call("souls", OWN),
    call(
        "souls",
        OF_IT,
        "POST",
        data=lambda w: {"role_agent": "it", "code": "new", "name": "New", "tone_rules_md": "- Be kind."},
    ),
    call("soul", OWN, args=lambda w: [w.soul.code]),
    call(
        "soul",
        "ok 403 404 401 401",
        "PATCH",
        args=lambda w: [w.hidden_soul.code],
        data=lambda w: {"revision": 2, "name": "x"},
    ),
    call("soul-versions", OWN, args=lambda w: [w.soul.code]),
    call("soul-revert", SETTING_UP, "POST", args=lambda w: [w.soul.code], data=lambda w: {"revision": 2, "number": 1}),
    call(
        "soul-propose-update",
        OF_IT,
        "POST",
        args=lambda w: [w.soul.code],
        data=lambda w: {"role_agent": "it", "tone_rules_md": "- Be kind."},
    ),
    call("role-agent-soul", OF_IT, args=it),
    call("role-agent-soul", OF_IT, "POST", args=it, data=lambda w: {"action": "pause"}),
    call("skills", OWN),
    call("skill", OF_IT, args=lambda w: [w.skill.pk]),
    call("skill", OF_ACME, args=lambda w: [w.everyones_skill.pk]),
    call("skill-versions", OF_IT, args=lambda w: [w.skill.pk]),
    call("skill-version", OF_IT, args=lambda w: [w.skill.pk, 1]),
    call("skill-revert", OF_IT, "POST", args=lambda w: [w.skill.pk], data=lambda w: {"revision": 4, "number": 1}),
    call("skill-pause", OF_IT, "POST", args=lambda w: [w.skill.pk], data=lambda w: {"revision": 4}),
    call("skill-pause", OF_ACME, "POST", args=lambda w: [w.everyones_skill.pk], data=lambda w: {"revision": 4}),
    call("skill-resume", OF_IT, "POST", args=lambda w: [w.paused_skill.pk], data=lambda w: {"revision": 3}),
    call("skill-archive", OF_IT, "POST", args=lambda w: [w.skill.pk], data=lambda w: {"revision": 4}),
    call("skill-export", OF_IT, args=lambda w: [w.skill.pk]),
    call("operations", OWN),
    call("operations-retry", OF_IT, "POST", data=lambda w: {"event_id": str(w.run.question_id)}),
    call("audit-events", OWN),
    call("run", OF_IT, args=lambda w: [w.run.pk]),
]


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """Made once for all rows, and taken back at the end; each visit is taken back by itself (`undone`)."""
    with django_db_blocker.unblock(), undone():
        yield everything()


def outcome(response) -> str:
    if response.status_code in {301, 302, 303} and response["Location"].startswith("/accounts/login"):
        return "login"
    if response.status_code < 400 or response.status_code in {400, 409, 422}:
        return "ok"
    return str(response.status_code)


@contextmanager
def undone():
    """Takes back whatever is written inside, so that each visitor meets the same world."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.mark.parametrize("name, who, args, data", PAGES)
def test_pages(world, name, who, args, data):
    address = reverse(name, args=args(world))
    answers = {}
    for visitor in VISITORS:
        client = Client()
        if visitor != "anonymous":
            login(client, getattr(world, visitor))
        with undone(), CaptureQueriesContext(connection) as asked:
            answers[visitor] = outcome(client.post(address, data(world)) if data else client.get(address))
        questions = [each for each in asked if "SAVEPOINT" not in each["sql"]]
        assert data or len(questions) <= QUESTIONS_MOST, (
            visitor,
            [" ".join(q["sql"].split())[:170] for q in questions],
        )
    assert answers == dict(zip(VISITORS, who.split(), strict=True))


@pytest.mark.parametrize("name, who, method, args, data", CALLS)
def test_calls(world, name, who, method, args, data):
    address = reverse(f"api:{name}", args=args(world)) + QUERIES.get((method, name), "")
    scopes = "runtime review admin audit"
    keys = {
        "acme": make_key(scopes, organization=world.acme),
        "other agent": make_key(scopes, [world.hr]),
        "globex": make_key(scopes, organization=world.globex),
    }
    answers = {}
    for caller in CALLERS:
        client = Client()
        if caller == "session":
            login(client, world.olga)
        headers = bearer(keys[caller]) if caller in keys else {}
        body = b"" if method == "GET" else json.dumps(data(world)).encode()
        with undone():
            answers[caller] = outcome(
                client.generic(method, address, body, content_type="application/json", headers=headers)
            )
    assert answers == dict(zip(CALLERS, who.split(), strict=True))


def test_every_address_has_a_row():
    listed = {row.values[0] for row in PAGES} | {f"api:{row.values[0]}" for row in CALLS} | ELSEWHERE
    missing = {name for name in _names(get_resolver()) if name not in listed and name.split(":")[0] not in listed}
    assert missing == set()


def _names(resolver, space=""):
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _names(pattern, space + (f"{pattern.namespace}:" if pattern.namespace else ""))
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield "account" if not space and pattern.name.startswith(("account_", "mfa_")) else space + pattern.name
