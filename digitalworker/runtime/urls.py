from django.urls import path

from .views import conversation_list, conversations, known, playground, runs, souls

app_name = "runtime"
urlpatterns = [
    path("app/playground", playground.chooser, name="playgrounds"),
    path("app/playground/<slug:code>", playground.playground, name="playground"),
    path("app/playground/<slug:code>/souls", souls.compare_souls, name="compare_souls"),
    path("app/runs", runs.run_list, name="runs"),
    path("app/runs/<uuid:run_id>", runs.run, name="run"),
    path("app/runs/<uuid:run_id>/learned", playground.learned, name="learned"),
    path("app/runs/<uuid:run_id>/prompt", playground.prompt, name="prompt"),
    path("app/settings/digital-workers/<slug:code>/known/", known.known_then, name="known"),
    path("app/conversations", conversation_list.conversation_list, name="conversations"),
    path("app/conversations/<uuid:thread_id>", conversations.conversation, name="conversation"),
    path("app/messages/<uuid:event_id>", conversations.message, name="message"),
]
