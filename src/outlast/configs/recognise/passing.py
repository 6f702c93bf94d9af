"""Whether nginx keeps connections to the servers behind it: what a location says, and what its release does unless told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from outlast.configs.recognise.commands import image_name, image_tag
from outlast.configs.setting import Index, Literal, Segment, Setting
from outlast.constraints.record import record

__all__ = ["DEFAULT", "KEPT", "NOT_KEPT", "UNKNOWN", "Pass", "is_kept", "passes_of"]

#: What a location says of connections to the servers behind it; DEFAULT: nothing, or only a part of what older releases ask for.
KEPT: Final = "kept"
NOT_KEPT: Final = "not kept"
DEFAULT: Final = "default"
UNKNOWN: Final = "unknown"

_Scope = tuple[Segment, ...]


@record(kw_only=True)
class Pass:
    """A directive that passes requests on."""

    #: The group of servers, or the host, that it names.
    upstream: str
    keeping: str


_TO: Final = re.compile(r"(?:[a-z]+://)?([A-Za-z0-9_.-]+)(?:[:/].*)?")
#: By directive: how it keeps connections.
_PASSING: Final = {"proxy_pass": None, "grpc_pass": KEPT, "uwsgi_pass": NOT_KEPT, "scgi_pass": NOT_KEPT}
_MEANT: Final = frozenset(("proxy_http_version", "proxy_set_header", "fastcgi_keep_conn", "include"))


def passes_of(settings: Sequence[Setting]) -> tuple[Pass, ...]:
    """The passes of a file."""
    said: dict[_Scope, dict[str, list[Setting]]] = {}
    passing: list[Setting] = []
    for setting in settings:
        name = setting.route[0].name
        if name in _MEANT:
            said.setdefault(setting.scope, {}).setdefault(name or "", []).append(setting)
        elif (name in _PASSING or name == "fastcgi_pass") and len(setting.route) == 1:
            passing.append(setting)
    return tuple(_passes(passing, said))


def _passes(passing: Sequence[Setting], said: Mapping[_Scope, Mapping[str, list[Setting]]]) -> Iterator[Pass]:
    for setting in passing:
        match = _TO.fullmatch(_text(setting) or "")
        if match is None:
            continue
        blocks = [said.get(setting.scope[:depth], {}) for depth in range(len(setting.scope), -1, -1)]
        name = setting.route[0].name or ""
        if name == "fastcgi_pass":
            words = [_text(s) for block in blocks for s in block.get("fastcgi_keep_conn", ())]
            keeping = KEPT if words[:1] == ["on"] else UNKNOWN if _includes(blocks) else NOT_KEPT
        else:
            keeping = _PASSING[name] or _keeping(blocks)
        yield Pass(upstream=match[1], keeping=keeping)


def _keeping(blocks: Sequence[Mapping[str, list[Setting]]]) -> str:
    """What a location, and the blocks around it, innermost first, say of connections over HTTP."""
    versions = next((b["proxy_http_version"] for b in blocks if "proxy_http_version" in b), None)
    version = None if versions is None else _text(versions[0])
    # Headers of a block replace all those of the blocks around it.
    headers = next((b["proxy_set_header"] for b in blocks if "proxy_set_header" in b), [])
    connection = _connection(headers)
    if version == "1.0" or connection == "close":
        return NOT_KEPT
    if versions is not None and connection == "":
        return KEPT if version in ("1.1", "2") else UNKNOWN
    if _includes(blocks) or connection not in ("", None):
        return UNKNOWN
    return DEFAULT


def _includes(blocks: Sequence[Mapping[str, list[Setting]]]) -> bool:
    """Whether another file may say more."""
    return any("include" in block for block in blocks)


def _connection(headers: Sequence[Setting]) -> str | None:
    """The value of the header Connection, in lower case; `$` for one that is told only when it is sent; None: it is not set."""
    for number, setting in enumerate(headers):
        if len(setting.route) != 1 or (_text(setting) or "").lower() != "connection":
            continue
        following = headers[number + 1] if number + 1 < len(headers) else None
        if following is not None and isinstance(following.route[-1], Index):
            text = _text(following)
            return "$" if text is None else text.lower()
        return "$"
    return None


def _text(setting: Setting) -> str | None:
    return setting.content.text if isinstance(setting.content, Literal) else None


_IMAGES: Final = frozenset(("nginx", "nginx-unprivileged"))
#: The first release that keeps connections unless told otherwise.
_SINCE: Final = (1, 29, 7)


def is_kept(keepings: Sequence[str], image: str | None) -> bool | None:
    """Whether connections to one group of servers are kept, by all passes to it and the image that runs nginx; None: it is not told."""
    by_default = _is_kept_by_default(image)
    answers = {KEPT: True, NOT_KEPT: False, DEFAULT: by_default, UNKNOWN: None}
    found = {answers[keeping] for keeping in keepings}
    if True in found:
        return True
    return False if found == {False} else None


def _is_kept_by_default(image: str | None) -> bool | None:
    tag = image_tag(image) if image is not None and image_name(image) in _IMAGES else None
    if tag is None:
        return None
    version = tuple(int(part[:9]) for part in tag.split("."))[:3]
    since = _SINCE[: len(version)]
    return None if version == since != _SINCE else version >= since
