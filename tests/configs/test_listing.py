from __future__ import annotations

import json
import time
from fractions import Fraction
from pathlib import Path

import pytest

from configs.harness import DATA, format_for, samples
from outlast.configs.formats import FORMATS, may_have_format
from outlast.configs.interpret import read_value
from outlast.configs.keys import _ENDINGS, _SUFFIXES, _TELLING, name_of
from outlast.configs.likely import _BLOCKS, _about, is_duration, may_tell_duration
from outlast.configs.listing import _SLOW, Listing, _listed, list_settings
from outlast.configs.select import Lookup
from outlast.configs.setting import Computed, Key
from outlast.configs.walk import LARGEST
from outlast.constraints.errors import InputErrors, OutlastError
from outlast.constraints.files import place_of_byte
from outlast.constraints.quantities import Kind
from outlast.constraints.record import replace
from outlast.reports.markdown import markdown
from outlast.reports.settings import settings_document, unread_text
from outlast.reports.settings_data import settings_data
from outlast.reports.text import plain


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text, encoding="utf-8", newline="")


def shown(listing: Listing) -> dict[str, list[str]]:
    """The selectors by the last name of the file."""
    return {f.file.rpartition("/")[2]: [s.selector for s in f.settings] for f in listing.files}


def durations(tmp_path: Path, name: str, text: str) -> list[str]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return shown(list_settings([tmp_path], all_=False)).get(name, [])


def test_a_setting_is_told_with_its_place_selector_and_value(tmp_path: Path) -> None:
    write(tmp_path, a__yaml="\ufeffä: 1\nname: web\nüü: {timeout: '30s', retries: 3}\n")
    (file,) = list_settings([tmp_path / "a.yaml"], all_=False).files
    (setting,) = file.settings
    assert (file.file, file.format) == (f"{tmp_path}/a.yaml", "yaml")
    assert (setting.line, setting.col, setting.selector, setting.raw) == (3, 15, "üü.timeout", "'30s'")
    assert setting.value == Fraction(30 * 10**9)
    assert (setting.kind, setting.reason) == (Kind.DURATION, None)


def test_a_bare_number_without_a_unit_is_listed_with_the_reason(tmp_path: Path) -> None:
    write(tmp_path, a__yaml="timeout: 30\nport: 80\n")
    (file,) = list_settings([tmp_path], all_=False).files
    assert [(s.selector, s.value, s.kind, s.reason) for s in file.settings] == [("timeout", None, None, "no unit told")]


def test_with_all_every_setting_is_listed(tmp_path: Path) -> None:
    write(tmp_path, a__yaml="timeout: 30s\nport: 80\nname: web\nratio: 20%\n")
    (file,) = list_settings([tmp_path], all_=True).files
    assert [(s.selector, s.value, s.kind) for s in file.settings][1:] == [
        ("port", 80, Kind.COUNT),
        ("name", None, None),
        ("ratio", file.settings[3].value, Kind.RATIO),
    ]
    assert file.settings[2].reason == "not a number"


@pytest.mark.parametrize("line", [
    "cpu: 500m", "memory: 512M", "resources: {limits: {cpu: 100m}}", "targetAverageValue: 500m", "image: 2d", "shape: 3d", "tag: 1.2", "port: 8080",
    "size: 10m", "refresh_per_second: 20", "seconds_in_day: 86400", "expires: 1700000000", "updated_time: 1700000000000", "max_idle_conns: 10",
    "code: PT-01", "a: PT", "a: P", "a: PTS", "noDelay: 1", "TCP_NODELAY: 1", "startTime: 5", "utcTime: 23", "requestTimeout: 408", "status_gateway_timeout: 504",
    "start_time: '00:30:00'", "a: '00:30:00'", "a: {timeouts: {retries: 3}}", "a: {timeouts: {enabled: 1}}", "a: {timeouts: {memory: 5m}}", "a: {timers: {b: 5}}",
    "a: {b: {default: 5}}", "enabled_timeout: true", "retries: 3", "description: 12 hours", "timeout: long", "name: 30s", "version: 1m",
])  # fmt: skip
def test_what_is_no_duration_is_no_false_alarm(tmp_path: Path, line: str) -> None:
    assert durations(tmp_path, "a.yaml", line + "\n") == []


@pytest.mark.parametrize("line", [
    "for: 5m", "every: 1m", "interval: 1m", "grace: 30s", "a: 250ms", "a: 1h30m", "maxAge: 7d", "idle_timeout: 0", "timeout: -1", "timeoutMs: 5000",
    "a: PT1H30M", "a: P1D", "a: P1DT0.5S", "timeout: '00:01:30'", "timeout: '1.00:00:00'", "timeout: 00:01:30", "timeout: \"3\\x30\"",
    "readTimeout: 408", "requestTimeout: 409", "runtime_ms: 5",
    "periodSeconds: 10", "keepalive_timeout: '75'", "timeout: infinity", "a: 30 seconds", "ttl: 1700", "perTryTimeout: 2", "limit: 10s",
])  # fmt: skip
def test_what_is_a_duration_is_listed(tmp_path: Path, line: str) -> None:
    assert durations(tmp_path, "a.yaml", line + "\n") == [line.partition(":")[0]]


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("a.yaml", "timeouts: {connect: 5, read: 5m}\ntimeout: {idle: 5, max: [5]}\n", ["timeouts.connect", "timeouts.read", "timeout.idle"]),
    ("a.json", '{"http": {"timeouts": {"connect": 5, "retries": 3}, "timeout": {"default": 5}}}', ["http.timeouts.connect", "http.timeout.default"]),
    ("a.toml", "[timeouts]\nconnect = 5\nretries = 3\n[other]\nconnect = 5\n", ["timeouts.connect"]),
    ("a.ini", "[timeouts]\nconnect = 5\n[other]\nconnect = 5\n", ["timeouts:connect"]),
    ("a.tf", 'variable "idle_timeout" {\n  default = 60\n}\nvariable "size" {\n  default = 60\n}\n', ["variable.idle_timeout:default"]),
    ("a.tf", 'resource "a" "b" {\n  timeouts {\n    create = "60m"\n  }\n  sizes {\n    create = "60m"\n  }\n}\n', ["timeouts:create"]),
    ("nginx.conf", "http { proxy_set_header X-Timeout 30; add_header A-Timeout 3; proxy_read_timeout 3; }", ["proxy_read_timeout"]),
    ("A.java", "class A { void f() { a.tryAcquireNanos(1, 5); b.tryAcquireNanos(1); c.setTimeOfDay(1, 2, 3, 4); } }", ["tryAcquireNanos[1]"]),
    ("a.go", "package a\nconst SO_TIMEOUT = 0x1006\nconst StatusRequestTimeout = 408\nconst TagUTCTime = 23\nconst soTimeout = 5000\n", ["soTimeout"]),
    ("virtualservice.yaml", "apiVersion: networking.istio.io/v1\nspec: {port: '80', timeout: 5s, a: 7s, cpu: 500m}\n", ["spec.timeout", "spec.a"]),
])  # fmt: skip
def test_what_encloses_a_value_or_is_meant_by_it_decides(
    tmp_path: Path, name: str, text: str, expected: list[str]
) -> None:
    assert durations(tmp_path, name, text) == expected


def test_parameters_of_haproxy_are_times_by_their_place(tmp_path: Path) -> None:
    text = "backend a\n  server s 10.0.0.1:80 check inter 2000 fall 3 slowstart 5s maxconn 50\n  stick-table type ip size 1m expire 30\n"
    (tmp_path / "haproxy.cfg").write_text(text, encoding="utf-8")
    (file,) = list_settings([tmp_path], all_=False).files
    assert [(s.selector, s.value) for s in file.settings] == [
        ("server[s].inter", Fraction(2 * 10**9)),
        ("server[s].slowstart", Fraction(5 * 10**9)),
        ("stick-table.expire", Fraction(30 * 10**6)),
    ]


def test_sizes_of_nginx_are_not_taken_for_minutes(tmp_path: Path) -> None:
    text = "http {\n  client_max_body_size 10m;\n  proxy_read_timeout 10m;\n  proxy_max_temp_file_size 1024m;\n  limit_rate 1m;\n}\n"
    assert durations(tmp_path, "nginx.conf", text) == ["proxy_read_timeout"]


def test_files_without_anything_to_show_and_of_no_known_format_are_passed_by(tmp_path: Path) -> None:
    write(tmp_path, a__yaml="a: b\n", notes__txt="timeout: 30s\n", x__conf="nothing here\n", b__yaml="timeout: 1s\n")
    listing = list_settings([tmp_path], all_=False)
    assert (shown(listing), listing.read, listing.problems) == ({"b.yaml": ["timeout"]}, 2, ())


def test_a_named_file_of_no_known_format_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, notes__txt="timeout: 30s\n", a__yaml="timeout: 1s\n")
    listing = list_settings([tmp_path / "notes.txt", tmp_path / "a.yaml"], all_=False)
    (problem,) = listing.problems
    assert problem.is_named
    assert "cannot tell from its name what" in problem.error.message
    assert shown(listing) == {"a.yaml": ["timeout"]}


def test_a_broken_file_does_not_keep_others_from_being_listed(tmp_path: Path) -> None:
    write(tmp_path, a__yaml="timeout: [\n", b__yaml="timeout: 1s\n")
    listing = list_settings([tmp_path], all_=False)
    assert shown(listing) == {"b.yaml": ["timeout"]}
    assert [(p.is_named, p.error.place and p.error.place.file) for p in listing.problems] == [
        (False, f"{tmp_path}/a.yaml")
    ]
    named = list_settings([tmp_path / "a.yaml"], all_=False)
    assert [p.is_named for p in named.problems] == [True]


@pytest.mark.parametrize("name", ["a.yaml", "a.json", "a.toml", "a.tf", "a.go", "a.py"])
def test_a_broken_file_without_words_of_time_is_told_if_named_or_with_all(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("[(\n", encoding="utf-8")
    assert list_settings([tmp_path], all_=False).problems == ()
    assert list_settings([tmp_path], all_=False).read == 1
    assert len(list_settings([tmp_path], all_=True).problems) == 1
    assert len(list_settings([tmp_path / name], all_=False).problems) == 1


def test_paths_that_do_not_exist_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputErrors):
        list_settings([tmp_path / "no"], all_=False)


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.relative_to(DATA).as_posix())
def test_places_are_those_of_the_bytes_and_selectors_mean_the_setting(path: Path, tmp_path: Path) -> None:
    data, format_ = path.read_bytes(), format_for(path)
    settings = format_.read(data, "x")
    listed = list(_listed(settings, settings, data, format_))
    for setting, told in zip(settings, listed, strict=True):
        place = place_of_byte(data, setting.start, "x")
        assert (told.line, told.col, told.raw) == (place.line, place.col, setting.raw)
    likely = [s for s in settings if is_duration(s, format_)]
    fewer = list(_listed(likely, settings, data, format_))
    assert fewer == [told for told, s in zip(listed, settings, strict=True) if is_duration(s, format_)]
    for setting, told in zip(likely, fewer, strict=True):
        assert setting in Lookup(settings, format_.name).select(told.selector)


@pytest.mark.parametrize("path", samples(), ids=lambda path: path.relative_to(DATA).as_posix())
def test_a_listed_value_is_what_a_check_reads(path: Path) -> None:
    data, format_ = path.read_bytes(), format_for(path)
    settings = format_.read(data, "x")
    seen = 0
    for setting, told in zip(settings, _listed(settings, settings, data, format_), strict=True):
        try:
            expected = read_value(setting, format_, None, None)
        except OutlastError:
            assert (told.value, told.kind) == (None, None)
            assert told.reason
            continue
        assert (told.value, told.kind, told.reason) == (*expected, None)
        seen += 1
    assert seen


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("a.service", "[Service]\nExecStart=/usr/bin/web --keep-alive-timeout=5\nTimeoutStopSec=5\n", [None, 5 * 10**9]),
    ("a.service", "[Service]\nEnvironment=FOO_TIMEOUT=5 B_TIMEOUT_MS=5\nTimeoutSec=5\n", [None, 5 * 10**6, 5 * 10**9]),
    ("compose.yaml", "services: {a: {environment: {A_TIMEOUT: '5', B_TIMEOUT: 5s}, stop_grace_period: 5s}}\n", [None, 5 * 10**9, 5 * 10**9]),
    ("application.yaml", "a: {timeout: 5, args: [--read-timeout, '5']}\n", [5 * 10**6, None]),
])  # fmt: skip
def test_what_is_for_another_program_has_not_the_unit_of_the_file(
    tmp_path: Path, name: str, text: str, expected: list[int | None]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    (file,) = list_settings([tmp_path], all_=False).files
    assert [s.value for s in file.settings] == expected
    assert [s.reason for s in file.settings] == [None if value else "no unit told" for value in expected]


PROGRAMS = [path for path in samples() if format_for(path).name in ("go", "typescript", "javascript", "python", "java")]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.relative_to(DATA).as_posix())
def test_the_line_of_a_duration_alone_has_a_word_of_time(path: Path) -> None:
    data, format_ = path.read_bytes(), format_for(path)
    seen = 0
    for setting in format_.read(data, "x"):
        begin = data.rfind(b"\n", 0, setting.start) + 1
        line = data[begin : data.find(b"\n", setting.end)]
        has_unit = not isinstance(setting.content, Computed) or setting.content.unit is None or b"ime." in line
        if is_duration(setting, format_) and name_of(setting).encode() in line and has_unit:
            seen += 1
            assert may_tell_duration(line), line
    assert seen


@pytest.mark.parametrize("text", ["timeout = 5", "MAX_AGE = 5", "maxAge: 5", "x = '30s'", "x = \"5m\"", "x_ms = 3", "idle=1", "pingEvery", "TTL = 1", "`10s`", "PT30S",
                                  "x = '5 s'", "DAYS", "waitFor(5)", "window=3", "rttMs"])  # fmt: skip
def test_words_of_time_are_seen_in_programs(text: str) -> None:
    assert may_tell_duration(text.encode())


def test_a_file_in_which_no_word_of_time_is_seen_has_no_durations() -> None:
    lines: set[bytes] = set()
    quiet = 0
    for path in samples():
        data, format_ = path.read_bytes(), format_for(path)
        if format_.module not in _SLOW:
            continue
        for setting in format_.read(data, "x"):
            name, raw = name_of(setting), setting.raw
            alone = replace(setting, route=(Key(name),), scope=(), dialect=None)
            if not may_tell_duration(f"{name}: {raw}\n".encode()):
                quiet += 1
                has_unit = isinstance(setting.content, Computed) and setting.content.unit is not None  # time.Duration
                assert has_unit or not is_duration(alone, format_), (name, raw)
            lines.add(name.encode())
    assert quiet > 300
    assert len(lines) > 300


@pytest.mark.parametrize("form", ["x_{}", "x{}", "X_{}", "x-{}", "x.{}", "{}Limit", "x_{}_", "x_{}5"])
def test_every_word_that_makes_a_key_likely_is_seen(form: str) -> None:
    for word in sorted(
        _TELLING | set(_SUFFIXES) | set(_ENDINGS) | _BLOCKS | {"keep alive", "keepalive", "detectionThreshold"}
    ):
        name = form.format(word.upper() if form[0] == "X" else word.capitalize() if form[:2] == "x{" else word)
        name = name.replace(" ", "_")
        if _about(name)[0]:
            assert may_tell_duration(f"{name}: 5".encode()), name


@pytest.mark.parametrize(
    "text", ["30s", "5m\n", "5m,", "[5m]", "250ms}", "5 min", "1h30m", "10us", "10µs", "PT20S", "P1D", "5 seconds"]
)
def test_every_text_with_a_unit_is_seen(text: str) -> None:
    assert may_tell_duration(f"a: {text}".encode())


@pytest.mark.parametrize(
    "text",
    [
        "package page",
        "runtime.GC(sometimes, let us, timestamp)",
        "image: web:1.2.5-alpine",
        "5mb",
        "v1.2.3",
        "sha256:5d0e",
        "await message(usage)",
        "mapping = 5",
        "x = 's'",
        "users[3]",
        "a5 = b7",
        "please",
        "focus = items",
    ],
)
def test_other_words_are_not_taken_for_them(text: str) -> None:
    assert not may_tell_duration(text.encode())


def test_the_reports_tell_the_same_and_obey_nothing_in_the_file(tmp_path: Path) -> None:
    write(tmp_path, a__yaml='timeout: 30s\n"a\\e[31m\\n::error::": 5s\nb: \'' + "1" * 60 + "ms'\nidle: 5\n")
    listing = list_settings([tmp_path / "a.yaml"], all_=True)
    text = plain(settings_document(listing), 100)
    assert "timeout" in text
    assert "30s" in text
    assert "no unit told" in text
    assert "…" in text
    assert "\x1b" not in text + markdown(settings_document(listing))
    data = json.loads(json.dumps(settings_data(listing)))
    first = data["files"][0]["settings"][0]
    assert first == {
        "line": 1,
        "col": 10,
        "selector": "timeout",
        "raw": "30s",
        "value": "30s",
        "ns": 30 * 10**9,
        "kind": "duration",
        "reason": None,
    }
    assert data["files"][0]["settings"][2]["raw"] == "'" + "1" * 60 + "ms'"
    assert (data["status"], data["complete"], data["problems"]) == ("listed", True, [])


@pytest.mark.parametrize(("name", "head", "line"), [
    ("a.yaml", "a:\n", "- {name: web, timeout: 5s}\n"), ("a.env", "", "TIMEOUT=5s\n"), ("httpd.conf", "", "<VirtualHost *:443>\nTimeout 60\n</VirtualHost>\n"),
    ("a.json", '{"a": [', '{"name": "a:b", "timeoutMs": 5},\n'),
])  # fmt: skip
def test_settings_alike_take_no_longer_than_others(tmp_path: Path, name: str, head: str, line: str) -> None:
    end = '{"name": "c"}]}' if name == "a.json" else ""
    (tmp_path / name).write_text(head + line * 6_000 + end, encoding="utf-8")
    start = time.process_time()
    (file,) = list_settings([tmp_path], all_=False).files
    assert time.process_time() - start < 5
    assert len({s.selector for s in file.settings}) == 6_000


def test_beside_long_selectors_reasons_keep_together(tmp_path: Path) -> None:
    write(tmp_path, a__yaml="x" * 60 + ": {" + "y" * 60 + "_timeout: 5, cpu: 5m, b: 5s}\n")
    lines = plain(settings_document(list_settings([tmp_path / "a.yaml"], all_=True)), 80).splitlines()
    assert sum(line.endswith("no unit told") for line in lines) == 1
    assert any(line.endswith("found 5m, which under cpu is") for line in lines)
    assert len(lines) < 14


def test_the_number_of_files_that_could_not_be_read_is_told(tmp_path: Path) -> None:
    write(tmp_path, a__yaml="timeout: [\n", b__yaml="timeout: 1s\n", c__json="{timeout")
    assert unread_text(list_settings([tmp_path], all_=False)) == "2 files could not be read"
    (tmp_path / "d.yaml").write_bytes(b"#" * (LARGEST + 1))
    assert unread_text(list_settings([tmp_path], all_=False)) == "3 files could not be read"
    assert unread_text(list_settings([tmp_path / "b.yaml"], all_=False)) is None


def test_every_format_that_names_tell_is_looked_at(tmp_path: Path) -> None:

    assert all(may_have_format("x" + name if name[0] == "." else name) for f in FORMATS.values() for name in f.names)
    assert not may_have_format("README.md")
