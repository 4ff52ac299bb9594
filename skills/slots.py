"""Places on a skill's page that apps above fill."""

from digitalworker.console.slots import Cards

from .models import Skill

skill_cards = Cards[Skill]()
