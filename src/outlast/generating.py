"""Writing a solution into new files: solve, give each value its reason, and write one file in the language that is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Final

from outlast.configs.durable import remove, sync_folder, write_beside, write_new
from outlast.configs.generate import MARK, Entry, Frame, generate, left_out
from outlast.configs.outputs.write import Configuration, configuration
from outlast.configs.spelling import why_unwritten
from outlast.constraints.errors import InputErrors, OutlastError, printable
from outlast.constraints.files import glance, reason, was_read_as
from outlast.constraints.model import Note, Parameter, Role, Spec
from outlast.reasons import full_reason_of
from outlast.solver.outcome import SolveOutcome

__all__ = ["configured", "generated", "refuse_input", "refuse_own", "refuse_settings", "write_generated"]

_WRITTEN: Final = (Role.FREE, Role.FIXED, Role.DERIVED)
_HEAD: Final = 200


def generated(outcome: SolveOutcome, output: str, frame: Frame) -> tuple[str, tuple[Note, ...]]:
    """The text of a file with every free, fixed and derived value, and what it cannot say; facts are true of the world and no settings.

    Raises:
        InputErrors: the values cannot be written in this language.
    """
    entries = [entry for entry in _entries(outcome) if _is_decided(entry.parameter)]
    try:
        text = generate(entries, output, _title(outcome), frame)
    except OutlastError as error:
        raise InputErrors(f"cannot write {output}", [error]) from None
    notes = (
        Note(f"{why_unwritten(entry)}; {output} has no comments, so it is left out", entry.parameter.place)
        for entry in left_out(entries, output)
    )
    return text, tuple(notes)


def configured(outcome: SolveOutcome, output: str, *, components: Sequence[str], package: str | None) -> Configuration:
    """The file that the software of the components itself reads; all that the output can express unless `components` names some.

    Raises:
        InputErrors: no component can be written so, or a value cannot.
    """
    topology = outcome.spec.topology
    return configuration(_entries(outcome), topology, output, _title(outcome), components=components, package=package)


def _entries(outcome: SolveOutcome) -> list[Entry]:
    return [
        Entry(parameter=r.parameter, value=r.value, reason=full_reason_of(r, outcome))
        for _, r in sorted(outcome.parameters.items())
        if r.value is not None
    ]


def _is_decided(parameter: Parameter) -> bool:
    """Whether somebody chose it or it was found: no fact, no default of software, no effective value that follows from others."""
    return parameter.role in _WRITTEN and parameter.default_of is None and not parameter.is_effective


def _title(outcome: SolveOutcome) -> str:
    return f"From {outcome.spec.path.name}" + (f": {outcome.spec.title}" if outcome.spec.title else "")


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
    from outlast.configs.formats import format_of, may_have_format

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
