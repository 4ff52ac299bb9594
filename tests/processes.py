"""Starting the product as other people would: in a process of its own, from a clean environment."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def clean_environment(**values: str) -> dict[str, str]:
    """This environment without what steers the product, and with these values."""
    ours = ("DW_", "DATABASE_URL", "DJANGO_", "PORT", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"DJANGO_SETTINGS_MODULE": "digitalworker.settings"} | values
