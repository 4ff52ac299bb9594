from django.db import migrations

from digitalworker.common.tenancy import same_organization, same_owner


class Migration(migrations.Migration):
    dependencies = [("skills", "0001_initial"), ("agents", "0002_same_owner")]

    operations = [
        same_organization("skills_skill"),
        # The version in use is one of the skill's own.
        same_owner(
            "skills_skill", "active_version_id", "skills_skillversion", owner="id", target_columns="skill_id, id"
        ),
    ]
