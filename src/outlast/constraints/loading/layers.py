"""One file of a spec as sections and entries, and how a file overrides the one that it extends."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Final

from outlast.constraints.document import Entry, Mapping, Node, Scalar, Sequence
from outlast.constraints.errors import Place
from outlast.constraints.loading.problems import Problems, quoted
from outlast.constraints.measurements import FORMATS
from outlast.constraints.pictures import PARTS
from outlast.constraints.record import record
from outlast.constraints.syntax import check_name, normal_name
from outlast.constraints.yaml_errors import in_quotes

if TYPE_CHECKING:
    from outlast.constraints.catalogue import KnownParameter, Relation

__all__ = [
    "MEASUREMENT_FORMATS",
    "MOST_ENTRIES",
    "ROLES",
    "ROLE_KEYS",
    "SECTIONS",
    "SHORT",
    "TOP_KEYS",
    "Item",
    "Known",
    "KnownRule",
    "Layer",
    "check_role_keys",
    "override",
    "read_layer",
    "refuse_removals",
    "roles_of",
]

_ORIGIN: Final = ("why", "source", "owner", "reviewed", "review_by")
ROLES: Final = ("fact", "fixed", "free", "derived")
#: Keys that say something only about parameters of these roles.
ROLE_KEYS: Final[dict[str, tuple[str, ...]]] = {
    "step": ("fixed", "free"),
    "current": ("free",),
    "prefer": ("free",),
    "cost": ("fixed",),
    "unit": ("fact", "fixed", "free", "derived"),
    "zero": ("fact", "fixed", "free"),
    "unset": ("fact", "fixed", "free"),
    "negative": ("fact", "fixed", "free"),
    "unguarded": ("fact", "fixed", "free"),
}
MEASUREMENT_FORMATS: Final = tuple(FORMATS)
_OPTIONS: Final = tuple(dict.fromkeys(option for options in FORMATS.values() for option in options))

#: The sections with the keys of their entries.
SECTIONS: Final[dict[str, tuple[str, ...]]] = {
    "parameters": (*ROLES, *ROLE_KEYS, "at", *_ORIGIN),
    "measurements": (*MEASUREMENT_FORMATS, *_OPTIONS, "lost", "taken", *_ORIGIN),
    "rules": (
        *("require", "when", "level", "weight", "margin", "aim", "needs_on", "cost", "breaks"),
        *_ORIGIN,
        "picture",
    ),
    # The options of a component are its kind's to tell.
    "components": (),
    "decline": _ORIGIN,
    "ignore": (*_ORIGIN, "until"),
    # Which parts go with which shape is told where they are read.
    "pictures": ("shape", "title", *dict.fromkeys(name for parts in PARTS.values() for name in parts), "answers"),
}
TOP_KEYS: Final = ("outlast", "title", "extends", "aim", "confidence", "links", *SECTIONS)
_PROSE: Final = frozenset({"why", "source", "owner", "breaks", "title"})
_EXCLUSIVE: Final = {"parameters": ROLES, "measurements": MEASUREMENT_FORMATS}
_SINGULAR: Final = {
    "parameters": "parameter",
    "measurements": "measurement",
    "rules": "rule",
    "components": "component",
    "decline": "declined rule",
    "ignore": "ignored rule",
    "pictures": "picture",
}
_EXAMPLE: Final = {
    "parameters": "{ fixed: 10s }",
    "measurements": "{ samples: rtt.csv, unit: ms }",
    "rules": "{ require: a < b }",
    "components": "{ kind: aws.alb }",
    "decline": "{ why: traffic bypasses the balancer }",
    "ignore": "{ why: mended with the next release, until: 2027-01-31 }",
    "pictures": "{ shape: idle, client: pool.idle, server: web.idle }",
}
#: Sections whose entries may be a single text, and the key that this stands for.
SHORT: Final = {"components": "kind", "decline": "why", "ignore": "why"}
#: Sections whose names are ids: of rules, and of pictures, which look like them.
_BY_ID: Final = ("rules", "decline", "ignore", "pictures")
MOST_ENTRIES: Final = 20_000


@record(kw_only=True)
class Known:
    """What a parameter of a component takes from its kind."""

    parameter: KnownParameter
    #: As in "60s, the default of ALB"; None: the spec gives a value.
    default_of: str | None
    #: The same, of what the kind says of an absent key of a parameter that the spec has.
    unset_of: str | None = None


@record(kw_only=True)
class KnownRule:
    """The relation that a rule was made of, and the components that it speaks of, in the order of the id.

    Without a relation it is what a parameter may be at all.
    """

    relation: Relation | None
    components: tuple[str, ...]


@record(frozen=False)
class Item:
    """An entry of a section: its name and its keys. `is_removal`: it was written as `null`.

    `is_incomplete`: a key could not be used; that one is missing follows from it.
    """

    name: Scalar
    keys: dict[str, Entry]
    is_removal: bool = False
    is_incomplete: bool = False
    #: Of a parameter or a rule: what the catalogue says of it.
    known: Known | KnownRule | None = None
    #: Of a derived parameter: it is the effective value of a component, which its kind tells.
    is_effective: bool = False

    def place(self, key: str) -> Place:
        """Where the value of a key stands, or the name if there is no such key."""
        entry = self.keys.get(key)
        return entry.value.place if entry else self.name.place


@record(frozen=False)
class Layer:
    """What one file says, or several after overriding."""

    place: Place
    top: dict[str, Entry] = field(default_factory=dict)
    sections: dict[str, dict[str, Item]] = field(default_factory=lambda: {name: {} for name in SECTIONS})


def read_layer(node: Node, problems: Problems) -> Layer | None:
    """Sort a document into sections; what is unknown or out of place is among the problems. None: not for us to read."""
    if not isinstance(node, Mapping):
        problems.add("expected 'outlast: 1' and sections such as 'parameters:' and 'rules:'", node.place)
        return None
    if not _is_known_version(node, problems):
        return None
    layer = Layer(node.place, _known_keys(node, TOP_KEYS, "a spec", problems))
    for section in SECTIONS:
        entry = layer.top.get(section)
        if entry is not None and not (
            isinstance(entry.value, Scalar) and (entry.value.is_null or entry.value.is_empty)
        ):
            layer.sections[section] = _section(section, entry.value, problems)
    return layer


def _is_known_version(node: Mapping, problems: Problems) -> bool:
    entry = next((entry for entry in node.entries if entry.key.text == "outlast"), None)
    if entry is None:
        problems.add("expected 'outlast: 1', the version of the format, found no such key", node.place)
        return True
    if isinstance(entry.value, Scalar) and entry.value.text == "1":
        return True
    found = quoted(entry.value.text) if isinstance(entry.value, Scalar) else "something else"
    problems.add(f"expected 1, the only version of the format so far, found {found}", entry.value.place)
    return False


def _section(section: str, node: Node, problems: Problems) -> dict[str, Item]:
    singular = _SINGULAR[section]
    items: dict[str, Item] = {}
    if not isinstance(node, Mapping):
        found = "a list" if isinstance(node, Sequence) else _text_for_mapping(node)
        problems.add(f"expected a mapping of names to {section}, found {found}", node.place)
        return items
    if len(node.entries) > MOST_ENTRIES:
        problems.add(f"expected at most {MOST_ENTRIES} {section}, found {len(node.entries)}", node.place)
        return items
    for position, entry in enumerate(node.entries):
        if _is_cut_by_comma(node, position, problems):
            continue
        name = entry.key.text if section in _BY_ID else normal_name(entry.key.text)
        complaint = _check_id(name, section) if section in _BY_ID else check_name(name)
        if complaint is None and section == "components" and "." in name:
            complaint = f"the name of a component has no dots, found {quoted(name)}"
        if complaint is not None:
            problems.add(complaint, entry.key.place)
        if name in items:
            problems.add(f"found {quoted(name)} a second time, in another spelling of Unicode", entry.key.place)
            continue
        items[name] = _item(section, singular, entry, problems)
    return items


def _item(section: str, singular: str, entry: Entry, problems: Problems) -> Item:
    value = entry.value
    if isinstance(value, Mapping):
        known = SECTIONS[section] or tuple(each.key.text for each in value.entries)
        keys = _known_keys(value, known, f"a {singular}", problems)
        return Item(entry.key, keys, is_incomplete=len(keys) < len(value.entries))
    if isinstance(value, Scalar) and value.is_null:
        return Item(entry.key, {}, is_removal=True)
    if isinstance(value, Scalar) and section in SHORT and value.text:
        if SHORT[section] in _PROSE:
            _refuse_cut(entry.key.text, value, problems)
        return Item(entry.key, {SHORT[section]: entry})
    found = "a list" if isinstance(value, Sequence) else _text_for_mapping(value)
    problems.add(f"expected a mapping such as {_EXAMPLE[section]}, found {found}", value.place)
    return Item(entry.key, {"": entry})


def _text_for_mapping(scalar: Scalar) -> str:
    if scalar.is_empty:
        return "nothing"
    key, colon, value = scalar.text.partition(":")
    if scalar.is_plain and colon and value and key.isidentifier():
        return f"{quoted(scalar.text)}; a blank belongs after the colon: {quoted(f'{key}: {value}')}"
    return quoted(scalar.text)


def _known_keys(node: Mapping, known: tuple[str, ...], what: str, problems: Problems) -> dict[str, Entry]:
    keys: dict[str, Entry] = {}
    for position, entry in enumerate(node.entries):
        key = entry.key.text
        if _is_cut_by_comma(node, position, problems):
            continue
        if key not in known:
            problems.add(_unknown_key(entry, known, what, problems), entry.key.place)
        else:
            keys[key] = entry
            if key in _PROSE:
                _refuse_cut(key, entry.value, problems)
    return keys


def _refuse_cut(key: str, value: Node, problems: Problems) -> None:
    """Say of a text that a ` #` has ended before its time that it has."""
    if isinstance(value, Scalar) and value.cut is not None:
        whole = f"{value.text} {value.cut}".strip()
        problems.add(
            f"found ' #', which makes a comment of the rest, {quoted(value.cut)}; "
            f"put the text in quotes: {key}: {in_quotes(whole)}",
            value.at(len(value.text)),
        )


def _unknown_key(entry: Entry, known: tuple[str, ...], what: str, problems: Problems) -> str:
    key, colon, value = entry.key.text.partition(":")
    if colon and value and key in known:
        return f"expected a blank after the colon: {quoted(f'{key}: {value}')}"
    return f"unknown key {quoted(entry.key.text)} of {what}{problems.nearest(entry.key.text, known)}"


def _is_cut_by_comma(node: Mapping, position: int, problems: Problems) -> bool:
    """Whether a comma inside braces has made a key of the rest of a value, as in `{ why: SLO, as agreed }`."""
    entry = node.entries[position]
    value = entry.value
    if not (node.is_flow and isinstance(value, Scalar) and value.is_empty) or _has_colon(entry.key, value):
        return False
    key, colon, rest = entry.key.text.partition(":")
    if entry.key.is_plain and colon and rest and key.isidentifier():
        message = f"expected a blank after the colon: {quoted(f'{key}: {rest}')}"
        problems.add(message, entry.key.place)
        return True
    before = node.entries[position - 1] if position else None
    if before is None or not isinstance(before.value, Scalar) or before.value.is_empty:
        problems.add(f"found the key {quoted(entry.key.text)} without a value", entry.key.place)
        return True
    whole = in_quotes(f"{before.value.text}, {entry.key.text}")
    problems.add(
        f"found the key {quoted(entry.key.text)} without a value: a comma between braces ends a value; "
        f"put the value in quotes: {before.key.text}: {whole}",
        entry.key.place,
    )
    return True


def _has_colon(key: Scalar, value: Scalar) -> bool:
    return key.source is not None and ":" in key.source.text[key.end : value.start]


def _check_id(name: str, section: str) -> str | None:
    whose = "a picture" if section == "pictures" else "a rule"
    wrong = next((c for c in name if not (c.isalnum() or c in "_.-/@:")), None)
    if not name:
        return f"the id of {whose} is empty"
    if len(name) > 200:
        return f"the id of {whose} has {len(name)} characters, 200 are the most"
    if wrong is not None:
        shown = "a blank" if wrong.isspace() else quoted(wrong)
        return f"the id {quoted(name)} contains {shown}; an id is letters, digits and _ . - / @ :"
    return None


def override(base: Layer, child: Layer, problems: Problems) -> Layer:
    """What `child` says, and where it is silent, what `base` says."""
    merged = Layer(child.place)
    merged.top = {key: entry for key, entry in base.top.items() if key not in ("outlast", "extends")}
    for key, entry in child.top.items():
        if isinstance(entry.value, Scalar) and entry.value.is_null:
            if merged.top.pop(key, None) is None:
                problems.add(f"found nothing to remove: what this spec extends has no {quoted(key)}", entry.value.place)
        elif key not in SECTIONS:
            merged.top[key] = entry
    for section in SECTIONS:
        merged.sections[section] = _override_section(section, base, child, problems)
    return merged


def _override_section(section: str, base: Layer, child: Layer, problems: Problems) -> dict[str, Item]:
    written = child.top.get(section)
    if written is not None and isinstance(written.value, Scalar) and written.value.is_null:
        return {}
    items = dict(base.sections[section])
    for name, item in child.sections[section].items():
        below = items.get(name)
        if item.is_removal:
            if below is None:
                hint = problems.nearest(name, items)
                what = f"what this spec extends has no {_SINGULAR[section]} {quoted(name)}"
                if section == "rules" and "/" in name:
                    hint = "; a rule of the catalogue is left out under decline:"
                problems.add(f"found nothing to remove: {what}{hint}", item.name.place)
            items.pop(name, None)
        elif below is None:
            items[name] = item
        else:
            items[name] = _override_item(section, below, item, problems)
    return items


def _override_item(section: str, base: Item, child: Item, problems: Problems) -> Item:
    keys = dict(base.keys)
    exclusive = _EXCLUSIVE.get(section, ())
    chosen = [k for k in exclusive if k in child.keys and not _is_null(child.keys[k])]
    if chosen:
        for key in exclusive:
            keys.pop(key, None)
    if section == "parameters" and len(chosen) == 1:
        for key, roles in ROLE_KEYS.items():
            if chosen[0] not in roles:
                keys.pop(key, None)
    if section == "measurements" and len(chosen) == 1:
        for key in _OPTIONS:
            if key not in FORMATS[chosen[0]]:
                keys.pop(key, None)
    for key, entry in child.keys.items():
        if not _is_null(entry):
            keys[key] = entry
        elif keys.pop(key, None) is None and key not in base.keys:
            message = f"found nothing to remove: what this spec extends has no {quoted(key)} here"
            problems.add(message + problems.nearest(key, base.keys), entry.value.place)
    return Item(base.name, keys, is_incomplete=base.is_incomplete or child.is_incomplete)


def _is_null(entry: Entry) -> bool:
    return isinstance(entry.value, Scalar) and entry.value.is_null


def refuse_removals(layer: Layer, problems: Problems) -> None:
    """Say of every `null` of the lowest layer that there is nothing that it could remove."""
    message = "found null, which removes what another spec gave, but this one extends none"
    top = [e for e in layer.top.values() if _is_null(e)]
    items = [item for section in layer.sections.values() for item in section.values()]
    for entry in top + [e for item in items for e in item.keys.values() if _is_null(e)]:
        problems.add(message, entry.value.place)
    for item in items:
        if item.is_removal:
            hint = "; a rule of the catalogue is left out under decline:" if "/" in item.name.text else ""
            problems.add(message + hint, item.name.place)
    for section in layer.sections.values():
        for name in [n for n, item in section.items() if item.is_removal]:
            del section[name]
    for item in items:
        kept = {k: e for k, e in item.keys.items() if not _is_null(e)}
        item.is_incomplete |= len(kept) < len(item.keys)
        item.keys = kept
    layer.top = {k: e for k, e in layer.top.items() if not _is_null(e)}


def check_role_keys(item: Item, role: str, problems: Problems) -> None:
    """Say of every key that it does not go with a parameter of this role."""
    for key, roles in ROLE_KEYS.items():
        if key in item.keys and role not in roles:
            message = f"{quoted(key)} says nothing about a {role} parameter; it goes with {' and '.join(roles)}"
            problems.add(message, item.keys[key].key.place)


def roles_of(item: Item) -> list[str]:
    """Which of fact, fixed, free and derived are written, in their order there."""
    return sorted((role for role in ROLES if role in item.keys), key=lambda role: item.keys[role].key.place)
