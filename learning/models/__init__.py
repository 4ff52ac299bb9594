from .detection import Detection
from .item import LearningItem
from .memory import Memory, MemoryEmbedding

__all__ = ["Detection", "LearningItem", "Memory", "MemoryEmbedding"]
