"""How long the parts of a skill may be. The first three are those of the public format."""

NAME_MOST = 64  # characters
DESCRIPTION_MOST = 1024  # characters
COMPATIBILITY_MOST = 500  # characters
SIZE_MOST = 256 * 1024  # bytes of a SKILL.md; what is longer belongs into files beside it
FRONTMATTER_MOST = 32 * 1024  # characters
DEPTH_MOST = 12  # lists and mappings inside each other
FAULTS_MOST = 100  # named of one document, errors first
