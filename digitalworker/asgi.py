"""The web entry point. Pooling is switched on here, and only here: a pool must never be forked with a task worker."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "digitalworker.settings")
os.environ.setdefault("DW_DATABASE_POOL", "1")

from django.core.asgi import get_asgi_application

application = get_asgi_application()
