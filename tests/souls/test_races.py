"""Two people at the same moment: one decision holds, the other is told."""

import threading

import pytest
from django.db import connection

from digitalworker.common.errors import Conflict, Denied
from learning.models import LearningItem
from souls.actions.assign import assign
from souls.actions.versions import revert
from souls.models import Soul, SoulVersion
from tests.factories import make_world
from tests.souls.making import approved, proposed, soul_named

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*acts):
    """What came of each: its result or its error. They start together."""
    results, gate = [None] * len(acts), threading.Barrier(len(acts))

    def run(number, act):
        gate.wait(10)
        try:
            results[number] = act()
        except (Conflict, Denied) as error:
            results[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=entry) for entry in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return results


def test_two_admins_who_activate_different_versions_leave_one_in_use_and_one_conflict():
    w = make_world()
    soul = soul_named(w.acme)
    first = proposed(w, w.olga, w.it, tone="- Be brief.", soul=soul)
    second = proposed(w, w.adam, w.hr, tone="- Be thorough.", soul=soul)
    results = at_once(lambda: approved(w, w.olga, first), lambda: approved(w, w.adam, second))
    won = [result for result in results if isinstance(result, SoulVersion)]
    lost = [result for result in results if isinstance(result, Conflict)]
    assert len(won) == len(lost) == 1 and lost[0].code == "stale_revision"
    soul.refresh_from_db()
    assert (soul.active_version, soul.versions.count(), soul.revision) == (won[0], 2, 2)
    assert LearningItem.objects.filter(status="approved").count() == 1


def test_two_admins_who_revert_to_different_versions_leave_one_in_use_and_one_conflict():
    w = make_world()
    soul = soul_named(w.acme)
    for tone in ("- Be brief.", "- Be thorough."):
        approved(w, w.olga, proposed(w, w.olga, tone=tone, soul=soul_named(w.acme)))
    back = {"soul_id": soul.pk, "revision": 3}
    results = at_once(
        lambda: revert(actor=w.actor(w.olga), number=1, **back),
        lambda: revert(actor=w.actor(w.adam), number=2, **back),
    )
    won = [result for result in results if isinstance(result, Soul)]
    assert len(won) == 1 and sum(isinstance(result, Conflict) for result in results) == 1
    soul.refresh_from_db()
    assert soul.active_version_id == won[0].active_version_id


def test_who_approves_for_one_agent_while_another_is_given_the_soul_either_was_first_or_is_refused():
    w = make_world()
    porter = approved(w, w.ada, proposed(w, w.ada)).soul
    assign(actor=w.actor(w.ada), agent_id=w.it.pk, code=porter.code, revision=0)
    item = proposed(w, w.ada, tone="- Be brief.", soul=soul_named(w.acme, porter.code))
    results = at_once(
        lambda: approved(w, w.ada, item),
        lambda: assign(actor=w.actor(w.ben), agent_id=w.hr.pk, code=porter.code, revision=0),
    )
    assert not isinstance(results[1], Exception)
    seen = results[1].soul.active_version.number  # what HR was given
    assert (seen, soul_named(w.acme, porter.code).active_version.number) in {(1, 1), (2, 2)}
    assert isinstance(results[0], Denied) == (seen == 1)
