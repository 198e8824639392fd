"""Nothing of its own but the score."""

from __future__ import annotations

from nullbench_site.site.protocol import Layout, ProtocolPages
from nullbench_site.site.views import BoardView

PAGES: ProtocolPages[BoardView] = ProtocolPages(layout=Layout(overall="marked_overall", in_part="marked_overall"))
