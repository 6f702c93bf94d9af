"""The rules of a spec as a section of the page: how each stands, with which numbers, and why it is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from outlast.constraints.evaluate import Special, Truth, Verdict
from outlast.constraints.model import Level, Margin, Rule
from outlast.constraints.normal import Inequality, NormalRule
from outlast.reporting import Reported, is_short
from outlast.reports.data import extended_data
from outlast.reports.html import address_markup, fields_markup
from outlast.reports.markup import Markup, element, joined, shown
from outlast.reports.page.odd import Odd
from outlast.reports.page.opening import Opening, state_of
from outlast.reports.wording import Places, about_percent, about_text, all_hold, counted, margin_text, percent

__all__ = ["broken_markup", "rule_numbers", "rules_section", "standing"]

#: The aim that rules have unless somebody says otherwise.
_WHOLE: Final = Margin(Fraction(1), None)
#: Broken rules that are named beside how many there are.
_MOST_NAMED: Final = 3
#: How a rule stands, the worst first.
_ORDER: Final = ("BROKEN", "margin missed", "holds", "not applicable", "no value")


def standing(reported: Reported, opening: Opening) -> str:
    """How many rules hold, in one sentence without a full stop; page.js says the same of other values."""
    told = [state_of(v) for id_, v in opening.verdicts.items() if not reported.rules[id_].rule.is_bound or is_short(v)]
    broken, missed, unknown = (told.count(state) for state in ("BROKEN", "margin missed", "no value"))
    idle = told.count("not applicable")
    parts = [f"{broken} of {counted(len(told), 'rule')} {'is' if broken == 1 else 'are'} broken"] if broken else []
    parts += [f"{missed} {'misses its margin' if missed == 1 else 'miss their margins'}"] if missed else []
    held, total = told.count("holds"), len(told)
    if not parts and held == total:
        parts.append(all_hold(total) if total else "no rule is judged")
    elif not parts:
        parts.append(f"{held} of {counted(total, 'rule')} {'holds' if 1 in (held, total) else 'hold'}")
    parts += [f"{idle} {'does' if idle == 1 else 'do'} not apply"] if idle else []
    parts += [f"{unknown} {'has' if unknown == 1 else 'have'} no value"] if unknown else []
    return ", ".join(parts)


def rules_section(reported: Reported, opening: Opening) -> Markup:
    """The section `rules`: the worst first, at the values that the page opens with."""
    places = Places(reported.spec)
    ignored = {each.finding.subject: each.ignore.why for each in reported.checked.ignored}
    rows = [
        _row(number, reported.rules[id_], opening.verdicts[id_], places, ignored.get(id_))
        for id_, number in rule_numbers(reported, opening).items()
    ]
    if not rows:
        return element("section", element("h2", "Rules"), element("p", "The spec has no rules."), id="rules")
    heads = ("state", "rule", "comparison", "headroom", "of its aim")
    head = element("tr", *(element("th", word, scope="col") for word in heads))
    bounds = sum(1 for rule in reported.rules.values() if rule.rule.is_bound)
    return element(
        "section",
        element("h2", "Rules"),
        _filter(),
        element("table", element("thead", head), element("tbody", *rows), class_="rules", role="table", data_filter="all"),
        element("p", "No rule is broken or short of its margin.", class_="none"),
        element("p", f"{counted(bounds, 'bound')} that software sets to its own values {'is' if bounds == 1 else 'are'} shown only where not kept.", class_="note")
        if bounds
        else "",
        id="rules",
    )  # fmt: skip


def broken_markup(reported: Reported, opening: Opening, odd: Odd, names: Sequence[str]) -> Markup:
    """Links to the first rules that are broken or short of their margin, and to odd values; `names` are those of the cards."""
    numbers = rule_numbers(reported, opening)
    rules = [id_ for id_, verdict in opening.verdicts.items() if is_short(verdict)]
    bad = [(id_, f"#rule-{numbers[id_]}") for id_ in rules]
    bad += [(name, f"#parameter-{number}") for number, name in enumerate(names) if name in odd]
    links = [element("a", name, href=address) for name, address in bad[:_MOST_NAMED]]
    more = f" and {len(bad) - _MOST_NAMED} more" if len(bad) > _MOST_NAMED else ""
    return element("span", *links, more, class_="which", data_part="which")


def rule_numbers(reported: Reported, opening: Opening) -> dict[str, int]:
    """The numbers of the rows, `#rule-0` first."""
    order = sorted(reported.rules, key=lambda id_: _rank(reported.rules[id_], opening.verdicts[id_]))
    return {id_: number for number, id_ in enumerate(order)}


def _rank(rule: NormalRule, verdict: Verdict | None) -> tuple[bool, int, bool, Fraction, str]:
    score = None if verdict is None else verdict.score
    state = _ORDER.index(state_of(verdict))
    return rule.rule.is_bound and not is_short(verdict), state, score is None, score or Fraction(0), rule.id


def _filter() -> Markup:
    choices = [
        element(
            "label",
            # A browser that remembers what was chosen would show another filter than the table's.
            element("input", type="radio", name="filter", value=value, checked=value == "all", autocomplete="off"),
            f" {words}",
        )
        for value, words in (("all", "all"), ("broken", "broken or short of their margin"))
    ]
    return element("fieldset", element("legend", "show"), *choices, class_="filter inputs")


def _row(number: int, rule: NormalRule, verdict: Verdict | None, places: Places, ignored: str | None) -> Markup:
    state = state_of(verdict)
    return element(
        "tr",
        element("td", state, class_="state"),
        element("th", *_about(rule, places, ignored), scope="row"),
        element("td", *_sides(verdict), class_="sides"),
        element("td", *_room(verdict), class_="room"),
        element("td", _score(verdict), class_="number"),
        id=f"rule-{number}",
        data_rule=rule.id,
        data_state=state.lower().replace(" ", "-"),
        data_bound=rule.rule.is_bound,
    )


def _about(rule: NormalRule, places: Places, ignored: str | None) -> Iterator[Markup]:
    """What stands for the rule at any values; `ignored` is why what is found of it does not count."""
    told = rule.rule
    yield element("code", told.id, class_="id")
    if told.level is Level.SHOULD:
        yield element("span", " should", class_="tag")
    if told.breaks:
        yield element("p", told.breaks, class_="breaks")
    if ignored is not None:
        yield element("p", f"set aside: {ignored}", class_="note")
    fields = fields_markup(_details(told, places))
    yield element("details", element("summary", element("code", told.text)), fields)


def _details(rule: Rule, places: Places) -> Iterator[tuple[str, Markup]]:
    if rule.when_text:
        yield "when", element("code", rule.when_text)
    if rule.origin.why:
        yield "why", shown(rule.origin.why)
    if rule.breaks:
        yield "breaks", shown(rule.breaks)
    if rule.margin is not None:
        yield "margin", shown(margin_text(rule.margin))
    if rule.aim.amount and rule.aim != _WHOLE:
        yield "aim", shown(margin_text(rule.aim))
    if rule.relation is not None and rule.relation.margin_advice:
        yield "advice", shown(rule.relation.margin_advice)
    if rule.level is Level.SHOULD:
        yield "level", Markup("should: worth having, not demanded")
    sources = [rule.origin.source] if rule.origin.source else list(rule.relation.sources) if rule.relation else []
    if sources:
        yield "source", joined([address_markup(source) for source in sources], " ")
    if rule.origin.owner:
        yield "owner", shown(rule.origin.owner)
    if rule.relation is not None:
        yield "more", element("code", f"outlast rules {rule.relation.id}")
    yield "place", shown(places.text(rule.places.get("require", rule.place)))


def _sides(verdict: Verdict | None) -> Iterator[str]:
    judged = None if verdict is None else verdict.decisive
    left, sign, right = "", "", ""
    if judged is not None:
        sign, exponent = judged.comparison.sign, judged.comparison.time_exponent
        left, right = (str(extended_data(side, exponent)) for side in (judged.left, judged.right))
    yield element("code", left)
    yield f" {sign} "
    yield element("code", right)


def _room(verdict: Verdict | None) -> Iterator[Markup]:
    """A bar, full at the aim, and how much is left or missing."""
    share = _filled(verdict)
    fill = element("rect", width=f"{share or 0}%")
    yield element("svg", fill, class_="meter", aria_hidden="true", hidden=share is None)
    yield element("span", _room_words(verdict))


def _filled(verdict: Verdict | None) -> int | None:
    """How much of the bar is filled, in percent: of the aim, or of what is missing, of which there is always some; None: it has no bar."""
    judged = None if verdict is None else verdict.decisive
    if verdict is None or judged is None:
        return None
    headroom = judged.headroom if isinstance(judged.comparison, Inequality) else None
    if verdict.truth is Truth.BROKEN:
        return min(100, max(2, int(-headroom * 100))) if isinstance(headroom, Fraction) else 100
    return None if verdict.score is None else int(verdict.score * 100)


def _room_words(verdict: Verdict | None) -> str:
    """How much is left or missing, and which share that is of the smaller side."""
    if verdict is None:
        return ""
    if verdict.missing is not None:
        return f"{verdict.missing} is off"
    judged, state = verdict.decisive, state_of(verdict)
    if judged is None or state == "not applicable" or not isinstance(judged.comparison, Inequality):
        return ""
    slack, headroom = judged.slack, judged.headroom
    if not isinstance(slack, Fraction):
        return "no limit" if slack is Special.PLUS else ""
    if slack == 0:
        return "both sides are equal"
    amount = about_text(abs(slack), judged.comparison.time_exponent)
    share = f" ({about_percent(abs(headroom))})" if isinstance(headroom, Fraction) else ""
    return f"{amount} {'left' if slack > 0 else 'too little'}{share}"


def _score(verdict: Verdict | None) -> str:
    return "" if verdict is None or verdict.score is None else percent(verdict.score)
