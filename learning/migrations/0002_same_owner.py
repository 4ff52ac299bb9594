from django.db import migrations

from digitalworker.common.tenancy import same_organization, same_owner


class Migration(migrations.Migration):
    dependencies = [("learning", "0001_initial"), ("agents", "0002_same_owner")]

    operations = [
        same_organization("learning_memory"),
        same_owner("learning_memory", "person_id", "agents_person"),
        same_organization("learning_learningitem"),
        same_owner("learning_learningitem", "person_id", "agents_person"),
        same_organization("learning_detection"),
    ]
