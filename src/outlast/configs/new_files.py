"""New files of outlast's own making: over what none is written, and how one is, whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import Final

from outlast.configs.durable import remove, sync_folder, write_beside, write_new
from outlast.configs.formats import format_of, may_have_format
from outlast.configs.generate import MARK
from outlast.constraints.errors import InputErrors, OutlastError, printable
from outlast.constraints.files import glance, reason, was_read_as
from outlast.constraints.model import Spec

__all__ = ["refuse_input", "refuse_own", "refuse_settings", "write_generated"]

#: Among so many bytes stands the mark of a generated file.
_HEAD: Final = 200


def refuse_own(path: Path, spec: Spec | None) -> None:
    """Refuse to write over what the spec is made of, over the files whose values it speaks of, and inside git's folder.

    None: there is no spec, or it cannot be read.

    Raises:
        InputErrors: `path` is such a file, or a link that leads nowhere.
    """
    shown = printable(str(path))
    target = os.path.realpath(path)
    message = None
    if any(part.casefold() == ".git" for part in (*os.path.abspath(path).split(os.sep), *target.split(os.sep))):
        message = f"expected a file of yours to write, found one of git: {shown}"
    elif os.path.basename(path).startswith(".outlast-"):
        message = f"expected a file of yours to write, found one of outlast's own: {shown}"
    elif os.path.islink(path) and not os.path.exists(path):
        message = f"expected a file to write, found {shown} to be a link that leads nowhere"
    else:
        own = () if spec is None else _own(spec)
        what = next((what for source, what in own if _is_same(source, target)), None)
        if what is not None:
            message = f"expected another file to write than {shown}, {what}"
    if message is not None:
        raise InputErrors("the file cannot be written", [OutlastError(message)])


def refuse_input(path: Path, spec: Spec | None) -> None:
    """Refuse what `refuse_own` does, and to write over anything that was read, by whatever name.

    Raises:
        InputErrors: `path` is such a file.
    """
    refuse_own(path, spec)
    known = was_read_as(path)
    if known is not None:
        name = "" if os.path.abspath(known) == os.path.abspath(path) else f" as {printable(known)}"
        message = f"expected another file to write than {printable(str(path))}, which was read{name}"
        raise InputErrors("the file cannot be written", [OutlastError(message)])


def refuse_settings(path: Path) -> None:
    """Refuse to write a report over what a spec may speak of or lint would read, but for an older report: of a spec that cannot be used, nobody can tell.

    Raises:
        InputErrors: `path` is such a file, or cannot be read.
    """
    target = os.path.realpath(path)
    name = target.replace(os.sep, "/")
    if not os.path.lexists(target) or not may_have_format(name):
        return
    try:
        data = glance(target)
    except OutlastError as error:
        raise InputErrors("the file cannot be written", [error]) from None
    format_ = format_of(name, data)
    if not data.strip() or format_ is None or (format_.name == "json" and _is_report(data)):
        return
    message = f"expected another file to write than {printable(str(path))}, which is there already and holds no report but {format_.name}"
    raise InputErrors("the file cannot be written", [OutlastError(message)])


def _is_report(data: bytes) -> bool:
    """Whether JSON is a report: ours, SARIF, or a list of issues as GitLab has them."""
    from json import loads

    try:
        document = loads(data)
    except (ValueError, RecursionError):
        return False
    if isinstance(document, list):
        return all(
            isinstance(each, dict) and {"description", "fingerprint", "location"} <= each.keys() for each in document
        )
    if not isinstance(document, dict):
        return False
    if "runs" in document:
        return document.get("version") == "2.1.0"
    return document.get("version") == 1 and isinstance(document.get("status"), str)


def _own(spec: Spec) -> Iterator[tuple[str, str]]:
    """Files that a spec needs as they are, and what each is to it."""
    for source in spec.sources:
        is_spec = _is_same(source, str(spec.path))
        yield source, "which is the spec" if is_spec else f"from which {printable(str(spec.path))} is read"
    for name, parameter in sorted(spec.parameters.items()):
        for binding in parameter.at:
            yield binding.file, f"which holds the value of {name} ({binding.place.file}:{binding.place.line})"


def _is_same(one: str, other: str) -> bool:
    """Whether two paths lead to one file, also by a second name on the disk."""
    try:
        return os.path.realpath(one) == os.path.realpath(other) or os.path.samefile(one, other)
    except OSError:
        return False


def write_generated(path: Path, text: str, *, force: bool) -> bool:
    """Write a generated file whole or not at all; False: it was there already, just so. Other files than generated ones stay unless `force`.

    Raises:
        InputErrors: a file that nobody generated is there, or the system refuses to write.
    """
    target, data = os.path.realpath(path), text.encode()
    temporary = os.path.join(os.path.dirname(target), f".outlast-{token_hex(8)}")
    try:
        before = glance(target) if os.path.lexists(target) else None
        if before == data:
            return False
        if before is not None and not force and MARK.encode() not in before[:_HEAD]:
            raise OutlastError(
                f"{printable(str(path))} is there already and does not say that outlast generated it; --force overwrites it"
            )
        if before is None:
            write_new(temporary, lambda _: data)
            os.chmod(temporary, 0o666 & ~_umask())
        else:
            write_beside(target, temporary, data)
        os.replace(temporary, target)
        sync_folder(os.path.dirname(target))
    except OutlastError as error:
        raise InputErrors("the file cannot be written", [error]) from None
    except OSError as error:
        _try_to_remove(temporary)
        message = f"cannot write {printable(str(path))}: {reason(error)}"
        raise InputErrors("the file cannot be written", [OutlastError(message)]) from None
    except BaseException:
        _try_to_remove(temporary)
        raise
    return True


def _try_to_remove(path: str) -> None:
    try:
        remove(path)
    except OSError:
        return


def _umask() -> int:
    """What new files may not have; there is no way to ask without setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
