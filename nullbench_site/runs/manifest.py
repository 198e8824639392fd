"""The manifest of a run: its origin, its specs, the digest of every file, and the tally of its records."""

from __future__ import annotations

import hashlib
import stat
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from math import fsum
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from nullbench_site import __version__
from nullbench_site.errors import RunError
from nullbench_site.extensions import Kind, origin, registered
from nullbench_site.git import Source
from nullbench_site.runs.records import ProbeAnswer, Record, Response
from nullbench_site.runs.storage import write_atomically
from nullbench_site.specs.benchmark import Benchmark
from nullbench_site.specs.digest import NOT_JSON, line_ends_advice, line_ends_changed
from nullbench_site.specs.types import PROGRAMS, Judge, ModelFile

FORMAT = 1
NAME = "manifest.json"
RECORDS = ("responses/", "judgments/", "probes/")
"""The prefixes of the paths of records."""
_Count = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
TOOL = f"nullbench-site {__version__}"
"""The name and version of this program in manifests."""


class FileDigest(msgspec.Struct, frozen=True):
    """A file as it was when the run was sealed."""

    sha256: str
    bytes: int


class Counts(msgspec.Struct, frozen=True):
    """The number of records of a run by state. probes: the answered ones, absent in a run without any."""

    answered: _Count = 0
    errored: _Count = 0
    scored: _Count = 0
    unparsed: _Count = 0
    judge_errored: _Count = 0
    probes: _Count | msgspec.UnsetType = msgspec.UNSET

    @property
    def calls(self) -> int:
        return self.answered + self.errored + self.scored + self.unparsed + self.judge_errored + (self.probes or 0)

    @property
    def failed(self) -> int:
        return self.errored + self.judge_errored


class Usage(msgspec.Struct, omit_defaults=True):
    """The usage of the answered calls of a contestant or judge. The sums leave out unknown values.

    failed_usd: of attempts without an answer. uncounted: answers whose tokens the endpoint did not count. unpriced:
    answers of unknown cost. unknown: other attempts and turns that may be charged, but whose tokens the endpoint did
    not count.
    """

    calls: int
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    failed_usd: float | None = None
    uncounted: int = 0
    unpriced: int = 0
    unknown: int = 0

    @property
    def all_usd(self) -> float:
        return self.cost_usd + (self.failed_usd or 0.0)


class Usages(msgspec.Struct, frozen=True):
    """Usage by contestant and by judge at endpoints; programs use nothing."""

    contestants: dict[str, Usage] = {}
    judges: dict[str, Usage] = {}

    @property
    def of_endpoints(self) -> Usages:
        """Return the usage at endpoints: without programs, which counted no token and cost nothing."""

        def metered(used: dict[str, Usage]) -> dict[str, Usage]:
            return {
                who: each for who, each in used.items() if each.calls > each.uncounted or each.all_usd or each.unknown
            }

        return Usages(metered(self.contestants), metered(self.judges))

    @property
    def cost_usd(self) -> float | None:
        """Return the least that all attempts of the run cost together; None if no price is known."""
        used = [*self.contestants.values(), *self.judges.values()]
        priced = [usage.all_usd for usage in used if usage.unpriced < usage.calls or usage.failed_usd]
        return round(fsum(priced), 9) if priced else None


class ItemDates(msgspec.Struct, frozen=True, omit_defaults=True):
    """How old the items of a board are.

    first: the first day on which a commit or a sealed run has the text of one of its n_items items. item: which one.
    source: `commit 1a2b3c`, or `run 2.3.0-30998cf4`. absent: why the dates are not known.
    """

    n_items: int
    first: str | None = None
    item: str | None = None
    source: str | None = None
    absent: str | None = None


_FIRST_YEAR = 1970
RunName: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Za-z][0-9A-Za-z.+_-]*$(?!\n)", max_length=200)]
"""The name of the folder of a run; it is never a path."""


class Stop(msgspec.Struct, frozen=True):
    """The look at which a build stopped asking the items of a board, counted from 1, of how many; the items asked."""

    look: int
    looks: int
    items: tuple[str, ...]


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The manifest of a run. digest: the sha256 of its own text with that field empty.

    tool: the program that made the run; scored_by: the one that computed its results, unknown in early runs. source:
    the commit of the specs. profile: the selected profile. judged_anew: judges whose earlier judgments were not reused.
    retry: the number of the retry that made unparsed judgments again; 0 for none. backends: each backend with its
    revision, `offline` -> `offline@3`; early runs have none. extensions: the extensions of other packages that can
    change a score, `checks/small` -> `package 1.0`. item_dates: of the boards whose items can be newer than a model.
    stops: of the boards that a build stopped early; the others have all items.
    cost_usd: of all attempts at the calls of the run, in any build.
    """

    format: int
    run: RunName
    benchmark: str
    version: str
    spec_digest: str
    calls_digest: str
    tool: str
    source: Source | None = None
    backends: dict[str, str] = {}
    extensions: dict[str, str] = {}
    item_dates: dict[str, ItemDates] = {}
    stops: dict[str, Stop] = {}
    state: Literal["open", "sealed"]
    fresh: bool
    profile: str | None = None
    judged_anew: tuple[str, ...] = ()
    retry: int = 0
    created_at: str
    sealed_at: str | None = None
    counts: Counts = Counts()
    cost_usd: float | None = None
    usage: Usages = Usages()
    scored_by: str | None = None
    files: dict[str, FileDigest] = {}
    digest: str = ""

    @property
    def sealed(self) -> bool:
        """True if its files are final; otherwise a build resumes the run."""
        return self.state == "sealed"

    @property
    def complete(self) -> bool:
        """True if every call of the specs has its answer in the sealed run."""
        return self.sealed and self.counts.failed == 0

    @property
    def asked(self) -> dict[str, tuple[str, ...]]:
        """The items that were asked of the boards that a build stopped early, for `Benchmark.asking`."""
        return {board: stop.items for board, stop in self.stops.items()}

    @property
    def date(self) -> str:
        """The day on which the run was sealed, or begun."""
        return (self.sealed_at or self.created_at)[:10]

    @property
    def is_early(self) -> bool:
        """True for runs from before manifests named revisions, with other spec digests and token counts."""
        return not self.backends and self.source is None

    @property
    def anew(self) -> bool:
        """Return True if the run repeated calls that earlier runs had answered."""
        return self.fresh or bool(self.judged_anew)

    def text(self) -> bytes:
        """Return the bytes of manifest.json. They depend only on the manifest, so any changed byte is detected."""
        fields = msgspec.structs.asdict(self)
        for name in ("source", "backends", "extensions", "item_dates", "stops", "scored_by"):
            if not fields[name]:  # as before these fields existed
                del fields[name]
        return _text(fields)

    def with_digest(self) -> Manifest:
        bare = msgspec.structs.replace(self, digest="")
        return msgspec.structs.replace(bare, digest=hashlib.sha256(bare.text()).hexdigest())


def write_manifest(run_dir: Path, manifest: Manifest) -> Manifest:
    """Write manifest.json atomically; returns the manifest as written."""
    written = manifest.with_digest()
    write_atomically(run_dir / NAME, written.text())
    return written


def used_extensions(benchmark: Benchmark) -> dict[str, str]:
    """Return the extensions of other packages that these specs use, each with its package and version.

    Checks of private items are left out: their types give answers away. Metrics are on every board.
    """
    used: set[tuple[Kind, str]] = {("metrics", name) for name in registered("metrics")}
    used |= {("protocols", board.protocol) for board in benchmark.boards.values()}
    who: list[ModelFile | Judge] = [*benchmark.models.values(), *benchmark.judges.values()]
    used |= {("backends", each.backend) for each in who}
    used |= {("programs", each.model) for each in who if each.backend == PROGRAMS}
    for domain in benchmark.domains.values():
        items: list[Any] = [item for category in domain.categories for item in category.items]
        checks = (check for item in items for check in getattr(item, "checks", None) or ())
        used |= {("checks", str(check.__struct_config__.tag)) for check in checks}
    origins = {f"{kind}/{name}": origin(kind, name) for kind, name in used}
    return {name: package for name, package in sorted(origins.items()) if package is not None}


class _Format(msgspec.Struct):
    format: int


def read_manifest(run_dir: Path) -> Manifest:
    """Return the manifest of a run folder. Raises RunError if it is missing, damaged or of a newer format."""
    path = run_dir / NAME
    restore = "restore it from git; or move the run folder away, and a build makes its calls again"
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise RunError(f"{path}: the manifest is a folder, a symlink or a device, not a file; {restore}")
        raw = path.read_bytes()
    except FileNotFoundError:
        raise RunError(f"{run_dir}: found no {NAME}, so this is not a run folder; runs are in runs/") from None
    except OSError as error:
        raise RunError(f"{path}: the manifest cannot be read ({error.strerror}); {restore}") from error
    try:
        written_as = msgspec.json.decode(raw, type=_Format).format
        if written_as > FORMAT:
            message = f"the manifest has format {written_as}, this program reads up to {FORMAT}"
            raise RunError(f"{path}: {message}; update nullbench-site to read this run")
        manifest = msgspec.json.decode(raw, type=Manifest)
    except NOT_JSON as error:
        raise RunError(f"{path}: the manifest is damaged ({error}); {restore}") from error
    if wrong := _wrong_time(manifest):
        raise RunError(f"{path}: the manifest is damaged ({wrong}); {restore}")
    # The digest covers the text on disk, so that a manifest of an older version, with fewer fields, is valid too.
    bare = raw.replace(f'"digest": "{manifest.digest}"'.encode(), b'"digest": ""', 1)
    if hashlib.sha256(bare).hexdigest() != manifest.digest:
        if line_ends_changed(bare, manifest.digest):
            raise RunError(f"{path}: {line_ends_advice(path)}")
        raise RunError(f"{path}: the manifest was changed after it was written (its digest does not match); {restore}")
    return manifest


def _wrong_time(manifest: Manifest) -> str | None:
    """Return what is wrong with the times of a manifest. Pages show them, and runs are ordered by them."""
    for name, value in (("created_at", manifest.created_at), ("sealed_at", manifest.sealed_at or manifest.created_at)):
        try:
            is_time = datetime.fromisoformat(value).year >= _FIRST_YEAR and value[4:8:3] == "--"
        except ValueError:
            is_time = False
        if not is_time:
            return f"{name} is not a time"
    return None


def _text(fields: Mapping[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(fields), indent=1) + b"\n"


class RecordTally(msgspec.Struct):
    """Adds records up, in any order. A call with records in several places was paid once, so it counts once."""

    _ended: Counter[str] = msgspec.field(default_factory=Counter)
    _keys: set[str] = set()
    _used: defaultdict[tuple[str, str], Usage] = msgspec.field(
        default_factory=lambda: defaultdict(lambda: Usage(calls=0))
    )
    _costs: defaultdict[tuple[str, str], list[float]] = msgspec.field(default_factory=lambda: defaultdict(list))
    _failed: defaultdict[tuple[str, str], list[float]] = msgspec.field(default_factory=lambda: defaultdict(list))

    def add(self, records: Iterable[Record]) -> None:
        for record in records:
            if isinstance(record, Response):
                who, failed = ("contestants", record.model), "errored"
            else:
                who, failed = ("judges", record.judge), "judge_errored"
            if record.state == "errored":
                self._ended[failed] += 1
                if record.failed_usd:
                    self._failed[who].append(record.failed_usd)
                if record.uncounted:
                    self._used[who].unknown += record.uncounted
                continue
            self._ended["probes" if isinstance(record, ProbeAnswer) else record.state] += 1
            if record.key in self._keys:
                continue
            self._keys.add(record.key)
            if record.failed_usd:
                self._failed[who].append(record.failed_usd)
            used, given, taken = self._used[who], record.input_tokens, record.output_tokens
            used.calls += 1
            used.input_tokens += given or 0
            used.cached_input_tokens += record.cached_input_tokens or 0
            used.output_tokens += taken or 0
            used.uncounted += given is None or taken is None
            used.unknown += record.uncounted
            if record.cost_usd is None:
                used.unpriced += 1
            else:
                self._costs[who].append(record.cost_usd)

    @property
    def counts(self) -> Counts:
        return Counts(**self._ended)

    @property
    def usage(self) -> Usages:
        """The usage of contestants and judges at endpoints."""
        used: dict[str, dict[str, Usage]] = {"contestants": {}, "judges": {}}
        for who in sorted({*self._used, *self._failed}):
            # With fsum the order of the records does not change the last digit.
            cost, failed = (round(fsum(sums[who]), 9) for sums in (self._costs, self._failed))
            used[who[0]][who[1]] = msgspec.structs.replace(self._used[who], cost_usd=cost, failed_usd=failed or None)
        return Usages(**used).of_endpoints
