"""What conversations are searched by: each agent's words apart from every other's, accents folded, the speaker's name among them.

The table is written anew, about a minute for a million events, and locked meanwhile.
"""

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import TrigramExtension, UnaccentExtension
from django.contrib.postgres.search import SearchVectorField
from django.db import migrations, models

# English as PostgreSQL knows it, except that é is e, ü is u and ß is ss.
CONFIGURATION = """
    CREATE TEXT SEARCH CONFIGURATION agents_words (COPY = pg_catalog.english);
    ALTER TEXT SEARCH CONFIGURATION agents_words ALTER MAPPING FOR word, hword, hword_part WITH unaccent, english_stem;
"""
# Each word begins with four characters of its agent: one agent's words lie together in the index and nobody else's are
# among them, so a look-up costs the same however much the others were told.
FUNCTION = """
    CREATE FUNCTION agents_words(agent uuid, author text, said text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (
        SELECT array_to_tsvector(coalesce(array_agg(encode(substr(uuid_send(agent), 14), 'base64') || lexeme), '{}'))
        FROM unnest(to_tsvector('agents_words'::regconfig, author || ' ' || said))
        WHERE octet_length(lexeme) <= 1000 -- with its four characters a longer one might be refused
    );
"""


class Migration(migrations.Migration):
    dependencies = [("agents", "0003_policy")]

    operations = [
        UnaccentExtension(),
        TrigramExtension(),
        migrations.RunSQL(CONFIGURATION, "DROP TEXT SEARCH CONFIGURATION agents_words"),
        migrations.RunSQL(FUNCTION, "DROP FUNCTION agents_words(uuid, text, text)"),
        migrations.RemoveIndex(model_name="chatevent", name="event_words_of_agent"),
        migrations.RemoveField(model_name="chatevent", name="tsv"),
        migrations.AddField(
            model_name="chatevent",
            name="tsv",
            field=models.GeneratedField(
                expression=models.Func("role_agent", "author", "text", function="agents_words"),
                output_field=SearchVectorField(),
                db_persist=True,
            ),
        ),
        migrations.AddIndex(model_name="chatevent", index=GinIndex(fields=["tsv"], name="event_words")),
        migrations.RemoveIndex(model_name="chatevent", name="event_latest_of_agent"),
        migrations.AddIndex(
            model_name="chatevent",
            index=models.Index(fields=["role_agent", "-occurred_at", "-id"], name="event_latest"),
        ),
    ]
