from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("skills", "0002_same_owner")]

    operations = [
        migrations.AddField(model_name="skillversion", name="when_to_use", field=models.TextField(default="")),
        migrations.CreateModel(
            name="EverydayVectors",
            fields=[
                ("model", models.CharField(max_length=80, primary_key=True, serialize=False)),
                ("digest", models.CharField(max_length=64)),
                ("vectors", models.BinaryField()),
            ],
            options={"verbose_name_plural": "everyday vectors"},
        ),
    ]
