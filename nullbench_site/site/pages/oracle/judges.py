"""What the page of judges shows of an `oracle` board: that there are none."""

from __future__ import annotations

from typing import Any

from nullbench_site.site.views import OracleView


def context(view: OracleView) -> dict[str, Any]:
    """What the page of judges shows of this board."""
    return {"template": "oracle/judges.md.j2", "says": [], "n_items": len(view.items)}
