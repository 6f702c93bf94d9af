"""Writing a solution into new files: solve, give each value its reason, and write one file in the language that is asked for."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from outlast.configs.durable import remove, sync_folder, write_beside, write_new
from outlast.configs.generate import MARK, Entry, generate
from outlast.constraints.errors import InputErrors, OutlastError, printable
from outlast.constraints.files import open_regular, reason
from outlast.constraints.model import Role
from outlast.reasons import reason_of
from outlast.solver.outcome import SolveOutcome

__all__ = ["generated", "write_generated"]

_WRITTEN: Final = (Role.FREE, Role.FIXED, Role.DERIVED)
_HEAD: Final = 200


def generated(outcome: SolveOutcome, output: str) -> str:
    """The text of a file with every free, fixed and derived value; facts are true of the world and no settings.

    Raises:
        InputErrors: the values cannot be written in this language.
    """
    entries = [
        Entry(parameter=r.parameter, value=r.value, reason=reason_of(r, outcome))
        for _, r in sorted(outcome.parameters.items())
        if r.value is not None and r.parameter.role in _WRITTEN
    ]
    title = f"From {outcome.spec.path.name}" + (f": {outcome.spec.title}" if outcome.spec.title else "")
    try:
        return generate(entries, output, title)
    except OutlastError as error:
        raise InputErrors(f"cannot write {output}", [error]) from None


def write_generated(path: Path, text: str, *, force: bool) -> bool:
    """Write a generated file whole or not at all; False: it was there already, just so. Other files than generated ones stay unless `force`.

    Raises:
        InputErrors: a file that nobody generated is there, or the system refuses to write.
    """
    target, data = os.path.realpath(path), text.encode()
    temporary = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.outlast")
    try:
        before = open_regular(target) if os.path.lexists(target) else None
        if before == data:
            return False
        if before is not None and not force and MARK.encode() not in before[:_HEAD]:
            raise OutlastError(f"{printable(str(path))} is there already and does not say that outlast generated it; --force overwrites it")
        remove(temporary)
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
