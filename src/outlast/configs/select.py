"""From a selector, `[scope:]route`, to the settings of a file that it means, and back.

The route is the value's own path: `spec.containers[web].env[TIMEOUT]`, `args[--timeout]`, `annotations["a/b.c"]`. The scope names what
encloses it, outermost first, joined by `/`; things between may be left out (`http/server:keepalive_timeout`, `createClient:PingTimeout`,
`Deployment/web:spec.replicas`). It may also stand before the route with dots (`aws_lb.main.idle_timeout`). Nothing before the colon means:
in nothing. Of several segments alike the later ones are called `server#1`, `server#2`; the first is `server#0`; so are
values that only their order tells apart: `ExecStart#1`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final

from outlast.configs.setting import Flag, Index, Key, Segment, Setting, Step
from outlast.constraints.record import replace

__all__ = [
    "FOLDING",
    "Lookup",
    "Selectors",
    "as_written",
    "ending_alike",
    "fold_of",
    "near",
    "route_text",
    "select",
    "ways_of",
]

#: How many near selectors an error names.
_MOST_NEAR: Final = 5
#: How many names the scopes of a setting may have together before they are compared one by one.
_MOST_SCOPES: Final = 256
_MOST_SEGMENTS: Final = 12
#: Settings of one route among which it is worth looking for a first one.
_MOST_ALIKE: Final = 1_000
#: Settings of one route among which each is looked for.
_MOST_TRIED: Final = 100
#: What separates the names of a selector.
_WORDS: Final = re.compile(r"[^.:\[\]\"'/]+")
_NUMBERED: Final = re.compile(r"#[0-9]+$")
_ORDINAL: Final = re.compile(r"(.+)#([0-9]{1,6})", re.S)
#: Characters that a key has only in brackets and quotes, unless it is the whole route.
_SPECIAL: Final = frozenset(".[]:#\"'")


def select(settings: Sequence[Setting], selector: str) -> tuple[Setting, ...]:
    """The settings that a selector means, in the order of the file; more than one: it is ambiguous.

    A scope that encloses a value directly goes before one with something in between; keys that contain dots are taken whole first.
    """
    return tuple(settings[number] for number in _best(list(enumerate(settings)), selector))


def _best(settings: Sequence[tuple[int, Setting]], selector: str) -> list[int]:
    """The numbers of the settings that a selector means most directly."""
    found: list[tuple[int, Setting]] = []
    best: tuple[int, int] | None = None
    ways = list(ways_of(selector))
    for number, setting in settings:
        rank = min((r for scope, route in ways if (r := _rank(setting, scope, route)) is not None), default=None)
        if rank is None or (best is not None and rank > best):
            continue
        if rank != best:
            best, found = rank, []
        found.append((number, setting))
    if not found and (match := _ORDINAL.fullmatch(selector)) is not None:
        return _one_of_equals(settings, match[1], int(match[2]))
    return [number for number, _ in found]


def _one_of_equals(settings: Sequence[tuple[int, Setting]], selector: str, ordinal: int) -> list[int]:
    """The one of this number, from 0, among settings that nothing else tells apart: `ExecStart#1`."""
    known = dict(settings)
    found = _best(settings, selector)
    if len({(known[number].scope, known[number].route) for number in found}) == 1 and ordinal < len(found):
        return [found[ordinal]]
    return []


class Lookup:
    """The same for many selectors of one file: only settings are tried whose route may end as the selector does.

    Where programs take names in several spellings for one (`format_`: Apache's TimeOut and Timeout), so do selectors.
    """

    def __init__(self, settings: Sequence[Setting], format_: str = "") -> None:
        fold = self._fold = _FOLDS.get(format_)
        self.settings = settings
        self._spelled = settings if fold is None else [_folded(setting, fold) for setting in settings]
        self._by_ending: dict[str, list[int]] = {}
        self._longest = 0
        for number, setting in enumerate(self._spelled):
            route = setting.route
            lasts = [route[-1]] if not _is_implied(route, len(route) - 1) else list(route[-2:])
            for form in {form for step in lasts for form in _forms(step)}:
                self._by_ending.setdefault(form, []).append(number)
                self._longest = max(self._longest, len(form))

    @cached_property
    def routes(self) -> tuple[str, ...]:
        """Each setting's route, as a selector writes it."""
        return tuple(route_text(setting.route) for setting in self.settings)

    def select(self, selector: str) -> tuple[Setting, ...]:
        """The settings that a selector means, as `select` tells them."""
        wanted = selector if self._fold is None else self._fold(selector)
        end = wanted.rpartition("#")[0] if _ORDINAL.fullmatch(wanted) else wanted
        found: set[int] = set()
        for text in {wanted, end}:
            for start in range(max(0, len(text) - self._longest), len(text)):
                found.update(self._by_ending.get(text[start:], ()))
        return tuple(self.settings[n] for n in _best([(n, self._spelled[n]) for n in sorted(found)], wanted))


def _folded(setting: Setting, fold: Callable[[str], str]) -> Setting:
    route = tuple(step if step.name is None else replace(step, name=fold(step.name)) for step in setting.route)
    return replace(setting, route=route, scope=tuple(tuple(map(fold, segment)) for segment in setting.scope))


def _fold_mysql(text: str) -> str:
    return text.replace("-", "_").replace("loose_", "")


def _fold_spring(text: str) -> str:
    return text.replace("-", "").replace("_", "").lower()


#: By format: spellings of one name, which the program takes for the same.
_FOLDS: Final[dict[str, Callable[[str], str]]] = {
    "apache": str.lower,
    "mysql": _fold_mysql,
    "postgres": str.lower,
    "spring-properties": _fold_spring,
    "spring-yaml": _fold_spring,
}
#: The formats with such names.
FOLDING: Final = frozenset(_FOLDS)


def as_written(text: str) -> str:
    """The fold of formats in which each spelling is a name of its own."""
    return text


def fold_of(format_: str) -> Callable[[str], str]:
    """What makes the spellings of one name in a format alike."""
    return _FOLDS.get(format_, as_written)


def ways_of(selector: str) -> Iterator[tuple[str | None, str]]:
    """The selector as a route, and split at each of its colons."""
    yield None, selector
    position = selector.find(":")
    while position >= 0:
        yield selector[:position], selector[position + 1 :]
        position = selector.find(":", position + 1)


def _rank(setting: Setting, scope: str | None, route: str) -> tuple[int, int] | None:
    """How directly the setting is meant, less being more; None: it is not."""
    steps = len(setting.route)
    if scope is None:
        if _is_route(route, 0, setting.route, 0):
            return 0, steps
        for start in range(len(setting.scope) - 1, -1, -1):
            if _is_dotted(route, 0, setting.scope, start, setting.route):
                return 2, steps + len(setting.scope) - start
        return None
    if not _is_route(route, 0, setting.route, 0):
        return None
    if not scope:
        return None if setting.scope else (0, steps)
    if _encloses(scope, setting.scope, gaps=False):
        return 0, steps
    return (1, steps) if _encloses(scope, setting.scope, gaps=True) else None


def _encloses(text: str, scope: Sequence[Segment], *, gaps: bool) -> bool:
    """Whether the names joined by `/` are those of the last segments; with `gaps`, of some of them, in their order."""
    # What is left of the text, with the number of segments that are left for it; taken from the end.
    states = {(text, len(scope))}
    while states:
        before: set[tuple[str, int]] = set()
        for rest, end in states:
            for last in range(end - 1, -1 if gaps else max(end - 2, -1), -1):
                for name in _names(scope[last]):
                    if rest == name:
                        return True
                    if rest.endswith("/" + name):
                        before.add((rest[: -len(name) - 1], last))
        states = before
    return False


def _names(segment: Segment) -> Segment:
    """What a segment answers to; the first of several alike, which has no number, also to the number 0."""
    return segment if _NUMBERED.search(segment[0]) else (*segment, f"{segment[0]}#0")


def _is_dotted(text: str, at: int, scope: Sequence[Segment], segment: int, route: tuple[Step, ...]) -> bool:
    """Whether the text goes on, at that position, with the names of the segments and then the route, each followed by a dot."""
    if segment == len(scope):
        return _is_route(text, at, route, 0)
    return any(
        name and text.startswith(name + ".", at) and _is_dotted(text, at + len(name) + 1, scope, segment + 1, route)
        for name in _names(scope[segment])
    )


def _is_route(text: str, at: int, route: tuple[Step, ...], step: int) -> bool:
    """Whether the text from that position on is the rest of the route."""
    if at == len(text):
        return step == len(route) or _is_implied(route, step)
    if step == len(route):
        return False
    first = at == 0 or step == 0
    for form in _forms(route[step]):
        if form[0] == "[" or first:
            start = at
        elif text[at] == ".":
            start = at + 1
        else:
            continue
        if form and text.startswith(form, start) and _is_route(text, start + len(form), route, step + 1):
            return True
    return False


def _is_implied(route: tuple[Step, ...], step: int) -> bool:
    """Whether what is left is the value of an element chosen by its name: `env[TIMEOUT]` means its `value`."""
    before = route[step - 1] if step else None
    is_value = route[step:] in ((Key("value"),), (Key("Value"),))
    return is_value and isinstance(before, Index) and before.name is not None


def _forms(step: Step) -> tuple[str, ...]:
    """How a step may be written; what begins with a bracket takes no dot before it."""
    match step:
        case Key(name=name):
            bracketed = (_bracketed(name), f"[{json.dumps(name, ensure_ascii=False)}]")
            return bracketed if not name or "[" in name else (name, *bracketed)
        case Index(position=position, name=name):
            return (f"[{position}]",) if name is None else (f"[{position}]", f"[{name}]", f'["{name}"]')
        case Flag(name=name):
            return (f"[{name}]", name)


def route_text(route: tuple[Step, ...]) -> str:
    """A route as it is written in a selector.

    >>> route_text((Key("containers"), Index(0, "web"), Key("args"), Flag("--timeout")))
    'containers[web].args[--timeout]'
    """
    if len(route) == 1 and route[0].__class__ is Key:
        name = route[0].name
        return name if name and _is_simple(name) else _key_text(name or "")
    text = ""
    for step in route:
        kind = step.__class__
        if kind is Key:
            part = _key_text(step.name or "")
            text += f".{part}" if text and part[0] != "[" else part
        elif kind is Index:
            text += f"[{step.position if step.name is None else step.name}]"
        else:
            text += f"[{step.name}]" if text else step.name or ""
    return text


def _positional(route: tuple[Step, ...]) -> str:
    """A route with the position of each element, whether it has a name or not."""
    return route_text(tuple(Index(step.position) if isinstance(step, Index) else step for step in route))


@lru_cache(maxsize=2**14)
def _key_text(name: str) -> str:
    """A key among other steps: as it is, or else in brackets and quotes."""
    return name if _is_simple(name) and _SPECIAL.isdisjoint(name) else _bracketed(name)


def _is_simple(name: str) -> bool:
    """Whether a key can be seen as it is, and does not look like something in brackets."""
    return bool(name) and "[" not in name and name.isprintable() and name == name.strip()


def _bracketed(name: str) -> str:
    """A key in brackets and quotes; what cannot be seen is escaped."""
    return f"[{json.dumps(name, ensure_ascii=not name.isprintable())}]"


class Selectors:
    """The shortest selector of each setting of one file; `format_` as for `Lookup`."""

    def __init__(self, settings: Sequence[Setting], format_: str = "") -> None:
        self._settings = settings
        self._fold = _FOLDS.get(format_)
        #: Where several spellings are one name: how these settings are found.
        self._merging: dict[str, Lookup] = {}
        self._alike: dict[str, list[Setting]] = {}
        self._enclosing: dict[str, Counter[str] | None] = {}
        #: By route: of those that nothing but their order tells apart, which one a setting is, and how many there are.
        self._ordinals: dict[str, dict[int, tuple[int, int]]] = {}
        #: By route: how many settings have the same scope and the same positions in place of names; whether any has a scope.
        self._positions: dict[str, tuple[Counter[tuple[str, str]], bool]] = {}
        #: By the identity of a setting.
        self._routes: dict[int, str] = {}
        for setting in settings:
            route = self._routes[id(setting)] = route_text(setting.route)
            self._alike.setdefault(route, []).append(setting)
        if self._fold is not None:
            spellings: dict[str, list[str]] = {}
            for route in self._alike:
                spellings.setdefault(self._fold(route), []).append(route)
            for folded, routes in spellings.items():
                together = [setting for route in routes for setting in self._alike[route]]
                if len(routes) > 1 and len(together) <= _MOST_ALIKE:
                    self._merging[folded] = Lookup(sorted(together, key=lambda s: s.start), format_)

    def of(self, setting: Setting) -> str:
        """The selector: the route, with as much of the scope as tells it from its like; where nothing does, all of it."""
        text = self._told(setting)
        merging = self._merging.get(self._fold(self._routes[id(setting)])) if self._fold is not None else None
        if merging is None:
            return text
        whole = f"{'/'.join(segment[0] for segment in setting.scope)}:{route_text(setting.route)}"
        if (setting,) == merging.select(text):
            return text
        found = merging.select(whole)
        return f"{whole}#{found.index(setting)}" if len(found) > 1 and setting in found else whole

    def _told(self, setting: Setting) -> str:
        """The selector where no two spellings are one name."""
        route = self._routes[id(setting)]
        alike = self._alike[route]
        if len(alike) <= 1 and ":" not in route:
            return route
        names = [segment[0] for segment in setting.scope]
        for start in range(len(names) - 1, -1, -1):
            scope = "/".join(names[start:])
            if self._is_alone(setting, scope, route, alike):
                return f"{scope}:{route}"
        if route not in self._ordinals:
            self._ordinals[route] = _ordinals(alike)
        ordinal, equals = self._ordinals[route][id(setting)]
        if equals == 1 and (placed := self._by_position(setting, names, route, alike)) is not None:
            return placed
        if names and equals == 1:
            first = "/".join(name if _NUMBERED.search(name) else f"{name}#0" for name in names)
            is_first = len(alike) <= _MOST_ALIKE and select(alike, f"{first}:{route}") == (setting,)
            return f"{first if is_first else '/'.join(names)}:{route}"
        text = f"{'/'.join(names)}:{route}"
        if equals == 1:
            is_alone = len(alike) <= _MOST_ALIKE and select(self._settings, route) == (setting,)
            return route if is_alone else text
        return f"{route if len(alike) == equals else text}#{ordinal}"

    def _by_position(self, setting: Setting, names: list[str], route: str, alike: Sequence[Setting]) -> str | None:
        """The selector with positions in place of names that several elements bear; None: that tells it apart neither."""
        if route not in self._positions:
            counts = Counter(("/".join(segment[0] for segment in s.scope), _positional(s.route)) for s in alike)
            self._positions[route] = counts, any(scope for scope, _ in counts)
        counts, has_scopes = self._positions[route]
        scope, placed = "/".join(names), _positional(setting.route)
        if placed == route or counts[scope, placed] > 1:
            return None
        text = f"{scope}:{placed}" if has_scopes or ":" in placed else placed
        return text if len(alike) > _MOST_TRIED or select(alike, text) == (setting,) else None

    def _is_alone(self, setting: Setting, scope: str, route: str, alike: Sequence[Setting]) -> bool:
        """Whether a scope that encloses the setting directly selects it alone of its like."""
        if route not in self._enclosing:
            self._enclosing[route] = _enclosing(alike)
        counts = self._enclosing[route]
        if counts is None or ":" in route:  # a colon of the scope is no other one's, since no route has any
            return select(alike, f"{scope}:{route}") == (setting,)
        return counts[scope] == 1


def _ordinals(alike: Sequence[Setting]) -> dict[int, tuple[int, int]]:
    """By the identity of each setting its position among those of its scope and route, and their number."""
    equal: dict[tuple[tuple[Segment, ...], tuple[Step, ...]], list[Setting]] = {}
    for setting in alike:
        equal.setdefault((setting.scope, setting.route), []).append(setting)
    return {id(s): (n, len(equals)) for equals in equal.values() for n, s in enumerate(equals)}


def _enclosing(alike: Sequence[Setting]) -> Counter[str] | None:
    """How many of the settings each scope encloses directly; None: it takes too many words, or they do not rank alike."""
    counts: Counter[str] = Counter()
    steps = len(alike[0].route)
    for setting in alike:
        if len(setting.route) != steps or len(setting.scope) > _MOST_SEGMENTS:
            return None
        scopes: set[str] = set()
        inner = [""]
        for segment in reversed(setting.scope):
            if len(inner) * len(segment) > _MOST_SCOPES:
                return None
            inner = [f"{name}/{rest}" if rest else name for name in segment for rest in inner]
            scopes.update(inner)
        counts.update(scopes)
    return counts


def near(settings: Sequence[Setting], selector: str, format_: str = "") -> tuple[str, ...]:
    """Selectors of the file that may have been meant: those that end alike, else those spelled alike."""
    from difflib import get_close_matches  # only wanted where something is wrong

    known = Selectors(settings, format_)
    ends = [known.of(s) for s in ending_alike(settings, selector)]
    if not ends and len(settings) <= 20_000:
        spelled = {known.of(s): None for s in settings}
        ends += get_close_matches(selector, list(spelled), n=_MOST_NEAR, cutoff=0.6)
    return tuple(dict.fromkeys(ends))[:_MOST_NEAR]


def ending_alike(settings: Sequence[Setting], selector: str) -> list[Setting]:
    """The settings whose own name is the last word of the selector, whatever encloses them."""
    words = _WORDS.findall(selector)
    last = words[-1].casefold() if words else ""
    return [s for s in settings if last and any(last == n.casefold() for n in _last_names(s))]


def _last_names(setting: Setting) -> Iterator[str]:
    """What the end of a route may be called: also the element whose value it is."""
    for step in setting.route[-2 if _is_implied(setting.route, len(setting.route) - 1) else -1 :]:
        name = step.name
        if name is not None:
            yield name
