"""How a contestant is marked in a chart: the colour and the shape that it has everywhere."""

from __future__ import annotations

from typing import Any

from nullbench_site.site.charts.palette import LOOKS, MUTED
from nullbench_site.site.looks import COLOURS, SHAPES, Look

NULL = "null"
"""The name of the colour that all null models share."""


def mark(look: Look, *, is_null: bool) -> dict[str, str]:
    """The fields of a row that tell contestants apart."""
    return {"colour": NULL if is_null else COLOURS[look.colour], "shape": look.shape}


def colour_by() -> Any:
    """The encoding of the field `colour`."""
    import altair as alt

    scale = alt.Scale(domain=[*LOOKS, NULL], range=[*LOOKS.values(), MUTED])
    return alt.Color("colour:N", scale=scale, legend=None)


def shape_by() -> Any:
    """The encoding of the field `shape`."""
    import altair as alt

    return alt.Shape("shape:N", scale=alt.Scale(domain=list(SHAPES), range=list(SHAPES)), legend=None)
