from django.db import migrations

from digitalworker.common.tenancy import same_organization, same_owner


class Migration(migrations.Migration):
    dependencies = [("runtime", "0001_initial"), ("agents", "0002_same_owner")]

    operations = [
        same_organization("runtime_agentrun"),
        same_owner("runtime_agentrun", "thread_id", "agents_thread"),
        same_owner("runtime_agentrun", "person_id", "agents_person"),
    ]
