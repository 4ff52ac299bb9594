from .detection import Detection
from .inbox import AssignmentNotice, SavedView
from .item import ItemFile, LearningItem
from .memory import Memory, MemoryEmbedding
from .unread import Unread

__all__ = [
    "AssignmentNotice",
    "Detection",
    "ItemFile",
    "LearningItem",
    "Memory",
    "MemoryEmbedding",
    "SavedView",
    "Unread",
]
