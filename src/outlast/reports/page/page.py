"""The page about a spec: one self-contained HTML document that needs no network, and works without its script."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from typing import Final

from outlast.configs.generate import MARK
from outlast.reporting import Reported, is_short
from outlast.reports.markup import Markup, element
from outlast.reports.page.conflicts import conflicts_section
from outlast.reports.page.controls import Control, controls_data, controls_of
from outlast.reports.page.decisions import decisions_section
from outlast.reports.page.encoding import encoded, script_text
from outlast.reports.page.histograms import measurements_section
from outlast.reports.page.odd import odd_of, odd_words
from outlast.reports.page.opening import Opening, opening_of
from outlast.reports.page.parameters import parameters_section
from outlast.reports.page.path import path_section
from outlast.reports.page.rules import broken_markup, rules_section, standing
from outlast.reports.page.summary import summary_section
from outlast.reports.page.timelines import timelines_section
from outlast.reports.page.unguarded import unguarded_section

__all__ = ["page_text", "script", "style"]

#: In the order in which they run.
_SCRIPTS: Final = ("numbers", "direction", "rules", "layout", "svg", "path", "scale", "words", "odd", "inputs", "page")
_STYLES: Final = ("page", "timeline", "sections")
#: How a section begins: where it is, and what it is called.
_BEGIN: Final = re.compile(r'<section id="(\w+)"><h2>(.*?)</h2>')


def page_text(reported: Reported) -> str:
    """The whole document."""
    code, look = script(), style()
    title = reported.spec.title or reported.spec.path.name
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy(code, look)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="generator", content="outlast report"),
        element("link", rel="icon", href="data:,"),
        element("title", f"{title}: timeouts"),
        element("style", look),
    )
    return f"<!DOCTYPE html>\n<!-- {MARK}; DO NOT EDIT. -->\n{element('html', head, _body(reported, title, code), lang='en')}\n"


def script() -> Markup:
    """All of the page's script."""
    return _together(_SCRIPTS, "js")


def style() -> Markup:
    """All of the page's style."""
    return _together(_STYLES, "css")


def _together(names: tuple[str, ...], ending: str) -> Markup:
    folder = files("outlast.reports.page")
    return Markup("".join(folder.joinpath(f"{name}.{ending}").read_text(encoding="utf-8") for name in names))


def _policy(code: str, look: str) -> str:
    """Nothing but this script and this style; nothing is loaded, sent or framed."""
    return (
        f"default-src 'none'; script-src {_hash(code)}; style-src {_hash(look)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _body(reported: Reported, title: str, code: Markup) -> Markup:
    opening, controls = opening_of(reported), controls_of(reported)
    sections = _sections(reported, opening, controls)
    begins = [begin for each in sections if (begin := _BEGIN.match(each)) is not None]
    links = [element("a", Markup(begin[2]), href=f"#{begin[1]}") for begin in begins]
    data = {**encoded(reported), "controls": controls_data(controls, reported.spec), "opens": opening.whose}
    return element(
        "body",
        element("a", "skip to the rules", href="#rules", class_="skip"),
        element("header", element("h1", title), element("nav", *links, aria_label="sections"), class_="top"),
        _status(reported, opening, controls),
        element("main", *sections),
        _footer(reported),
        element("script", script_text(data), type="application/json", id="data"),
        element("script", code),
    )


def _sections(reported: Reported, opening: Opening, controls: tuple[Control, ...]) -> list[Markup]:
    return [
        summary_section(reported, opening),
        path_section(reported, opening),
        timelines_section(reported, opening),
        parameters_section(reported, opening, controls),
        rules_section(reported, opening),
        conflicts_section(reported),
        decisions_section(reported),
        measurements_section(reported),
        unguarded_section(reported),
    ]


def _status(reported: Reported, opening: Opening, controls: tuple[Control, ...]) -> Markup:
    """How the rules stand at the values shown, and how many values are odd; it stays in sight."""
    odd = odd_of(reported, opening, controls)
    told = [standing(reported, opening), " and ".join(odd_words(odd))]
    is_bad = bool(odd) or any(map(is_short, opening.verdicts.values()))
    buttons: list[Markup] = []
    for set_, key in (("values in use", "in_use"), ("recommended", "recommended")):
        sets = {c.parameter.name: getattr(c, key) for c in controls if getattr(c, key) is not None}
        differ = sum(1 for name, value in sets.items() if opening.written.get(name) != value)
        count = element("span", f" ({differ} differ{'s' if differ == 1 else ''})" if differ else "", data_part="differ")
        buttons.append(element("button", set_, count, type="button", data_set=key, disabled=not sets))
    return element(
        "div",
        element(
            "p",
            element("span", "; ".join(filter(None, told)), data_part="standing"),
            " ",
            broken_markup(reported, opening, odd, [control.parameter.name for control in controls]),
            data_state="broken" if is_bad else "holds",
            data_part="status",
        ),
        element("p", _whose(opening, controls), class_="whose", data_part="whose"),
        element("div", *buttons, class_="inputs", role="group", aria_label="set all values"),
        element("p", aria_live="polite", class_="unseen", data_part="live"),
        role="region",
        aria_label="how the rules stand",
        class_="status",
    )  # fmt: skip


def _whose(opening: Opening, controls: tuple[Control, ...]) -> str:
    """Whose values are shown, as page.js says it."""
    if not opening.written:
        return "showing no values" if controls else ""
    shown = [(opening.written.get(c.parameter.name), c) for c in controls]
    is_used = any(c.in_use is not None for c in controls) and all(value == c.in_use for value, c in shown)
    best = [(value, c.recommended) for value, c in shown if c.recommended is not None]
    is_best = bool(best) and all(value == wanted for value, wanted in best)
    if is_used:
        return "showing values in use, as recommended" if is_best else "showing values in use"
    return "showing recommended values" if is_best else "showing changed values"


def _footer(reported: Reported) -> Markup:
    from outlast import __version__

    return element(
        "footer",
        element("p", f"outlast {__version__}, ", element("code", str(reported.spec.path)), f", {reported.today.isoformat()}"),
        element("p", "What the sliders show is computed exactly, as ", element("code", "outlast check"), " does; nothing leaves this page."),
    )  # fmt: skip
