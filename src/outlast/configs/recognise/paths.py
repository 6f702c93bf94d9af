"""Where a setting stands, as one path of items whatever its format: segments of its scope, then the steps of its route."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from outlast.configs.select import as_written
from outlast.configs.setting import Index, Key, Segment, Setting, Step

__all__ = ["ANY_INDEX", "Item", "Path", "items_of", "last_of", "path_of"]

#: One step with all that it may be called, the name that is shown first. Keys with dots are several items, so that `session.timeout.ms`
#: is found whether it is one key or three.
Item = tuple[str, ...]
#: Items, and how many of them are segments of the scope.
Path = tuple[tuple[Item, ...], int]

#: What every element of a list answers to.
ANY_INDEX: Final = "[*]"


_VALUE: Final = frozenset(("value", "Value"))


def _steps(route: tuple[Step, ...]) -> tuple[Step, ...]:
    """The route without the `value` of an element that is chosen by its name."""
    last = route[-1]
    if len(route) > 1 and last.__class__ is Key and last.name in _VALUE:
        before = route[-2]
        if before.__class__ is Index and before.name is not None:
            return route[:-1]
    return route


def last_of(setting: Setting) -> str:
    """What the last item of a setting's path is called, not folded; of an element without a name, with the key before it: `call[0]`.

    >>> from outlast.configs.setting import Literal
    >>> last_of(Setting(route=(Key("a"), Key("idle.timeout")), start=0, end=1, raw="", content=Literal("")))
    'timeout'
    """
    route = setting.route
    step = route[-1]
    if step.__class__ is Key:
        name = step.name or ""
        if name in _VALUE and len(route) > 1:
            before = route[-2]
            if before.__class__ is Index and before.name is not None:
                return before.name
        return name.rpartition(".")[2] if "." in name else name
    if step.__class__ is Index:
        if step.name is not None:
            return step.name
        outer = route[-2].name if len(route) > 1 else None
        return f"{outer or ''}[{step.position}]"
    return step.name or ""


@lru_cache(2**16)
def _items_of_key(name: str, fold: Callable[[str], str]) -> tuple[Item, ...]:
    return tuple((fold(part),) for part in name.split("."))


@lru_cache(2**12)
def _segment(names: Segment, fold: Callable[[str], str]) -> Item:
    return names if fold is as_written else tuple(dict.fromkeys((*names, *map(fold, names))))


def path_of(setting: Setting, fold: Callable[[str], str]) -> Path:
    """The path of a setting."""
    return items_of(setting.scope, _steps(setting.route), fold), len(setting.scope)


def items_of(scope: tuple[Segment, ...], route: Sequence[Step], fold: Callable[[str], str]) -> tuple[Item, ...]:
    """The items of a scope and of the beginning of a route in it."""
    items: list[Item] = list(_scope_items(scope, fold))
    for step in route:
        if step.__class__ is Key:
            items += _items_of_key(step.name or "", fold)
        elif step.__class__ is Index:
            items.append(_item_of_index(step.position, step.name))
        else:
            items.append((step.name or "",))
    return tuple(items)


@lru_cache(2**12)
def _scope_items(scope: tuple[Segment, ...], fold: Callable[[str], str]) -> tuple[Item, ...]:
    return tuple(_segment(names, fold) for names in scope)


@lru_cache(2**12)
def _item_of_index(position: int, name: str | None) -> Item:
    text = f"[{position}]"
    return (text, ANY_INDEX) if name is None else (name, f"[{name}]", text, ANY_INDEX)
