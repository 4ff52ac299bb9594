#!/usr/bin/env python
import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "digitalworker.settings")
    from django.core.management import execute_from_command_line
    from django.db import OperationalError

    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None):  # a server said it
            raise
        reason = str(error).strip().splitlines()[0]
        sys.exit(f"The database does not answer: {reason}. `make run` starts the embedded one.")
