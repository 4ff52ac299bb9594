"""One of everything that has an address: what the permission matrix and the search for secrets visit."""

from digitalworker.agents.models import ApiKey, Channel, Membership, RoleAgent
from digitalworker.common.types import worker_actor
from digitalworker.runtime.ask import ask
from learning.actions.propose import Proposal, propose
from learning.actions.remember import delete_memory, remember
from learning.actions.review import reject
from learning.actions.saved_views import save_view
from skills.actions.lifecycle import pause
from skills.package import File
from tests.factories import make_key, make_user, make_world
from tests.learning.hearing import saved
from tests.learning.skill_proposals import proposed
from tests.skills.making import document, let_in, three_versions
from tests.souls.making import approved as soul_approved
from tests.souls.making import proposed as soul_proposed
from tests.souls.making import soul_named


def everything():
    """Acme's IT agent with one of everything that has an address."""
    w = make_world()
    w.nobody = make_user("Nora", "nowhere.test")
    RoleAgent.objects.filter(pk=w.their_it.pk).update(code="theirs")  # so that "it" is Acme's alone
    olga = w.actor(w.olga)
    w.run = ask(actor=olga, role_agent=w.it, question="Which gateway does London use?", external_user_id="ABC").run
    worker = worker_actor(w.acme.pk, w.it.pk)
    gateway = Proposal(scope="role_agent", kind="fact", content="London uses gateway 2")
    w.item = propose(actor=worker, role_agent=w.it, proposal=gateway, event=w.run.question).item
    badge = Proposal(scope="role_agent", kind="fact", content="Badges come from Facilities")
    w.rejected = reject(actor=olga, item_id=propose(actor=worker, role_agent=w.it, proposal=badge).item.pk, revision=1)
    ill = Proposal(scope="role_agent", kind="fact", content="The boss is ill", sensitive=True)
    w.hidden = propose(actor=worker, role_agent=w.it, proposal=ill).item
    w.memory = remember(actor=olga, role_agent=w.it, content="Laptops last four years")
    w.ours = remember(actor=olga, role_agent=w.it, content="Acme closes at six", scope="organization")
    gone = remember(actor=olga, role_agent=w.it, content="The printer is on floor two")
    w.deleted = delete_memory(actor=olga, memory_id=gone.pk, revision=1)
    w.view = save_view(actor=olga, name="Grave", query="risk=high")
    w.secret = remember(actor=olga, role_agent=w.it, content="The boss is away", sensitive=True)
    w.saved = saved(w.it, "Toner is in room 12", by=w.dan)
    w.skill = three_versions(olga, w.it)
    w.everyones_skill = three_versions(olga, None, "fire-drill")
    noted = let_in(olga, w.it, document("with-notes"), files=(File("notes.md", b"Ask at the desk"),)).skill
    w.paused_skill = pause(actor=olga, skill_id=noted.pk, revision=noted.revision)
    ill = document("leave-of-the-boss", "What to say while the boss is ill.")
    w.hidden_skill = let_in(olga, w.it, ill, sensitive=True).skill
    w.proposed_skill = proposed(olga, w.it, document("tidy-up"), files=(File("notes.md", b"Read me"),))
    w.proposed_file = w.proposed_skill.files.get()
    w.soul = soul_approved(w, w.olga, soul_proposed(w, w.olga, soul=soul_named(w.acme))).soul
    w.hidden_soul = soul_approved(w, w.olga, soul_proposed(w, w.olga, sensitive=True)).soul
    w.proposed_soul = soul_proposed(w, w.olga, tone="- Be brief.", soul=soul_named(w.acme))
    w.channel = Channel.objects.create(organization=w.acme, role_agent=w.it, external_id="C1", name="it-help")
    w.membership = Membership.objects.get(organization=w.acme, user=w.dan)
    w.dan.set_unusable_password()  # invited and not here yet, so that a new link can be made
    w.dan.save()
    make_key("runtime", organization=w.acme)
    w.key = ApiKey.objects.get()
    return w
