"""Places on a soul's page that apps above fill."""

from digitalworker.console.slots import Cards

from .models import Soul

soul_cards = Cards[Soul]()
