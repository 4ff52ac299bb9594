"""Which skills a question may be answered with: always those in use now, for one small statement."""

import pytest
from django.core.management import call_command

from digitalworker.common import embedding as engines
from digitalworker.common.errors import Unavailable
from learning.actions.propose_skill import SkillProposal, propose_skill
from learning.actions.review import approve
from skills import embedding, shelf
from skills.everyday import QUESTIONS
from skills.models import EverydayVectors, Skill, SkillEmbedding
from skills.shelf import catalogue_of
from tests.skills.making import document, let_in, three_versions


class Counting:
    """An engine whose vectors tell the length of their text, and which can be told to fail."""

    name, alike = "counting", 0.9

    def __init__(self):
        self.texts, self.asked, self.fails = [], 0, False

    def embed_queries(self, texts):
        self.asked += 1
        return self._made(texts)

    def embed_passages(self, texts):
        self.texts += texts
        return self._made(texts)

    def _made(self, texts):
        if self.fails:
            raise Unavailable("The engine is down.")
        return [[float(len(text)), 1.0 + number] + [0.5] * 382 for number, text in enumerate(texts)]


@pytest.fixture
def counting(monkeypatch):
    engine = Counting()
    for each in (embedding, engines, shelf):
        monkeypatch.setattr(each, "engine", lambda: engine)
    return engine


@pytest.fixture
def adam(world):
    return world.actor(world.adam)


def names(agent):
    return sorted(skill.name for skill in catalogue_of(agent.organization_id, agent.pk).versions.values())


def of(agent):
    return catalogue_of(agent.organization_id, agent.pk)


def test_an_agent_has_its_own_skills_and_the_organisations(world, adam):
    let_in(adam, world.it, document("reset-password"))
    let_in(adam, world.hr, document("parental-leave"))
    let_in(adam, None, document("fire-drill", scope="organization"))
    let_in(world.actor(world.gus), world.their_it, document("their-own"))
    let_in(world.actor(world.gus), None, document("their-rule", scope="organization"))
    assert names(world.it) == ["fire-drill", "reset-password"]
    assert names(world.hr) == ["fire-drill", "parental-leave"]
    assert names(world.their_it) == ["their-own", "their-rule"]


def test_of_one_name_the_organisations_wins(world, adam):
    let_in(adam, world.it, document(description="As IT does it."))
    everyones = let_in(adam, None, document(description="As everybody does it.", scope="organization"))
    (skill,) = of(world.it).versions.values()
    assert (skill.version_id, skill.description) == (everyones.pk, "As everybody does it.")
    (chosen,) = of(world.it).catalogue.choose("/expense-claim for Berlin").chosen
    assert chosen.key == everyones.pk


def test_what_changes_is_on_the_next_shelf_and_what_does_not_costs_one_statement(
    world, adam, django_assert_num_queries
):
    skill = three_versions(adam, world.it)
    first = of(world.it)
    (in_use,) = first.versions.values()
    assert (in_use.skill_id, in_use.number) == (skill.pk, 3)
    assert (in_use.version_id, in_use.digest) == (skill.active_version.pk, skill.active_version.digest)
    with django_assert_num_queries(1):
        assert of(world.it) is first
    Skill.objects.filter(pk=skill.pk).update(active_version=skill.versions.get(number=1))
    assert [each.number for each in of(world.it).versions.values()] == [1]
    Skill.objects.filter(pk=skill.pk).update(status="paused")
    assert of(world.it).versions == {} and len(of(world.it).catalogue) == 0
    Skill.objects.filter(pk=skill.pk).update(status="archived")
    assert of(world.it).versions == {}


def test_a_vector_that_was_made_meanwhile_is_on_the_next_shelf(world, adam, counting, django_assert_num_queries):
    let_in(adam, world.it)
    before = of(world.it)
    assert embedding.refresh() == 1
    after = of(world.it)
    assert after is not before
    with django_assert_num_queries(1):
        assert of(world.it) is after
    assert nearness(after) is not None and counting.asked == 1  # by the worker


def nearness(found):
    return found.catalogue.choose("what about trains", [1.0] * 384).considered[0].similarity


def test_without_vectors_of_the_everyday_questions_words_alone_choose(world, adam, counting):
    let_in(adam, world.it)
    embedding.refresh()
    EverydayVectors.objects.update(digest="of other questions")  # as before an upgrade that changed them
    assert nearness(of(world.it)) is None
    assert embedding.refresh() == 0 and counting.asked == 2
    assert nearness(of(world.it)) is not None


def test_an_engine_that_fails_stores_nothing(world, adam, counting):
    let_in(adam, world.it)
    counting.fails = True
    with pytest.raises(Unavailable, match=r"The engine is down\."):
        embedding.refresh()
    assert not EverydayVectors.objects.exists() and not SkillEmbedding.objects.exists()
    assert nearness(of(world.it)) is None


def test_when_to_use_helps_to_choose(world, adam):
    when = "When somebody asks about kilometre allowances or lunar taxis."
    let_in(adam, world.it, document(description="Refunds.", when_to_use=when))
    version = let_in(adam, world.it, document("other-thing", description="Something else entirely."))
    assert version.when_to_use == "When a colleague hands in an expense claim."
    best = of(world.it).catalogue.choose("kilometre allowances for lunar taxis").considered[:1]
    chosen = of(world.it).catalogue.choose("kilometre allowances for lunar taxis").chosen
    assert next(each.name for each in (*chosen, *best)) == "expense-claim"


# --- vectors ----------------------------------------------------------------------------------------------------------


def test_each_version_in_use_gets_its_vector_once(world, adam, counting):
    skill = three_versions(adam, world.it)
    let_in(adam, world.hr, document("parental-leave", description="Who may take how long."))
    assert embedding.missing_count() == 2
    assert embedding.refresh() == 2 and embedding.refresh() == 0
    assert sorted(counting.texts) == [
        "expense claim: Checks an expense claim against the travel policy.",
        "parental leave: Who may take how long.",
    ]
    made = SkillEmbedding.objects.get(version=skill.active_version)
    assert (made.organization_id, made.model) == (world.acme.pk, "counting")
    assert not SkillEmbedding.objects.filter(version__number=2).exists()


def test_what_is_archived_gets_none_and_what_is_paused_does(world, adam, counting):
    gone = let_in(adam, world.it, document("gone")).skill
    resting = let_in(adam, world.it, document("resting")).skill
    Skill.objects.filter(pk=gone.pk).update(status="archived")
    Skill.objects.filter(pk=resting.pk).update(status="paused")
    assert embedding.refresh() == 1
    assert SkillEmbedding.objects.get().version == resting.active_version


def test_none_is_stored_for_what_went_out_of_use_while_the_engine_worked(world, adam, counting, monkeypatch):
    skill = let_in(adam, world.it).skill

    def archived_meanwhile(texts):
        Skill.objects.filter(pk=skill.pk).update(status="archived")
        return counting._made(texts)

    monkeypatch.setattr(counting, "embed_passages", archived_meanwhile)
    assert embedding.refresh() == 0
    assert not SkillEmbedding.objects.exists()


def test_another_engine_makes_them_again(world, adam, counting, capsys):
    let_in(adam, world.it)
    embedding.refresh()
    counting.name = "another"
    assert embedding.missing_count() == 1
    call_command("reembed")
    assert "0 memories and 1 skills with" in capsys.readouterr().out
    assert SkillEmbedding.objects.get().model == "another"
    assert len(embedding.everyday_vectors("another")) == len(QUESTIONS)


def test_the_worker_embeds_skills_with_memories(world, adam, counting, monkeypatch):
    from learning import embedding as of_memories
    from learning.tasks import embed_missing

    monkeypatch.setattr(of_memories, "engine", lambda: counting)
    let_in(adam, world.it)
    assert embed_missing() == 1
    assert SkillEmbedding.objects.count() == 1


def test_an_approval_asks_for_the_vector_at_once(world, adam, monkeypatch, django_capture_on_commit_callbacks):
    asked = []
    monkeypatch.setattr("learning.queue.async_task", asked.append)
    with django_capture_on_commit_callbacks(execute=True):
        item = propose_skill(actor=adam, role_agent=world.it, proposal=SkillProposal(document(agent="it"))).item
        approve(actor=adam, item_id=item.pk, revision=item.revision, digest_seen=item.digest)
    assert asked == ["learning.tasks.embed_missing"]
    assert names(world.it) == ["expense-claim"]
