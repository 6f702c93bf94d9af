"""The page on measurements is true: its table of sample sizes and its table of options."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

from outlast.constraints.measurements import FORMATS, samples_needed

PAGE = (Path(__file__).resolve().parent.parent.parent / "docs/measurements.md").read_text(encoding="utf-8")
CONFIDENCES = ("90", "95", "99", "99.9")
LEVELS = ("50", "90", "95", "99", "99.9", "99.99", "99.999")


def table() -> str:
    head = ["| quantile | " + " | ".join(f"at {c} %" for c in CONFIDENCES) + " |", "|---" * 5 + "|"]
    rows = [
        f"| p{level} | "
        + " | ".join(f"{samples_needed(Fraction(level) / 100, Fraction(c) / 100):,}" for c in CONFIDENCES)
        + " |"
        for level in LEVELS
    ]
    return "\n".join([*head, *rows])


def test_the_table_of_sample_sizes_is_what_the_code_computes() -> None:
    assert PAGE.split("<!-- samples needed -->\n")[1].split("\n<!-- end -->")[0] == table()


def test_the_table_of_formats_names_every_format_with_its_options() -> None:
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| (.*)\|$", PAGE, re.MULTILINE)
    assert {key: set(re.findall(r"`(\w+)`", options)) for key, options in rows} == {
        key: set(options) for key, options in FORMATS.items()
    }
