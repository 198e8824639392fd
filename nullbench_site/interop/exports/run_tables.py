"""`export tables`: every table and every record of a run, as CSV or Parquet."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from nullbench_site.errors import UsageError
from nullbench_site.interop.exports import Files
from nullbench_site.interop.frames import metric_frame, record_frame, table_frame, trust_frame
from nullbench_site.runs.folder import RunFolder
from nullbench_site.runs.records import Judgment, Response
from nullbench_site.scoring.tables import tables
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
        board = view.board.id
        for name, _ in tables(view.results):
            yield f"{board}/{name}", table_frame(view.results, name)
        yield f"{board}/responses", record_frame(folder, board, Response)
        yield f"{board}/judgments", record_frame(folder, board, Judgment)
        yield f"{board}/trust", trust_frame(view)
        yield f"{board}/metrics", metric_frame(view.board.protocol)


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
    text: str = _plain(frame).to_csv(index=False, lineterminator="\n")
    return text.encode()


def _parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    try:
        _plain(frame).to_parquet(buffer, index=False)
    except ImportError as error:
        raise UsageError("writing Parquet needs pyarrow; pip install 'nullbench-site[parquet]'") from error
    return buffer.getvalue()
