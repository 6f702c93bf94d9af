"""Command lines in containers, services and units: which program they run, with which flags and variables of the environment."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

from outlast.configs.setting import Flag, Index, Key, Literal, Segment, Setting, Step
from outlast.constraints.record import record, replace

__all__ = ["FORMATS_WITH_COMMANDS", "Command", "commands_of", "image_name", "image_tag", "program_of"]

#: The formats in which command lines are looked for.
FORMATS_WITH_COMMANDS: Final = frozenset(("yaml", "helm", "compose", "json", "hcl", "dockerfile", "systemd"))
_FIRST: Final = frozenset(("command", "entrypoint", "ENTRYPOINT", "ExecStart", "entryPoint", "EntryPoint"))
_SECOND: Final = frozenset(("args", "CMD", "Command"))
_COMMANDS: Final = _FIRST | _SECOND
_ENVIRONMENT: Final = frozenset(("env", "environment", "ENV", "Environment"))
#: What runs a command of its own beside the one of the container.
_OTHERS: Final = frozenset(("exec", "healthcheck", "healthCheck", "HealthCheck", "test", "HEALTHCHECK", "develop"))
_IMAGES: Final = frozenset(("image", "Image", "FROM"))
_TELLING: Final[frozenset[str | None]] = frozenset(_COMMANDS | _ENVIRONMENT | _IMAGES)


@record(kw_only=True, eq=False, frozen=False)
class Command:
    """What one container, service or unit runs."""

    scope: tuple[Segment, ...]
    #: The route of the container, below which the command stands.
    route: tuple[Step, ...]
    start: int
    #: The words of its command line, as far as they are told.
    words: list[str]
    #: What follows them where it is told apart: args in Kubernetes, `command` of compose, CMD.
    more: list[str]
    #: By flag, or variable.
    values: dict[str, list[Setting]]
    #: Of arrays.
    elements: list[Setting]
    image: Setting | None = None

    @property
    def line(self) -> list[str]:
        """All words."""
        return self.words + self.more


def commands_of(settings: Sequence[Setting], data: bytes, format_: str) -> list[Command]:
    """The command lines of a file, in the order in which they stand there."""
    found: dict[tuple[tuple[Segment, ...], tuple[str | int | None, ...]], Command] = {}
    for setting in settings:
        place = _place(setting)
        if place is None:
            continue
        depth, sort = place
        route = setting.route[:depth]
        # The steps themselves are slow to compare.
        key = (setting.scope, tuple([s.position if s.__class__ is Index else s.name for s in route]))
        command = found.get(key)
        if command is None:
            command = Command(
                scope=setting.scope, route=route, start=setting.start, words=[], more=[], values={}, elements=[]
            )
            found[key] = command
        _add(command, setting, depth, sort, format_)
    for command in found.values():
        _pair(command)
    if format_ == "dockerfile":
        return _of_image(list(found.values()), data)
    return list(found.values())


def _place(setting: Setting) -> tuple[int, str] | None:
    """The step that is a command line, variables or an image, and which."""
    route = setting.route
    if _TELLING.isdisjoint([step.name for step in route[-3:]]):
        return None
    for depth in range(max(0, len(route) - 3), len(route)):
        step = route[depth]
        if step.__class__ is not Key or step.name is None:
            continue
        name = step.name
        is_last = depth == len(route) - 1
        if name in _COMMANDS and (is_last or depth == len(route) - 2):
            return None if any(s.name in _OTHERS for s in route[:depth]) else (depth, "command")
        if name in _ENVIRONMENT and not is_last:
            return depth, "environment"
        if is_last and name in _IMAGES:
            return depth, "image"
    return None


def _add(command: Command, setting: Setting, depth: int, sort: str, format_: str) -> None:
    if sort == "image":
        command.image = setting
        return
    last = setting.route[-1]
    content = setting.content
    if sort == "environment":
        name = setting.route[depth + 1].name
        if name is not None and (last.name in (name, "value") or last.name is None):
            command.values.setdefault(name, []).append(setting)
        return
    if isinstance(last, Flag):
        command.values.setdefault(last.name, []).append(setting)
        if not command.elements or setting.start < command.elements[-1].end:
            return  # inside a word that is there already
    own = setting.route[depth].name
    is_more = own in _SECOND or (own == "command" and format_ == "compose")
    words = command.more if is_more else command.words
    if isinstance(last, Index | Flag):
        command.elements.append(setting)
        words.append(content.text if isinstance(content, Literal) else "" if isinstance(last, Flag) else "\0")
    elif isinstance(content, Literal):
        words += content.text.split()
    elif own == "ExecStart":
        words += setting.raw.lstrip("@-:+!").split()


def _pair(command: Command) -> None:
    """The options in an array of words that the reader left as words: in JSON inside Terraform, behind a `--`."""
    elements = command.elements
    for number, setting in enumerate(elements):
        text = setting.content.text if isinstance(setting.content, Literal) else ""
        flag, equals, value = text.partition("=")
        if not _OPTION.fullmatch(flag) or flag in command.values:
            continue
        if equals:
            command.values[flag] = [replace(setting, content=Literal(value, is_text=True), raw=value)]
        elif number + 1 < len(elements):
            following = elements[number + 1]
            if not isinstance(following.content, Literal) or not following.content.text.startswith("-"):
                command.values[flag] = [following]


_OPTION: Final = re.compile(r"--?[A-Za-z][\w.-]*")
_INSTRUCTION: Final = re.compile(rb"^[ \t]*(FROM|CMD|ENTRYPOINT)[ \t]+((?:[^\n\\]|\\\r?\n|\\.)*+)", re.M | re.I)


def _of_image(commands: list[Command], data: bytes) -> list[Command]:
    """What the last stage of a Dockerfile runs."""
    words: dict[bytes, list[str]] = {}
    for match in _INSTRUCTION.finditer(data):
        name = match[1].upper()
        if name == b"FROM":
            words.clear()
        else:
            words[name] = _words_of_instruction(match[2].decode(errors="replace"))
    if not commands:
        return []
    last = commands[-1]
    last.words, last.more = words.get(b"ENTRYPOINT", []), words.get(b"CMD", [])
    return [last]


def _words_of_instruction(text: str) -> list[str]:
    if text.lstrip().startswith("["):
        try:
            found = json.loads(text.replace("\\\n", " "))
        except (ValueError, RecursionError):
            return []
        return [word for word in found if isinstance(word, str)] if isinstance(found, list) else []
    return text.replace("\\\n", " ").split()


_IMAGE: Final = re.compile(r"(?:[^/\s]+/)*([^/:@\s]+)(?::([\w.-]+))?(?:@\S+)?(?:\s.*)?")


def image_name(text: str) -> str | None:
    """What an image is called, without registry, tag and digest: `postgres`."""
    match = _IMAGE.fullmatch(text)
    return match[1] if match and "$" not in text and "{" not in text else None


def image_tag(text: str) -> str | None:
    """The tag of an image, if it tells a version: `16.4` of `postgres:16.4-alpine`."""
    match = _IMAGE.fullmatch(text)
    tag = match[2] if match else None
    version = re.match(r"v?([0-9]+(?:\.[0-9]+)*)", tag) if tag else None
    return version[1] if version and "$" not in text else None


#: Programs that run what follows, with how many of their own words stand first.
_WRAPPERS: Final = {
    ("uv", "run"): 2, ("poetry", "run"): 2, ("pipenv", "run"): 2, ("pdm", "run"): 2, ("bundle", "exec"): 2, ("newrelic-admin", "run-program"): 2,
    ("exec",): 1, ("tini",): 1, ("dumb-init",): 1, ("npx",): 1, ("ddtrace-run",): 1, ("opentelemetry-instrument",): 1, ("env",): 1, ("sudo",): 1,
    ("--",): 1, ("-g",): 1, ("nice",): 1, ("docker-entrypoint.sh",): 1, ("catchsegv",): 1,
}  # fmt: skip
_SHELLS: Final = frozenset(("sh", "bash", "ash", "dash"))
_PYTHON: Final = re.compile(r"python[0-9.]*")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=.*")


def program_of(line: Sequence[str]) -> tuple[str, list[str]]:
    """The name of the program that a command line runs, without its folder, and what follows it; empty: not told."""
    words = list(line)
    for _ in range(20):
        if not words:
            break
        first = words[0].strip("\"'").rpartition("/")[2]
        second = words[1] if len(words) > 1 else ""
        if first in _SHELLS and re.fullmatch(r"-[a-z]*c", second) and len(words) > 2:
            script = " ".join(words[2:]).strip("\"'").strip()
            words = _last_command(script).split()
        elif (_PYTHON.fullmatch(first) and second == "-m") or (first, second) in _WRAPPERS:
            words = words[2:]
        elif (first,) in _WRAPPERS or _ASSIGNMENT.fullmatch(first):
            words = words[1:]
        else:
            return first, words[1:]
    return "", []


def _last_command(script: str) -> str:
    """Of several commands the last one: what a container goes on with."""
    return re.split(r"&&|;|\n", script)[-1].strip() if script else ""
