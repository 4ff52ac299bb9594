"""REST: what was saved without asking, looked at afterwards."""

from digitalworker.api.endpoints import Endpoint, operation
from digitalworker.api.registry import register

from ..actions.autosave import keep_autosave, undo_autosave
from .memories import MemoryOut
from .shared import REVIEWERS, Seen


class UndoAutosave(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "memories_undo",
        "Undo what was saved without asking",
        details="It leaves every answer, what it had replaced is known again, and the same words are not saved or proposed "
        "again for a month. The answer is the memory as it is now.",
        body=Seen,
        answer=MemoryOut,
    )
    def post(self, request, memory_id, data):
        return undo_autosave(actor=self.actor, memory_id=memory_id, **data)


class KeepAutosave(Endpoint):
    scopes = {"POST": REVIEWERS}

    @operation(
        "memories_keep",
        "Agree with what was saved without asking",
        details="From then on nothing replaces it without asking.",
        body=Seen,
        answer=MemoryOut,
    )
    def post(self, request, memory_id, data):
        return keep_autosave(actor=self.actor, memory_id=memory_id, **data)


register("memories/<uuid:memory_id>/undo/", UndoAutosave, "memory-undo")
register("memories/<uuid:memory_id>/keep/", KeepAutosave, "memory-keep")
