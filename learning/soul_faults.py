"""What would keep a soul from being proposed, told while somebody types it: nothing is stored, and nothing is audited."""

from collections.abc import Mapping

from digitalworker.common.secrets import find_secrets
from souls.limits import faults

from .screening import find_injections
from .soul_text import PARTS


def faults_in(parts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each with the title of its part, in their order."""
    found = [(PARTS[fault.part], str(fault)) for fault in faults(parts)]
    for name, text in parts.items():
        found += [(PARTS[name], f"It holds what looks like a secret: {kind}.") for kind in find_secrets(text)]
        whys = dict.fromkeys(finding.why for finding in find_injections(text))
        found += [(PARTS[name], f"This reads like an attempt to steer the agent: {why}.") for why in whys]
    return found
