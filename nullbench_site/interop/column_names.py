"""What the name of a column says: a fact about a model, a score of the whole, a known benchmark. Values count first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

_WORDS = re.compile(r"[fF]1(?![0-9])|[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[#$%€]|[^\W\d_a-zA-Z]+")
_RANKS = ("rank", "ranks", "rang", "rango")
"""Words for a place in an order; 1 is the best."""
_ALWAYS_FACTS = frozenset((
    "#", "n", "num", "nb", "count", "counts", "std", "stdev", "stddev", "sd", "se", "sem", "stderr", "ci", "var",
    "variance", "elo", "lb", "ub", "lower", "upper", *_RANKS,
))  # fmt: skip
"""Words that make a column one of facts, whatever other words its name has."""
_FACTS = frozenset((
    "$", "len", "lens", "length", "lengths", "chars", "characters", "words", "token", "tokens", "time", "times",
    "latency", "latencies", "seconds", "sec", "secs", "ms", "minutes", "hours", "duration", "runtime",
    "speed", "throughput", "tps", "ttft", "cost", "costs", "price", "prices", "pricing", "usd", "dollar", "dollars",
    "cents", "fee", "params", "param", "parameter", "parameters", "size", "sizes", "context", "ctx", "window",
    "rating", "ratings", "version", "year", "years", "month", "day", "days", "date", "dates", "release", "released",
    "cutoff", "updated", "created", "submitted", "submission", "added", "modified", "like", "likes", "download",
    "downloads", "star", "stars", "vote", "votes", "hub", "sample", "samples", "shot", "shots", "layers", "gpus",
    "memory", "vram", "gb", "mb", "tok", "toks", "kosten", "preis", "dauer", "laufzeit", "prix", "costo", "precio",
    "prezzo", "durata", "tiempo", "flops", "epochs", "seed", "temperature", "runs", "calls", "requests", "steps",
    "interval", "confidence", "margin", "energy", "carbon", "emissions", "watts", "citations", "quantile",
    "percentile", "bits", "items", "questions", "id", "timestamp", "datetime",
    "wins", "losses", "loss", "ties", "draws", "max", "maximum", "min", "minimum",
))  # fmt: skip
_OF_SCORES = frozenset(("score", "scores", "accuracy", "acc", "winrate", "f1", "recall", "qa", "index"))
"""Words with which a name is one of a score although it has a word of facts, as in length_controlled_winrate."""
_CORE = frozenset((
    "score", "scores", "average", "avg", "mean", "overall", "accuracy", "acc", "winrate", "resolved", "success",
    "correct", "pass", "passed", "em", "f1", "bleu", "rouge", "chrf", "comet", "bertscore", "meteor", "precision",
    "recall", "auc", "auroc", "mcc", "mrr", "ndcg", "rmse", "mae", "perplexity", "ppl", "wer", "cer", "result",
    "results", "value", "aggregate",
))  # fmt: skip
_WITH_CORE = frozenset((
    "global", "total", "final", "rate", "win", "lc", "length", "controlled", "discrete", "percent", "percentage", "pct",
    "%", "the", "of", "in", "at", "weighted", "unweighted", "macro", "micro", "norm", "normalized", "raw", "all",
    "dataset", "datasets", "task", "tasks", "benchmark", "benchmarks", "model", "cases", "problems", "exact", "match",
    "median", "l", "k",
))  # fmt: skip
_BENCHMARKS = frozenset((
    "mmlu", "gsm", "hellaswag", "arc", "winogrande", "truthfulqa", "humaneval", "mbpp", "math", "bbh", "gpqa", "ifeval",
    "musr", "drop", "squad", "boolq", "piqa", "siqa", "triviaqa", "naturalquestions", "openbookqa", "commonsenseqa",
    "csqa", "lambada", "agieval", "ceval", "cmmlu", "mgsm", "aime", "hle", "swe", "livecodebench", "livebench",
    "simpleqa", "medqa", "pubmedqa", "legalbench", "narrativeqa", "quac", "xsum", "bbq", "mmmu", "docvqa", "chartqa",
    "mathvista", "gaia", "webarena", "osworld", "bfcl", "longbench", "ruler", "toxigen", "frontiermath", "zebralogic",
    "crux", "bigbench", "superglue", "glue", "imdb", "raft", "civilcomments", "msmarco", "medmcqa", "qasper", "race",
    "tau", "easy", "medium", "hard",
    "expert", "multipl", "apps", "ds1000", "scicode", "hmmt", "omnimath", "wildbench", "alpacaeval",
))  # fmt: skip
"""Words of benchmarks with scores in percent or from 0 to 1, and of the difficulty of their parts."""
_LANGUAGES = frozenset((
    "ar", "bn", "cs", "da", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu", "it", "ja", "ko", "nl", "pl",
    "pt", "ro", "ru", "sv", "sw", "te", "th", "tr", "uk", "vi", "zh",
))  # fmt: skip
_SERIES, _FEWEST = 5, 3
_OF_TASKS = frozenset((
    "task", "tasks", "benchmark", "benchmarks", "dataset", "datasets", "data_set", "subject", "subjects", "metric",
    "metrics", "test", "tests", "eval", "evaluation", "skill", "capability", "capabilities", "category", "domain",
    "prompt", "prompts", "question", "questions", "item", "items", "instruction", "instructions",
    "example", "examples", "query", "language", "lang",
))  # fmt: skip
_MODELS = frozenset((
    "gpt", "chatgpt", "claude", "opus", "sonnet", "haiku", "llama", "gemini", "gemma", "qwen", "mistral", "mixtral",
    "deepseek", "phi", "yi", "falcon", "vicuna", "alpaca", "command", "grok", "kimi", "glm", "nova", "palm", "bloom",
    "opt", "pythia", "mpt", "dbrx", "jamba", "olmo", "ernie", "baichuan", "internlm", "chatglm", "flan", "bert",
    "starcoder", "wizardlm", "hermes", "orca", "tulu", "zephyr", "solar", "smollm", "granite", "nemotron", "minimax",
    "hunyuan", "doubao", "codex", "davinci", "instruct", "chat", "turbo", "mini", "codellama", "deepseekcoder", "titan",
    "exaone", "aya", "cohere", "openchat", "guanaco", "koala", "dolly", "stablelm", "rwkv", "magistral", "devstral",
))  # fmt: skip
_SIZED = re.compile(
    r"(?<![0-9A-Za-z])[0-9]{1,4}(?:\.[0-9]{1,3})?[bB](?![A-Za-z0-9])|(?<![A-Za-z0-9])o[134](?![0-9A-Za-z])"
)
_SETTING = re.compile(
    r"(?i)(?:[0-9]{1,3}|zero|one|few|many|five)[- ]?shots?(?:[ ,;+_-].{0,30})?|greedy|sampling|beam.{0,12}|default"
    r"|(?:temp(?:erature)?|t|top_?p|top_?k|seed|lr|k|n)\s?[=:]\s?[0-9.]{1,8}.{0,20}|[0-9]{1,2}-?bits?|(?:fp|bf|int)[0-9]{1,2}"
    r"|(?:with(?:out)?|no|w/o?) (?:cot|tools?|reasoning|thinking|prompt|context|system prompt)|cot|direct"
)


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case: `MMLU-Pro accuracy` has three, `avgTokens` two."""
    return [word.casefold() for word in _WORDS.findall(name)]


def facts_in(names: Sequence[str]) -> set[str]:
    """Return the names of columns with facts about a model or an evaluation, such as a price or a standard error.

    Numbered columns are a series of items, such as sample_1 to sample_9, and short names beside those of languages may
    be languages, such as id and ms: these are no facts.
    """
    series = Counter(map(_without_digits, names))
    of_languages = sum(name.casefold() in _LANGUAGES for name in names) >= 2
    return {
        name
        for name in names
        if is_fact(name) and series[_without_digits(name)] < _SERIES and not (of_languages and len(name) == 2)
    }


def is_series(names: Sequence[str]) -> bool:
    """Return True for numbered items, such as q1, q2, q3."""
    return len(names) >= _FEWEST and len(set(map(_without_digits, names))) == 1


def _without_digits(name: str) -> str:
    return re.sub(r"[0-9]+", "0", name)


def is_fact(name: str) -> bool:
    """Return True if a name is that of a fact, seen alone."""
    words = words_of(name)
    own = set(words)
    if "±" in name.strip()[1:] and own & _OF_SCORES:
        return False
    if own & _ALWAYS_FACTS or {"standard", "error"} <= own or {"std", "err"} <= own or {"number", "of"} <= own:
        return True
    if "index" in own and len(words) == 1:
        return True
    if len(words) > 2 and any(a == "q" and b in ("025", "975", "005", "995") for a, b in pairwise(words)):
        return True
    if own & _OF_SCORES or {"win", "rate"} <= own or {"pass", "rate"} <= own or is_benchmark(name):
        return False
    return bool(own & _FACTS)


def has_score(name: str) -> bool:
    """Return True if a name has a word for a score, as in arena_score."""
    own = set(words_of(name))
    return bool(own & (_OF_SCORES | _CORE)) or {"win", "rate"} <= own or {"pass", "rate"} <= own


def is_score(name: str) -> bool:
    """Return True if a name is that of the whole result, such as score, win_rate, or Average (7 tasks)."""
    words = [word for word in words_of(name) if not word.isdigit() and word.isascii()]
    whole = set(words)
    core = whole & _CORE or {"win", "rate"} <= whole or {"exact", "match"} <= whole
    return bool(core) and whole <= _CORE | _WITH_CORE and not is_fact(name)


def is_rank(name: str) -> bool:
    """Return True if a name is that of a place in an order, such as math_rank."""
    return not set(_RANKS).isdisjoint(words_of(name))


def is_rating(name: str) -> bool:
    """Return True for an Elo or another rating."""
    return not {"elo", "rating"}.isdisjoint(words_of(name))


def is_average(name: str) -> bool:
    """Return True if a name says that the column is a mean or a sum of others."""
    own = set(words_of(name))
    return bool(own & {"average", "avg", "mean", "overall", "total", "sum", "aggregate", "score", "macro"})


def is_benchmark(name: str) -> bool:
    """Return True for the name of a benchmark that is known to have scores in percent or from 0 to 1."""
    words = words_of(name)
    pairs = map("".join, pairwise(words))
    return not (_BENCHMARKS.isdisjoint(words) and _BENCHMARKS.isdisjoint(pairs))


def is_of_tasks(name: str) -> bool:
    """Return True if a column with this name has tasks, not models."""
    return "_".join(words_of(name)) in _OF_TASKS


def is_model(name: str) -> bool:
    """Return True for a name with a word that names of models have."""
    return not _MODELS.isdisjoint(words_of(name)) or _SIZED.search(name) is not None


def is_setting(name: str) -> bool:
    """Return True for a text that is a setting of an evaluation, such as 5-shot."""
    return len(name) <= 60 and _SETTING.fullmatch(name.strip()) is not None


def is_prompt(name: str) -> bool:
    """Return True for a text that is a question or a prompt."""
    return name.rstrip().endswith("?") or len(name.split()) > 10 or "\n" in name.strip()
