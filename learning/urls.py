from django.urls import path

from .views import (
    autosaves,
    bulk,
    decisions,
    filtering,
    inbox,
    memories,
    memory_acts,
    operations,
    saved,
    transfer,
    triage,
)

app_name = "learning"
urlpatterns = [
    path("app/settings/operations/", operations.page, name="operations"),
    path("app/settings/operations/retry/", operations.retry_all, name="retry_failed"),
    path("app/settings/operations/<uuid:event_id>/retry/", operations.retry, name="retry_detection"),
    path("app/digital-workers/learning", inbox.inbox, name="inbox"),
    path("app/digital-workers/learning/filter", filtering.choose, name="filter"),
    path("app/digital-workers/learning/assigned", filtering.assigned, name="assigned"),
    path("app/digital-workers/learning/similar", inbox.groups, name="groups"),
    path("app/digital-workers/learning/views", saved.views, name="views"),
    path("app/digital-workers/learning/views/<uuid:view_id>/", saved.change, name="view"),
    path("app/digital-workers/learning/bulk/", bulk.decide, name="bulk"),
    path("app/digital-workers/learning/bulk/undo/", bulk.undo, name="undo_bulk"),
    path("app/digital-workers/learning/<uuid:item_id>/", inbox.item, name="item"),
    path("app/digital-workers/learning/<uuid:item_id>/beside/", inbox.beside, name="beside"),
    path("app/digital-workers/learning/<uuid:item_id>/approve/", decisions.approve, name="approve"),
    path("app/digital-workers/learning/<uuid:item_id>/reject/", decisions.reject, name="reject"),
    path("app/digital-workers/learning/<uuid:item_id>/edit/", decisions.edit, name="edit"),
    path("app/digital-workers/learning/<uuid:item_id>/reopen/", decisions.reopen, name="reopen"),
    path("app/digital-workers/learning/<uuid:item_id>/mark-sensitive/", triage.mark_sensitive, name="mark_sensitive"),
    path(
        "app/digital-workers/learning/<uuid:item_id>/unmark-sensitive/",
        triage.unmark_sensitive,
        name="unmark_sensitive",
    ),
    path("app/digital-workers/learning/<uuid:item_id>/reassign/", triage.reassign, name="reassign"),
    path("app/digital-workers/learning/<uuid:item_id>/convert/", triage.convert, name="convert"),
    path("app/settings/digital-workers/<slug:code>/inbox/", inbox.agent_inbox, name="agent_inbox"),
    path("app/settings/digital-workers/<slug:code>/memory/", memories.agent_memory, name="agent_memory"),
    path("app/settings/digital-workers/<slug:code>/memory/add/", memories.add_agent_memory, name="add_agent_memory"),
    path("app/settings/memory", memories.organization_memory, name="organization_memory"),
    path("app/settings/memory/add/", memories.add_organization_memory, name="add_organization_memory"),
    path(
        "app/settings/digital-workers/<slug:code>/memory/import/", transfer.import_for_agent, name="agent_memory_import"
    ),
    path(
        "app/settings/digital-workers/<slug:code>/memory/export/", transfer.export_of_agent, name="agent_memory_export"
    ),
    path("app/settings/memory/import/", transfer.import_for_organization, name="organization_memory_import"),
    path("app/settings/memory/export/", transfer.export_of_organization, name="organization_memory_export"),
    path("app/memories/<uuid:memory_id>/", memories.memory, name="memory"),
    path("app/memories/<uuid:memory_id>/edit/", memories.edit, name="edit_memory"),
    path("app/memories/<uuid:memory_id>/supersede/", memories.supersede, name="supersede_memory"),
    path("app/memories/<uuid:memory_id>/delete/", memories.delete, name="delete_memory"),
    path("app/memories/<uuid:memory_id>/restore/", memories.restore, name="restore_memory"),
    path("app/digital-workers/saved", autosaves.autosaved, name="autosaved"),
    path("app/memories/<uuid:memory_id>/undo/", autosaves.undo, name="undo_autosave"),
    path("app/memories/<uuid:memory_id>/keep/", autosaves.keep, name="keep_autosave"),
    path("app/memories/<uuid:memory_id>/pin/", memory_acts.pin, name="pin_memory"),
    path("app/memories/<uuid:memory_id>/unpin/", memory_acts.unpin, name="unpin_memory"),
    path(
        "app/memories/<uuid:memory_id>/unmark-sensitive/",
        memory_acts.unmark_sensitive,
        name="unmark_sensitive_memory",
    ),
    path("app/memories/<uuid:memory_id>/promote/", memory_acts.promote, name="promote_memory"),
    path("app/memories/<uuid:memory_id>/demote/", memory_acts.demote, name="demote_memory"),
]
