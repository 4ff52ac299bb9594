from django.db import migrations
from django.utils import timezone

from souls.library import stock


def give_library(apps, schema_editor):
    """To organisations that are older than souls. One that has a soul has been given them."""
    organizations, soul = apps.get_model("agents", "Organization"), apps.get_model("souls", "Soul")
    without = organizations.objects.exclude(pk__in=soul.objects.values("organization_id"))
    stock(
        soul,
        apps.get_model("souls", "SoulVersion"),
        apps.get_model("souls", "HistoricalSoul"),
        list(without.values_list("pk", flat=True)),
        now=timezone.now(),
    )


class Migration(migrations.Migration):
    dependencies = [("souls", "0002_same_owner"), ("agents", "0005_words_at_once")]

    # Backwards nothing is taken away: the tables of the migrations before can hold what is here.
    operations = [migrations.RunPython(give_library, migrations.RunPython.noop)]
