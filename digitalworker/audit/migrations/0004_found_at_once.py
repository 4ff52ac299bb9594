from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import migrations

BY = {"audit_by_detail": "details", "audit_by_source": "source_refs"}


class Migration(migrations.Migration):
    dependencies = [("audit", "0003_not_sensitive")]

    operations = [
        *(migrations.RemoveIndex(model_name="learningevent", name=name) for name in BY),
        *(
            migrations.AddIndex(
                model_name="learningevent",
                index=GinIndex(OpClass(field, name="jsonb_path_ops"), name=name, fastupdate=False),
            )
            for name, field in BY.items()
        ),
    ]
