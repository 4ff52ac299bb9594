from django.db import migrations

from digitalworker.common.tenancy import same_organization, same_owner


class Migration(migrations.Migration):
    dependencies = [("agents", "0001_initial")]

    operations = [
        same_organization("agents_agentmanager", "content_object_id"),
        # A manager is a member: whoever leaves the organisation stops managing in the same statement.
        same_owner(
            "agents_agentmanager",
            "user_id",
            "agents_membership",
            owner="organization_id",
            target_columns="organization_id, user_id",
            on_delete="ON DELETE CASCADE",
        ),
        same_organization("agents_channel"),
        same_organization("agents_person"),
        same_organization("agents_thread"),
        same_owner("agents_thread", "channel_id", "agents_channel"),
        same_owner("agents_thread", "person_id", "agents_person"),
        same_organization("agents_chatevent"),
        same_owner("agents_chatevent", "thread_id", "agents_thread"),
        same_owner("agents_chatevent", "person_id", "agents_person"),
        same_organization("agents_featureusage"),
    ]
