"""Falsehoods of a kind: the places where a sentence of English can be made false, grammatically and plausibly.

Only this module uses these word lists: judges that look for the same things have their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache

import msgspec

from nullbench_site.checks.reading import listed
from nullbench_site.packaged import word_lines, word_list, word_pairs
from nullbench_site.programs.english import NUMBER_WORDS, sentences
from nullbench_site.specs.types import Falsification


class Replacement(msgspec.Struct, frozen=True):
    """A replacement for the characters of a sentence from `start` to `end`."""

    start: int
    end: int
    other: str

    def put(self, sentence: str) -> str:
        """Return `sentence` with the replacement, in the right letter case and with the right article."""
        capital = sentence[self.start : self.start + 1].isupper()
        other = self.other[:1].upper() + self.other[1:] if capital else self.other
        return _before(sentence[: self.start], other) + other + sentence[self.end :]


class Offered:
    """The names and figures of a text and its source, for replacements."""

    def __init__(self, text: str, source: str) -> None:
        both = f"{text}\n{source}"
        self.names = tuple(dict.fromkeys(match.group() for s in sentences(both) for match in _inner_names(s)))
        self.figures = tuple(dict.fromkeys(match.group() for match in _FIGURE.finditer(both)))


_CODE = re.compile(r"`[^`]*`|\"[^\"]*\"|\u201c[^\u201d]*\u201d|https?://\S+")


@lru_cache(maxsize=1024)
def offered_by(text: str, source: str) -> Offered:
    """Return the names and figures that they offer, computed once for all kinds of damage to a text."""
    return Offered(text, source)


def places(kind: Falsification, sentence: str, offered: Offered) -> list[Replacement]:
    """Return the places and replacements that make `sentence` false by `kind`, outside of code and quotations.

    A question cannot be made false.
    """
    if sentence.rstrip("\"')*_ ").endswith("?"):
        return []
    kept = [match.span() for match in _CODE.finditer(sentence)]
    candidates = _KINDS[kind](sentence, offered)
    return [place for place in candidates if all(place.end <= start or end <= place.start for start, end in kept)]


_ARTICLE = re.compile(r"\b(a|an)( )$", re.IGNORECASE)


def _before(text: str, word: str) -> str:
    """Return `text` with its last article in the form that `word` needs."""
    match = _ARTICLE.search(text)
    if not match:
        return text
    right = "an" if word[:1].casefold() in "aeiou" and not word.casefold().startswith(("uni", "use", "eu")) else "a"
    return text[: match.start()] + (right.capitalize() if match[1][0].isupper() else right) + " "


@cache
def _exchange(name: str) -> tuple[re.Pattern[str], Mapping[str, str]]:
    pairs = word_pairs(name)
    keys = "|".join(re.escape(key) for key in sorted(pairs, key=len, reverse=True))
    return re.compile(rf"(?<![\w'-])(?:{keys})(?![\w'-])", re.IGNORECASE), pairs


def _exchanged(sentence: str, name: str) -> Iterator[Replacement]:
    """Yield each phrase of a list of pairs, replaced by its partner."""
    pattern, pairs = _exchange(name)
    for match in pattern.finditer(sentence):
        phrase = match.group().casefold()
        if pairs[phrase] != phrase:
            yield Replacement(match.start(), match.end(), pairs[phrase])


_DENIAL = re.compile(
    r"\b(?P<contracted>(?:is|are|was|were|do|does|did|has|have|had|would|should|could|must|need)n['\u2019]t)\b"
    r"|\b(?P<cannot>cannot|can['\u2019]t)\b|\b(?P<wont>won['\u2019]t)\b"
    r"|\b(?P<unnot>not yet)\b|\b(?P<still>no longer)\b"
    r"|(?<!\bor)(?P<not> not)\b(?! (?:only|until|yet|just|merely|least)\b)"
    r"|\b(?P<no>no)\b(?! (?:more|later|less|fewer|one|doubt|longer|matter)\b)"
    r"|\b(?P<word>never|nothing|nobody|without|neither|nor)\b",
    re.IGNORECASE,
)
_LIFTED = {"cannot": "can", "wont": "will", "unnot": "already", "still": "still", "not": "", "no": "some"}
_UNDENIED = word_pairs("undenied")
_DENYING = re.compile(r"\b(?:not|no|none|never|nothing|nobody|without|neither|nor|cannot|hardly)\b|n['\u2019]t\b", re.I)
_PARTICIPLES = "|".join(word_lines("participles"))
_AUXILIARY = re.compile(
    r"(?<!\bthan )(?<!\bas )(?<!\bthat )\b(?P<verb>is|are|was|were|can|could|will|would|should|may|might|must|"
    rf"(?:has|have|had)(?= (?:also |already |since )?(?:{_PARTICIPLES}|[a-z]+ed)\b))"
    r"(?! (?:not|also|as|if|no)\b)(?= )",
    re.IGNORECASE,
)
_DETERMINERS = frozenset(
    listed("a an the this that these those its their his her our your my each every any some no of by to with and or")
)


def _negations(sentence: str, others: Offered) -> Iterator[Replacement]:
    """Yield each denial, removed; in a sentence without one, its first auxiliary or finite verb, denied."""
    if _DENYING.search(sentence):
        for match in _DENIAL.finditer(sentence):
            denial = match.group()
            kind = match.lastgroup or ""
            if kind in _LIFTED:
                yield Replacement(match.start(), match.end(), _LIFTED[kind])
            elif kind == "contracted":
                yield Replacement(match.start(), match.end(), denial[:-3])
            elif denial.casefold() != "nor" and " nor " not in sentence:
                yield Replacement(match.start(), match.end(), _UNDENIED[denial.casefold()])
    elif auxiliary := _AUXILIARY.search(sentence):
        yield Replacement(auxiliary.start(), auxiliary.end(), f"{auxiliary.group()} not")
    else:
        yield from _denied_verb(sentence)


_LETTERS = re.compile(r"[^\W\d_]+")
_AFTER_A_VERB = re.compile(
    r" (?:[\d$\u20ac\u00a3\"]|(?:the|an?|that|this|these|those|its|it|their|them|his|her|how|what|whether|which|who|"
    r"why|all|both|each|some|most|many|more|less|fewer|from|to|in|on|at|with|for|into|about|only|every|one|two|three|four|"
    r"five|six|seven|eight|nine|ten|half|as|between|after|before|out|up|down|by)\b)|[ ]?[.;,]",
    re.IGNORECASE,
)


def _denied_verb(sentence: str) -> Iterator[Replacement]:
    previous = ""
    for match in _LETTERS.finditer(sentence):
        word = match.group().casefold()
        denied = _verb_forms().get(word)
        apart = sentence[: match.start()].endswith(", ")
        if denied and not apart and previous not in _DETERMINERS and _AFTER_A_VERB.match(sentence, match.end()):
            yield Replacement(match.start(), match.end(), denied)
            return
        previous = word


@cache
def _verb_forms() -> dict[str, str]:
    """Return the past and third person of the known verbs, each with its denial."""
    forms: dict[str, str] = {}
    for entry in word_list("verbs"):
        base, _, irregular = entry.partition(":")
        soft = base.endswith("y") and base[-2] not in "aeiou"
        past = base + "d" if base.endswith("e") else base[:-1] + "ied" if soft else base + "ed"
        third = base[:-1] + "ies" if soft else base + ("es" if base.endswith(("s", "x", "ch", "sh", "o")) else "s")
        forms[third] = f"does not {base}"
        if irregular != base:
            forms[irregular or past] = f"did not {base}"
    return forms


_FIGURE = re.compile(r"(?<![\w.,:/#-])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?![\w/:]|[.,][0-9]|-[A-Za-z])")
_SPELLED = re.compile(
    rf"(?<![\w-])(?:{'|'.join(word for word, value in NUMBER_WORDS.items() if 2 <= value <= 20)})(?![\w-])", re.I
)
_IN_WORDS = {value: word for word, value in NUMBER_WORDS.items()}
_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}")


def _numbers(sentence: str, others: Offered) -> Iterator[Replacement]:
    """Yield each number, replaced by one of the same form from text or source, or by one a third to two thirds off."""
    here = {match.group() for match in _FIGURE.finditer(sentence)}
    for match in _FIGURE.finditer(sentence):
        number = match.group()
        if _YEAR.fullmatch(number) or _clock_or_date(sentence, match):
            continue
        share = sentence[match.end() : match.end() + 1] == "%"
        elsewhere = [figure for figure in others.figures if figure not in here and _same_form(figure, number)]
        if elsewhere and not share:
            for other in elsewhere:
                yield Replacement(match.start(), match.end(), other)
        else:
            yield Replacement(match.start(), match.end(), _altered(number, share=share))
    for match in _SPELLED.finditer(sentence):
        value = NUMBER_WORDS[match.group().casefold()]
        yield Replacement(match.start(), match.end(), _IN_WORDS[value - 2 if value > 9 else value + 3])


def _clock_or_date(sentence: str, match: re.Match[str]) -> bool:
    return bool(_BY_MONTH.match(sentence, match.end()) or _AFTER_MONTH.search(sentence[: match.start()]))


def _same_form(one: str, other: str) -> bool:
    return len(one) == len(other) and one.find(".") == other.find(".") and not _YEAR.fullmatch(one)


def _altered(figure: str, *, share: bool) -> str:
    """Return a number of the same form, about half as high again; a share above 60 % becomes 100 less the share."""
    whole, point, decimals = figure.replace(",", "").partition(".")
    value = int(whole + decimals)
    hundred = 100 * 10 ** len(decimals)
    other = hundred - value if share and 0.6 * hundred < value <= hundred else value * 3 // 2 + (value < 2)
    digits = str(other).zfill(len(decimals) + 1)
    head, tail = (digits[: -len(decimals)], digits[-len(decimals) :]) if point else (digits, "")
    return (f"{int(head):,}" if "," in figure else head) + point + tail


_NAME = re.compile(r"[A-Z][\w'\u2019&-]*(?: (?:of )?[A-Z][\w'\u2019&-]*)*")
_TITLE = re.compile(r"(?:Dr|Mrs?|Ms|Prof|St|Sir|Lord|Lady)\b")
_WEEKDAYS = listed("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
_MONTHS = listed("January February March April May June July August September October November December")
_SEASONS = listed("spring summer autumn winter")
_NO_NAMES = frozenset({*_WEEKDAYS, *_MONTHS, "I", "I've", "I'm", "I'd", "I'll", "English", "UTC", "GMT", "Internet"})


def _inner_names(sentence: str) -> Iterator[re.Match[str]]:
    """Yield runs of capitalised words after the first word; none in a headline."""
    capitals = sum(word[0].isupper() for word in sentence.split())
    if 2 * capitals > len(sentence.split()):
        return
    for match in _NAME.finditer(sentence):
        words = match.group().split()
        before = sentence[: match.start()].rstrip("\"'( ")
        if before and not before[-1].isdigit() and not _NO_NAMES & {*words} and len(match.group()) > 1:
            yield match


def _names(sentence: str, others: Offered) -> Iterator[Replacement]:
    """Yield each name, replaced by one of the same form from text or source, or by an invented one."""
    invented = word_list("invented-names")
    known = [match.span() for match in _inner_names(sentence)]
    known += [
        (0, len(name)) for name in others.names if re.match(rf"{re.escape(name)}(?![\w-])", sentence) and len(name) > 2
    ]
    for start, end in known:
        original = sentence[start:end]
        elsewhere = [name for name in others.names if name not in sentence and _alike(name, original)]
        plain = original.removesuffix("'s").removesuffix("\u2019s")
        for name in elsewhere or ([] if original.isupper() else sorted(invented)):
            yield Replacement(start, start + len(plain), name.removesuffix("'s").removesuffix("\u2019s"))


def _alike(one: str, other: str) -> bool:
    """Return True if two names have the same form: number of words (one or more), capitals, and title of a person."""
    forms = [(" " in name, name.isupper(), bool(_TITLE.match(name))) for name in (one, other)]
    return one not in other and other not in one and forms[0] == forms[1]


def _units(sentence: str, others: Offered) -> Iterator[Replacement]:
    """Yield each unit after a number, replaced by another of its kind."""
    pairs = word_pairs("units")
    for match in _unit_pattern().finditer(sentence):
        yield Replacement(match.start("unit"), match.end("unit"), _spaced(match, pairs[match["unit"]]))


def _spaced(match: re.Match[str], other: str) -> str:
    return other if match["unit"] != "%" or match.group()[: -len("%")].endswith(" ") else f" {other}"


@cache
def _unit_pattern() -> re.Pattern[str]:
    units = "|".join(re.escape(unit) for unit in sorted(word_pairs("units"), key=len, reverse=True))
    spelled = "|".join(NUMBER_WORDS)
    return re.compile(rf"(?:[0-9][ -]?|\b(?:{spelled})[ -])(?P<unit>{units})(?![\w-])")


_BY_MONTH = re.compile(rf"(?:st|nd|rd|th)? (?:{'|'.join(_MONTHS)})\b")
_AFTER_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)}) $")
_CLOCK = re.compile(r"(?<![\w:])(?P<hour>[01]?[0-9]|2[0-3])(?=:[0-5][0-9](?![\w:]))")
_DATED = re.compile(
    rf"(?<![\w.,-])(?P<year>{_YEAR.pattern})(?![\w%]|[.,][0-9])|\b(?P<named>{'|'.join([*_WEEKDAYS, *_MONTHS])})\b"
    rf"|\b(?P<season>{'|'.join(_SEASONS)})\b"
)
_MEASURED = re.compile(r" ?(?:%|[a-z]{1,2}\b|euros|dollars|people|users|rows|times|words|bytes)")
_MAY_THE_VERB = re.compile(r"(?<![0-9] )\bMay\b(?! [0-9])")


def _dates(sentence: str, others: Offered) -> Iterator[Replacement]:
    """Yield each year, month, weekday, season and hour, replaced by another."""
    for match in _DATED.finditer(sentence):
        word = match.group()
        if match.lastgroup == "year" and not _MEASURED.match(sentence, match.end()):
            yield Replacement(match.start(), match.end(), str(int(word) - 3))
        elif match.lastgroup == "named" and not (match.start() == 0 and _MAY_THE_VERB.match(sentence)):
            names = _WEEKDAYS if word in _WEEKDAYS else _MONTHS
            yield Replacement(match.start(), match.end(), names[(names.index(word) + len(names) // 2 + 1) % len(names)])
        elif match.lastgroup == "season":
            yield Replacement(match.start(), match.end(), _SEASONS[(_SEASONS.index(word) + 2) % 4])
    for match in _CLOCK.finditer(sentence):
        yield Replacement(match.start(), match.end(), f"{(int(match['hour']) + 5) % 24:0{len(match['hour'])}}")


_REPORTED = re.compile(
    r"^(?P<who>(?:The|Its|Their|One|A|An|Two|Both|Several|Some|Most|Many|"
    r"[A-Z][\w'-]+)(?: [\w'-]+){0,4}) (?P<verb>says?|said|reports?|reported|claims?|claimed|argues?|argued|"
    r"warns?|warned|notes?|noted|estimates?|estimated|believes?|believed|suggests?|suggested|concludes?|concluded|states?|stated)\b"
    r"(?! by\b)"
)
_ACCORDING = re.compile(r"(?P<to>\baccording to )(?P<who>(?:the |an? |its |their )?[\w'-]+(?: [A-Z][\w'-]+)*)", re.I)
_SUBJECTS = word_list("subjects")


def _attributions(sentence: str, others: Offered) -> Iterator[Replacement]:
    """Yield the speaker, replaced by another; a sentence without a speaker gets one."""
    speakers = word_lines("speakers")
    reported, according = _REPORTED.match(sentence), _ACCORDING.search(sentence)
    first = _LETTERS.match(sentence)
    for speaker in speakers:
        if reported:
            verb = reported["verb"]
            plural = verb in ("say", "report", "claim", "argue", "warn", "note", "estimate", "believe", "suggest")
            agreed = f"{speaker} {verb}s" if plural or verb in ("conclude", "state") else f"{speaker} {verb}"
            yield Replacement(reported.start(), reported.end(), agreed)
        elif according:
            yield Replacement(according.start("who"), according.end("who"), speaker)
        elif first and first.group().casefold() in _SUBJECTS and sentence.rstrip().endswith("."):
            lowered = first.group()[:1].lower() + first.group()[1:]
            yield Replacement(first.start(), first.end(), f"according to {speaker}, {lowered}")


_STATEMENT_END = re.compile(r"(?<=[\w%)])\.[\"')*_]*$")


def _causes(sentence: str, others: Offered) -> Iterator[Replacement]:
    """Yield each causal word, inverted, or a correlation made a cause; otherwise an invented cause."""
    stated = list(_exchanged(sentence, "causes"))
    yield from stated
    end = _STATEMENT_END.search(sentence)
    first = _LETTERS.match(sentence)
    if not stated and end and first and first.group().casefold() in _SUBJECTS | {w.casefold() for w in others.names}:
        for cause in word_lines("invented-causes"):
            yield Replacement(end.start(), end.start(), f", because of {cause}")


_KINDS: dict[Falsification, Callable[[str, Offered], Iterable[Replacement]]] = {
    "negation": _negations,
    "antonym": lambda sentence, _: _exchanged(sentence, "antonyms"),
    "number": _numbers,
    "name": _names,
    "unit": _units,
    "quantifier": lambda sentence, _: _exchanged(sentence, "quantifiers"),
    "date": _dates,
    "attribution": _attributions,
    "cause": _causes,
}
