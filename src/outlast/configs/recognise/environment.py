"""What the environment of a container, service, task or unit may set without a file telling it: `env_file`, `envFrom`, secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from outlast.configs.recognise.commands import Command, program_of
from outlast.configs.recognise.paths import Item, items_of
from outlast.configs.setting import Index, Key, Literal, Setting, Step
from outlast.constraints.catalogue.known import Kind
from outlast.constraints.record import record

__all__ = [
    "NO_ENVIRONMENT",
    "Environment",
    "catch_alls",
    "environments_of",
    "flagged_by",
    "has_open_argument",
    "is_guest",
    "is_mounted",
    "variables_of",
]


@record(kw_only=True, eq=False)
class Environment:
    """The variables that something runs with."""

    #: All that are named, whatever their values.
    names: frozenset[str]
    #: Whether there may be others, which no file names.
    has_more: bool
    #: Names of files that are mounted into it one by one.
    mounted: frozenset[str] = frozenset()


NO_ENVIRONMENT: Final = Environment(names=frozenset(), has_more=False)

#: Below these stands where variables come from, but not which.
_FROM: Final = frozenset(("env_file", "envFrom", "environmentFiles", "EnvironmentFiles", "EnvironmentFile"))
_VARIABLES: Final = frozenset(("env", "environment", "Environment", "ENV", "secrets", "Secrets"))
_TELLING: Final[frozenset[str | None]] = _FROM | _VARIABLES | {"volumeMounts"}
_NAMES: Final = frozenset(("name", "Name"))
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")


@record(kw_only=True, frozen=False)
class _Told:
    names: set[str]
    mounted: set[str]
    has_more: bool = False


def environments_of(
    settings: Sequence[Setting], format_: str, fold: Callable[[str], str]
) -> dict[tuple[Item, ...], Environment]:
    """By the root of what runs its environment, as far as a file tells."""
    found: dict[tuple[Item, ...], _Told] = {}
    for setting in settings:
        route = setting.route
        depth = next((d for d, s in enumerate(route) if s.name in _TELLING and s.__class__ is Key), None)
        if depth is None:
            continue
        own = route[depth].name
        if own in ("secrets", "Secrets") and format_ == "compose":
            continue  # files
        told = found.setdefault(items_of(setting.scope, route[:depth], fold), _Told(names=set(), mounted=set()))
        if own in _FROM:
            told.has_more = True
        elif own == "volumeMounts":
            if route[-1].name in ("mountPath", "subPath") and isinstance(setting.content, Literal):
                told.mounted.add(setting.content.text.rpartition("/")[2])
        else:
            _add(told, setting, route[depth + 1 :])
    return {
        root: Environment(names=frozenset(t.names), has_more=t.has_more, mounted=frozenset(t.mounted))
        for root, t in found.items()
    }


def _add(told: _Told, setting: Setting, below: Sequence[Step]) -> None:
    """One setting in a mapping or a list of variables."""
    content = setting.content
    text = content.text if isinstance(content, Literal) else None
    if not below:
        told.has_more = told.has_more or text is None or bool(text)
        return
    name = below[0].name
    if name is not None:
        told.names.add(name)
        told.has_more = told.has_more or _NAME.fullmatch(name) is None
    elif len(below) == 1 and isinstance(below[0], Index):
        # `NAME=value` of a list, or a `NAME` that is taken from where compose runs.
        first = (text if text is not None else setting.raw.strip("\"'")).partition("=")[0]
        if _NAME.fullmatch(first):
            told.names.add(first)
        else:
            told.has_more = True
    elif len(below) == 2 and below[1].name in _NAMES:
        if text is not None and _NAME.fullmatch(text):
            told.names.add(text)
        else:
            told.has_more = True


#: By kind: variables that may set anything.
_CATCH_ALLS: Final[Mapping[str, frozenset[str]]] = {"gunicorn": frozenset(("GUNICORN_CMD_ARGS",))}
_OF_SPRING: Final = frozenset(
    (
        "SPRING_APPLICATION_JSON",
        "SPRING_CONFIG_LOCATION",
        "SPRING_CONFIG_ADDITIONAL_LOCATION",
        "SPRING_CONFIG_IMPORT",
        "SPRING_CONFIG_NAME",
        "SPRING_PROFILES_ACTIVE",
        "SPRING_PROFILES_INCLUDE",
    )
)
_IN_ENVIRONMENT: Final = re.compile(r"(?:env|environment)(?:\.|\[\"?)(\w+)\"?\]?")


def catch_alls(kind: Kind) -> frozenset[str]:
    """The variables with which anything of a kind may be set."""
    return _CATCH_ALLS.get(kind.name, _OF_SPRING if is_guest(kind) else frozenset())


def is_guest(kind: Kind) -> bool:
    """Whether a kind is seen in a container by its variables alone, so that a file of its own lies below them."""
    return any("program" not in d and "image" not in d and _variables(d) for d in kind.files)


def variables_of(kind: Kind) -> dict[str, str]:
    """By variable of the environment the parameter or option that it sets."""
    return {text: name for document in kind.files for text, name in _variables(document)}


def flagged_by(kind: Kind, command: Command) -> set[str]:
    """The parameters and options that flags of a command line set."""
    pairs = [pair for d in kind.files if "program" in d or "image" in d for pair in _pairs(d)]
    return {name for text, name in pairs if text.startswith("-") and text in command.values}


def _variables(document: Mapping[str, object]) -> list[tuple[str, str]]:
    is_program = "program" in document or "image" in document
    told = ((_variable(text, is_program), name) for text, name in _pairs(document))
    return [(variable, name) for variable, name in told if variable is not None]


def _pairs(document: Mapping[str, object]) -> list[tuple[str, str]]:
    """By key of an entry the parameter or option."""
    found: list[tuple[str, str]] = []
    for of in (document.get("keys"), document.get("options")):
        for name, texts in of.items() if isinstance(of, Mapping) else ():
            for text in texts if isinstance(texts, list | tuple) else (texts,):
                found.append((str(text), str(name)))
    return found


@lru_cache(2**12)
def _variable(text: str, is_program: bool) -> str | None:
    if is_program:
        return None if text.startswith("-") else text
    match = _IN_ENVIRONMENT.fullmatch(text)
    return match[1] if match else None


def is_mounted(kind: Kind, environment: Environment) -> bool:
    """Whether a file is mounted that is called as one that a kind loads by itself."""
    patterns = [
        str(pattern).rpartition("/")[2]
        for document in kind.files
        for pattern in _listed(document.get("names", ()))
        if str(pattern) != "*"
    ]
    return any(fnmatchcase(name, pattern) for name in environment.mounted for pattern in patterns)


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else (value,)


_OPEN: Final = re.compile(r"\$\$?(?:\w+|\{[^{}]*\}|\([^()]*\)|[@*])|\{\{.*\}\}|\0|")
#: Options without a value, so that what follows is an argument of its own.
_SWITCHES: Final = re.compile(
    r"--(?:preload|reload|daemon|proxy-headers|no-proxy-headers|access-log|no-access-log|no-sendfile|capture-output|enable-stdio-inheritance|spew"
    r"|reuse-port|verbose|factory|no-server-header|no-date-header|use-colors|no-use-colors|debug|no-[\w-]+)|-D"
)


def has_open_argument(command: Command) -> bool:
    """Whether a command line has an argument of which only the shell, or whoever starts it, knows what it is: `gunicorn app:app $OPTS`."""
    before = ""
    for word in program_of(command.line)[1]:
        plain = word.strip("\"'")
        if _OPEN.fullmatch(plain):
            is_value = before.startswith("-") and "=" not in before and not _SWITCHES.fullmatch(before)
            if not is_value:
                return True
        before = plain
    return False
