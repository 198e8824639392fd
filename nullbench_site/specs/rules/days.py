"""Days as specs write them: in the calendar and, where something has happened, not to come."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta


def wrong_day(day: str, what: str, *, past: bool) -> str | None:
    """What is wrong with a day; None where nothing is. what: the day that is to be written, as in `the day it held`.

    past: it must not be to come. Somewhere it is tomorrow already.
    """
    try:
        to_come = date.fromisoformat(day) > today() + timedelta(days=1)
    except ValueError:
        return f"{day!r} is no day of the calendar; write {what}"
    return f"{day!r} is a day to come; write {what}" if past and to_come else None


def today() -> date:
    """In UTC."""
    return datetime.now(UTC).date()
