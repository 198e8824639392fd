"""What is shown of the boards: all of it in the shared way, with one column more."""

from __future__ import annotations

from nullbench_site.site.protocol import Layout, ProtocolPages
from nullbench_site.site.views import BoardView

PAGES: ProtocolPages[BoardView] = ProtocolPages(layout=Layout(overall="echo_overall", in_part="echo_overall"))
