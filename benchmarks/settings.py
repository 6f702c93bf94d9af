"""How long `outlast settings` takes for a project of mixed files, against parsing them once with what parses them; `run.py` prints it.

The yardstick has the bytes in memory and throws the results away: no walking, no reading from disk, no settings, no places.
"""

from __future__ import annotations

import ast
import gc
import json
import tempfile
import time
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from projects import write_project

#: What parses a format, where it is not our own reader: the package and the function of a grammar.
GRAMMARS = {
    "go": ("tree_sitter_go", "language"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "javascript": ("tree_sitter_typescript", "language_tsx"),
    "java": ("tree_sitter_java", "language"),
    "hcl": ("tree_sitter_hcl", "language"),
}


def bare_parser(name: str) -> Callable[[bytes], object]:
    """Parses the bytes of a file of a format."""
    if name in GRAMMARS:
        tree_sitter = import_module("tree_sitter")
        module, function = GRAMMARS[name]
        language = tree_sitter.Language(getattr(import_module(module), function)())
        parse: Callable[[bytes], object] = tree_sitter.Parser(language).parse
        return parse
    if name in ("yaml", "compose", "spring-yaml"):
        yaml = import_module("yaml")

        def events(data: bytes) -> object:
            for _ in yaml.parse(data, Loader=yaml.CSafeLoader):
                pass
            return None

        return events
    others: dict[str, Callable[[bytes], object]] = {
        "json": json.loads,
        "toml": lambda data: tomllib.loads(data.decode()),
        "python": ast.parse,
    }
    if name in others:
        return others[name]
    from outlast.configs.formats import FORMATS

    return lambda data: FORMATS[name].read(data, "")


def settings(files: int, runs: int) -> None:
    """Print the fastest of some runs of both, in turns, all in this process; the processor's time, since the disk's is not ours."""
    from outlast.configs.formats import format_of
    from outlast.configs.listing import list_settings

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        loaded: list[tuple[str, bytes]] = []
        for path in write_project(root, files):
            data = path.read_bytes()
            format_ = format_of(path.as_posix(), data)
            if format_ is None:
                raise SystemExit(f"{path.name} has no format")
            loaded.append((format_.name, data))
        parsers = {name: bare_parser(name) for name, _ in loaded}
        size = sum(len(data) for _, data in loaded)
        print(f"\n{'settings, a project of mixed files':44} {'outlast':>12} {'parsing':>12} {'ratio':>7}   aim")
        for what, all_, aim in (("durations", False, "at most 3"), ("every setting (--all)", True, "")):
            ours, yardstick, found = [], [], 0
            for _ in range(runs):
                yardstick.append(cpu(lambda: parse_all(parsers, loaded))[0])
                taken, listing = cpu(lambda: list_settings([root], all_=all_))  # noqa: B023  # called at once
                ours.append(taken)
                if listing.problems or listing.read != files:
                    raise SystemExit(
                        f"{listing.read} of {files} files read, {len(listing.problems)} problems: {listing.problems[:1]}"
                    )
                found = sum(len(file.settings) for file in listing.files)
            label = f"{files} files, {size / 10**6:.0f} MB, {found} {what}"
            print(
                f"{label:44} {min(ours) * 1000:9.0f} ms {min(yardstick) * 1000:9.0f} ms {min(ours) / min(yardstick):7.2f}   {aim}",
                flush=True,
            )


def parse_all(parsers: dict[str, Callable[[bytes], object]], loaded: list[tuple[str, bytes]]) -> None:
    """Parse each file and keep nothing of it; as outlast does, without a search for circles of objects."""
    gc.disable()
    try:
        for name, data in loaded:
            parsers[name](data)
    finally:
        gc.enable()


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """The seconds of the processor that something takes, and its result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result
