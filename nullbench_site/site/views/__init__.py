"""A board's spec and results together, one module per protocol."""

from nullbench_site.site.views.axes import AxesView
from nullbench_site.site.views.board import BoardView
from nullbench_site.site.views.make import AnyView, view_of
from nullbench_site.site.views.oracle import OracleView
from nullbench_site.site.views.rubric import RubricView

__all__ = ["AnyView", "AxesView", "BoardView", "OracleView", "RubricView", "view_of"]
