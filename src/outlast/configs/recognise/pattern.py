"""The entries of `files:` of the kinds, compiled: docs/catalogue.md says how they are written.

A setting is looked up by its format and the last name of its path, which rejects most of them at once; what is left is compared item
by item, from the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Final

from outlast.configs.formats import FORMATS
from outlast.configs.recognise.paths import ANY_INDEX, Item
from outlast.configs.select import fold_of
from outlast.constraints.catalogue.known import Kind
from outlast.constraints.record import record

__all__ = [
    "Condition",
    "Entry",
    "PatternError",
    "Patterns",
    "Program",
    "Use",
    "compile_patterns",
    "is_scope",
    "is_tail",
    "parse_route",
]

#: One item of a pattern: the names that it takes; None: any; an empty set: any number of items.
Token = frozenset[str] | None
_REST: Final[frozenset[str]] = frozenset()
_PART: Final = re.compile(r"\[\"([^\"]*)\"\]|\[([^\]\"]+)\]|([^.\[\]]+)")
#: What stands for a document that has no other name.
_DOCUMENT: Final = re.compile(r"\[[0-9]+\](?:#[0-9]+)?")


class PatternError(ValueError):
    """An entry of `files:` that is not as docs/catalogue.md says."""


@record
class Condition:
    """A key that an instance must have (`is_wanted`) or must not have, with one of the words, if any are given."""

    route: tuple[Token, ...]
    words: frozenset[str]
    is_wanted: bool


@record(kw_only=True, eq=False)
class Entry:
    """One entry of a kind's `files:`, for one format."""

    kind: str
    format: str
    #: What the name of the file, with its folders, must be; None: any.
    names: re.Pattern[str] | None
    #: Outermost first; None: none, but for a document's number.
    scope: tuple[re.Pattern[str], ...] | None
    #: Whether any scope will do.
    is_anywhere: bool
    instance: tuple[Token, ...]
    #: Whether something may stand between the beginning of the route and the instance.
    is_deep: bool
    #: Where a key is looked for that the instance does not have: in enclosing scopes, or in the last scope of that name before it.
    inherits: bool
    inherits_from: tuple[str, ...]
    conditions: tuple[Condition, ...]
    #: Whether anything at all inside makes an instance.
    is_always: bool
    #: Options that are told by what the entry is.
    fixed: Mapping[str, str]
    #: Parameters that stand somewhere else, by other entries of the kind for this format: never to be taken for their default here.
    elsewhere: frozenset[str] = frozenset()


@record(kw_only=True, eq=False)
class Use:
    """What the value under one key is to an entry."""

    entry: Entry
    #: Below the instance; from the root of its scope if `is_rooted`.
    route: tuple[Token, ...]
    is_rooted: bool
    #: `parameter`, `option` or `condition`, and its name or number.
    role: str
    name: str


@record(kw_only=True, eq=False)
class Program:
    """A kind that is set by flags and variables of the environment, wherever its command line stands."""

    kind: str
    #: What the first words of its command line are, without folders.
    programs: frozenset[tuple[str, ...]]
    #: Names of images that run it without a command.
    images: frozenset[str]
    #: By flag or variable: `parameter` or `option`, and its name.
    keys: Mapping[str, tuple[str, str]]
    #: Flags that name a file of its own, which may set anything.
    configs: frozenset[str]
    requires: frozenset[str]
    fixed: Mapping[str, str]


@record(eq=False)
class Patterns:
    """All entries."""

    #: By format, then by the last name.
    uses: Mapping[str, Mapping[str, tuple[Use, ...]]]
    #: By format: entries of which anything inside makes an instance.
    always: Mapping[str, tuple[Entry, ...]]
    #: By format: entries of what other things run in.
    hosts: Mapping[str, tuple[Entry, ...]]
    programs: tuple[Program, ...]
    #: By format: words of which a file must hold at least one for any entry to match.
    words: Mapping[str, frozenset[str]]


def compile_patterns(kinds: Sequence[Kind]) -> Patterns:
    """The entries of all kinds.

    Raises:
        PatternError: an entry is none.
    """
    uses: dict[str, dict[str, list[Use]]] = {}
    always: dict[str, list[Entry]] = {}
    hosts: dict[str, list[Entry]] = {}
    words: dict[str, set[str]] = {}
    programs: list[Program] = []
    for kind in sorted(kinds, key=lambda k: k.name):
        for document in kind.files:
            try:
                if "program" in document or "image" in document:
                    programs.append(_program(kind, document))
                    continue
                for entry, made in _entries(kind, document):
                    if entry.is_always:
                        always.setdefault(entry.format, []).append(entry)
                        words.setdefault(entry.format, set()).update(_words(entry, kind))
                    if "grace" in kind.roles:
                        hosts.setdefault(entry.format, []).append(entry)
                    for last, use in made:
                        uses.setdefault(entry.format, {}).setdefault(last, []).append(use)
            except PatternError as error:
                raise PatternError(f"kind {kind.name}: files: {error}") from None
    return Patterns(
        {f: {last: tuple(us) for last, us in by_last.items()} for f, by_last in uses.items()},
        {f: tuple(entries) for f, entries in always.items()},
        {f: tuple(entries) for f, entries in hosts.items()},
        tuple(programs),
        {f: frozenset(uses.get(f, ())) | frozenset(words.get(f, ())) for f in {*uses, *words}},
    )


def _words(entry: Entry, kind: Kind) -> Iterator[str]:
    """The words that a file must have one of, as the scope of an entry tells them: `aws_lb` of `aws_lb.*`."""
    texts = [str(d.get("scope", "")) for d in kind.files if entry.format in _texts(d.get("formats", ()), "formats")]
    found = [part.partition(".")[0] for text in texts for part in text.rpartition("/")[2].split("|")]
    if not all(re.fullmatch(r"\w+", word) for word in found):
        raise PatternError("expected a scope that begins with a word where anything makes an instance")
    yield from found


_ENTRY_KEYS: Final = frozenset(
    ("formats", "names", "scope", "instance", "keys", "options", "inherit", "requires", "unless", "always", "sets")
)
_PROGRAM_KEYS: Final = frozenset(("program", "image", "keys", "options", "config", "requires", "sets"))


def _texts(value: object, what: str) -> tuple[str, ...]:
    """One text, or a list of them."""
    found = value if isinstance(value, list | tuple) else (value,)
    if not all(isinstance(text, str) for text in found):
        raise PatternError(f"expected texts for {what}, found {value!r}")
    return tuple(found)


def _mapping(value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise PatternError(f"expected a mapping for {what}, found {value!r}")
    return value


def _fixed(document: Mapping[str, object]) -> Mapping[str, str]:
    return {str(name): str(word) for name, word in _mapping(document.get("sets", {}), "sets").items()}


def _program(kind: Kind, document: Mapping[str, object]) -> Program:
    _refuse_unknown(document, _PROGRAM_KEYS)
    keys: dict[str, tuple[str, str]] = {}
    for role, of in (
        ("parameter", _keys_of(kind, document)),
        ("option", _mapping(document.get("options", {}), "options")),
    ):
        for name, texts in of.items():
            _refuse_missing(kind, role, name)
            for text in _texts(texts, name):
                keys[text] = (role, name)
    return Program(
        kind=kind.name,
        programs=frozenset(tuple(text.split()) for text in _texts(document.get("program", ()), "program")),
        images=frozenset(_texts(document.get("image", ()), "image")),
        keys=keys,
        configs=frozenset(_texts(document.get("config", ()), "config")),
        requires=frozenset(_texts(document.get("requires", ()), "requires")),
        fixed=_fixed(document),
    )


def _refuse_unknown(document: Mapping[str, object], known: frozenset[str]) -> None:
    unknown = sorted(set(document) - known)
    if unknown:
        raise PatternError(f"unknown key {unknown[0]}; known are {', '.join(sorted(known))}")


def _refuse_missing(kind: Kind, role: str, name: str) -> None:
    if name not in (kind.parameters if role == "parameter" else kind.options):
        raise PatternError(f"{name} is no {role} of it")


def _entries(kind: Kind, document: Mapping[str, object]) -> Iterator[tuple[Entry, list[tuple[str, Use]]]]:
    _refuse_unknown(document, _ENTRY_KEYS)
    keys = _keys_of(kind, document)
    options = _mapping(document.get("options", {}), "options")
    wanted = [(text, True) for text in _texts(document.get("requires", ()), "requires")]
    wanted += [(text, False) for text in _texts(document.get("unless", ()), "unless")]
    scopes = document.get("scope")
    inherit = document.get("inherit", False)
    instance = str(document.get("instance", ""))
    names = _texts(document.get("names", ()), "names")
    for format_ in _texts(document.get("formats", ()), "formats"):
        place = _place(document)
        others = {
            name for other in kind.files if _is_elsewhere(other, format_, place) for name in _keys_of(kind, other)
        }
        if format_ not in FORMATS:
            raise PatternError(f"{format_} is no format; known are {', '.join(FORMATS)}")
        fold = fold_of(format_)
        root = parse_route(instance, format_)
        is_deep = root[:1] == (_REST,)
        entry = Entry(
            kind=kind.name,
            format=format_,
            names=_globs(names) if names else None,
            scope=None if scopes is None else _scope(str(scopes), format_),
            is_anywhere=scopes == "**",
            instance=root[1:] if is_deep else root,
            is_deep=is_deep,
            inherits=inherit in (True, "yes"),
            inherits_from=tuple(map(fold, _texts(inherit, "inherit")))
            if not isinstance(inherit, bool) and inherit != "yes"
            else (),
            conditions=tuple(_condition(text, format_, is_wanted=is_wanted) for text, is_wanted in wanted),
            is_always=document.get("always", False) in (True, "yes"),
            fixed=_fixed(document),
            elsewhere=frozenset(others - set(keys)),
        )
        made: list[tuple[str, Use]] = []
        for role, of in (("parameter", keys), ("option", options)):
            for name, texts in of.items():
                _refuse_missing(kind, role, name)
                for text in _texts(texts, name):
                    made += _uses(entry, text, role, name)
        for number, condition in enumerate(entry.conditions):
            use = Use(entry=entry, route=condition.route, is_rooted=False, role="condition", name=str(number))
            made += [(last, use) for last in _lasts(condition.route, entry)]
        yield entry, made


def _is_elsewhere(document: Mapping[str, object], format_: str, place: tuple[object, ...]) -> bool:
    if "program" in document or "image" in document or format_ not in _texts(document.get("formats", ()), "formats"):
        return False
    return _place(document) != place


def _place(document: Mapping[str, object]) -> tuple[object, ...]:
    """Where instances of an entry stand, and what tells them from others there."""
    return document.get("scope"), str(document.get("instance", "")), _texts(document.get("requires", ()), "requires")


def _keys_of(kind: Kind, document: Mapping[str, object]) -> Mapping[str, object]:
    """Where an entry has its parameters: as it says, else by their own keys."""
    given = document.get("keys")
    if given is not None:
        return _mapping(given, "keys")
    return {p.name: p.key for p in kind.parameters.values() if p.key is not None and not p.is_constant}


def _uses(entry: Entry, text: str, role: str, name: str) -> Iterator[tuple[str, Use]]:
    route = parse_route(text.removeprefix("^"), entry.format)
    use = Use(entry=entry, route=route, is_rooted=text.startswith("^"), role=role, name=name)
    for last in _lasts(route, entry):
        yield last, use


def _lasts(route: tuple[Token, ...], entry: Entry) -> Iterator[str]:
    """By what last names a setting at that route is looked up."""
    if not route or not route[-1]:
        raise PatternError("expected keys that end with a name")
    for name in sorted(route[-1]):
        if name.startswith("[") and not name[1:-1].isdecimal() and name != ANY_INDEX:
            yield name[1:-1]
        elif name.startswith("["):
            before = route[-2] if len(route) > 1 else None
            if name == ANY_INDEX or not before:
                raise PatternError(f"expected keys that end with a name or its position, found {name}")
            for key in sorted(before):
                yield f"{key}{name}"
        else:
            yield name


def _condition(text: str, format_: str, *, is_wanted: bool) -> Condition:
    route, equals, words = text.partition("=")
    return Condition(parse_route(route, format_), frozenset(words.split("|")) if equals else frozenset(), is_wanted)


def _globs(texts: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:.*/)?(?:{translate(text)})" for text in texts))


def _scope(text: str, format_: str) -> tuple[re.Pattern[str], ...]:
    if text == "**":
        return ()
    fold = fold_of(format_)
    return tuple(
        re.compile("|".join(translate(fold(part)) for part in segment.split("|"))) for segment in text.split("/")
    )


def parse_route(text: str, format_: str = "") -> tuple[Token, ...]:
    """The items of a route as patterns write it: `**` any number, `*` any one, `[*]` any element, `a|b` either.

    >>> [sorted(token) if token else token for token in parse_route('args|command[--timeout]')]
    [['args', 'command'], ['--timeout']]
    """
    fold = fold_of(format_)
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _PART.match(text, position)
        if match is None:
            raise PatternError(f"expected a route, found {text}")
        quoted, bracketed, name = match.groups()
        if quoted is not None:
            tokens += [frozenset((fold(part),)) for part in quoted.split(".")]
        elif bracketed is not None:
            tokens.append(frozenset((bracketed if bracketed.startswith("-") else f"[{bracketed}]",)))
        elif name == "**":
            tokens.append(_REST)
        elif name == "*":
            tokens.append(None)
        else:
            tokens.append(frozenset(fold(part) for part in name.split("|")))
        position = match.end()
        if text.startswith(".", position):
            position += 1
    return tuple(tokens)


def is_tail(tokens: Sequence[Token], items: Sequence[Item], end: int) -> bool:
    """Whether the tokens are those items that end there."""
    start = end - len(tokens)
    if start < 0:
        return False
    for number in range(len(tokens) - 1, -1, -1):
        token = tokens[number]
        if token is not None and token.isdisjoint(items[start + number]):
            return False
    return True


@lru_cache(2**14)
def _is_segment(pattern: re.Pattern[str], item: Item) -> bool:
    return any(pattern.match(name) for name in item)


def is_scope(entry: Entry, scope: Sequence[Item]) -> bool:
    """Whether an instance of the entry may stand in a scope: its last segments are those of the entry."""
    if entry.is_anywhere:
        return True
    if entry.scope is None:
        return all(len(item) == 1 and _DOCUMENT.fullmatch(item[0]) for item in scope)
    start = len(scope) - len(entry.scope)
    return start >= 0 and all(_is_segment(p, scope[start + n]) for n, p in enumerate(entry.scope))
