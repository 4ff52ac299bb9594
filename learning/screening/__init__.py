"""What is looked for in a text before it is stored as known or proposed.

| module | finds | what becomes of it |
|---|---|---|
| `common.secrets` | passwords, keys, tokens, codes | refused, never stored |
| `injection` | words and characters that steer a model against its people | findings with a severity and a place |
| `procedures` | dangerous orders in a skill, and all of these in its files | findings, or refused |
| `pii` | personal data | the types, never the text |

`normalise` makes the layers in which `injection` looks. None of them touches the database.
"""

from digitalworker.common.secrets import find_secrets, refuse_secrets

from .injection import find_injections

__all__ = ["find_injections", "find_secrets", "refuse_secrets"]
