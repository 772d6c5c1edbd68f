"""How many tokens a text may have, where nobody has counted them yet."""

from __future__ import annotations

import json
from typing import Any

BYTES_PER_TOKEN = 3
"""Names, hashes and JSON split finer than prose does; rather too many tokens than too few."""


def tokens(*parts: Any) -> int:
    """An upper guess at the tokens of these parts. A part that is no string counts as its JSON."""
    texts = (part if isinstance(part, str) else json.dumps(part, default=str) for part in parts)
    return sum(-(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN) for text in texts)
