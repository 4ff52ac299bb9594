"""Foreign keys that know the tenant: a row of one organisation can not point into another, whatever the code does.

Django's own foreign keys name one column. These name two, `(organization_id, role_agent_id)` or `(role_agent_id, x_id)`, and
the database checks both at commit. The target needs a unique constraint on the pair.
"""

from django.db import migrations


def same_owner(
    table: str, column: str, target: str, *, owner: str = "role_agent_id", target_columns: str = "", on_delete: str = ""
) -> migrations.RunSQL:
    name = f"{table}_{column}_same_owner"
    target_columns = target_columns or f"{owner}, id"
    return migrations.RunSQL(
        f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY ({owner}, {column}) "
        f"REFERENCES {target} ({target_columns}) {on_delete} DEFERRABLE INITIALLY DEFERRED",
        f"ALTER TABLE {table} DROP CONSTRAINT {name}",
    )


def same_organization(table: str, column: str = "role_agent_id", target: str = "agents_roleagent") -> migrations.RunSQL:
    return same_owner(table, column, target, owner="organization_id")
