"""What happened at each company, agent by agent. `EVERYONE` is what a whole organisation knows."""

from ..script import Known, Skilled, Story
from . import acme, globex, hr, it, projects, sales_ops, shop, skills

STORIES: dict[str, tuple[Story, ...]] = {
    "Acme": (it.STORY, hr.STORY, sales_ops.STORY, projects.STORY, shop.STORY),
    "Globex": globex.STORIES,
}
EVERYONE: dict[str, tuple[Known, ...]] = {"Acme": acme.KNOWN, "Globex": globex.KNOWN}
SKILLS: dict[str, tuple[Skilled, ...]] = {"Acme": skills.ACME}
