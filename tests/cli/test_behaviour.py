"""Exit codes, streams, and what a stranger's spec cannot do."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import outlast.api
from cli.running import SPECS, Outlast
from outlast import __version__
from outlast.api import check
from outlast.constraints.loading import load_spec
from outlast.reports.check import check_document
from outlast.reports.origins import Origins
from outlast.reports.output import show
from outlast.solver.outcome import SolveOutcome, Status


def process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "TERM", "COLUMNS")}
    environment |= options.pop("environment", {})
    return subprocess.run(
        [sys.executable, "-m", "outlast", *arguments],
        cwd=SPECS,
        env=environment,
        encoding="utf-8",
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
        **options,
    )


# Exit codes.


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("check calm.yaml", 0),
        ("check shop.yaml", 1),
        ("check shop.yaml --fail-on error", 1),
        ("check calm.yaml --set inner=9500ms", 1),
        ("check calm.yaml --set outer=5s", 1),
        ("check calm.yaml --set outer=6s", 0),
        ("check conflict.yaml", 2),
        ("check nothing.yaml", 2),
        ("check wrong.yaml", 2),
        ("check .", 2),
        ("check calm.yaml --set outer", 2),
        ("check calm.yaml --root nowhere", 2),
        ("check calm.yaml --format xml", 2),
        ("check calm.yaml calm.yaml", 2),
        ("check calm.yaml --bogus", 2),
        ("solve calm.yaml", 0),
        ("solve calm.yaml --objective feasible", 0),
        ("solve calm.yaml --objective closest", 0),
        ("solve conflict.yaml --objective closest", 1),
        ("solve calm.yaml --objective best", 2),
        ("solve calm.yaml --time-limit 5", 0),
        ("solve calm.yaml --time-limit 0s", 2),
        ("solve calm.yaml --time-limit soon", 2),
        ("solve calm.yaml --effort 0", 2),
        ("solve calm.yaml --effort many", 2),
        ("solve calm.yaml --set outer=1s", 1),
        ("solve conflict.yaml", 1),
        ("solve wrong.yaml", 2),
        ("explain calm.yaml", 0),
        ("explain calm.yaml --current --set inner=9500ms", 1),
        ("explain calm.yaml --set outer=1s", 1),
        ("explain calm.yaml --set outer=1s --limit 1", 1),
        ("explain calm.yaml --limit 0", 2),
        ("explain calm.yaml --limit all", 2),
        ("explain calm.yaml --effort 0", 2),
        ("explain calm.yaml --time-limit never", 2),
        ("explain calm.yaml --format html", 2),
        ("explain calm.yaml --set outer", 2),
        ("explain calm.yaml --root nowhere", 2),
        ("explain shop.yaml", 0),
        ("explain shop.yaml --current", 1),
        ("explain system.yaml", 1),
        ("explain choices.yaml", 1),
        ("explain wrong.yaml", 2),
        ("explain nothing.yaml", 2),
        ("measure rtt.txt --unit ms", 0),
        ("measure rtt.txt", 2),
        ("measure rtt.txt --unit parsec", 2),
        ("measure rtt.txt --unit ms --as hdr --column x", 2),
        ("measure rtt.txt --unit ms --as bytes", 2),
        ("measure rtt.txt --unit ms --confidence 100%", 2),
        ("measure rtt.txt --unit ms --confidence 3", 2),
        ("measure rtt.txt --unit ms --lost some", 2),
        ("measure rtt.txt --label =x", 2),
        ("measure nothing.txt", 2),
        ("measure .", 2),
        ("measure", 2),
        ("", 2),
        ("nonsense", 2),
        ("--help", 0),
        ("--version", 0),
    ],
)
def test_the_exit_code_tells_what_happened(outlast: Outlast, arguments: str, code: int) -> None:
    run = outlast(*arguments.split())
    assert run.code == code
    assert "Traceback" not in run.err + run.out
    assert "mistake of outlast" not in run.err
    if code == 2:
        assert run.err or "Usage" in run.out


def test_a_warning_fails_unless_only_errors_do(outlast: Outlast, tmp_path: Path) -> None:
    spec = tmp_path / "outlast.yaml"
    text = (SPECS / "calm.yaml").read_text().replace("require", "level: should, require")
    spec.write_text(text)
    assert outlast("check", spec, "--set", "outer=5s").code == 1
    assert outlast("check", spec, "--set", "outer=5s", "--fail-on", "error").code == 0


def test_a_folder_stands_for_its_spec_and_none_for_the_one_here(
    outlast: Outlast, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outlast.yaml").write_bytes((SPECS / "calm.yaml").read_bytes())
    assert outlast("check", tmp_path).code == 0
    monkeypatch.chdir(tmp_path)
    assert outlast("check").code == 0
    assert "spec outlast.yaml" in outlast("check").out


def test_the_version_is_the_packages(outlast: Outlast) -> None:
    assert outlast("--version").out == f"outlast {__version__}\n"


def test_known_only_leaves_out_what_cannot_be_judged(outlast: Outlast, tmp_path: Path) -> None:
    spec = tmp_path / "outlast.yaml"
    spec.write_text(
        (SPECS / "calm.yaml")
        .read_text()
        .replace("rules:", "  new: { free: 1s..2s }\nrules:\n  other: { require: new < outer }")
    )
    assert outlast("check", spec).code == 2
    run = outlast("check", spec, "--known-only")
    assert run.code == 0
    assert "1 of 2 rules holds, 1 was not judged" in run.out
    assert re.search(r"rules that were not judged:\n +other +no value in use for new\s", run.out)
    data = json.loads(outlast("check", spec, "--known-only", "--format", "json").out)
    assert data["complete"] is False
    assert data["skipped"]["other"]["missing"] == ["new"]


def test_undecided_is_said_first_and_has_its_own_code(outlast: Outlast, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = load_spec(SPECS / "calm.yaml")
    undecided = SolveOutcome(
        spec=spec,
        status=Status.UNDECIDED,
        objective="margin",
        parameters={},
        rules={},
        undecided="the time limit of 1s was reached",
        proved=("the rules can hold together",),
    )
    monkeypatch.setattr("outlast.api.solve", lambda *_, **__: undecided)
    run = outlast("solve", "calm.yaml")
    assert run.code == 3
    assert run.out.startswith("undecided: the time limit of 1s was reached\n")
    assert "the rules can hold together" in run.out
    data = json.loads(outlast("solve", "calm.yaml", "--format", "json").out)
    assert (data["status"], data["complete"]) == ("undecided", False)


# Streams.


def test_errors_in_json_stand_on_stdout_and_for_people_on_stderr(outlast: Outlast) -> None:
    run = outlast("solve", "nothing.yaml", "--format", "json")
    data = json.loads(run.out)
    assert (data["version"], data["status"]) == (1, "error")
    assert data["errors"] == [
        {"file": "nothing.yaml", "line": 1, "col": 1, "message": "cannot read nothing.yaml: no such file or directory"}
    ]
    assert run.err.splitlines()[0] == "nothing.yaml:1:1: cannot read nothing.yaml: no such file or directory"


def test_notes_go_to_stderr(outlast: Outlast, tmp_path: Path) -> None:
    spec = tmp_path / "outlast.yaml"
    spec.write_text((SPECS / "calm.yaml").read_text().replace("rules:", "  idle: { fixed: 10s }\nrules:"))
    run = outlast("check", spec)
    assert run.code == 0
    assert run.err == f"{spec}:5:3: note: nothing uses the parameter 'idle'\n"
    assert "idle" not in run.out.replace(str(spec), "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_an_error(outlast: Outlast, tmp_path: Path) -> None:
    spec = tmp_path / "outlast.yaml"
    spec.write_text("outlast: 1")
    spec.chmod(0)
    assert outlast("check", spec).code == 2


def test_a_pipe_as_spec_neither_blocks_nor_breaks(outlast: Outlast, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    run = outlast("check", tmp_path / "pipe")
    assert run.code == 2
    assert "found a pipe" in run.err


def test_our_own_mistake_is_told_in_one_line(outlast: Outlast, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a\nb\x1b[31m")

    monkeypatch.setattr("outlast.api.check", fail)
    run = outlast("check", "calm.yaml")
    assert run.code == 2
    assert run.err.count("\n") == 1
    assert "RuntimeError: a b\\x1b[31m" in run.err
    assert "OUTLAST_DEBUG=1" in run.err
    monkeypatch.setenv("OUTLAST_DEBUG", "1")
    assert "Traceback" in outlast("check", "calm.yaml").err


@pytest.mark.parametrize("layout", ["text", "json", "markdown"])
@pytest.mark.parametrize(("spec", "code"), [("calm.yaml", 0), ("shop.yaml", 1)])
def test_a_reader_who_leaves_early_changes_no_exit_code(layout: str, spec: str, code: int) -> None:
    read, write = os.pipe()
    os.close(read)
    done = process("check", spec, "--format", layout, stdout=write)
    os.close(write)
    assert (done.returncode, done.stderr) == (code, "")


def test_ctrl_c_ends_with_130_and_one_line(outlast: Outlast, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("outlast.api.solve", interrupt)
    run = outlast("solve", "calm.yaml", "--format", "json")
    assert (run.code, run.out, run.err) == (130, "", "interrupted\n")


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs to see when z3 is loaded")
def test_ctrl_c_inside_z3_ends_with_130(tmp_path: Path) -> None:
    numbers = random.Random(3)
    weights = [numbers.randint(10**9, 10**10) for _ in range(40)]
    names = [f"x{n}" for n in range(len(weights))]
    total = " + ".join(f"{weight} * {name}" for weight, name in zip(weights, names, strict=True))
    spec = tmp_path / "outlast.yaml"
    parameters = "".join(f"  {name}: {{ free: [0, 1] }}\n" for name in names)
    spec.write_text(
        f"outlast: 1\nparameters:\n{parameters}rules:\n  sum: {{ require: {total} == {sum(weights) // 2 + 1} }}\n"
    )
    command = [sys.executable, "-m", "outlast", "solve", str(spec)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as solving:
        maps = Path(f"/proc/{solving.pid}/maps")
        while solving.poll() is None and "libz3" not in maps.read_text():
            time.sleep(0.05)
        time.sleep(1)
        assert solving.poll() is None, "the spec is too easy for this test"
        solving.send_signal(signal.SIGINT)
        out, err = solving.communicate(timeout=20)
    assert (solving.returncode, out, err) == (130, "", "interrupted\n")


def test_a_stream_that_cannot_show_a_character_gets_it_escaped() -> None:
    done = process("solve", "shop.yaml", environment={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "[9.2s, \\u221e)" in done.stdout


# Colours.


def in_a_terminal(*arguments: str, **environment: str) -> str:
    import pty

    master, slave = pty.openpty()
    process(*arguments, stdout=slave, environment={"TERM": "xterm-256color", "COLUMNS": "100", **environment})
    os.close(slave)
    chunks = []
    while True:
        try:
            chunk = os.read(master, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(master)
    return b"".join(chunks).decode().replace("\r\n", "\n")


@pytest.mark.parametrize("spec", ["calm.yaml", "hostile.yaml"])
def test_a_terminal_gets_colours_and_the_same_words(outlast: Outlast, spec: str) -> None:
    coloured = in_a_terminal("check", spec)
    assert "\x1b[1;32m" in coloured or "\x1b[1;31m" in coloured or "\x1b[32m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == outlast("check", spec).out


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colours_gets_none(outlast: Outlast, environment: dict[str, str]) -> None:
    assert in_a_terminal("check", "calm.yaml", **environment) == outlast("check", "calm.yaml").out


# What a stranger's spec cannot do.


@pytest.mark.parametrize("command", ["check", "solve", "explain --current", "explain --current --full"])
def test_text_from_a_spec_neither_steers_a_terminal_nor_commands_a_runner(outlast: Outlast, command: str) -> None:
    run = outlast(*command.split(), "hostile.yaml")
    assert run.out.replace("\n", "").isprintable()
    assert not re.search(r"^\s*::", run.out, re.MULTILINE)
    assert "##[" not in run.out
    assert "##vso" not in run.out
    assert "[bold]x[/bold]" in run.out


def test_a_wrapped_line_never_starts_with_a_command_to_a_runner(
    outlast: Outlast, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = check_document(check(Path("hostile.yaml")))
    show(report)
    assert capsys.readouterr().out == outlast("check", "hostile.yaml").out
    for columns in range(40, 141):
        monkeypatch.setenv("COLUMNS", str(columns))
        show(report)
        assert not re.search(r"^\s*::", capsys.readouterr().out, re.MULTILINE), columns


@pytest.mark.parametrize("command", ["check", "solve", "explain --current", "explain --current --full"])
def test_markdown_has_no_live_html_link_mention_or_heading_of_the_spec(outlast: Outlast, command: str) -> None:
    out = outlast(*command.split(), "hostile.yaml", "--format", "markdown").out
    own = r"^(<details><summary>[A-Z][a-z, ]+</summary>|</details>)$"
    outside_code = re.sub(r"(?<!\\)(`+)(?!`).*?(?<![`\\])\1(?!`)", "", re.sub(own, "", out, flags=re.MULTILINE))
    assert not re.search(r"(?<!\\)<(?!https://)", outside_code)
    assert not re.search(r"(?<!\\)\[[^\]]*[^\\]\]\(", outside_code)
    assert "@octocat" not in out
    assert "#42" not in out
    assert not re.search(r"^#+ (not|heading)", out, re.MULTILINE)
    rows = [re.sub(r"\\\|", "", line) for line in out.splitlines() if line.startswith("|")]
    columns = {"check": {7}, "solve": {5, 8}, "explain --current": set(), "explain --current --full": {4}}
    assert {row.count("|") for row in rows} == columns[command]


def test_json_keeps_the_spec_s_text_exactly_in_ascii(outlast: Outlast) -> None:
    out = outlast("check", "hostile.yaml", "--format", "json").out
    assert out.isascii()
    data = json.loads(out)
    assert data["title"] == "[red]title[/red] \x1b[31m <script>alert(1)</script> | `x`"
    assert data["parameters"]["inner"]["why"].startswith("::error::from a stranger")
    assert not re.search(r"^\s*::", out, re.MULTILINE)


# JSON.


def test_json_of_solve_has_the_keys_that_are_promised(outlast: Outlast) -> None:
    data = json.loads(outlast("solve", "shop.yaml", "--format", "json").out)
    assert (data["version"], data["status"], data["complete"]) == (1, "optimal", True)
    ping = data["parameters"]["ping.send"]
    assert ping["status"] == "free"
    assert ping["ns"] == int(ping["value"].removesuffix("s")) * 10**9
    assert ping["changed"] is True
    assert ping["range"] == {"min": "4s", "min_open": True, "max": "989/110s", "max_open": False}
    assert (ping["smallest"], ping["largest"]) == ("4.1s", "8.9s")
    assert ping["limited_by"]["min"] == ["no-flood"]
    assert set(ping["range_as_recommended"]) == {
        "range", "smallest", "largest", "limited_by", "gaps", "listed", "sentinels",
    }  # fmt: skip
    assert data["parameters"]["pods"]["interval"] == [40, 400]
    assert data["parameters"]["pods"]["value"] is None
    assert data["parameters"]["spare"]["range"]["max"] is None
    assert data["parameters"]["hedge"]["listed"] == ["100ms"]
    assert data["parameters"]["hedge"]["sentinels"] == ["off"]
    assert data["parameters"]["retries"]["value"] in (1, 2)
    rule = data["rules"]["no-flood"]
    assert (rule["holds"], rule["applies"], rule["kept"], rule["left"], rule["right"]) == (
        True,
        True,
        True,
        "80/s",
        "100/s",
    )
    assert (rule["headroom"], rule["headroom_exact"], rule["score"]) == (0.25, "1/4", 1)
    assert data["rules"]["calm-pings"]["kept"] is False
    assert data["rules"]["hedge-after-rtt"]["applies"] is False
    assert data["given_up"][0]["rule"] == "calm-pings"
    assert "rule:calm-pings" in data["given_up"][0]["conflict"]["items"]
    assert data["kept"] == ["spare-outlasts-pings"]


def test_json_of_a_conflict_has_items_places_and_multipliers(outlast: Outlast) -> None:
    data = json.loads(outlast("solve", "conflict.yaml", "--format", "json").out)
    assert data["status"] == "conflict"
    assert data["parameters"] == {} or all(
        p["value"] is None for p in data["parameters"].values() if p["status"] == "free"
    )
    conflicts = {tuple(conflict["items"]): conflict for conflict in data["conflicts"]}
    lonely = conflicts[("rule:lonely-is-large", "domain:lonely.max")]
    assert lonely["certificate"] == {"rule:lonely-is-large": "1", "domain:lonely.max": "1"}
    assert (lonely["minimal"], lonely["by_steps"]) == (True, False)
    assert lonely["details"][0] == {
        "id": "rule:lonely-is-large", "says": "lonely > 30", "file": "conflict.yaml", "line": 20, "why": None,
    }  # fmt: skip


def test_json_of_check_tells_findings_with_remedies_and_origins(outlast: Outlast) -> None:
    data = json.loads(outlast("check", "shop.yaml", "--format", "json").out)
    assert data["status"] == "findings"
    findings = {f.get("rule") or f["parameter"]: f for f in data["findings"]}
    assert list(findings) == ["detect-in-time", "pool-closes-first", "spare", "calm-pings", "spare-outlasts-pings"]
    assert findings["spare"]["kind"] == "value off its step"
    assert findings["calm-pings"]["severity"] == "warning"
    remedies = {r["parameter"]: r for r in findings["detect-in-time"]["remedies"]}
    assert remedies["ping.wait"] == {"parameter": "ping.wait", "now": "3s", "sign": "<=", "to": "1s", "breaks": [],
                                     "holds": True, "advised": None}  # fmt: skip
    rule = data["rules"]["detect-in-time"]
    assert (rule["holds"], rule["slack"], rule["headroom_exact"], rule["score"]) == (False, "-1s", "-1/11", None)
    assert rule["sides"]["left"] == ["ping.send + ping.wait", "8s + 3s", "11s"]
    assert (rule["sides"]["demanded"], rule["sides"]["short"]) == ("12.1s", "2.1s")
    numbers = {n["name"]: n for n in data["rules"]["ping-outlasts-rtt"]["numbers"]}
    assert numbers["p90(rtt)"]["samples"] == 200
    assert numbers["p90(rtt)"]["taken"] == "2026-10-20"
    assert numbers["ping.wait"]["place"] == {"file": "shop.yaml", "line": 9, "col": 56}


def test_every_key_is_described() -> None:
    page = (Path(__file__).parents[2] / "docs/json.md").read_text(encoding="utf-8")
    described = set(re.findall(r"`([a-z_]+)`", page))
    snapshots = (Path(__file__).parent / "snapshots").glob("*.json")
    found: set[str] = set()
    for snapshot in snapshots:
        found |= keys_of(json.loads(snapshot.read_text()))
    assert found - described == set()


#: What is told by the names of a spec, or of an option.
_NAMED = (
    "parameters",
    "rules",
    "skipped",
    "quantiles",
    "values",
    "unjudged",
    "declined",
    "components",
    "options",
    "wanting",
)


def keys_of(data: Any) -> set[str]:
    """Keys of the shapes; names of parameters, rules and quantiles, which specs choose, are passed over."""
    if isinstance(data, list):
        return set().union(*map(keys_of, data))
    if not isinstance(data, dict):
        return set()
    found: set[str] = set()
    for key, value in data.items():
        found.add(key)
        if key in _NAMED and isinstance(value, dict):
            value = list(value.values())
        if key != "certificate":
            found |= keys_of(value)
    return found


# Start.


@pytest.mark.parametrize(
    "arguments", [("--version",), ("--help",), ("check", "shop.yaml"), ("measure", "rtt.txt", "--unit", "ms")]
)
def test_what_needs_no_solver_imports_none(arguments: tuple[str, ...]) -> None:
    program = (
        "import sys, outlast.cli\n"
        f"sys.argv = ['outlast', *{arguments!r}]\n"
        "try:\n    outlast.cli.main()\n"
        "finally:\n    print([m for m in ('z3', 'pydantic', 'rich', 'outlast.solver.engine') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=SPECS, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_api_is_what_the_commands_call() -> None:
    assert {"check", "measure", "solve"} <= set(outlast.api.__all__)


# Which comparison is told, and of which numbers the origin.


def test_a_margin_that_is_not_kept_is_told_with_what_is_missing(outlast: Outlast, tmp_path: Path) -> None:
    spec = tmp_path / "s.yaml"
    spec.write_text(
        "outlast: 1\nparameters:\n  a: { fixed: 8s }\n  b: { fixed: 10s }\n  c: { fixed: 90s }\nrules:\n"
        "  both: { require: b < c and a < b, margin: 50% }\n"
    )
    run = outlast("check", spec)
    assert run.code == 1
    assert run.out.startswith("1 margin is not kept\n")
    assert "a = 8s is under b = 10s; its margin of 50% demands 12s; 2s too little" in run.out


def test_a_rule_broken_by_a_state_shows_no_comparison_that_holds(outlast: Outlast, tmp_path: Path) -> None:
    spec = tmp_path / "s.yaml"
    spec.write_text(
        "outlast: 1\nparameters:\n  a: { fixed: 8s }\n  b: { fixed: 10s }\nrules:\n  r: { require: a is off and a < b }\n"
    )
    run = outlast("check", spec)
    assert run.code == 1
    assert "a is off and a < b does not hold" in run.out
    assert "is under" not in run.out


def test_only_the_bound_that_a_rule_uses_is_asked_for(tmp_path: Path) -> None:
    """Sixty samples have no upper bound of p99, but a lower one, and the larger side takes that."""
    (tmp_path / "rtt.txt").write_text("1\n" * 60)
    path = tmp_path / "s.yaml"
    path.write_text(
        "outlast: 1\nparameters:\n  a: { fixed: 100us }\n  slow: { derived: p99(rtt) + 1ms }\n"
        "measurements:\n  rtt: { samples: rtt.txt, unit: ms }\n"
        "rules:\n  r: { require: a < slow }\n  s: { require: slow is off => a < 1s }\n"
    )
    spec = load_spec(path)
    origins = Origins(spec, {"a": spec.parameters["a"].value})
    numbers = [(source.name, source.bound) for source in origins.of_rule(spec.rules["r"])]
    assert numbers == [("a", None), ("slow", None), ("p99(rtt)", "lower")]
    assert [source.name for source in origins.of_rule(spec.rules["s"])] == ["a", "slow"]


def test_a_long_chain_of_derived_parameters_is_told_in_no_time(outlast: Outlast, tmp_path: Path) -> None:
    spec = tmp_path / "s.yaml"
    chain = "".join(f"  d{n}: {{ derived: d{n - 1} + d{n - 1} }}\n" for n in range(1, 31))
    spec.write_text(f"outlast: 1\nparameters:\n  d0: {{ fixed: 1ns }}\n{chain}rules:\n  r: {{ require: d30 < 1s }}\n")
    started = time.monotonic()
    run = outlast("check", spec)
    assert run.code == 1
    assert "d29 = 536.870912ms" in run.out
    assert time.monotonic() - started < 5


# The nearest values.


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("shop.yaml", "3 of 6 values change"),
        ("calm.yaml", "nothing has to change"),
        ("calm.yaml --set outer=5s", "1 of 1 value changes"),
    ],
)
def test_closest_says_how_many_values_change(outlast: Outlast, arguments: str, words: str) -> None:
    run = outlast("solve", "--objective", "closest", *arguments.split())
    assert run.code == 0
    assert words in run.out.splitlines()[0]


def test_closest_leaves_values_as_they_come(outlast: Outlast) -> None:
    """No rounding, no levels: 4.5 s and 3 s are nearest, though the headroom is small."""
    run = outlast("solve", "--objective", "closest", "shop.yaml", "--format", "json")
    data = json.loads(run.out)
    assert (data["objective"], data["status"], data["complete"], data["bottlenecks"]) == (
        "closest",
        "optimal",
        True,
        [],
    )
    assert {n: p["value"] for n, p in data["parameters"].items() if p["status"] == "free"} == {
        "hedge": "0s", "ping.send": "4.5s", "ping.wait": "3s", "pool.idle": "59s", "retries": 2, "spare": "10s",
    }  # fmt: skip


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "arguments",
    [
        "check calm.yaml",
        "solve calm.yaml",
        "explain system.yaml",
        "explain system.yaml --format json",
        "why calm.yaml inner",
        "why calm.yaml inner=1s",
        "measure rtt.txt --unit ms",
        "check wrong.yaml --format json",
        "solve --help",
        "--version",
    ],
)
def test_an_output_that_is_full_is_blamed_itself(arguments: str) -> None:
    with open("/dev/full", "w") as full:
        run = process(*arguments.split(), stdout=full)
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1] == "outlast: cannot write the report: no space left on device"
    assert "wrong.yaml" in arguments or run.stderr.count("\n") == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
@pytest.mark.parametrize(("arguments", "code"), [("check wrong.yaml", 2), ("check shop.yaml", 1), ("check", 2)])
def test_an_error_that_nobody_can_be_told_keeps_its_code(arguments: str, code: int) -> None:
    words = [sys.executable, "-m", "outlast", *arguments.split()]
    with open("/dev/full", "w") as full:
        run = subprocess.run(words, cwd=SPECS, stdout=subprocess.PIPE, stderr=full, timeout=60, check=False)
    assert run.returncode == code
