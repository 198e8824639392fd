"""Which columns of a wide table are averaged: those whose values fit one scale; names decide what values cannot."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pandas as pd
import pytest

import nullbench_site as nb
from nullbench_site.errors import UsageError
from nullbench_site.interop.score_table import Chosen, read_table
from nullbench_site.scoring.ranked_table import ScoreTable

ALPACA = """,win_rate,standard_error,n_wins,n_draws,n_total,mode,avg_length,lc_win_rate
robin,51.20,0.10,402,1,805,minimal,2011,50.40
crane,24.80,1.31,170,2,805,verified,1190,37.90
stork,11.70,0.98,74,0,805,community,3870,13.10
"""
ARENA = """model,score,rating_q025,rating_q975,CI,avg_tokens,date
robin,80.6,78.9,82.3,"(-1.7, +1.7)",530.0,2026-02-01
crane,50.0,50.0,50.0,"(0.0, 0.0)",401.0,2026-02-01
stork,21.5,19.2,23.8,"(-2.3, +2.3)",1760.0,2026-02-01
"""
PUZZLES = """Model,Mode,Acc,No answer,Total,Reason Lens
robin,greedy,92.10,1.75,800,511.20
crane,greedy,40.63,19.88,800,957.10
"""
PRICES = """name,mmlu,gsm8k,usd per run,latency_ms
robin,86.4,92.0,30,1220
crane,75.3,85.1,2.5,640
stork,60.0,65.5,0.25,410
"""
SIZES = """name,mmlu,gsm8k,params_b
robin,68.9,56.8,70
crane,54.8,28.7,13
stork,45.3,14.6,7
"""
RANKED = """name,hard,easy,rank
robin,68.9,86.8,1
crane,54.8,78.7,2
stork,45.3,64.6,3
heron,44.2,62.1,4
"""
ERRORS = """name,accuracy,stderr
robin,0.712,0.011
crane,0.655,0.014
stork,0.603,0.013
"""
RATINGS = """name,mt_bench,mmlu
robin,8.99,86.4
crane,7.94,70.5
stork,6.88,61.2
"""
YEARS = "name,score,year\nrobin,68.9,2025\ncrane,54.8,2024\nstork,45.3,2024\n"
OPEN = "name,score,open_weights\nrobin,0.689,1\ncrane,0.548,0\nstork,0.453,1\n"
FLAGS = "name,score,merged\nrobin,68.9,true\ncrane,54.8,false\n"
UNITS = "name,score,size\nrobin,68.9,7B\ncrane,54.8,13B\n"
FRACTIONS = "name,mmlu,gsm8k\nrobin,68.9,0.81\ncrane,54.8,0.77\nstork,51.2,0.70\n"
PERCENT = "name,mmlu,gsm8k\nrobin,68.9%,81\ncrane,54.8%,77\n"
ELO = "name,elo,votes\nrobin,1250,9000\ncrane,1180,12000\nstork,1100,4000\n"
SHOTS = "name,mmlu,arc,shots\nrobin,70.5,80.2,5\ncrane,65.5,70.1,5\nstork,60.3,65.2,0\n"
COUNTS = "name,acc,n\nrobin,86.4,50\ncrane,70.5,50\nstork,61.2,50\n"
SPEED = "name,mmlu,gsm8k,tokens/s\nrobin,68.9,56.8,45\ncrane,74.8,68.7,33\nstork,45.3,34.6,98\nheron,54.2,42.1,60\n"
WARMTH = "name,acc,temperature\nrobin,0.712,0.7\ncrane,0.755,0.0\nstork,0.810,1.0\n"
RELEASES = "name,mmlu,released\nrobin,68.9,2025-01-30\ncrane,54.8,2024-11-02\n"
REFUSALS = "name,acc,refusals,format\nrobin,68.2,0.3,99.1\ncrane,66.7,3.1,98.0\nstork,61.1,12.9,90.2\n"
MISSES = "name,acc,error\nrobin,0.81,0.19\ncrane,0.70,0.30\nstork,0.66,0.34\n"
STEPS = "name,acc,release\nrobin,70.5,24\ncrane,60.2,23\nstork,50.1,22\n"
MIXED = (
    ALPACA, ARENA, PUZZLES, PRICES, SIZES, RANKED, ERRORS, RATINGS, YEARS, OPEN, FLAGS, UNITS, FRACTIONS, PERCENT, ELO,
    SHOTS, COUNTS, SPEED, WARMTH, RELEASES, REFUSALS, MISSES, STEPS,
)  # fmt: skip


def read(tmp_path: Path, text: str, **chosen: Any) -> ScoreTable:
    path = tmp_path / "t.csv"
    path.write_text(text, "utf-8")
    return read_table(str(path), Chosen(command="nullbench-site rank t.csv", **chosen))


def refusal(tmp_path: Path, text: str, **chosen: Any) -> str:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text, **chosen)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{tmp_path}/")


@pytest.mark.parametrize("text", MIXED, ids=lambda text: text.splitlines()[0])
def test_a_table_of_unlike_columns_is_refused_once_its_names_say_nothing(tmp_path: Path, text: str) -> None:
    header, *rows = csv.reader(io.StringIO(text))
    renamed = io.StringIO()
    csv.writer(renamed).writerows([ascii_lowercase[: len(header)], *rows])
    message = refusal(tmp_path, renamed.getvalue())
    assert "columns: '" in message
    assert "Choose: nullbench-site rank t.csv --score " in message


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (ARENA, ["score"]),
        (PUZZLES, ["Acc"]),
        (PRICES, ["mmlu", "gsm8k"]),
        (SIZES, ["mmlu", "gsm8k"]),
        (RANKED, ["hard", "easy"]),
        (ERRORS, ["accuracy"]),
        (YEARS, ["score"]),
        (UNITS, ["score"]),
        (OPEN, ["score"]),
        (SHOTS, ["mmlu", "arc"]),
        (SPEED, ["mmlu", "gsm8k"]),
        ("model,arena_score,votes,rank\na,1402,900,1\nb,1380,800,2\n", ["arena_score"]),
        ("model,mmlu,gpqa,aime\na,90.1,55.0,9.3\nb,88.2,50.1,3.3\nc,84.0,41.2,0.0\n", ["mmlu", "gpqa", "aime"]),
        ("model,en,de,id,ms\na,81.0,70.2,66.1,60.3\nb,71.2,60.0,56.4,50.9\n", ["en", "de", "id", "ms"]),
        ("model,Algebra,Number Theory\na,81.0,70.2\nb,71.2,60.0\n", ["Algebra", "Number Theory"]),
        (
            "model,sample_1,sample_2,sample_3,sample_4,sample_5\na,1,0,1,1,0\nb,0,0,1,1,1\n",
            [f"sample_{n}" for n in range(1, 6)],
        ),
        ("model,q025,q026,q975\na,1,0,1\nb,0,0,1\n", ["q025", "q026", "q975"]),
        ("model,easy,hard,Average\na,90,40,65\nb,80,30,55\n", ["easy", "hard"]),
        ("model,Average,A,B,flagged\na,65.0,90.5,39.5,true\nb,55.0,80.1,29.9,false\n", ["A", "B"]),
        ("model,total,easy,hard\na,9,5,4\nb,7,4,3\n", ["easy", "hard"]),
        ("model,overall,easy,hard\na,72.1,90.2,40.3\nb,61.0,80.9,30.3\n", ["overall"]),
        ("model,wb_score,reward\na,41.0,-3.2\nb,40.2,12.1\n", None),
        ("model,accuracy,f1\na,0.81,0.70\nb,0.72,0.66\n", None),
        ("model,pass@1,pass@5\na,41.0,60.2\nb,32.2,51.7\n", None),
        ("model,mmlu,latency_ms\na,81.2,420\nb,71.3,380\n", None),
        ("model,elo,votes\na,1250,900\nb,1180,870\n", None),
        ("llm,siqa,piqa,tok/s\na,61,80,93.2\nb,66,84,51.0\nc,72,88,11.5\n", ["siqa", "piqa"]),
        ("Modell,Lesen,Rechnen,Kosten (EUR),Dauer\na,61,80,93.2,9\nb,66,84,51.0,8\n", ["Lesen", "Rechnen"]),
    ],
)
def test_names_decide_what_values_cannot(tmp_path: Path, text: str, items: list[str] | None) -> None:
    if items is None:
        assert "Choose: nullbench-site rank t.csv --score " in refusal(tmp_path, text)
    else:
        assert list(read(tmp_path, text).items) == items


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("bird,rank\nrobin,1\ncrane,2\nstork,3\n", "--score rank"),
        ("bird,Rang\nrobin,2\ncrane,1\nstork,3\n", "--score Rang"),
        ("bird,position\nrobin,1\ncrane,2\nstork,2\nheron,4\n", "--score position"),
        ("bird,mean rank\nrobin,1.5\ncrane,2.25\nstork,2.25\n", "--score 'mean rank'"),
        ("bird,x,y\nrobin,1,2\ncrane,2,1\nstork,3,3\n", "--score x --score y"),
        ("bird,flight_rank,song_rank\nrobin,1,2\ncrane,2,1\nstork,3,3\n", "--score flight_rank --score song_rank"),
    ],
)
def test_a_table_of_ranks_alone_is_not_ranked_from_the_highest(tmp_path: Path, text: str, options: str) -> None:
    assert refusal(tmp_path, text).endswith(f"Choose: nullbench-site rank t.csv {options} --lower-is-better")


@pytest.mark.parametrize("rows", ["robin,1,2\ncrane,2,5\nstork,4,4\n", "robin,1,1\ncrane,1,0\nstork,0,1\n"])
def test_ratings_and_marks_are_no_ranks(tmp_path: Path, rows: str) -> None:
    assert list(read(tmp_path, f"bird,flight,song\n{rows}", scale=(0, 5)).items) == ["flight", "song"]


def test_a_rank_is_not_suggested_where_there_are_scores(tmp_path: Path) -> None:
    message = refusal(tmp_path, "bird,x,y\nrobin,1,3.5\ncrane,2,4.5\nstork,3,2.5\n")
    assert message.endswith("Choose: nullbench-site rank t.csv --score y")


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (PRICES, "2 columns of scores: 'mmlu' and 'gsm8k' (their values fit one scale)."),
        (PRICES, "Facts by their names, not scores: 'usd per run' and 'latency_ms'."),
        (ARENA, "1 column of scores: 'score' (the only score by its name)."),
        (PUZZLES, "Not used, since 'Acc' is the score: 'No answer' and 'Total'. Choose others with --score."),
        ("model,easy,hard,Average\na,90,40,65\nb,80,30,55\n", "Left out: 'Average' is the mean of the other columns."),
        ("model,a,b,c,d,mid\nx,91.2,40.1,12.2,47.8,30\ny,80.0,30.5,33.3,47.9,31\n", "5 columns of scores"),
        ("model,total,easy,hard\na,9,5,4\nb,7,4,3\n", "Left out: 'total' is the sum of the other columns."),
        ("model,Average,A,B,ok\na,65.0,90.5,39.5,true\nb,55.0,80.1,29.9,false\n", "'Average' is their mean"),
    ],
)
def test_the_output_names_the_columns_that_are_used_and_why(tmp_path: Path, text: str, note: str) -> None:
    assert any(note in line for line in read(tmp_path, text).notes)


def test_a_mean_without_a_name_is_found_by_its_values(tmp_path: Path) -> None:
    rows = [(61.25, 40.75), (72.15, 50.35), (80.05, 66.15), (55.95, 31.85), (90.15, 71.25)]
    text = "".join(f"m{n},{a},{b},{(a + b) / 2:.2f}\n" for n, (a, b) in enumerate(rows))
    table = read(tmp_path, f"model,b,c,d\n{text}")
    assert list(table.items) == ["b", "c"]
    assert [(use.column, use.use, use.why) for use in table.columns if use.use == "mean"] == [
        ("d", "mean", "the mean of the other columns")
    ]


def test_chance_makes_no_mean_of_ratings(tmp_path: Path) -> None:
    text = "model,a,b,c\nx,2,4,3\ny,6,8,7\nz,5,7,6\n"
    assert list(read(tmp_path, text).items) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("scores", "items"),
    [
        (("latency_ms",), ["latency_ms"]),
        (("gsm8k", "mmlu"), ["mmlu", "gsm8k"]),
        (("m*",), ["mmlu"]),
        (("*m*",), ["mmlu", "gsm8k", "latency_ms"]),
        (("[gm]*", "usd per run"), ["mmlu", "gsm8k", "usd per run"]),
    ],
)
def test_columns_that_are_named_win(tmp_path: Path, scores: tuple[str, ...], items: list[str]) -> None:
    table = read(tmp_path, PRICES, score=scores)
    assert list(table.items) == items
    assert "chosen with --score" in " ".join(table.notes)
    apart = "they may not share a scale" in " ".join(table.notes)
    assert apart == ("latency_ms" in items and len(items) > 1)


def test_a_column_that_is_not_named_may_have_anything(tmp_path: Path) -> None:
    text = "model,mmlu,notes\na,71.2,60 at first\nb,66.0,55?\nc,51.9,\n"
    assert "t.csv:2: notes: the score '60 at first' is not a number" in refusal(tmp_path, text)
    assert list(read(tmp_path, text, score=("mmlu",)).items) == ["mmlu"]


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"score": ("mmul",)}, "no column 'mmul' for --score; did you mean 'mmlu'?"),
        ({"score": ("x_*",)}, "no column 'x_*' for --score"),
        ({"score": ("mmlu", "gsm8k"), "item": "mmlu"}, "a table with a row per score has one column of scores"),
        ({"transpose": True, "model": "name"}, "--model and --transpose"),
    ],
)
def test_a_choice_that_fits_nothing_is_refused(tmp_path: Path, chosen: dict[str, Any], message: str) -> None:
    assert message in refusal(tmp_path, PRICES, **chosen)


@pytest.mark.parametrize(
    "rows",
    [
        "a,mmlu,0.71\na,elo,1204\nb,mmlu,0.66\nb,elo,1190\n",
        "a,mmlu,71.0\na,gsm8k,0.55\nb,mmlu,66.2\nb,gsm8k,0.71\n",
        "a,mmlu,71.0\na,tokens,512\na,cost,0.4\nb,mmlu,66.2\nb,tokens,1040\nb,cost,0.1\n",
    ],
)
def test_items_on_unlike_scales_are_not_averaged_either(tmp_path: Path, rows: str) -> None:
    assert "the items do not share a scale: 'mmlu'" in refusal(tmp_path, f"model,item,score\n{rows}")
    assert read(tmp_path, f"model,item,score\n{rows}", scale=(0.0, 2000.0)).items[0] == "mmlu"


def test_items_of_one_test_may_be_easy_or_hard(tmp_path: Path) -> None:
    rows = "".join(f"{model},q{n},{(n * k) % 11}\n" for k, model in enumerate("abc", 1) for n in range(30))
    assert len(read(tmp_path, f"model,item,score\n{rows}").items) == 30
    wide = "model," + ",".join(f"q{n}" for n in range(30)) + "\n"
    wide += "".join(
        f"{model}," + ",".join(str((n * k) % 11) for n in range(30)) + "\n" for k, model in enumerate("abc", 1)
    )
    assert len(read(tmp_path, wide).items) == 30


def test_the_library_names_its_own_argument(tmp_path: Path) -> None:
    frame = pd.read_csv(io.StringIO(PRICES.replace("name,mmlu,gsm8k,usd per run", "name,a,b,c")))
    with pytest.raises(UsageError, match=r"Choose: score=\['a', 'b'\]"):
        nb.rank(frame.rename(columns={"latency_ms": "d"}))
    assert nb.rank(frame, score=["a", "b"])["model"].tolist() == ["robin", "crane", "stork"]


# The column of models.


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "Benchmark,GPT-4o,Claude 3\nMMLU,88.7,86.8\nGPQA,53.6,50.4\n",
            "if each other column is a model, nullbench-site rank t",
        ),
        ("task,robin,crane\nlogic,80,70\nfacts,70,75\n", "nullbench-site rank t.csv --transpose"),
        ("subject,robin,crane\nanatomy,.8,.7\nlaw,.7,.75\n", "nullbench-site rank t.csv --transpose"),
        ("language,gpt-4,llama-3-8b\nde,80.1,70.2\nfr,70.4,75.0\n", "nullbench-site rank t.csv --transpose"),
        ("question_id,robin,crane\np1,1,0\np2,0,1\n", "nullbench-site rank t.csv --transpose"),
        ("what,x,y\nMMLU,88.7,86.8\nGSM8K,53.6,50.4\nHellaSwag,61.2,60.0\n", "nullbench-site rank t.csv --transpose"),
        ("setting,acc\n0-shot,55.1\n5-shot,60.2\nCoT,66.1\n", "has settings, not models: '0-shot', '5-shot' and 'CoT'"),
        ("decoding,model name,x\ngreedy,robin,1\nt=0.7,crane,0\n", None),
        ("text,a,b\nWhat is the capital of Peru?,1,0\nWho wrote it?,0,1\n", "has prompts, not models"),
        ("day,x,y\n2026-01-02,1,0\n2026-01-03,0,1\n", "has dates, not models: '2026-01-02' and '2026-01-03'"),
        ("nr,who,x,y\n7,robin,1,0\n9,crane,0,1\n", "has numbers; use nullbench-site rank t.csv --model who"),
        ("maker,name,x\nA,robin,1\nA,crane,0\n", "name another column of models: nullbench-site rank t.csv --model"),
        (
            "model,benchmark,value\nrobin,mmlu,.71\nrobin,arc,.55\ncrane,mmlu,.6\n",
            "nullbench-site rank t.csv --item benchmark",
        ),
    ],
)
def test_a_first_column_of_anything_but_models_is_named(tmp_path: Path, text: str, message: str | None) -> None:
    if message is None:
        assert read(tmp_path, text).models == ("robin", "crane")
    else:
        assert message in refusal(tmp_path, text)


def test_a_transposed_table_gives_the_same_table(tmp_path: Path) -> None:
    text = "Task,Metric,# shots,GPT-4,Llama-2-70b,Average\nMMLU,acc,5,86.4,68.9,77.65\nGSM8K,em,8,92.0,56.8,74.4\n"
    table = read(tmp_path, text, transpose=True)
    assert (table.models, table.items) == (("GPT-4", "Llama-2-70b"), ("MMLU", "GSM8K"))
    assert table.values.tolist() == [[86.4, 92.0], [68.9, 56.8]]
    assert "No models, and not used: 'Metric', '# shots' and 'Average'." in table.notes
    with pytest.raises(UsageError, match=r"t\.csv: column 4: MMLU: the score '86\?' is not a number"):
        read(tmp_path, text.replace("86.4", "86?"), transpose=True)
    frame = pd.read_csv(io.StringIO(text))
    assert nb.rank(frame, transpose=True)["model"].tolist() == ["GPT-4", "Llama-2-70b"]


# Names.


def test_two_unicode_forms_of_a_name_are_one_model(tmp_path: Path) -> None:
    table = read(tmp_path, "model,item,score\nCafe\u0301,x,1\nCaf\u00e9,y,0\nb,x,1\nb,y,1\n")
    assert table.models == ("Cafe\u0301", "b")
    assert any("two forms of Unicode" in note for note in table.notes)
    twice = "model,item,score\nCafe\u0301,x,1\nCaf\u00e9,x,0\n"
    assert ":3: model 'Cafe\u0301' has a second score for item 'x' (the first is in row 2)" in refusal(tmp_path, twice)
    wide = "model,x,y\nCafe\u0301,1,0\nCaf\u00e9,0,1\n"
    assert ":3: model 'Cafe\u0301' already has a row, in line 2, in another form of Unicode" in refusal(tmp_path, wide)


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        ("Mistral", "\u041cistral", "U+041C CYRILLIC CAPITAL LETTER EM"),
        ("Opus", "\u039fpus", "U+039F GREEK CAPITAL LETTER OMICRON"),
        ("Phi-4", "\uff30hi-4", "U+FF30 FULLWIDTH LATIN CAPITAL LETTER P"),
        ("Alpha", "Alph\u0430", "U+0430 CYRILLIC SMALL LETTER A"),
        ("lead-1", "lead-l", "looks like 'lead-1'; they are two models here"),
        ("GPT-4o", "gpt-4O", "differ only in case, and are 2 models"),
    ],
)
def test_models_that_look_alike_are_pointed_out(tmp_path: Path, one: str, other: str, said: str) -> None:
    table = read(tmp_path, f"model,x,y\n{one},1,0\n{other},0,1\n")
    assert any(said in note for note in table.notes)
    assert not any("looks like" in note for note in read(tmp_path, f"model,x,y\n{one},1,0\nHeron,0,1\n").notes)
