"""What `explain` found, as a document: group by group every conflict and every way out, then the cheapest of all together."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from outlast.constraints.model import Role
from outlast.reports.check import spec_line
from outlast.reports.conflict import conflict_entry, rules_of
from outlast.reports.document import (
    Block,
    Document,
    Fields,
    Paragraph,
    Section,
    Text,
    Verdict,
    bad,
    code,
    faint,
    good,
    text,
    warn,
    whole,
)
from outlast.reports.repair import advice, change_rows, changed, changes_text, cost_text, repair_entry
from outlast.reports.wording import Places, counted, names_text
from outlast.solver.account import Account, Group, Moved, Repair

__all__ = ["conflict_verdict", "explain_document", "left_free", "shortened"]

#: How many repairs of a group are told where the account is shortened.
_FEW: Final = 3
_NO_WAY_OUT: Final = (
    "no repair mends it: facts, measurements, domains and steps are given, and what has cost: never must stay"
)

#: Told once, above the first ways out.
_COSTS: Final = text(
    faint("A value costs 1, a rule 10, a margin 3 and a should rule its weight, unless the spec says otherwise.")
)


def explain_document(account: Account, *, full: bool = False) -> Document:
    """The whole report; `full` adds the items of each conflict and its proof."""
    places = Places(account.spec)
    blocks: list[Block] = [Verdict(_verdict(account)), Paragraph(spec_line(account.spec))]
    number = 0
    for group in account.groups:
        blocks.append(_conflicts(group, account, places, number, full=full))
        blocks.append(_ways_out(group, account, places))
        number += len(group.conflicts)
    if len(account.cheapest) > 1:
        blocks.append(_together(account, places))
    if missing := _missing(account):
        blocks.append(Section("what was left out", (Fields(missing),)))
    notes = [text(note) for note in account.notes]
    if free := left_free(account):
        notes.append(text("no value in use is known of ", names_text(free), ": left free"))
    if notes:
        blocks.append(Section("to know", (Fields(tuple(("note", note) for note in notes)),)))
    if hint := _hint(account):
        blocks.append(Paragraph(hint))
    return tuple(blocks)


def _verdict(account: Account) -> Text:
    if not account.groups:
        if account.undecided is not None:
            return text(warn("undecided"), f": {account.undecided}")
        verb = "can hold" if left_free(account) or not account.current else "hold"
        return text(good(f"{_at(account)}the rules {verb} together"))
    return conflict_verdict(account)


def conflict_verdict(account: Account) -> Text:
    """How much is in conflict, and the cheapest way out; the account has a group at least."""
    number = len(account.conflicts)
    least = "" if account.has_all_conflicts else "at least "
    told = (
        f"{_at(account)}{least}{counted(number, 'conflict')}"
        if number
        else f"{_at(account)}a conflict, though none was pinned down"
    )
    if len(account.groups) > 1:
        told += f" in {counted(len(account.groups), 'group')}"
    demanded = any(group.is_must for group in account.groups)
    if not demanded:
        told += ", but what is demanded can hold together"
    return text((bad if demanded else warn)(told), f"; {_cheapest_words(account)}")


def _at(account: Account) -> str:
    if not account.current:
        return ""
    free = [p for p in account.spec.parameters.values() if p.role is Role.FREE]
    return "no value in use is known; " if free and len(free) == len(left_free(account)) else "at the values in use, "


def left_free(account: Account) -> tuple[str, ...]:
    """With `current`, the free parameters that have no value in use and so were not held."""
    parameters = account.spec.parameters.values() if account.current else ()
    return tuple(p.name for p in parameters if p.role is Role.FREE and p.current is None)


def _cheapest_words(account: Account) -> str:
    without = [group for group in account.groups if not group.repairs]
    cheapest = account.cheapest
    if not cheapest:
        return "no way out was found" if any(g.missing_repairs for g in without) else "there is no way out"
    changes = [change for repair in cheapest for change in repair.changes]
    cost = cost_text(sum((r.cost for r in cheapest), Fraction(0)))
    of = "" if len(account.groups) == 1 else f" of {_all_groups(account)}"
    if without:
        of = f" of {counted(len(cheapest), 'group')}"
    words = f"the cheapest way out{of} changes {changed(changes)}, at a {cost.replace('cost ', 'cost of ')}"
    if without:
        number = len(without)
        found = any(group.missing_repairs for group in without)
        words += f"; none was found for {counted(number, 'group')}" if found else f"; {_have(number)} none"
    return words


def _have(number: int) -> str:
    return counted(number, "group has", "groups have")


def _all_groups(account: Account) -> str:
    return "both" if len(account.groups) == 2 else f"all {len(account.groups)}"


def _group_words(group: Group, account: Account) -> str:
    return f"group {group.number} of {len(account.groups)}: " if len(account.groups) > 1 else ""


def _conflicts(group: Group, account: Account, places: Places, before: int, *, full: bool) -> Section:
    blocks: list[Block] = [Fields(_members(group))]
    total = len(account.conflicts)
    sets = [rules_of(conflict) for conflict in group.conflicts]
    for number, conflict in enumerate(group.conflicts, before + 1):
        label = f"conflict {number} of {total}" if total > 1 else "conflict"
        is_one_of_several = sets.count(rules_of(conflict)) > 1
        blocks.append(conflict_entry(conflict, account.spec, places, label=label, values=is_one_of_several, full=full))
    number_of = len(group.conflicts)
    is_all = number_of == 1 and len(account.groups) == 1 and not group.missing
    title = "the conflict" if is_all else counted(number_of, "conflict")
    title = title if number_of else "a conflict that was not pinned down"
    return Section(f"{_group_words(group, account)}{title}", tuple(blocks))


def _members(group: Group) -> tuple[tuple[str, Text], ...]:
    """Its parameters, the rules that its conflicts need, and those that only share parameters with them."""
    broken = sorted({rule for conflict in group.conflicts for rule in rules_of(conflict)})
    touched = {c.rule for repair in group.repairs for c in repair.changes if not isinstance(c, Moved)}
    others = [rule for rule in group.rules if rule not in broken]
    are_kept = group.repairs and touched.isdisjoint(others)
    kept = text(names_text(others), ", kept by every way out" if are_kept else "")
    rows = [("parameters", names_text(group.parameters))] if group.parameters else []
    rows += [("in conflict", names_text(broken))] if broken else []
    return (*rows, ("other rules" if broken else "rules", kept)) if others else tuple(rows)


def _ways_out(group: Group, account: Account, places: Places) -> Section:
    prefix = _group_words(group, account)
    if not group.repairs:
        words = "none was found within the limits" if group.missing_repairs else _NO_WAY_OUT
        return Section(f"{prefix}no way out", (Paragraph(text(words)),))
    total = len(group.repairs)
    blocks: list[Block] = [
        repair_entry(repair, group, account.spec, places, f"way {number} of {total}")
        for number, repair in enumerate(group.repairs, 1)
    ]
    if group.number == min(g.number for g in account.groups if g.repairs):
        blocks.insert(0, Paragraph(_COSTS))
    title = f"{counted(total, 'way out', 'ways out')}{', cheapest first' if total > 1 else ''}"
    title = "the only way out" if total == 1 and not group.missing_repairs else title
    return Section(f"{prefix}{title}", tuple(blocks))


def _together(account: Account, places: Places) -> Section:
    changes = tuple(change for repair in account.cheapest for change in repair.changes)
    cost = cost_text(sum((r.cost for r in account.cheapest), Fraction(0)))
    blocks = (Fields(change_rows(changes, account.spec, places)),)
    of = _all_groups(account)
    if len(account.cheapest) < len(account.groups):
        of = f"{len(account.cheapest)} of {len(account.groups)}"
    return Section(f"the cheapest way out of {of} groups together, {cost}", blocks)


def _missing(account: Account) -> tuple[tuple[str, Text], ...]:
    rows = [
        (f"group {group.number}" if len(account.groups) > 1 else "here", text(words))
        for group in account.groups
        for words in dict.fromkeys((*group.missing, *group.missing_repairs))
    ]
    if account.groups and account.undecided is not None:
        rows.append(("undecided", text(account.undecided)))
    return tuple(rows)


def _hint(account: Account) -> Text:
    """The cheapest repair of any group, of several the one with the fewest changes, then the one that moves least."""
    found: list[tuple[tuple[Fraction, int, Fraction, int], Group, Repair]] = [
        ((repair.cost, len(repair.changes), repair.move, group.number), group, repair)
        for group in account.groups
        for repair in group.repairs
    ]
    if not found:
        return ()
    _, group, repair = min(found, key=lambda entry: entry[0])
    ends = f"; this mends group {group.number} only" if len(account.groups) > 1 else ""
    return text("hint: the cheapest is to ", advice(repair.changes, account.spec), ends)


def shortened(account: Account, places: Places) -> list[Block]:
    """Of each group that cannot be solved the smallest conflict and the cheapest repairs, and how much more there is."""
    groups = [group for group in account.groups if group.is_must]
    blocks: list[Block] = []
    conflicts, repairs = len(account.conflicts), sum(len(group.repairs) for group in account.groups)
    for group in groups:
        inner: list[Block] = []
        shown = [c for c in group.conflicts if not c.shoulds][:1] or list(group.conflicts[:1])
        inner += [conflict_entry(conflict, account.spec, places) for conflict in shown]
        if group.repairs:
            inner.append(Paragraph(text("ways out, cheapest first:")))
            inner.append(Fields(tuple(_short_row(r, account) for r in group.repairs[:_FEW])))
        else:
            inner.append(Paragraph(text(_cheapest_words(account) if group.missing_repairs else _NO_WAY_OUT)))
        conflicts -= len(shown)
        repairs -= len(group.repairs[:_FEW])
        title = f"group {group.number} of {len(account.groups)}" if len(account.groups) > 1 else "the conflict"
        blocks.append(Section(title, tuple(inner)))
    more = [counted(conflicts, "more conflict")] if conflicts else []
    more += [counted(repairs, "more way out", "more ways out")] if repairs else []
    words = f"{' and '.join(more)}, and everything at length: " if more else "all of it at length: "
    blocks.append(Paragraph(text(words, whole(code("outlast explain")))))
    return blocks


def _short_row(repair: Repair, account: Account) -> tuple[str, Text]:
    return cost_text(repair.cost), changes_text(repair.changes, account.spec)
