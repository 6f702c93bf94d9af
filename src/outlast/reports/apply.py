"""What `apply` changes, as a document: each value with its reason, the difference of each file, and what is left to do by hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import unified_diff

from outlast.applying import Applied
from outlast.configs.plan import Change, ChangedFile
from outlast.constraints.model import Severity
from outlast.constraints.quantities import Value
from outlast.reasons import reason_of
from outlast.reports.check import check_document, spec_line
from outlast.reports.document import (
    Block,
    Document,
    Entry,
    Fields,
    Paragraph,
    Section,
    Text,
    Verbatim,
    Verdict,
    bad,
    code,
    faint,
    good,
    strong,
    text,
    whole,
)
from outlast.reports.wording import Places, counted, value_of

__all__ = ["apply_document", "coloured_difference", "difference"]


def apply_document(applied: Applied) -> Document:
    """The whole report; where there is no solution, that of `solve`."""
    if applied.plan is None:
        from outlast.reports.solve import solve_document

        return solve_document(applied.solved)
    places = Places(applied.solved.spec)
    blocks: list[Block] = [Verdict(_verdict(applied)), Paragraph(spec_line(applied.solved.spec))]
    for changed in applied.plan.files:
        rows = tuple(_row(change, applied, places) for change in changed.changes)
        title = text(strong(_name(changed, places)))
        blocks.append(
            Entry(title, (Fields(rows), coloured_difference(changed.file.shown, changed.file.data, changed.after)))
        )
    if by_hand := tuple(_by_hand(applied, places)):
        blocks.append(Section("to change by hand", (Fields(by_hand),)))
    if applied.restored:
        names = ", ".join(applied.restored)
        blocks.append(
            Paragraph(text(f"an earlier run had been interrupted: {names} had their old contents back first"))
        )
    if applied.checked is not None and applied.checked.has_errors:
        blocks.append(Section("checked again", check_document(applied.checked)))
    elif applied.plan.files and not applied.was_written:
        blocks.append(Paragraph(text("hint: ", whole(code("--write")), " writes this")))
    return tuple(blocks)


def _verdict(applied: Applied) -> Text:
    plan = applied.plan
    assert plan is not None  # the caller saw to it
    values, files = sum(len(f.changes) for f in plan.files), len(plan.files)
    if not values:
        words = "every value in a file is as it should be" if not plan.by_hand else "no file has to change"
        parts = text(good(words))
    elif applied.was_written:
        parts = text(good(f"{counted(values, 'value')} in {counted(files, 'file')} written"))
    else:
        verb = "changes" if values == 1 else "change"
        parts = text(f"{counted(values, 'value')} in {counted(files, 'file')} {verb}")
    left = len(plan.by_hand) + len(applied.unbound)
    if left:
        parts = text(parts, f", {counted(left, 'value')} to change by hand")
    if applied.checked is not None:
        errors = sum(1 for f in applied.checked.findings if f.severity is Severity.ERROR)
        unknown = sum(1 for rule in applied.checked.rules.values() if rule.missing)
        total = len(applied.checked.rules) - unknown
        holds = good(f"; read again, {'the rule holds' if total == 1 else f'all {total} rules hold'}")
        parts = text(parts, bad(f"; read again, {counted(errors, 'finding')}") if errors else holds)
        if unknown:
            parts = text(parts, f", {counted(unknown, 'rule')} not checked")
    return parts


def _name(changed: ChangedFile, places: Places) -> str:
    return places.text(changed.changes[0].bound.place).rpartition(":")[0]


def _row(change: Change, applied: Applied, places: Places) -> tuple[Text, Text]:
    name = change.bound.parameter
    result = applied.solved.parameters[name]
    before = "-" if change.bound.value is None else value_of(result.parameter, change.bound.value)
    after = value_of(result.parameter, change.value)
    place = faint(f" ({places.text(change.bound.place)})")
    label = text(code(name))
    return label, text(whole(code(f"{before} -> {after}")), place, f": {reason_of(result, applied.solved)}")


def _by_hand(applied: Applied, places: Places) -> Iterator[tuple[Text, Text]]:
    plan = applied.plan
    assert plan is not None  # the caller saw to it
    for change in plan.by_hand:
        binding = change.bound.binding
        words = text("add ", code(binding.selector), " = ", code(_value(applied, change.bound.parameter, change.value)))
        yield (
            text(code(change.bound.parameter)),
            text(words, " to ", code(change.bound.file.shown), f" ({places.text(binding.place)})"),
        )
    for name, value in applied.unbound:
        parameter = applied.solved.spec.parameters[name]
        now = "-" if parameter.current is None else value_of(parameter, parameter.current)
        words = text(
            code(f"{now} -> {_value(applied, name, value)}"),
            "; it has no place in a file (",
            code("at:"),
            "), so its ",
            code("current:"),
            " stays",
        )
        yield text(code(name)), words


def _value(applied: Applied, name: str, value: Value) -> str:
    return value_of(applied.solved.spec.parameters[name], value)


def difference(file: str, before: bytes, after: bytes, *, is_git: bool = False) -> str:
    """The unified difference of a file, line ends included; `is_git` names the file as git does, for `git apply`."""
    names = (f"a/{file}", f"b/{file}") if is_git and not os.path.isabs(file) else (file, file)
    lines = unified_diff(_lines(before), _lines(after), *names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes) -> list[str]:
    """Lines as `patch` takes them: nothing but a line feed ends one."""
    return [f"{line}\n" for line in data.decode(errors="backslashreplace").split("\n")[:-1]] + _rest(data)


def _rest(data: bytes) -> list[str]:
    rest = data[data.rfind(b"\n") + 1 :]
    return [rest.decode(errors="backslashreplace")] if rest else []


def coloured_difference(file: str, before: bytes, after: bytes, *, is_git: bool = False) -> Verbatim:
    """The same as a block."""
    tones = {"+": good, "-": bad, "@": faint}
    lines = [line.rstrip("\r") for line in difference(file, before, after, is_git=is_git).split("\n")[:-1]]
    return Verbatim(tuple(text(tones.get(line[:1], text)(line)) for line in lines), "diff")
