"""Several import the same file in the same moment: each tells, and the audit holds, what it added itself."""

import pytest

from digitalworker.audit.models import LearningEvent
from digitalworker.audit.verbs import Verb
from learning.models import Memory
from tests import factories
from tests.learning.test_autosave_races import at_once
from tests.learning.test_memory_files import taken

ROWS = "\n".join(
    [
        *(f'{{"content": "Printer {n} is on floor {n}"}}' for n in range(5)),
        '{"content": "The VPN is called Tunnel", "key": "vpn"}',
        '{"content": "We close on Fridays", "scope": "organization"}',
    ]
)


@pytest.fixture
def world(transactional_db):
    return factories.make_world()


def test_four_imports_of_one_file_count_each_row_once_between_them(world):
    reports = at_once(lambda _: taken(world, ROWS, by=world.adam), range(4))
    assert sorted(report.added for report in reports) == [0, 0, 0, 7]
    assert sorted(report.unchanged for report in reports) == [0, 7, 7, 7]
    audited = LearningEvent.objects.filter(verb=Verb.MEMORIES_IMPORTED).values_list("details__added", flat=True)
    assert sorted(audited) == [0, 0, 0, 7]
    assert Memory.objects.live().count() == 7
