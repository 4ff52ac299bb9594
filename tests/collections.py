"""Public collections of texts, read where they lie beside the checkout. They are not part of this repository, and tests that
need one are skipped without it."""

import os
from pathlib import Path

TEXTS = Path(os.environ.get("DW_TEST_TEXTS") or Path(__file__).resolve().parents[2] / "shared" / "data")
ODD_INPUTS = TEXTS / "odd_inputs.jsonl"
