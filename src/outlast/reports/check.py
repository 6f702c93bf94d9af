"""What `check` found, as a document: the verdict, each finding at length, then the rules that hold in a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from outlast.constraints.check import (
    ABOUT_IGNORING,
    ABOUT_RULES,
    Checked,
    CheckOutcome,
    Finding,
    FindingKind,
    Ignored,
    Remedy,
)
from outlast.constraints.errors import Place
from outlast.constraints.evaluate import Judged, Special, Truth
from outlast.constraints.expression import names_in
from outlast.constraints.model import Level, Parameter, Role, Severity, Spec
from outlast.constraints.normal import Inequality
from outlast.constraints.quantities import Sentinel
from outlast.reports.document import (
    Block,
    Document,
    Entry,
    Fields,
    Paragraph,
    Section,
    Span,
    Table,
    Text,
    Verdict,
    bad,
    code,
    faint,
    good,
    link,
    text,
    warn,
    whole,
)
from outlast.reports.origins import Compared, Origins, Source
from outlast.reports.wording import (
    Places,
    about_percent,
    all_hold,
    counted,
    extended_text,
    joined,
    margin_text,
    names_text,
    relation_words,
    value_of,
)

__all__ = [
    "aside_blocks",
    "aside_words",
    "catalogue_blocks",
    "check_document",
    "check_verdict",
    "finding_entry",
    "headroom_text",
    "source_row",
    "spec_line",
    "why_idle",
]

#: A row of `Fields`.
Row = tuple[str | Text, Text]


def check_document(outcome: CheckOutcome) -> Document:
    """The whole report."""
    origins, places = Origins(outcome.spec, outcome.values), Places(outcome.spec)
    blocks: list[Block] = [Verdict(check_verdict(outcome)), Paragraph(spec_line(outcome.spec))]
    blocks += [finding_entry(outcome, finding, origins, places) for finding in outcome.findings]
    by_truth: dict[Truth | None, list[Checked]] = {}
    for checked in _told(outcome):
        by_truth.setdefault(None if checked.verdict is None else checked.verdict.truth, []).append(checked)
    if holding := by_truth.get(Truth.HOLDS):
        blocks.append(Section("rules that hold", (_holding(holding, places),), is_folded=True))
    if idle := by_truth.get(Truth.NOT_APPLICABLE):
        rows = [_row(c, text(why_idle(c, outcome)), places) for c in idle]
        blocks.append(Section("rules that do not apply", _fields(rows)))
    if skipped := by_truth.get(None):
        rows = [_row(c, text("no value in use for ", names_text(c.missing)), places) for c in skipped]
        blocks.append(Section("rules that were not judged", _fields(rows)))
    blocks += aside_blocks(outcome.ignored, outcome.known, places.text)
    return (*blocks, *catalogue_blocks(outcome.spec, places))


def aside_blocks(
    ignored: Sequence[Ignored], known: Sequence[Finding], shown: Callable[[Place], str]
) -> tuple[Block, ...]:
    """What does not count: what somebody has ignored, with the reason, and what a baseline has; `shown` writes places."""
    blocks: list[Block] = []
    if ignored:
        blocks.append(Section("ignored", _fields([_ignored_row(each, shown) for each in ignored])))
    if known:
        rows = [(_aside_label(each, shown), text(each.message)) for each in known]
        blocks.append(Section("known since the baseline", _fields(rows)))
    return tuple(blocks)


def _aside_label(finding: Finding, shown: Callable[[Place], str]) -> Text:
    return text(code(finding.subject), faint(f" ({shown(finding.place)})"))


def _ignored_row(each: Ignored, shown: Callable[[Place], str]) -> Row:
    """`in-time (a.yaml:7)`, then `mended in March, until 2027-03-31, says web (a.yaml:4)`."""
    ignore = each.ignore
    until = "" if ignore.until is None else f", until {ignore.until}"
    owner = f", says {ignore.origin.owner}" if ignore.origin.owner else ""
    where = faint(f" ({shown(ignore.place)})")
    return _aside_label(each.finding, shown), text(ignore.why, until, owner, where)


def aside_words(ignored: int, known: int) -> list[str]:
    """How many findings do not count, for the verdict."""
    told = []
    if ignored:
        told.append(f"{counted(ignored, 'finding')} {'is' if ignored == 1 else 'are'} ignored")
    if known:
        told.append(f"{counted(known, 'finding')} {'is' if known == 1 else 'are'} known since the baseline")
    return told


def catalogue_blocks(spec: Spec, places: Places) -> tuple[Block, ...]:
    """Rules of the catalogue that are left out: on purpose, or because too little is known."""
    blocks: list[Block] = []
    if spec.declined:
        rows = [(text(code(d.id)), text(d.why, faint(f" ({places.text(d.place)})"))) for d in spec.declined]
        blocks.append(Section("rules that were declined", _fields(rows)))
    if spec.unjudged:
        # Most want the same few quantities.
        wanting: dict[str, list[str]] = {}
        for each in spec.unjudged:
            wanting.setdefault(each.why, []).append(each.id)
        rows = [(text(why), names_text(ids)) for why, ids in sorted(wanting.items())]
        blocks.append(Section("rules of the catalogue that would need more", _fields(rows)))
    return tuple(blocks)


def _told(outcome: CheckOutcome) -> list[Checked]:
    """The rules to speak of: not the bounds of parameters that are kept."""
    aside = (*(each.finding for each in outcome.ignored), *outcome.known)
    broken = {finding.subject for finding in (*outcome.findings, *aside)}
    return [c for id_, c in outcome.rules.items() if id_ in broken or not c.rule.rule.is_bound]


def _row(checked: Checked, words: Text, places: Places) -> Row:
    return text(code(checked.rule.id)), text(words, faint(f" ({places.text(checked.rule.rule.place)})"))


def spec_line(spec: Spec) -> Text:
    """Which spec the report is about."""
    return text(faint("spec "), code(str(spec.path)), faint(f": {spec.title}") if spec.title else "")


def check_verdict(outcome: CheckOutcome) -> Text:
    """The first line: how the rules stand."""
    rules = _told(outcome)
    total = len(rules)
    broken = sum(1 for f in outcome.findings if f.kind is FindingKind.BROKEN)
    spared = [*(each.finding for each in outcome.ignored), *outcome.known]
    passed_over = sum(1 for f in spared if f.kind is FindingKind.BROKEN)
    others = [
        (
            sum(1 for f in outcome.findings if f.kind is FindingKind.MARGIN),
            "margin is not kept",
            "margins are not kept",
        ),
        (
            sum(1 for f in outcome.findings if f.kind is FindingKind.OFF_STEP),
            "value is off its step",
            "values are off their steps",
        ),
        (
            sum(1 for f in outcome.findings if f.kind is FindingKind.OFF_DOMAIN),
            "value is outside its domain",
            "values are outside their domains",
        ),
        (
            sum(1 for f in outcome.findings if f.kind is FindingKind.DIFFERS),
            "value differs from its file",
            "values differ from their files",
        ),
        (
            sum(1 for f in outcome.findings if f.kind in ABOUT_IGNORING),
            "remark on ignoring",
            "remarks on ignoring",
        ),
    ]
    aside = "".join(f"; {words}" for words in aside_words(len(outcome.ignored), len(outcome.known)))
    told = [f"{number} {one if number == 1 else many}" for number, one, many in others if number]
    if broken:
        told.insert(0, f"{broken} of {counted(total, 'rule')} {'is' if broken == 1 else 'are'} broken")
        if passed_over:
            told[0] += f" besides {passed_over} that {'does' if passed_over == 1 else 'do'} not count"
    if told:
        return text(bad(joined(told)), aside)
    if not rules:
        return text(warn("nothing could be judged; what would have to be known is below"))
    holding = sum(1 for c in rules if c.verdict is not None and c.verdict.truth is Truth.HOLDS)
    idle = sum(1 for c in rules if c.verdict is not None and c.verdict.truth is Truth.NOT_APPLICABLE)
    skipped = sum(1 for c in rules if c.verdict is None)
    if holding == total:
        return text(good(all_hold(total)), aside)
    rest = []
    if passed_over:
        rest.append(
            "1 that is broken does not count" if passed_over == 1 else f"{passed_over} that are broken do not count"
        )
    if idle:
        rest.append(f"{idle} {'does' if idle == 1 else 'do'} not apply")
    if skipped:
        rest.append(f"{skipped} {'was' if skipped == 1 else 'were'} not judged")
    words = f"{holding} of {counted(total, 'rule')} {'holds' if 1 in (holding, total) else 'hold'}"
    words += f", {joined(rest)}" if rest else ""
    return text(good(words) if holding else warn(words), aside)


def finding_entry(
    outcome: CheckOutcome, finding: Finding, origins: Origins, places: Places, evidence: Sequence[Row] = ()
) -> Entry:
    """One finding at length; `evidence` is told after the numbers."""
    tone = {Severity.ERROR: bad, Severity.WARNING: warn, Severity.ADVICE: faint}[finding.severity]
    place = faint(f"({places.text(finding.place)})")
    title = text(tone(finding.severity.value), " ", code(finding.subject), f": {finding.kind.value} ", place)
    checked = outcome.rules.get(finding.subject)
    if checked is None or finding.kind not in ABOUT_RULES:
        is_value = finding.kind not in ABOUT_IGNORING
        parameter = outcome.spec.parameters.get(finding.subject) if is_value else None
        why = parameter.origin.why if parameter else None
        rows = [("why", text(why))] if why else []
        remedies = _remedies(outcome, finding, origins.fixed)
        return Entry(title, (Paragraph(text(finding.message)), *_fields([*rows, *remedies], folded=len(rows))))
    numbers = [*(source_row(source, places) for source in origins.of_rule(checked.rule.rule)), *evidence]
    said, remedies = _rule_rows(checked), _remedies(outcome, finding, origins.fixed)
    blocks = (
        Paragraph(_what_was_found(checked, finding, origins)),
        *_fields(numbers, folded=len(numbers)),
        *_fields([*said, *remedies], folded=len(said)),
    )
    return Entry(title, blocks)


def _what_was_found(checked: Checked, finding: Finding, origins: Origins) -> Text:
    verdict, margin = checked.verdict, checked.rule.rule.margin
    if verdict is None or verdict.missing is not None:
        return text(finding.message)
    if finding.kind is FindingKind.MARGIN:
        wanting = [(j, c) for j in verdict.judged if (c := origins.compared(j, margin)).short is not None]
        if not wanting:
            return text(finding.message)
        judged, compared = wanting[0]
    else:
        decisive = verdict.decisive
        if decisive is None or decisive.truth is not Truth.BROKEN:  # broken by what is off or infinite
            return text(code(checked.rule.rule.text), " does not hold")
        judged, compared = decisive, origins.compared(decisive, margin)
    sentence = text(_side(compared.left), f" {relation_words(judged)} ", _side(compared.right))
    return text(sentence, _shortfall(compared, None if margin is None else margin_text(margin)))


def _side(links: Sequence[str]) -> Text:
    return (code(" = ".join(links)),)


def _shortfall(compared: Compared, margin: str | None) -> Text:
    parts: list[str | Span] = []
    if compared.demanded is not None and margin is not None:
        parts += ["; its margin of ", code(margin), " demands ", code(compared.demanded)]
    if compared.short is not None:
        parts += ["; ", code(compared.short), " too little"]
    return text(*parts)


def source_row(source: Source, places: Places) -> Row:
    """A number with who says so: `pings = 10s`, then `before.yaml:6, current: why`."""
    label = text(code(f"{source.name} = {source.value}"))
    return label, text(f"{places.text(source.place)}, {source.words}", faint(f": {source.why}") if source.why else "")


def _rule_rows(checked: Checked) -> list[Row]:
    """What the rule's author says about it."""
    rule = checked.rule.rule
    told = (("requires", rule.text), ("when", rule.when_text), ("breaks", rule.breaks), ("why", rule.origin.why))
    rows: list[Row] = []
    for label, words in told:
        if words:
            rows.append((label, (code(words),) if label in ("requires", "when") else text(words)))
    if rule.relation is not None and rule.relation.margin_advice:
        rows.append(("margin", text(rule.relation.margin_advice)))
    if rule.origin.source:
        rows.append(("source", text(link(rule.origin.source))))
    if rule.relation is not None:
        rows.append(("more", text(whole(code(f"outlast rules {rule.relation.id}")))))
    if rule.level is Level.SHOULD:
        rows.append(("level", text("should: worth having, not demanded")))
    return rows


def _fields(rows: Sequence[Row], folded: int = 0) -> tuple[Block, ...]:
    return (Fields(tuple(rows), folded),) if rows else ()


def _remedies(outcome: CheckOutcome, finding: Finding, sort: str) -> list[Row]:
    """What would mend it; `sort` is what fixed values are called."""
    rows: list[Row] = []
    checked = outcome.rules.get(finding.subject)
    for remedy in finding.remedies:
        words = _remedy(outcome.spec.parameters[remedy.parameter], remedy, checked, sort)
        rows.append(("or by" if rows else "mended by", words))
    if checked is None or finding.kind not in ABOUT_RULES:
        return rows
    free = [n for n in sorted(checked.rule.names()) if outcome.spec.parameters[n].role is Role.FREE]
    if free and not any(remedy.parameter in free for remedy in finding.remedies):
        rows.append(
            ("not by", text("any value of ", names_text(free, "or"), " alone; try ", whole(code("outlast solve"))))
        )
    elif not rows:
        rows.append(("mended by", text("no value that may change")))
    return rows


def _remedy(parameter: Parameter, remedy: Remedy, checked: Checked | None, sort: str) -> Text:
    """`web.keepalive > 60s (now 60s); 65s leaves the 5s of headroom aimed at`."""
    sign, to = remedy.sign, remedy.to
    if remedy.beyond is not None:
        sign, to = sign[0], remedy.beyond
    fixed = f", {sort}" if parameter.role is Role.FIXED else ""
    if parameter.default_of is not None:
        fixed = ", the default"
    words = text(
        code(f"{remedy.parameter} {sign} {value_of(parameter, to)}"),
        " (now ",
        code(value_of(parameter, remedy.now)),
        f"{fixed})",
    )
    if remedy.roomy is not None and checked is not None:
        aim = margin_text(checked.rule.rule.aim)
        words = text(words, "; ", code(value_of(parameter, remedy.roomy)), f" leaves the {aim} of headroom aimed at")
    if not remedy.holds:
        words = text(words, ", where the rule no longer applies")
    if remedy.breaks:
        words = text(words, ", but that breaks ", names_text(remedy.breaks))
    return words


def _holding(holding: Sequence[Checked], places: Places) -> Table:
    rows: list[tuple[Text, ...]] = []
    for checked in holding:
        verdict = checked.verdict
        judged = None if verdict is None else verdict.decisive
        if verdict is None or judged is None:
            rows.append(((code(checked.rule.id),),))
            continue
        exponent = judged.comparison.time_exponent
        rows.append(
            (
                (code(checked.rule.id),),
                (whole(code(extended_text(judged.left, exponent))),),
                text(judged.comparison.sign),
                (whole(code(extended_text(judged.right, exponent))),),
                text(whole(headroom_text(judged))),
                text("" if verdict.margin_kept else warn("margin not kept")),
                text(faint(places.text(checked.rule.rule.place))),
            )
        )
    return Table(("rule", "left", "", "right", "headroom", "", "place"), tuple(rows), last_is_spare=True)


def headroom_text(judged: Judged) -> str:
    """`about 42.8 %`, `infinite`, or nothing where there is no such thing."""
    headroom = judged.headroom if isinstance(judged.comparison, Inequality) else None
    if isinstance(headroom, Fraction):
        return about_percent(headroom)
    return "infinite" if headroom is Special.PLUS else ""


def why_idle(checked: Checked, outcome: CheckOutcome) -> Text:
    """Which condition fails, or what is off."""
    rule = checked.rule.rule
    spec, values = outcome.spec, outcome.values
    off = [
        name
        for name in _parameters_of(checked)
        if (value := values.get(name)) is not None and spec.parameters[name].effective(value) is Sentinel.OFF
    ]
    if off:
        return text(names_text(off), " is off" if len(off) == 1 else " are off")
    if rule.when_text:
        return text("its condition ", code(rule.when_text), " does not hold")
    return text("its condition does not hold")


def _parameters_of(checked: Checked) -> list[str]:
    rule = checked.rule.rule
    names = names_in(rule.require) + ([] if rule.when is None else names_in(rule.when))
    return list(dict.fromkeys(names))
