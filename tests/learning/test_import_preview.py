"""Before a file of memories is taken, the page shows what it brings and about whom."""

import json
import re

from digitalworker.agents.models import Person
from learning.models import Memory
from tests.factories import let_shop_learn
from tests.learning.pages import text_of
from tests.learning.test_memory_files import SECRET, upload

IMPORT = "/app/settings/digital-workers/shop/memory/import/"


def test_one_sees_whom_each_row_is_about_before_it_is_saved(world, as_user):
    let_shop_learn(world)
    Person.objects.create(organization=world.acme, role_agent=world.shop, external_user_id="ABC")
    rows = [{"content": "We close at six"}, {"content": "Likes <i>blue</i>", "scope": "person", "person": "ABC"}]
    rows += [{"content": f"Shelf {n}"} for n in range(20)] + [{"content": SECRET}]
    rows += [{"content": "39", "key": "size", "scope": "person", "person": "NEW"}]
    rows += [{"content": "The holiday is in May", "scope": "organization"}]
    page = as_user(world.adam).post(IMPORT, {"file": upload("m.jsonl", "\n".join(map(json.dumps, rows)))})
    shown = re.findall(r'<td class="num">(\d+)</td><td dir="auto">(.*?)</td><td>(.*?)</td>', page.text)
    assert shown[:4] == [
        ("25", "The holiday is in May", "everyone"),
        ("24", "<code>size</code> 39", "new person NEW"),
        ("1", "We close at six", "Shop Assistant"),
        ("2", "Likes &lt;i&gt;blue&lt;/i&gt;", "ABC"),
    ]
    assert len(shown) == 20 and shown[-1] == ("18", "Shelf 15", "Shop Assistant")
    assert "And 4 more." in page.text and SECRET not in text_of(page)
    assert not Memory.objects.exists() and Person.objects.count() == 1
