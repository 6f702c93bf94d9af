"""From `outlast.yaml` to a `Spec`: everything read, overridden, checked and named, or every error at once."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Final

from outlast.constraints.dimensions import solve_dimensions
from outlast.constraints.document import LARGEST_FILE, Entry, Scalar, parse_document
from outlast.constraints.errors import OVERRIDE, OutlastError, Place, printable
from outlast.constraints.expression import Bool, Expr, Name, Quantile, names_in, quantiles_in
from outlast.constraints.files import DISK, Store, may_ignore
from outlast.constraints.loading.layers import (
    MOST_ENTRIES,
    Item,
    Layer,
    override,
    read_layer,
    refuse_removals,
    roles_of,
)
from outlast.constraints.loading.parameters import Draft, finish_parameter, kind_of_formula, read_parameter
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.loading.quantiles import Side, bounds_of_number, bounds_used
from outlast.constraints.loading.rules import (
    RuleDraft,
    check_names,
    check_needs_on,
    finish_rules,
    read_rule,
)
from outlast.constraints.loading.tree import Tree
from outlast.constraints.loading.values import read_percent, read_text
from outlast.constraints.model import Ignore, Note, Parameter, Role, Rule, Spec
from outlast.constraints.progress import doing
from outlast.constraints.quantities import Kind
from outlast.constraints.record import record, replace
from outlast.constraints.syntax import normal_name

if TYPE_CHECKING:
    from outlast.constraints.loading.instances import Instances
    from outlast.constraints.loading.measured import MeasurementReader
    from outlast.constraints.loading.pictures import PictureDraft
    from outlast.constraints.measurements import Measurement
    from outlast.constraints.pictures import Picture
    from outlast.constraints.topology import Topology

__all__ = ["load_layer", "load_spec", "load_text"]

_DEEPEST_CHAIN: Final = 16
_DEFAULT_CONFIDENCE: Final = Fraction(95, 100)


def load_spec(path: Path, *, overrides: Sequence[str] = (), root: Path | None = None, store: Store = DISK) -> Spec:
    """Read a spec, what it extends and what it measures.

    Args:
        path: the spec; places name files as it does.
        overrides: `NAME=VALUE`, as from `--set`: the current value of a free parameter, the value of a fact or a fixed one.
        root: a folder below which files may be read besides the spec's own folder.
        store: where they are.

    Raises:
        InputErrors: everything that is wrong, in the order of the files and their places.
    """
    problems = Problems()
    title = f"cannot use {printable(str(path))}"
    tree = Tree.around(path, root, store)
    folders: dict[str, str] = {}
    sources: list[str] = []
    marked: dict[str, bytes] = {}
    layer = _read_layers(str(path), tree, folders, sources, marked, problems)
    if layer is None:
        problems.raise_if_any(title)
        raise OutlastError(title)  # not reached: there is no None without a problem
    topology = _topology(layer, problems)
    for number, text in enumerate(overrides, start=1):
        _apply_override(layer, topology, text, number, problems)
    spec = _Loader(path, layer, tree, folders, sources, problems).load(topology)
    problems.raise_if_any(title)
    return replace(spec, marked=marked, overrides=tuple(overrides), root=root)


def load_text(path: Path, text: str) -> Spec:
    """The spec that a text says, which extends none and measures nothing; `path` is what it is called.

    Raises:
        InputErrors: everything that is wrong with it.
    """
    problems = Problems()
    node, errors = parse_document(text.encode(), printable(str(path)))
    problems.add_syntax(errors)
    layer = None if node is None else read_layer(node, problems)
    title = f"cannot use {printable(str(path))}"
    if layer is None:
        problems.raise_if_any(title)
        raise OutlastError(title)  # not reached: there is no None without a problem
    topology = _topology(layer, problems)
    folders = {printable(str(path)): os.path.dirname(path)}
    spec = _Loader(path, layer, Tree(()), folders, (), problems).load(topology)
    problems.raise_if_any(title)
    return spec


def load_layer(path: Path, layer: Layer, *, is_sure: bool = False) -> Spec:
    """The spec that a layer made by a program says; `path` is what it is called.

    `is_sure`: a default that depends on a release that nobody tells is not taken.

    Raises:
        InputErrors: everything that is wrong with it.
    """
    problems = Problems()
    topology = _topology(layer, problems)
    spec = _Loader(path, layer, Tree(()), {}, (), problems).load(topology, is_sure=is_sure)
    problems.raise_if_any(f"cannot use {printable(str(path))}")
    return spec


def _topology(layer: Layer, problems: Problems) -> Topology | None:
    if layer.sections["components"] or "links" in layer.top:
        from outlast.constraints.loading.topology import read_topology  # many specs have no components

        return read_topology(layer, problems)
    return None


def _read_layers(
    path: str, tree: Tree, folders: dict[str, str], sources: list[str], marked: dict[str, bytes], problems: Problems
) -> Layer | None:
    """All files of the chain, the lowest first, merged; None if one of them cannot be read as a spec at all."""
    layers: list[Layer] = []
    seen: dict[str, None] = {}
    place, shown = Place(printable(path), 1, 1), printable(path)
    while True:
        doing("reading {}", shown)
        try:
            data = tree.read(path, place, LARGEST_FILE)
        except OutlastError as error:
            problems.add_foreign(error, place)
            return None
        seen[tree.store.resolve(path)] = None
        folders[shown] = os.path.dirname(path)
        sources.append(path)
        if may_ignore(data):
            marked[path] = data
        node, errors = parse_document(data, shown)
        problems.add_syntax(errors)
        layer = None if node is None else read_layer(node, problems)
        if layer is None:
            return None
        layers.append(layer)
        extends = layer.top.get("extends")
        if extends is None:
            break
        if not isinstance(extends.value, Scalar) or not extends.value.text:
            problems.add("expected the path of one spec, found something else", extends.value.place)
            return None
        place = extends.value.place
        path = os.path.normpath(os.path.join(os.path.dirname(path), extends.value.text))
        shown = printable(path)
        if "\0" not in path and tree.store.resolve(path) in seen:
            problems.add(f"{quoted(extends.value.text)} extends itself, directly or through others", place)
            return None
        if len(layers) == _DEEPEST_CHAIN:
            problems.add(f"expected at most {_DEEPEST_CHAIN} specs that extend each other, found more", place)
            return None
    layers.reverse()
    refuse_removals(layers[0], problems)
    merged = layers[0]
    for layer in layers[1:]:
        merged = override(merged, layer, problems)
    return merged


def _apply_override(layer: Layer, topology: Topology | None, text: str, number: int, problems: Problems) -> None:
    """Write one `NAME=VALUE` into the layer; a parameter of a component need not stand there."""
    place = Place(OVERRIDE, number, 1)
    name, equals, value = text.partition("=")
    name = normal_name(name.strip())
    value = value.strip()
    if not equals or not name or not value:
        problems.add(f"expected NAME=VALUE, found {quoted(text)}", place)
        return
    item = layer.sections["parameters"].get(name)
    if item is None and topology is not None and topology.known(name) is not None:
        nothing = Entry(Scalar(text="fixed", place=place), Scalar(text="", place=place))
        item = Item(Scalar(text=name, place=place), {"fixed": nothing})
    if item is None:
        hint = problems.nearest(name, layer.sections["parameters"])
        problems.add(f"unknown parameter {quoted(name)}{hint}", place)
        return
    roles = roles_of(item)
    if roles == ["derived"]:
        problems.add(f"{quoted(name)} is derived from others, so it has no value of its own", place)
        return
    key = roles[0] if roles and roles[0] != "free" else "current"
    at = place.shifted(text.index(value, text.index("=")))
    scalar = Scalar(text=value, place=at)
    # A copy: an alias may have put the same keys under several names.
    keys = {**item.keys, key: Entry(Scalar(text=key, place=place), scalar)}
    layer.sections["parameters"][name] = Item(item.name, keys, is_incomplete=item.is_incomplete)


@record
class _Formula:
    """A formula with the text in which its spans lie."""

    scalar: Scalar
    tree: Bool | Expr


def _reader(tree: Tree, folders: Mapping[str, str], problems: Problems) -> MeasurementReader:
    from outlast.constraints.loading.measured import MeasurementReader  # most specs have no measurements

    return MeasurementReader(tree, folders, problems)


class _Loader:
    """Turns a merged layer into a spec."""

    def __init__(
        self,
        path: Path,
        layer: Layer,
        tree: Tree,
        folders: Mapping[str, str],
        sources: Sequence[str],
        problems: Problems,
    ) -> None:
        self._path = path
        self._sources = sources
        self._layer = layer
        self._problems = problems
        self._folders = folders
        self._reader = _reader(tree, folders, problems) if layer.sections["measurements"] else None
        self._parameters = layer.sections["parameters"]
        self._measurements = layer.sections["measurements"]

    def load(self, topology: Topology | None, *, is_sure: bool = False) -> Spec:
        """Everything that the layer says, and what the catalogue adds for its components."""
        problems = self._problems
        instances = None
        if topology is not None:
            from outlast.constraints.loading.instances import instantiate

            instances = instantiate(self._layer, topology, problems, is_sure=is_sure)
        elif self._layer.sections["decline"]:
            first = min(self._layer.sections["decline"].values(), key=lambda item: item.name.place)
            problems.add("found rules to decline, but no components, so the catalogue has none here", first.name.place)
        top = Item(Scalar(text="", place=self._layer.place), self._layer.top)
        title = read_text(top, "title", problems)
        default_aim = read_percent(self._layer.top.get("aim"), problems)
        confidence = self._confidence()
        drafts = self._drafts()
        rule_drafts = [
            draft
            for id_, item in sorted(self._layer.sections["rules"].items())
            if (draft := read_rule(id_, item, problems)) is not None
        ]
        measurements = {} if self._reader is None else self._reader.read_all(self._measurements)
        formulas = self._formulas(drafts, rule_drafts)
        for formula in formulas.values():
            check_names(formula.scalar, formula.tree, self._parameters, self._measurements, problems)
        for draft in rule_drafts:
            check_needs_on(draft, self._parameters, problems)
        pictures = self._picture_drafts()
        is_circular = self._refuse_circles(drafts)
        kinds = self._kinds(drafts, formulas, is_circular)
        exponents = {name: kind.time_exponent for name, kind in kinds.items()}
        rules = self._rules(rule_drafts, default_aim[0] if default_aim else Fraction(1), exponents)
        self._check_bounds(drafts, rule_drafts, pictures, measurements, confidence)
        drawn, undrawn = self._pictures(pictures, topology, instances, rule_drafts, rules, exponents)
        parameters: dict[str, Parameter] = {}
        for name, kind in sorted(kinds.items()):
            if (parameter := finish_parameter(drafts[name], kind, problems)) is not None:
                parameters[name] = parameter
        return Spec(
            path=self._path,
            title=title,
            parameters=parameters,
            measurements=measurements,
            rules=rules,
            confidence=confidence,
            notes=(*self._notes(formulas, rule_drafts, pictures), *undrawn, *(instances.notes if instances else ())),
            topology=topology,
            unjudged=instances.unjudged if instances else (),
            declined=instances.declined if instances else (),
            ignores=self._ignores(rules, instances),
            pictures=drawn,
            sources=(*self._sources, *(() if self._reader is None else self._reader.paths)),
        )

    def _ignores(self, rules: Mapping[str, Rule], instances: Instances | None) -> tuple[Ignore, ...]:
        items = self._layer.sections["ignore"]
        if not items:
            return ()
        from outlast.constraints.loading.ignores import read_ignores  # most specs have none

        return read_ignores(items, rules, self._parameters, instances, self._problems)

    def _picture_drafts(self) -> list[PictureDraft]:
        items = self._layer.sections["pictures"]
        if not items:
            return []
        from outlast.constraints.loading.pictures import read_pictures  # most specs have none

        drafts = read_pictures(items, self._problems)
        for draft in drafts:
            for scalar, tree in draft.formulas():
                check_names(scalar, tree, self._parameters, self._measurements, self._problems)
        return drafts

    def _pictures(
        self,
        drafts: Sequence[PictureDraft],
        topology: Topology | None,
        instances: Instances | None,
        rule_drafts: Sequence[RuleDraft],
        rules: Mapping[str, Rule],
        exponents: Mapping[str, int],
    ) -> tuple[Mapping[str, Picture], Sequence[Note]]:
        sketched = instances.pictures if instances else ()
        if not drafts and not sketched and all(draft.picture is None for draft in rule_drafts):
            return {}, ()
        from outlast.constraints.loading.pictures import check_dimensions, finish_pictures  # many specs have none

        check_dimensions(drafts, exponents, self._problems)
        return finish_pictures(drafts, sketched, rule_drafts, rules, topology, self._problems)

    def _confidence(self) -> Fraction:
        found = read_percent(self._layer.top.get("confidence"), self._problems)
        if found is None:
            return _DEFAULT_CONFIDENCE
        confidence, place = found
        if not 0 < confidence < 1:
            self._problems.add("expected a confidence above 0% and below 100%", place)
            return _DEFAULT_CONFIDENCE
        return confidence

    def _drafts(self) -> dict[str, Draft]:
        drafts: dict[str, Draft] = {}
        for name, item in sorted(self._parameters.items()):
            if name in self._measurements:
                place = self._measurements[name].name.place
                self._problems.add(f"{quoted(name)} is the name of a parameter and of a measurement", place)
            if (draft := read_parameter(name, item, self._folders, self._problems)) is not None:
                drafts[name] = draft
        return drafts

    def _formulas(self, drafts: Mapping[str, Draft], rules: Sequence[RuleDraft]) -> dict[str, _Formula]:
        """All formulas; a derived parameter's goes by its name, a rule's by a key that is no name."""
        formulas: dict[str, _Formula] = {}
        for name, draft in drafts.items():
            if draft.formula is not None and draft.formula_text is not None:
                formulas[name] = _Formula(draft.formula_text, draft.formula)
        for rule in rules:
            for number, (scalar, tree) in enumerate(rule.formulas()):
                formulas[f"{rule.id} #{number}"] = _Formula(scalar, tree)
        return formulas

    def _refuse_circles(self, drafts: Mapping[str, Draft]) -> bool:
        """Say of derived parameters that need each other that they do; True if there are any."""
        before = len(self._problems)
        needs = {n: [m for m in names_in(d.formula) if m in drafts] for n, d in drafts.items() if d.formula is not None}
        for circle in _circles(needs):
            shown = " -> ".join(circle if len(circle) <= 8 else [*circle[:6], "…", circle[-1]])
            place = drafts[circle[-2]].item.place("derived")
            self._problems.add(f"{quoted(circle[0])} is derived from itself: {printable(shown)}", place)
        return len(self._problems) > before

    def _kinds(
        self, drafts: Mapping[str, Draft], formulas: Mapping[str, _Formula], is_circular: bool
    ) -> dict[str, Kind]:
        """The kind of every parameter that can be used, those that no value tells from the rules."""
        kinds = {name: draft.kind for name, draft in drafts.items() if draft.kind is not None}
        known = {name: kind.time_exponent for name, kind in kinds.items()}
        unknown = [name for name in drafts if name not in known]
        solved, errors = solve_dimensions(((key, f.tree) for key, f in formulas.items()), known, unknown)
        for error in errors:
            draft = drafts.get(error.name) if error.name is not None else None
            if draft is not None:
                if error.key is None or draft.role not in (Role.FREE, Role.DERIVED):
                    continue  # nothing depends on it
                if is_circular and draft.role is Role.DERIVED:
                    continue  # that is why
                self._problems.add(error.message, draft.item.place(draft.role.value))
            elif error.key is not None:
                self._problems.add(error.message, formulas[error.key].scalar.at(error.span[0]))
        plain = {1: Kind.DURATION, 0: Kind.COUNT, -1: Kind.RATE}
        for name in unknown:
            kinds[name] = plain.get(solved.get(name, 1), Kind.DURATION)
        self._tell_ratios(drafts, [n for n in unknown if kinds[n] is Kind.COUNT], kinds)
        return kinds

    def _tell_ratios(self, drafts: Mapping[str, Draft], names: list[str], kinds: dict[str, Kind]) -> None:
        """Of derived plain numbers, those that are not surely whole are ratios, and so is what is computed from them."""
        derived = {n: f for n in names if (f := drafts[n].formula) is not None}
        users: dict[str, list[str]] = {}
        for name, formula in derived.items():
            for used in names_in(formula):
                users.setdefault(used, []).append(name)
        queue = list(derived)
        while queue:
            name = queue.pop()
            if kinds[name] is Kind.COUNT and kind_of_formula(derived[name], 0, kinds) is Kind.RATIO:
                kinds[name] = Kind.RATIO
                queue.extend(users.get(name, ()))

    def _rules(self, drafts: Sequence[RuleDraft], aim: Fraction, exponents: Mapping[str, int]) -> dict[str, Rule]:
        rules: dict[str, Rule] = {}
        for draft in drafts:
            for rule in finish_rules(draft, aim, exponents, self._problems):
                if rule.id in rules:
                    other = rules[rule.id].place
                    message = f"the id {quoted(rule.id)} is taken by the rule at {other.line}:{other.col}"
                    self._problems.add(message + " (each link of a chain is a rule of its own)", rule.place)
                rules[rule.id] = rule
            if len(rules) > MOST_ENTRIES:
                message = f"expected at most {MOST_ENTRIES} rules, each link of a chain counted, found more"
                self._problems.add(message, draft.require.place)
                break
        return dict(sorted(rules.items()))

    def _check_bounds(
        self,
        drafts: Mapping[str, Draft],
        rules: Sequence[RuleDraft],
        pictures: Sequence[PictureDraft],
        measurements: Mapping[str, Measurement],
        confidence: Fraction,
    ) -> None:
        """Say of each quantile whose bound cannot be computed why, at its first use."""
        if not measurements:
            return
        seen: set[tuple[str, Side]] = set()
        uses: list[tuple[Scalar, Iterator[tuple[Quantile | Name, Side]]]] = []
        for rule in rules:
            for number, (scalar, tree) in enumerate(rule.formulas()):
                uses.append((scalar, bounds_used(tree, is_condition=number >= len(rule.links))))
        for picture in pictures:
            uses += [(scalar, bounds_of_number(tree, "upper")) for scalar, tree in picture.formulas()]
        for scalar, used in uses:
            pending = [(scalar, node, side) for node, side in used]
            while pending:
                text, node, side = pending.pop(0)
                if isinstance(node, Quantile):
                    if self._reader is not None:
                        self._reader.check_bound(text, node, side, measurements, confidence)
                    continue
                draft = drafts.get(node.name)
                if draft is None or draft.formula is None or draft.formula_text is None or (node.name, side) in seen:
                    continue
                seen.add((node.name, side))
                pending += [(draft.formula_text, n, s) for n, s in bounds_of_number(draft.formula, side)]

    def _notes(
        self, formulas: Mapping[str, _Formula], rules: Sequence[RuleDraft], pictures: Sequence[PictureDraft]
    ) -> Iterator[Note]:
        used: set[str] = set()
        measured: set[str] = set()
        drawn = (tree for picture in pictures for _, tree in picture.formulas())
        for tree in (*(formula.tree for formula in formulas.values()), *drawn):
            used.update(names_in(tree))
            measured.update(quantile.measurement for quantile in quantiles_in(tree))
        for rule in rules:
            used.update(normal_name(scalar.text) for scalar in rule.needs_on)
        for name, item in sorted(self._parameters.items()):
            if name not in used:
                yield Note(f"nothing uses the parameter {quoted(name)}", item.name.place)
        for name, item in sorted(self._measurements.items()):
            if name not in measured:
                yield Note(f"nothing uses the measurement {quoted(name)}", item.name.place)


def _circles(needs: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Each circle that a search in depth closes, its first name repeated at the end."""
    done: set[str] = set()
    for start in needs:
        path = {} if start in done else {start: iter(needs[start])}
        while path:
            name = next(reversed(path))
            following = next((m for m in path[name] if m not in done), None)
            if following is None:
                del path[name]
                done.add(name)
            elif following in path:
                names = list(path)
                yield [*names[names.index(following) :], following]
            else:
                path[following] = iter(needs.get(following, ()))
