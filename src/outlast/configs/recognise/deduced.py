"""What follows from settings that are no values of a parameter: a hook that sleeps, threads of a worker, the port of a server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from outlast.configs.recognise.commands import Command
from outlast.configs.recognise.found import Held
from outlast.configs.setting import Computed, Literal, Setting
from outlast.constraints.files import place_of_byte
from outlast.constraints.quantities import DURATION_UNITS, format_number

__all__ = ["hints_of_command", "hints_of_file", "hook_of", "ports_of", "sleeps", "worker_of"]

_SLEEP: Final = re.compile(r"(?:exec )?(?:/(?:usr/)?bin/)?sleep ([0-9]{1,6}(?:\.[0-9]{1,6})?)([smhd]?)")
_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
#: Commands that cannot fail, so that what follows `&&` is run.
_SURE: Final = re.compile(r"(?:echo|printf|true|:)(?: .*)?")
#: Words behind which it is not sure that, or how often, anything runs.
_CONTROL: Final = re.compile(
    r"(?:if|for|while|until|case|select|function|exit|return|exec|trap|kill|set|then|do|else|eval|[({!])(?:\b.*|)|.*\(\).*"
)
_SHELL: Final = re.compile(r"(?:/(?:usr/)?bin/)?(?:sh|bash|ash|dash)")
_SEPARATOR: Final = re.compile(r"(&&|\|\||;|\n)")


def sleeps(words: Sequence[str | None]) -> tuple[Fraction, bool]:
    """How many seconds a command sleeps at least, and whether that is all that it does; a word that is None is not known.

    >>> sleeps(["/bin/sh", "-c", "sleep 5 && nginx -s quit"])
    (Fraction(5, 1), False)
    """
    if len(words) == 3 and _SHELL.fullmatch(words[0] or "") and words[1] == "-c" and words[2] is not None:
        return _of_script(words[2])
    line = " ".join(word if word is not None else "$" for word in words)
    match = _SLEEP.fullmatch(line)
    return (_seconds(match), True) if match else (Fraction(0), False)


def _seconds(match: re.Match[str]) -> Fraction:
    return Fraction(match[1]) * _SECONDS[match[2]]


def _of_script(script: str) -> tuple[Fraction, bool]:
    """The same of a script: only commands count that run in any case."""
    total, is_all = Fraction(0), True
    text = re.sub(r"(?m)(?:^|(?<=\s))#.*$", "", script.replace("\\\n", " "))
    parts = _SEPARATOR.split(text)
    for number in range(0, len(parts), 2):
        command = " ".join(parts[number].split())
        following = parts[number + 1] if number + 1 < len(parts) else ""
        if not command:
            continue
        if command.count("'") % 2 or command.count('"') % 2:
            return total, False  # what is between quotes was taken apart
        match = _SLEEP.fullmatch(command)
        if match is not None:
            total += _seconds(match)
            if following == "||" or command.startswith("exec "):
                return total, is_all and not "".join(parts[number + 2 :]).strip()
            continue
        if _SURE.fullmatch(command) and "$(" not in command and not re.search(r"[|&<>`]", command):
            if following == "||":
                return total, False
            continue
        is_all = False
        if following in ("&&", "||") or _CONTROL.fullmatch(command) or re.search(r"[|&`]|<<", command):
            break
    return total, is_all


def hook_of(
    settings: Iterable[tuple[tuple[str | None, ...], Setting]], data: bytes, file: str
) -> tuple[Held, bool] | None:
    """How long a preStop hook takes at least, and whether exactly that; `settings` are those of a container with their routes in it. None: it has none."""
    words: list[str | None] = []
    first: Setting | None = None
    for names, setting in settings:
        if names[:2] != ("lifecycle", "preStop") or len(names) < 3 or names[2] == "sleep":
            continue
        first = first or setting
        if names[2:4] == ("exec", "command") and names[-1] is None:
            if setting.content.__class__ is Literal:
                words.append(setting.content.text)
            else:
                words.append(setting.raw if "text" in getattr(setting.content, "reason", "") else _number(setting))
            first = setting if len(words) == 1 else first
    if first is None:
        return None
    if any(word is not None and "{{" in word for word in words):
        words = [None]
    least, is_all = sleeps(words)
    place = place_of_byte(data, first.start, file)
    text = " ".join(word if word is not None else "…" for word in words)
    raw = "; ".join(" ".join(line.split()) for line in text.splitlines())
    return Held(value=least * DURATION_UNITS["s"], place=place, selector="", file=file, raw=raw), is_all


def _number(setting: Setting) -> str | None:
    content = setting.content
    return format_number(content.amount) if isinstance(content, Computed) and content.unit is None else None


#: What a server says elsewhere of its address, and of its threads.
_ADDRESSES: Final = frozenset(("-b", "--bind", "--port", "-p", "--listen", "bind"))
_THREADS: Final = frozenset(("--threads", "threads"))
_PORT: Final = re.compile(r"(?:.*:)?([0-9]{1,5})")
_UNTOLD: Final = "?"


def hints_of_command(command: Command) -> Mapping[str, str]:
    """The ports and threads that a command line tells."""
    found: dict[str, str] = {}
    for flag, settings in command.values.items():
        if flag in _ADDRESSES or flag in _THREADS:
            _add(found, flag, settings)
    return found


def hints_of_file(settings: Sequence[Setting]) -> Mapping[str, str]:
    """The same of a file in Python with assignments."""
    found: dict[str, str] = {}
    for setting in settings:
        name = setting.route[-1].name
        if len(setting.route) == 1 and not setting.scope and name in ("bind", "threads"):
            _add(found, name or "", [setting])
    return found


def _add(found: dict[str, str], name: str, settings: Sequence[Setting]) -> None:
    texts = [s.content.text if isinstance(s.content, Literal) else _number(s) or _UNTOLD for s in settings]
    key = "threads" if name in _THREADS else "ports"
    found[key] = " ".join([found[key], *texts] if key in found else texts)


def ports_of(hints: Mapping[str, str]) -> frozenset[str]:
    """The ports that a server says it listens on; none if it does not tell all of them."""
    found: set[str] = set()
    for text in hints.get("ports", "").replace(",", " ").split():
        match = _PORT.fullmatch(text)
        if match is None:
            return frozenset()
        found.add(match[1])
    return frozenset(found)


def worker_of(worker_class: str | None, hints: Mapping[str, str]) -> str | None:
    """The class of gunicorn's workers: sync ones with several threads are gthread. None: not known, or as it says."""
    threads = hints.get("threads")
    if threads is None or worker_class not in (None, "sync"):
        return worker_class
    if not threads.isdecimal():
        return _UNTOLD
    return "gthread" if int(threads[:9]) > 1 else worker_class
