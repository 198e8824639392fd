"""`export tables`: every table and every record of a run, as CSV or Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nullbench_site.errors import UsageError
from nullbench_site.interop.exports import Files
from nullbench_site.interop.frames import frame_names, frame_of_board
from nullbench_site.runs.folder import RunFolder
from nullbench_site.scoring.tables import spreadsheet_cell
from nullbench_site.site.gather import SiteData

if TYPE_CHECKING:
    import pandas as pd


def tables_of(site: SiteData, options: Mapping[str, Any]) -> Files:
    """Yield each table of each board, and its records, in the format of the option `form`."""
    form = options["form"]
    for path, frame in _frames(site):
        yield f"{path}.{form}", _csv(frame) if form == "csv" else _parquet(frame)


def _frames(site: SiteData) -> Iterator[tuple[str, pd.DataFrame]]:
    folder = RunFolder(site.entry.path, site.entry.manifest)
    for view in site.views:
        for name in frame_names(view):
            yield f"{view.board.id}/{name}", frame_of_board(folder, view, name)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with mappings and lists as JSON."""
    nested = [name for name in frame if any(isinstance(each, dict | list | tuple) for each in frame[name])]
    return frame.assign(
        **{
            name: [json.dumps(each) if isinstance(each, dict | list | tuple) else None for each in frame[name]]
            for name in nested
        }
    )


def _csv(frame: pd.DataFrame) -> bytes:
    text: str = _plain(frame).map(spreadsheet_cell).to_csv(index=False, lineterminator="\n")
    return text.encode()


def _parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    try:
        _plain(frame).to_parquet(buffer, index=False)
    except ImportError as error:
        raise UsageError("writing Parquet needs pyarrow; pip install 'nullbench-site[parquet]'") from error
    return buffer.getvalue()
