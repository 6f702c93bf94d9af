"""What is imported: nothing of users' files where no value stands in one, and of their parsers only those that are needed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PARSERS = ["tree_sitter", "tree_sitter_go", "tree_sitter_typescript", "tree_sitter_hcl", "tree_sitter_java", "tree_sitter_toml", "pathspec"]  # fmt: skip
REPORT = (
    "import json, sys\n"
    "from outlast.cli import main\n"
    "sys.argv = ['outlast', *sys.argv[1:]]\n"
    "try:\n    main()\n"
    f"finally:\n    print(json.dumps([m for m in sys.modules if m in {PARSERS!r} or m.startswith('outlast.configs') or m == 'yaml']), file=sys.stderr)\n"
)


def _imported(folder: Path, *arguments: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", REPORT, *arguments], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert run.returncode in (0, 1), run.stderr
    return set(json.loads(run.stderr.splitlines()[-1]))


def test_a_check_without_places_imports_nothing_of_files(tmp_path: Path) -> None:
    (tmp_path / "outlast.yaml").write_text(
        "outlast: 1\nparameters: { a: { fixed: 1s }, b: { fixed: 2s } }\nrules: { r: { require: a < b } }\n"
    )
    assert _imported(tmp_path, "check") == {"yaml"}  # of the spec itself


@pytest.mark.parametrize(
    ("name", "text", "selector", "expected"),
    [
        ("a.env", "A_MS=1\n", "A_MS", set()),
        ("a.go", 'package a\n\nimport "time"\n\nconst a = time.Second\n', "a", {"tree_sitter", "tree_sitter_go"}),
        ("a.py", "a_ms = 1\n", "a_ms", set()),
    ],
)
def test_a_file_imports_its_own_parser_alone(
    tmp_path: Path, name: str, text: str, selector: str, expected: set[str]
) -> None:
    (tmp_path / name).write_text(text)
    (tmp_path / "outlast.yaml").write_text(
        f"outlast: 1\nparameters: {{ a: {{ fixed: 1s, at: {name}#{selector} }}, b: {{ fixed: 2s }} }}\nrules: {{ r: {{ require: a < b }} }}\n"
    )
    assert _imported(tmp_path, "check") & set(PARSERS) == expected


def test_settings_of_files_without_yaml_import_no_yaml(tmp_path: Path) -> None:
    (tmp_path / "a.env").write_text("A_MS=1\n")
    assert "yaml" not in _imported(tmp_path, "settings", "a.env")
