from django.db import migrations

from digitalworker.common.tenancy import same_organization, same_owner


class Migration(migrations.Migration):
    dependencies = [("souls", "0001_initial"), ("agents", "0002_same_owner")]

    operations = [
        same_organization("souls_soulassignment"),
        same_organization("souls_soulassignment", "soul_id", "souls_soul"),
        # The version in use is one of the soul's own.
        same_owner("souls_soul", "active_version_id", "souls_soulversion", owner="id", target_columns="soul_id, id"),
    ]
