"""A conflict as a document: why its rules cannot hold together, its items with their places, and the arithmetic that proves it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from outlast.constraints.model import Spec
from outlast.reports.clauses import listed
from outlast.reports.document import Block, Entry, Fields, Paragraph, Table, Text, code, faint, text, whole
from outlast.reports.prose import sentence, told
from outlast.reports.wording import Places, names_text, readable
from outlast.solver.account import Case, Cases, Certificate, Clash, Conflict, Item, ItemKind, Proof
from outlast.solver.derivation import derive

__all__ = ["conflict_entry", "conflict_sentence", "rules_of"]

#: What an item is; its name follows.
_KINDS: Final = {
    ItemKind.RULE: "rule",
    ItemKind.MARGIN: "margin of",
    ItemKind.DIVISOR: "divisor in",
    ItemKind.FACT: "fact",
    ItemKind.FIXED: "fixed",
    ItemKind.CURRENT: "in use",
    ItemKind.ASKED: "asked",
    ItemKind.MEASUREMENT: "measured",
    ItemKind.DOMAIN: "domain of",
    ItemKind.STEP: "step of",
}
#: What else a proof may rest on.
_ALWAYS: Final = {
    "natural": "quantities are not negative",
    "rounding": "what ceil and floor mean",
    "case": "this case",
}


def conflict_entry(
    conflict: Conflict, spec: Spec, places: Places, *, label: str = "", values: bool = False, full: bool = False
) -> Entry:
    """Why it is one, in words, and what is special about it; `full` adds its items and its proof.

    `label` is the title but for its rules; `values` adds the values in use, which tell it from another of the same rules.
    """
    blocks: list[Block] = [*told(derive(conflict), conflict, spec, places, full=full)]
    blocks += [Paragraph(mark) for mark in _marks(conflict)]
    if full:
        called = {item.id: _called(item) for item in conflict.items} | {i: text(w) for i, w in _ALWAYS.items()}
        blocks.append(Fields(tuple((called[item.id], _told(item, places)) for item in conflict.items)))
        if conflict.proof is not None:
            blocks += _proof(conflict.proof, called)
            if folded := _folded(conflict):
                blocks.append(Paragraph(text("where ", names_text([item.says for item in folded]))))
    title = _title(conflict, label)
    held = [item.says for item in conflict.items if item.kind is ItemKind.CURRENT]
    return Entry(text(title, " at ", names_text(held)) if values and held else title, tuple(blocks))


def conflict_sentence(conflict: Conflict, spec: Spec, places: Places) -> str:
    """Why it is one, in words."""
    return sentence(derive(conflict), conflict, spec, places)


def rules_of(conflict: Conflict) -> tuple[str, ...]:
    """The ids of the rules that take part, by themselves, their margins or their divisors; sorted."""
    return tuple(sorted({item.name for item in conflict.items if item.is_of_rule}))


def _title(conflict: Conflict, label: str) -> Text:
    # Whole rules first, so that nobody takes the margin of one for the margin of all.
    parts = sorted((_part(name, conflict) for name in rules_of(conflict)), key=len)
    if label:
        return text(label, ": ", listed(parts) or names_text(sorted({item.subject for item in conflict.items})))
    return text(listed(parts) or "these", " cannot hold" if len(parts) == 1 else " cannot hold together")


def _part(rule: str, conflict: Conflict) -> Text:
    """The rule, or what of it takes part: `the margin of a`."""
    kinds = [item.kind for item in conflict.items if item.name == rule and item.is_of_rule]
    if ItemKind.RULE in kinds:
        return (code(rule),)
    of = " and ".join(f"the {kind.value}" for kind in kinds)
    return text(f"{of} of ", code(rule))


def _marks(conflict: Conflict) -> Iterator[Text]:
    """What the words about its rules do not say."""
    if conflict.by_steps:
        yield text("It needs the steps: with values between them there would be no conflict.")
    if len(conflict.shoulds) == 1:
        yield text("It forces out ", names_text(conflict.shoulds), ", which is not demanded.")
    elif conflict.shoulds:
        yield text("It forces out one of ", names_text(conflict.shoulds, "or"), ", which are not demanded.")


def _called(item: Item) -> Text:
    return text(f"{_KINDS[item.kind]} ", code(item.subject))


def _told(item: Item, places: Places) -> Text:
    place = f" ({places.text(item.place)})" if item.place is not None else ""
    return text(code(item.says), place, faint(f": {item.why}") if item.why else "")


# Proofs.


def _folded(conflict: Conflict) -> list[Item]:
    """The values that rows of its proof contain as numbers, so that no line of it is theirs."""
    used = _used(conflict.proof)
    return [
        item
        for item in conflict.items
        if not item.is_of_rule and item.kind is not ItemKind.STEP and item.id not in used
    ]


def _used(proof: Proof | None) -> set[str]:
    match proof:
        case Certificate(steps=steps):
            return {step.item for step in steps}
        case Clash(items=items):
            return set(items)
        case Cases(item=item, cases=cases, also=also):
            return {item, *also}.union(*(_used(case.proof) for case in cases))
        case _:
            return set()


def _proof(proof: Proof, called: Mapping[str, Text], number: str = "") -> Iterator[Block]:
    """The proof; cases are numbered `1`, `2`, `2.1`, and stand one below the other."""
    match proof:
        case Certificate():
            yield Paragraph(text("because:"))
            yield _sum(proof, called)
        case Clash():
            yield Paragraph(text("because these exclude each other:"))
            yield Fields(
                tuple(
                    (called.get(i, text(code(i))), (code(says),))
                    for i, says in zip(proof.items, proof.says, strict=True)
                )
            )
        case Cases():
            by = _joined([called.get(i, text(code(i))) for i in (proof.item, *proof.also)])
            number_of = len(proof.cases)
            words = "one case, which is impossible:" if number_of == 1 else f"{number_of} cases, each impossible:"
            yield Paragraph(text("because ", by, f" leave{'' if proof.also else 's'} {words}"))
            for n, case in enumerate(proof.cases, 1):
                yield _case(case, called, f"{number}{n}")


def _joined(parts: Sequence[Text]) -> Text:
    words: list[str | Text] = []
    for number, part in enumerate(parts):
        words += ["" if number == 0 else " and " if number == len(parts) - 1 else ", ", part]
    return text(*words)


def _case(case: Case, called: Mapping[str, Text], number: str) -> Entry:
    return Entry(text(f"case {number}: ", code(case.says)), tuple(_proof(case.proof, called, f"{number}.")))


def _sum(certificate: Certificate, called: Mapping[str, Text]) -> Table:
    """The inequalities with their multipliers, and what they add up to."""
    rows: list[tuple[Text, ...]] = [
        (
            text(whole(f"{readable(step.times)} times")),
            (code(readable(step.says)),),
            called.get(step.item, text(code(step.item))),
        )
        for step in certificate.steps
    ]
    total: tuple[Text, ...] = (text("together"), (whole(code(readable(certificate.total))),), text("which is false"))
    return Table(("", "", ""), (*rows, total))
