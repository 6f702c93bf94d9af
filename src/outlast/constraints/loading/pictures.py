"""What a spec says under `pictures:`, and what its rules show of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from outlast.constraints.dimensions import dimension_name, dimension_of, solve_dimensions
from outlast.constraints.document import Entry, Node, Scalar
from outlast.constraints.document import Sequence as Items
from outlast.constraints.expression import Expr, names_in
from outlast.constraints.loading.layers import Item
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.loading.rules import RuleDraft
from outlast.constraints.loading.values import read_text, read_word, scalar_of
from outlast.constraints.model import Note, Rule
from outlast.constraints.pictures import PARTS, Answer, Part, Picture, Shape, problems_of
from outlast.constraints.record import record, replace
from outlast.constraints.syntax import RuleSyntaxError, parse_expression

if TYPE_CHECKING:
    from outlast.constraints.loading.sketched import Sketched
    from outlast.constraints.topology import Topology

__all__ = ["PictureDraft", "check_dimensions", "finish_pictures", "read_pictures"]

_MOST_IN_A_PART: Final = 50
_OTHER_KEYS: Final = ("shape", "title", "answers")
_ANSWERS: Final = tuple(each.value for each in Answer)


@record(kw_only=True)
class PictureDraft:
    """A picture as far as it can be read by itself."""

    id: str
    item: Item
    #: None: what it should be cannot be told, the reason being among the problems.
    shape: Shape | None
    title: str | None
    parts: Mapping[str, tuple[tuple[Scalar, Expr], ...]]
    #: What each hop answers that has forgotten; empty: the spec does not say.
    answers: tuple[Answer, ...] = ()

    def formulas(self) -> Iterator[tuple[Scalar, Expr]]:
        """Each formula with the text in which its spans lie."""
        for formulas in self.parts.values():
            yield from formulas


def read_pictures(items: Mapping[str, Item], problems: Problems) -> list[PictureDraft]:
    """The entries, by id; what is wrong with them by themselves is among the problems."""
    return [_read_picture(id_, item, problems) for id_, item in sorted(items.items()) if "" not in item.keys]


def _read_picture(id_: str, item: Item, problems: Problems) -> PictureDraft:
    if "@" in id_:
        problems.add(f"expected the id of a picture without @, found {quoted(id_)}", item.name.place)
    if "shape" not in item.keys and not item.is_incomplete:
        problems.add(f"expected 'shape' in the picture {quoted(id_)}, found no such key", item.name.place)
    word = read_word(item.keys.get("shape"), [each.value for each in Shape], problems)
    title = read_text(item, "title", problems)
    before = len(problems)
    shape = None if word is None else Shape(word)
    parts: dict[str, tuple[tuple[Scalar, Expr], ...]] = {}
    for name in item.keys if shape is None else (*PARTS[shape], *(n for n in item.keys if n not in PARTS[shape])):
        if name in item.keys and name not in _OTHER_KEYS and _belongs(name, shape, item.keys[name], problems):
            parts[name] = tuple(_formulas(name, shape, item.keys[name], problems))
    is_whole = shape is not None and len(problems) == before and not item.is_incomplete
    answers = _answers(item, shape, len(parts.get("hops", ())), problems, is_whole=is_whole)
    if shape is not None and len(problems) == before and not item.is_incomplete:
        for message in problems_of(shape, parts):
            problems.add(f"{message} in the picture {quoted(id_)}", item.name.place)
    return PictureDraft(id=id_, item=item, shape=shape, title=title, parts=parts, answers=answers)


def _belongs(name: str, shape: Shape | None, entry: Entry, problems: Problems) -> bool:
    if shape is None or name in _parts_of(shape):
        return True
    owners = " and ".join(each.value for each in Shape if name in _parts_of(each))
    known = ", ".join(_parts_of(shape))
    problems.add(f"{quoted(name)} is a part of {owners}; {shape.value} has {known}", entry.key.place)
    return False


def _parts_of(shape: Shape) -> tuple[str, ...]:
    return (*PARTS[shape], "answers") if "hops" in PARTS[shape] else tuple(PARTS[shape])


def _answers(item: Item, shape: Shape | None, hops: int, problems: Problems, *, is_whole: bool) -> tuple[Answer, ...]:
    """What each hop answers: one word for all of them, or as many as there are hops; empty: the spec does not say.

    `is_whole`: nothing was wrong with the picture so far.
    """
    entry = item.keys.get("answers")
    if entry is None or not _belongs("answers", shape, entry, problems):
        return ()
    nodes = entry.value.items if isinstance(entry.value, Items) else (entry.value,)
    words = [read_word(Entry(entry.key, node), _ANSWERS, problems) for node in nodes]
    found = tuple(Answer(word) for word in words if word is not None)
    if not is_whole or len(found) < len(words):
        return ()
    if not isinstance(entry.value, Items):
        found *= hops
    if "hops" not in item.keys:
        problems.add("expected 'hops' beside 'answers', found no such part", entry.key.place)
    elif len(found) != hops:
        hops_at = item.keys["hops"].value.place
        where = "" if hops_at.file == entry.value.place.file else f"; the hops stand at {hops_at}"
        problems.add(f"expected as many answers as hops, {hops}, found {len(found)}{where}", entry.value.place)
        return ()
    return found


def _formulas(name: str, shape: Shape | None, entry: Entry, problems: Problems) -> Iterator[tuple[Scalar, Expr]]:
    nodes: tuple[Node, ...] = (entry.value,)
    if isinstance(entry.value, Items) and (shape is None or PARTS[shape][name].is_list):
        nodes = entry.value.items
        if not nodes or len(nodes) > _MOST_IN_A_PART:
            message = f"expected 1 to {_MOST_IN_A_PART} formulas, found {len(nodes)}"
            problems.add(message, entry.value.place)
            return
    for node in nodes:
        scalar = scalar_of(Entry(entry.key, node), "a formula, such as lb.idle_timeout", problems)
        if scalar is None:
            continue
        try:
            yield scalar, parse_expression(scalar.text)
        except RuleSyntaxError as error:
            problems.add(error.message, scalar.at(error.span[0]))


def check_dimensions(drafts: Sequence[PictureDraft], exponents: Mapping[str, int], problems: Problems) -> None:
    """Say of every part that is not what its shape takes there what it is; `exponents` are the powers of time of the parameters."""
    for draft in drafts:
        for name, formulas in draft.parts.items():
            if draft.shape is None:
                continue
            wanted = PARTS[draft.shape][name].quantity.time_exponent
            for scalar, tree in formulas:
                _, errors = solve_dimensions([("", tree)], exponents)
                for error in errors:
                    problems.add(error.message, scalar.at(error.span[0]))
                if errors or any(used not in exponents for used in names_in(tree)):
                    continue
                found = dimension_of(tree, exponents)
                if found != wanted:
                    message = f"expected a {dimension_name(wanted)} for {quoted(name)}, found a {dimension_name(found)}"
                    problems.add(message, scalar.place)


def finish_pictures(
    drafts: Sequence[PictureDraft],
    sketched: Sequence[Sketched],
    rule_drafts: Sequence[RuleDraft],
    rules: Mapping[str, Rule],
    topology: Topology | None,
    problems: Problems,
) -> tuple[dict[str, Picture], list[Note]]:
    """The pictures that rules show, by id, and a note on each that none does."""
    links: dict[str, list[str]] = {}
    for rule in rules.values():
        links.setdefault(rule.chain or rule.id, []).append(rule.id)
    shown: dict[str, list[str]] = {}
    known = {draft.id for draft in drafts}
    for rule_draft in rule_drafts:
        if rule_draft.picture is None:
            continue
        name = rule_draft.picture.text
        if name not in known:
            hint = problems.nearest(name, sorted(known))
            problems.add(f"unknown picture {quoted(name)}{hint}", rule_draft.picture.place)
        shown.setdefault(name, []).extend(links.get(rule_draft.id, ()))
    found: dict[str, Picture] = {}
    notes: list[Note] = []
    for draft in drafts:
        if draft.id not in shown:
            notes.append(Note(f"no rule shows the picture {quoted(draft.id)}", draft.item.name.place))
        elif draft.shape is not None:
            taken = rules.get(draft.id)
            if taken is not None and taken.id not in shown[draft.id]:
                at = f"{taken.place.line}:{taken.place.col}"
                message = f"the id {quoted(draft.id)} is taken by the rule at {at}, which this picture does not show"
                problems.add(message, draft.item.name.place)
            parts = {name: _labelled(name, formulas) for name, formulas in draft.parts.items()}
            if "hops" in parts:
                parts["hops"] = _answering(parts["hops"], draft.answers, topology)
            found[draft.id] = Picture(
                id=draft.id,
                shape=draft.shape,
                title=draft.title,
                place=draft.item.name.place,
                parts=parts,
                rules=tuple(sorted(shown[draft.id])),
            )
    for one in sketched:
        drawn = sorted(link for id_ in one.rules for link in links.get(id_, ()))
        if drawn:
            wanted = f"{one.shape.value}@{':'.join(one.components)}"
            id_ = _free_id(wanted, {*found, *rules})
            # A second picture of the same shape and components is called after what makes it another one.
            title = None if id_ == wanted else f"{one.title}: {' – '.join(one.components)}"
            found[id_] = one.picture(id_, title, tuple(drawn))
    return dict(sorted(found.items())), notes


def _free_id(id_: str, taken: set[str]) -> str:
    """The id, or with a number behind it the first that is not taken."""
    number, free = 1, id_
    while free in taken:
        number += 1
        free = f"{id_}/{number}"
    return free


def _labelled(name: str, formulas: Sequence[tuple[Scalar, Expr]]) -> tuple[Part, ...]:
    """The parts with the names of those whose they are; two of one name are told apart."""
    used = [names_in(tree) for _, tree in formulas]
    owners = [names[0].rpartition(".")[0] if len(names) == 1 else "" for names in used]
    parts: list[Part] = []
    for number, (scalar, tree) in enumerate(formulas):
        owner, names = owners[number], used[number]
        if owner and owners.count(owner) > 1:
            owner = names[0]
        if not owner:
            owner = name if len(formulas) == 1 else f"{name} {number + 1}"
        parts.append(Part(label=owner, formula=tree, text=" ".join(scalar.text.split())))
    return tuple(parts)


def _answering(hops: Sequence[Part], said: Sequence[Answer], topology: Topology | None) -> tuple[Part, ...]:
    """The hops with what they answer: what the picture says, or else the kind of the only component by which the formula says it forgets."""
    answers = said or [_answer_of(part, topology) for part in hops]
    return tuple(replace(part, answers=answer) for part, answer in zip(hops, answers, strict=True))


def _answer_of(part: Part, topology: Topology | None) -> Answer:
    names = names_in(part.formula)
    owners = {name.partition(".")[0] for name in names}
    component = topology.components.get(owners.pop()) if topology is not None and len(owners) == 1 else None
    if component is None or not {name.partition(".")[2] for name in names} <= component.forgets_by():
        return Answer.UNKNOWN
    return component.answer()
