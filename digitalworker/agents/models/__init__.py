from .access import ApiKey, FeatureAccess, FeatureUsage, PromptTemplate, PromptVersion
from .conversations import ChatEvent, Person, Thread
from .organizations import Membership, Organization, User
from .role_agents import AgentManager, Channel, RoleAgent

__all__ = [
    "AgentManager",
    "ApiKey",
    "Channel",
    "ChatEvent",
    "FeatureAccess",
    "FeatureUsage",
    "Membership",
    "Organization",
    "Person",
    "PromptTemplate",
    "PromptVersion",
    "RoleAgent",
    "Thread",
    "User",
]
