"""The house stands as the pages say: links at the root, rooms and their order, examples with all their files."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir())


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["solver", "constraints", "cli.py"])
def test_a_link_at_the_root_leads_into_the_package(name: str) -> None:
    link = ROOT / name
    assert link.is_symlink()
    assert not link.readlink().is_absolute()
    assert link.resolve(strict=True) == ROOT / "src/outlast" / name


def test_the_contracts_name_every_room_in_its_order() -> None:
    contracts = project()["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    assert layers == [
        "outlast.cli | outlast.pytest_plugin",
        "outlast.commands",
        "outlast.reports",
        "outlast.api",
        "outlast.initializing | outlast.reviewing | outlast.reporting",
        "outlast.applying | outlast.generating | outlast.linting",
        "outlast.reasons",
        "outlast.solver | outlast.configs | outlast.picturing",
        "outlast.constraints",
    ]
    named = {name for layer in layers for name in layer.replace("outlast.", "").split(" | ")}
    there = {
        path.stem
        for path in (ROOT / "src/outlast").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert there - {"__init__", "__main__"} == named


@pytest.mark.parametrize("library", ["z3", "typer", "pytest"])
def test_a_library_is_forbidden_everywhere_but_in_its_room(library: str) -> None:
    contracts = project()["tool"]["importlinter"]["contracts"]
    (contract,) = [contract for contract in contracts if library in contract.get("forbidden_modules", ())]
    rooms = {
        "outlast.constraints",
        "outlast.configs",
        "outlast.picturing",
        "outlast.solver",
        "outlast.reports",
        "outlast.api",
        "outlast.cli",
        "outlast.commands",
        "outlast.pytest_plugin",
    }
    theirs = {
        "z3": {"outlast.solver"},
        "typer": {"outlast.cli", "outlast.commands"},
        "pytest": {"outlast.pytest_plugin"},
    }[library]
    assert rooms - set(contract["source_modules"]) == theirs


def test_the_examples_are_the_three_incidents_and_one_of_the_catalogue() -> None:
    assert [path.name for path in EXAMPLES] == ["dead-connection", "silent-nlb", "web-on-kubernetes", "zero-502-deploy"]


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)
def test_an_example_has_its_page_and_its_three_specs(folder: Path) -> None:
    assert {"README.md", "outlast.yaml", "before.yaml", "after.yaml"} <= {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda path: path.name)
def test_before_and_after_only_tell_current_values_of_the_same_parameters(folder: Path) -> None:
    yaml = pytest.importorskip("yaml")
    told = []
    for name in ("before.yaml", "after.yaml"):
        spec = yaml.safe_load((folder / name).read_text(encoding="utf-8"))
        assert set(spec) == {"outlast", "extends", "title", "parameters"}
        assert spec["extends"] == "outlast.yaml"
        assert all(set(keys) == {"current"} for keys in spec["parameters"].values())
        told.append(set(spec["parameters"]))
    assert told[0] == told[1]


def test_the_made_samples_are_what_their_script_writes(tmp_path: Path) -> None:
    folder = ROOT / "examples/dead-connection"
    subprocess.run([sys.executable, folder / "make_data.py", tmp_path], check=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_bytes() for path in (folder / "measured").iterdir()}
    assert set(made) == {"ping_rtt.csv", "sched_wait.csv", "dial.csv"}


def test_every_dependency_has_its_reason_in_the_decision() -> None:
    (decision,) = (ROOT / "docs/decisions").glob("0001-*.md")
    text = decision.read_text(encoding="utf-8")
    declared = project()["project"]
    groups = [declared["dependencies"], *(declared["optional-dependencies"][name] for name in ("dev", "browser"))]
    for requirement in (each for group in groups for each in group):
        name = requirement.split(">=")[0]
        assert f"| {name} |" in text, name
