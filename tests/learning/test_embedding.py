"""Vectors: made by whichever engine is configured, used only with their own kind, and never needed to answer."""

import json
import threading
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from digitalworker.agents.models import Person
from digitalworker.common import embedding as engines
from digitalworker.common.errors import Unavailable
from learning import embedding
from learning.actions.remember import remember as save
from learning.models import Memory, MemoryEmbedding
from learning.payload import Payload
from tests.servers import answering


class Counting:
    """An engine whose vectors tell which text they are of, and which can be told to fail."""

    name, alike = "counting", 0.9

    def __init__(self):
        self.texts, self.fail_after = [], None

    def embed_query(self, text):
        return self.embed_passages([text])[0]

    def embed_passages(self, texts):
        if self.fail_after is not None and len(self.texts) + len(texts) > self.fail_after:
            raise Unavailable("The engine is down.")
        self.texts += texts
        return [[float(len(text)), 1.0] + [0.5] * 382 for text in texts]


@pytest.fixture
def counting(monkeypatch):
    engine = Counting()
    for each in (embedding, engines):
        monkeypatch.setattr(each, "engine", lambda: engine)
    return engine


def remember(agent, content, *, key=None, status="active"):
    return Memory.objects.create(
        organization=agent.organization,
        role_agent=agent,
        scope="role_agent",
        key=key,
        content=content,
        digest=Payload("role_agent", "fact", key, content).digest,
        status=status,
        created_by_label="test",
    )


# --- engines --------------------------------------------------------------------------------------------------------


def cosine(one, other):
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return dot / (sum(a * a for a in one) * sum(b * b for b in other)) ** 0.5


def test_the_bundled_engine_tells_near_from_far_texts():
    engine = engines.engine()
    assert engine.name == "multilingual-e5-small-q4"
    near, far = engine.embed_passages(
        ["The customer wears trousers in size 38.", "The VPN gateway restarts on Sundays."]
    )
    asked = engine.embed_query("Which size does she need for pants?")
    assert len(asked) == len(near) == 384
    assert cosine(asked, near) > cosine(asked, far) + 0.05


def test_a_paraphrase_is_alike_and_another_subject_is_not():
    engine = engines.engine()
    one, same, other = engine.embed_passages(
        ["Refunds are paid within 14 days.", "We pay refunds within fourteen days.", "Ada prefers short answers."]
    )
    assert cosine(one, same) >= engine.alike > cosine(one, other)


def test_a_query_and_a_passage_are_different_roles():
    engine = engines.engine()
    assert engine.embed_query("size 38") != engine.embed_passages(["size 38"])[0]


@pytest.mark.parametrize("text", ["", "\0", "abc\0def", "\ud83d alone", "株", "👩‍👩‍👧‍👦", "word " * 3000])
def test_any_text_can_be_embedded(text):
    engine = engines.engine()
    assert len(engine.embed_passages([text[:2000], "x"])) == 2
    asked = engines.query_vector(text)
    assert asked.notice == "" and (asked.vector is None or len(asked.vector) == 384)


def test_no_engine_means_no_vector_and_no_complaint(settings):
    settings.DW_EMBEDDING = "none"
    assert engines.query_vector("size?") == engines.AskedVector(None, "none")
    assert embedding.refresh() == 0
    with pytest.raises(Unavailable):
        engines.engine().embed_query("size?")


def test_an_unknown_engine_is_named(settings):
    settings.DW_EMBEDDING = "word2vec"
    with pytest.raises(Unavailable, match="DW_EMBEDDING='word2vec' is unknown"):
        engines.engine()


def test_a_failing_engine_becomes_a_notice(counting):
    counting.fail_after = 0
    asked = engines.query_vector("size?")
    assert asked.vector is None
    assert asked.notice == "The engine is down. Memories were ranked by their words alone."


def test_of_a_long_question_both_ends_are_embedded(counting):
    engines.query_vector("Begin " + "middle " * 500 + "end")
    [text] = counting.texts
    assert text.startswith("Begin") and text.endswith("end") and len(text) <= engines.QUERY_MOST


def test_the_subject_and_the_date_are_embedded_with_the_text():
    text = embedding.passage_text(key="shoe_size", content="38", created_at=datetime(2026, 3, 4, tzinfo=UTC))
    assert text == "shoe size, 4 March 2026: 38"


def vectors(request, dimensions=384):
    rows = [
        {"object": "embedding", "index": i, "embedding": [0.1 + i] * dimensions} for i in range(len(request["input"]))
    ]
    return 200, {
        "object": "list",
        "model": request["model"],
        "data": rows[::-1],
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }


def test_an_openai_compatible_endpoint_is_asked_for_384_dimensions(settings):
    with answering(vectors) as (url, seen):
        settings.DW_EMBEDDING, settings.DW_EMBEDDING_BASE_URL = "openai:tiny", url
        engine = engines.engine()
        assert [vector[0] for vector in engine.embed_passages(["a", "b"])] == [0.1, 1.1]  # in the order of the texts
        assert engine.name == "openai:tiny"
        assert (seen[0]["dimensions"], seen[0]["model"], seen[0]["input"]) == (384, "tiny", ["a", "b"])


def test_an_endpoint_that_refuses_to_be_told_dimensions_is_asked_without(settings):
    def answer(request):
        if "dimensions" in request:
            return 400, {"error": {"message": "Model does not support dimensions", "type": "invalid_request_error"}}
        return vectors(request)

    with answering(answer) as (url, seen):
        settings.DW_EMBEDDING, settings.DW_EMBEDDING_BASE_URL = "openai:native", url
        engine = engines.engine()
        assert len(engine.embed_query("a")) == len(engine.embed_query("b")) == 384
        assert ["dimensions" in request for request in seen] == [True, False, False]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda request: vectors(request, 1536), "vectors of 1536 dimensions, and 384 are needed"),
        (
            lambda request: (500, {"error": {"message": f"failed on {request['input']}"}}),
            r"did not answer \(InternalServerError\)",
        ),
        (lambda request: (401, {"error": {"message": "no such key"}}), r"did not answer \(AuthenticationError\)"),
        (
            lambda request: (200, {"object": "list", "model": "m", "data": [], "usage": {}}),
            "0 vectors to 1 texts|did not answer",
        ),
    ],
)
def test_what_an_endpoint_does_wrong_is_unavailable_and_quotes_no_text(settings, answer, message):
    with answering(answer) as (url, _):
        settings.DW_EMBEDDING, settings.DW_EMBEDDING_BASE_URL = "openai:wrong", url
        with pytest.raises(Unavailable, match=message) as caught:
            engines.engine().embed_query("Ada's secret")
        assert "secret" not in caught.value.detail


# --- stored vectors -------------------------------------------------------------------------------------------------


def test_live_memories_get_their_vector_once(world, counting):
    memory = remember(world.it, "The VPN needs a token.", key="vpn")
    remember(world.it, "Old.", status="superseded")
    assert embedding.refresh() == 1
    row = MemoryEmbedding.objects.get()
    assert row.owner_id == row.memory.role_agent_id
    assert (row.memory, row.model, row.digest, row.organization) == (memory, "counting", memory.digest, world.acme)
    assert embedding.refresh() == 0 and len(counting.texts) == 1


def test_a_changed_text_or_another_engine_makes_a_vector_stale(world, counting):
    memory = remember(world.it, "Before.")
    embedding.refresh()
    Memory.objects.filter(pk=memory.pk).update(content="After.", digest="d" * 64)
    assert embedding.missing_count() == 1
    assert embedding.refresh() == 1
    assert MemoryEmbedding.objects.get().digest == "d" * 64
    counting.name = "another"
    assert embedding.refresh() == 1
    assert MemoryEmbedding.objects.get().model == "another"


def test_what_was_embedded_before_the_engine_failed_stays(world, counting, monkeypatch):
    monkeypatch.setattr(embedding, "BATCH", 2)
    for number in range(5):
        remember(world.it, f"Fact {number}.")
    counting.fail_after = 4
    with pytest.raises(Unavailable):
        embedding.refresh()
    assert MemoryEmbedding.objects.count() == 4
    counting.fail_after = None
    assert embedding.refresh() == 1


def test_a_memory_that_changes_or_goes_while_the_engine_works_gets_no_wrong_vector(world, counting, monkeypatch):
    changed, erased, same = (remember(world.it, text) for text in ("Changed.", "Erased.", "Same."))

    def meanwhile(texts):
        Memory.objects.filter(pk=changed.pk).update(content="Now this.", digest="e" * 64)
        Memory.objects.filter(pk=erased.pk).delete()
        return Counting.embed_passages(counting, texts)

    monkeypatch.setattr(counting, "embed_passages", meanwhile)
    assert embedding.refresh() == 1
    assert [row.memory for row in MemoryEmbedding.objects.all()] == [same]


@pytest.mark.django_db(transaction=True)
def test_two_workers_at_once_leave_one_vector_each(monkeypatch):
    from django.db import connection

    from tests.factories import make_agent, make_organization

    engine = Counting()
    for each in (embedding, engines):
        monkeypatch.setattr(each, "engine", lambda: engine)
    monkeypatch.setattr(embedding, "BATCH", 3)
    agent, faults = make_agent(make_organization("Acme"), "it"), []
    for number in range(20):
        remember(agent, f"Fact {number}.")

    def work():
        try:
            while embedding.refresh(5):
                pass
        except Exception as error:
            faults.append(error)
        finally:
            connection.close()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert faults == []
    embedding.refresh()  # a row locked by one worker is skipped by the other, and left to the next call
    assert MemoryEmbedding.objects.count() == 20 and embedding.missing_count() == 0


# --- reembed --------------------------------------------------------------------------------------------------------


def reembed(*arguments):
    out = StringIO()
    call_command("reembed", *arguments, stdout=out)
    return out.getvalue()


def test_reembed_moves_everything_to_the_configured_engine(world, counting):
    remember(world.it, "One.")
    remember(world.hr, "Two.")
    assert json.loads(reembed("--json")) | {"seconds": 0} == {
        "engine": "counting",
        "embedded": 2,
        "memories": 2,
        "skills": 0,
        "missing": 0,
        "seconds": 0,
    }
    assert reembed() == "Embedded 0 memories and 0 skills with counting.\n"
    assert reembed("--all") == "Embedded 2 memories and 0 skills with counting.\n"


def test_reembed_without_an_engine_or_with_a_failing_one_says_so(world, counting, monkeypatch):
    remember(world.it, "One.")
    counting.fail_after = 0
    with pytest.raises(
        CommandError, match=r"The engine is down\. What was embedded before stays; run this again later\."
    ):
        reembed()
    monkeypatch.setattr(engines, "engine", engines.NoEngine)
    with pytest.raises(CommandError, match="DW_EMBEDDING=none: there is no engine"):
        reembed()


def test_a_vector_lies_with_the_owner_its_memory_has(world, counting):
    person = Person.objects.create(organization=world.acme, role_agent=world.shop, external_user_id="ABC")
    olga = world.actor(world.olga)
    for scope in ("organization", "role_agent", "person"):
        about = person if scope == "person" else None
        save(actor=olga, role_agent=world.shop, scope=scope, person=about, content=f"Known to the {scope}")
    embedding.refresh()
    owners = dict(MemoryEmbedding.objects.values_list("memory__scope", "owner_id"))
    assert owners == {"organization": world.acme.pk, "role_agent": world.shop.pk, "person": person.pk}
