from django.db import models


class Heartbeat(models.Model):
    """When a part of the installation last showed that it works. Written by the queue's own workers, because a
    cluster that is alive as a process may still have stopped working."""

    name = models.CharField(primary_key=True, max_length=40)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at:%Y-%m-%d %H:%M:%S}"
