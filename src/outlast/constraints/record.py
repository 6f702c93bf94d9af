"""Frozen value classes with slots that are cheap to define.

`dataclasses.dataclass(frozen=True, slots=True)` compiles seven functions for each class, half a millisecond each time, and
`check` imports some seventy classes: as much as everything else that it does. `record` gives the same classes, but compiles
only `__init__` (docs/decisions/0003-records.md has the figures).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, field
from functools import partial
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

__all__ = ["fields_of", "is_record", "record", "replace"]

_T = TypeVar("_T")
_V = TypeVar("_V")


@overload
def record(cls: type[_T], /) -> type[_T]: ...
@overload
def record(
    *, kw_only: bool = False, eq: bool = True, frozen: bool = True, many: bool = False
) -> Callable[[type[_T]], type[_T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(
    cls: type[_T] | None = None, /, *, kw_only: bool = False, eq: bool = True, frozen: bool = True, many: bool = False
) -> Any:
    """Make a class a frozen value: fields are its annotations; `field(compare=False)` and `default_factory` are known.

    `eq` False leaves equality to identity; so does `frozen` False, with which fields may change. `many`: objects are made in half the
    time, the class in twice as much.

    >>> @record
    ... class Pair:
    ...     left: int
    ...     right: int = 2
    >>> Pair(1), Pair(1) == Pair(1, 2)
    (Pair(left=1, right=2), True)
    """
    if cls is None:
        return lambda decorated: _make(decorated, kw_only=kw_only, eq=eq and frozen, frozen=frozen, many=many)
    return _make(cls, kw_only=kw_only, eq=eq and frozen, frozen=frozen, many=many)


def is_record(value: object) -> bool:
    """Whether the object is a value of a record class."""
    return getattr(value.__class__, "__setattr__", None) is _refuse


def fields_of(value: object) -> tuple[str, ...]:
    """The names of a record's fields, in their order."""
    names: tuple[str, ...] = value.__class__.__slots__  # type: ignore[attr-defined]  # records have slots
    return names


def replace(value: _V, /, **changes: object) -> _V:
    """A copy of a record with some fields changed."""
    copy: _V = object.__new__(value.__class__)
    for name in fields_of(value):
        object.__setattr__(copy, name, changes.pop(name) if name in changes else getattr(value, name))
    if changes:
        raise TypeError(f"{value.__class__.__qualname__} has no field {', '.join(sorted(changes))}")
    return copy


def _make(cls: Any, *, kw_only: bool, eq: bool, frozen: bool, many: bool) -> Any:
    namespace = dict(cls.__dict__)
    names = list(cls.__annotations__)
    compared, parameters, body = [], [], []
    known: dict[str, Any] = {"_set": object.__setattr__}
    for name in names:
        given = namespace.pop(name, MISSING)
        factory: Any = MISSING
        default: Any = MISSING
        if isinstance(given, Field):
            factory, default = given.default_factory, given.default
        else:
            default = given
        if not isinstance(given, Field) or given.compare:
            compared.append(name)
        value = name
        if factory is not MISSING:
            known[f"_make_{name}"], known[f"_default_{name}"] = factory, MISSING
            value = f"_make_{name}() if {name} is _default_{name} else {name}"
        elif default is not MISSING:
            known[f"_default_{name}"] = default
        parameters.append(f"{name}=_default_{name}" if f"_default_{name}" in known else name)
        body.append(f"    self.{name} = {value}" if many else f"    _set(self, '{name}', {value})")
    for old in ("__dict__", "__weakref__"):
        namespace.pop(old, None)
    function, first = "__init__", "self"
    if many:
        # An object that is not frozen yet; it changes its class, which has the same fields, once it is complete.
        function, first = "__new__", "cls"
        known["_thaw"] = partial(object.__new__, type(cls)(cls.__name__, cls.__bases__, {"__slots__": tuple(names)}))
        body = ["    self = _thaw()", *body, "    self.__class__ = cls", "    return self"]
    starred = "*, " if kw_only and parameters else ""
    exec(
        "\n".join([f"def {function}({first}, {starred}{', '.join(parameters)}):", *(body or ["    pass"])]), known
    )  # the class's own names only
    namespace[function] = known[function]
    if eq:
        namespace["__eq__"], namespace["__hash__"] = _comparing(compared)
    namespace["__slots__"] = tuple(names)
    namespace["__match_args__"] = () if kw_only else tuple(names)
    namespace.setdefault("__repr__", _show)
    if frozen:
        namespace["__setattr__"], namespace["__delattr__"] = _refuse, _refuse
    namespace["__reduce__"] = _reduce
    return type(cls)(cls.__name__, cls.__bases__, namespace)


def _comparing(names: list[str]) -> tuple[Callable[[Any, object], bool], Callable[[Any], int]]:
    """Equality and hash of what the names hold; objects of another class are never equal."""
    key = attrgetter(*names) if names else lambda _: ()

    def equal(self: Any, other: object) -> bool:
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: Any) -> int:
        return hash((self.__class__, key(self)))

    return equal, hashed


def _show(self: Any) -> str:
    shown = ", ".join(f"{n}={getattr(self, n)!r}" for n in self.__slots__)
    return f"{self.__class__.__qualname__}({shown})"


def _refuse(self: Any, name: str, *_: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot change field '{name}' of {self.__class__.__qualname__}")


def _reduce(self: Any) -> Any:
    return _restore, (self.__class__, tuple(getattr(self, n) for n in self.__slots__))


def _restore(cls: Any, values: tuple[object, ...]) -> object:
    restored: object = object.__new__(cls)
    for name, value in zip(cls.__slots__, values, strict=True):
        object.__setattr__(restored, name, value)
    return restored
