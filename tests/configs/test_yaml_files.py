"""YAML and Helm: what hostile files cost, and how a text is written so that it stays what it was."""

from __future__ import annotations

import json
import time

import pytest

from configs.harness import check_any, check_spans
from outlast.configs.formats import FORMATS
from outlast.configs.patch import Edit, splice, verify
from outlast.configs.select import select
from outlast.configs.setting import Index, Key, Literal, Opaque, Setting
from outlast.constraints.errors import OutlastError, Place

MANY = 20_000


def only(text: str, name: str = "yaml") -> Setting:
    (setting,) = FORMATS[name].read(text.encode(), "a.yaml")
    return setting


@pytest.mark.parametrize("begin", ["[", "{a: ", "- ", "? ", "[\n"])
def test_deep_nesting_is_refused_before_the_parser_gives_in(begin: str) -> None:
    with pytest.raises(OutlastError, match="levels of nesting"):
        FORMATS["yaml"].read(begin.encode() * 10 * MANY, "a.yaml")


def test_sixty_levels_are_read() -> None:
    assert len(only("a: " + "{b: " * 60 + "5s" + "}" * 60).route) == 61


@pytest.mark.parametrize(
    "hostile",
    [
        "a: 1" + "_" * MANY + "x",
        "a: 1" + "1." * MANY + "x",
        'a: "' + "${" * MANY + '"',
        "a: !x " + "#c\n  " * MANY + "5",
        "args: [sh, " + "-c, " * MANY + "]",
        "command: x " + "\"' " * MANY,
        "- &a 1\n- *a\n" * MANY,
        "---\nkind: A\nmetadata: {name: b}\n" * (MANY // 10),
    ],
    ids=["underscores", "dots", "references", "comments", "shells", "quotes", "anchors", "documents"],
)
def test_time_grows_with_the_size_of_a_file_only(hostile: str) -> None:
    check_any(FORMATS["yaml"], hostile.encode(), seconds=3)


@pytest.mark.parametrize(
    "hostile",
    ["{{ " * MANY, '{{ "' + '\\"' * MANY, "{{ `" * MANY, "{{/* " * MANY, "a: " + "{{ x }}y" * MANY, "{{ if x }}a: b " * MANY, "{{ end }}\n" * MANY],
    ids=["open", "escapes", "backquotes", "comments", "line", "ifs", "ends"],
)  # fmt: skip
def test_a_hostile_template_costs_no_more(hostile: str) -> None:
    began = time.process_time()
    check_any(FORMATS["helm"], hostile.encode(), seconds=3)
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("value", "new", "expected"),
    [
        ("90s", "75s", "75s"),
        ("90s", "75", '"75"'),
        ("90s", "1:30", '"1:30"'),
        ("90s", "yes", '"yes"'),
        ("90s", "a, b", '"a, b"'),
        ("'90s'", "it's", "'it''s'"),
        ('"90s"', 'a "b" \\', '"a \\"b\\" \\\\"'),
        ("90", "75", "75"),
        ("1.5", "2", "2"),
        ("true", "false", "false"),
        ('!!int "90"', "75", '"75"'),
    ],
)
def test_a_value_keeps_its_quotes_and_its_type(value: str, new: str, expected: str) -> None:
    assert FORMATS["yaml"].encode(only(f"a: {value}"), new) == expected


@pytest.mark.parametrize(
    ("value", "new"),
    [("90", "75s"), ("90", "010"), ("true", "yes"), ("null", "5"), ("90s", "a\nb"), ("90s", "${A}"), ("90s", "{{ a }}"), ("90s", "\x07")],
)  # fmt: skip
def test_what_would_be_read_as_something_else_is_not_written(value: str, new: str) -> None:
    with pytest.raises(OutlastError) as caught:
        FORMATS["yaml"].encode(only(f"a: {value}"), new)
    assert caught.value.place is None


def test_an_option_inside_a_text_takes_no_blank_and_no_option() -> None:
    whole, inside = FORMATS["yaml"].read(b"command: app --timeout 30\n", "a.yaml")
    assert (whole.raw, inside.raw) == ("app --timeout 30", "30")
    assert FORMATS["yaml"].encode(inside, "45s") == "45s"
    for text in ("45 s", "-x", "1,5", "a:", "a'b"):
        with pytest.raises(OutlastError):
            FORMATS["yaml"].encode(inside, text)


def test_both_branches_of_an_if_are_read_where_they_stand() -> None:
    text = "{{ if .a }}timeout: 5s{{ else }}timeout: 6s{{ end }}\n"
    settings = FORMATS["helm"].read(text.encode(), "a.yaml")
    assert [(s.route, s.raw) for s in settings] == [((Key("timeout"),), "5s"), ((Key("timeout"),), "6s")]
    assert [text[s.start : s.end] for s in settings] == ["5s", "6s"]


def test_a_value_with_an_action_in_it_is_not_read_even_if_a_number_stands_around_it() -> None:
    assert only("timeout: 5{{ .zeros }}\n", "helm").content == Opaque("a template, {{ … }}")
    assert only("timeout: 5 {{/* five */}}\n", "helm").content == Literal("5")


@pytest.mark.parametrize(
    ("data", "line", "col"),
    [(b"a: 1\nb: \x01", 2, 4), (b"\xef\xbb\xbfa: }", 1, 4), (b"\xff\xfea", 1, 1), (b"a: \xff", 1, 4)],
)
def test_a_file_that_is_no_yaml_is_refused_at_its_place(data: bytes, line: int, col: int) -> None:
    with pytest.raises(OutlastError) as caught:
        FORMATS["yaml"].read(data, "a.yaml")
    assert caught.value.place is not None
    assert (caught.value.place.line, caught.value.place.col) == (line, col)


def settings_of(text: str, name: str = "yaml") -> tuple[Setting, ...]:
    found = FORMATS[name].read(text.encode(), "a.yaml")
    check_spans(text.encode(), found)
    return found


def reason(text: str, selector: str) -> str:
    (found,) = select(settings_of(text), selector)
    assert isinstance(found.content, Opaque)
    assert found.start == found.end or found.raw.startswith("*")
    return found.content.reason


MERGED = """\
base: &base
  timeout: 5s
  pool: {idle: 1m, sizes: [1, 2]}
shop: &shop
  <<: *base
  timeout: 6s
  name: ü
cart:
  timeout: 7s
  <<: [*shop, *base]
audit: *shop
limit: &limit 5s
other: *limit
"""


@pytest.mark.parametrize(
    ("selector", "told"),
    [
        ("shop.pool.idle", "a merged value, <<: *base (line 3)"),
        ("shop.pool.sizes[1]", "a merged value, <<: *base (line 3)"),
        ("cart.name", "a merged value, <<: *shop (line 7)"),
        ("cart.pool.idle", "a merged value, <<: *shop (line 5)"),
        ("audit", "an alias, *shop (line 4)"),
        ("audit.timeout", "an alias, *shop (line 6)"),
        ("audit.pool.idle", "an alias, *shop (line 5)"),
        ("other", "an alias, *limit (line 12)"),
    ],
)
def test_what_an_alias_or_a_merge_stands_for_is_found_and_told(selector: str, told: str) -> None:
    assert reason(MERGED, selector) == told


def test_a_mapping_s_own_key_is_not_merged_wherever_it_stands() -> None:
    found = settings_of(MERGED)
    assert [s.raw for s in select(found, "shop.timeout")] == ["6s"]
    assert select(found, "audit.<<") == ()
    assert [s.raw for s in select(found, "cart.timeout")] == ["7s"]


def test_an_alias_of_a_command_line_tells_its_options_and_variables() -> None:
    text = "a:\n  command: &c [serve, --wait, 5s, --idle=6s]\n  environment: &e\n  - WAIT=7s\nb:\n  command: *c\n  environment: *e\n"
    for selector in ("b.command[--wait]", "b.command[--idle]", "b.environment[WAIT]"):
        assert reason(text, selector).startswith("an alias, *")


@pytest.mark.parametrize(
    "text", ["a: &a [*a]\nb: 1\n", "a: &a {<<: *a, b: 1}\n", "a: *b\n", "a: {<<: 5}\n", "a: {? &k {b: 1} : 2, c: *k}\n"]
)
def test_an_alias_of_what_is_not_read_yet_stands_alone(text: str) -> None:
    assert settings_of(text)


def test_aliases_within_aliases_tell_no_more_than_a_thousand_values() -> None:
    bombs = ["a0: &a0 [1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s]"]
    bombs += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 8)}]" for n in range(1, 9)]
    found = settings_of("\n".join(bombs))
    assert sum(s.raw == "" for s in found) <= 1000
    assert [s.raw for s in select(found, "a8[7]")] == ["*a7"]


def test_a_thousand_values_that_are_never_taken_cost_no_time() -> None:
    values = ", ".join(["1"] * 900)
    check_any(FORMATS["yaml"], f"a: &a {{k: [{values}]}}\n".encode() + b"b: {k: 1, <<: *a}\n" * MANY, seconds=3)


def test_values_of_an_anchor_and_what_is_merged_survive_a_patch_elsewhere() -> None:
    data = MERGED.encode()
    before = settings_of(MERGED)
    number = next(n for n, s in enumerate(before) if s.raw == "7s")
    edited = Edit(before[number].start, before[number].end, b"1h30m0s")
    verify(FORMATS["yaml"], "a.yaml", before, data, splice(data, [edited]), {number: "1h30m0s"})


LIST = """\
apiVersion: v1
kind: List
items:
- apiVersion: kubeadm.k8s.io/v1beta4
  kind: Deployment
  metadata: {name: web}
  spec: {replicas: 1, wait: 5s}
- {kind: Deployment, metadata: {name: web, namespace: b}, spec: {replicas: 2}}
- spec: {replicas: 3}
"""


@pytest.mark.parametrize(
    ("selector", "raw"),
    [
        ("Deployment/web#0:spec.replicas", "1"),
        ("Deployment/b/web:spec.replicas", "2"),
        ("b/Deployment/web:spec.replicas", "2"),
        ("items[2].spec.replicas", "3"),
    ],
)
def test_an_item_of_a_list_of_resources_is_a_document_of_its_own(selector: str, raw: str) -> None:
    assert [s.raw for s in select(settings_of(LIST), selector)] == [raw]


def test_an_item_s_group_tells_the_dialect_of_its_durations() -> None:
    assert [s.dialect for s in settings_of(LIST) if s.raw == "5s"] == ["go"]


def test_equal_resources_of_several_namespaces_are_told_by_these_first() -> None:
    text = "---\n".join(f"kind: Job\nmetadata: {{name: web, namespace: {n}}}\nwait: {n}\n" for n in "abb")
    found = [s for s in settings_of(text) if s.route == (Key("wait"),)]
    assert [s.scope[0][0] for s in found] == ["Job/a/web", "Job/b/web", "Job/b/web#1"]
    for selector in ("Job/a/web:wait", "a/Job/web:wait"):
        assert select(settings_of(text), selector) == (found[0],)
    assert select(settings_of(text), "Job/web:wait") == tuple(found)


def test_a_single_resource_answers_to_all_its_names() -> None:
    found = settings_of("kind: Job\nmetadata: {name: web, namespace: a}\n")[0]
    assert found.scope == (("Job/web", "Job/a/web", "a/Job/web", "Job", "web"),)


def test_a_define_of_a_template_is_called_by_its_name() -> None:
    text = '{{- define "shop.probe" -}}\nperiod: 5s\n{{- end }}\n{{ define `job` }}\nkind: Job\nmetadata: {name: a}\n{{ end }}\n'
    found = settings_of(text, "helm")
    assert [s.scope for s in found] == [(("shop.probe",),), *[(("Job/a", "Job", "a", "job"),)] * 2]


@pytest.mark.parametrize(
    ("text", "line", "col"),
    [("x: {{ t }}s\n", 1, 11), ("a: 1\n{% if b %}\nc: 2\n{% endif %}\n", 2, 2)],
)
def test_a_template_outside_the_folder_for_them_is_refused_with_a_hint(text: str, line: int, col: int) -> None:
    with pytest.raises(
        OutlastError, match=r"; is it a template. only YAML below a folder templates/ is read as one$"
    ) as caught:
        settings_of(text)
    assert caught.value.place == Place("a.yaml", line, col)


@pytest.mark.parametrize(
    ("text", "name", "line", "col"),
    [
        ("{{/* a\nb */}}\na:\n  - b\n c: d\n", "helm", 5, 2),
        ("{{ if }}a: 1\nb: }\n", "helm", 2, 4),
        ("a: 1\rb:\r - c\rd\r", "yaml", 4, 1),
        ("a: 1\rb: c: d\r", "yaml", 2, 5),
        ("a: \x85\u20281\n", "yaml", 1, 6),
    ],
)
def test_a_slip_is_told_in_our_words_at_the_place_in_the_file(text: str, name: str, line: int, col: int) -> None:
    with pytest.raises(OutlastError) as caught:
        FORMATS[name].read(text.encode(), "a.yaml")
    assert caught.value.place == Place("a.yaml", line, col)
    assert not caught.value.message.startswith(("not YAML", "did not"))
    assert "is it a template" not in caught.value.message


@pytest.mark.parametrize("file", ["a.yaml", "a.json", "a.toml"])
@pytest.mark.parametrize(
    ("element", "name"),
    [
        ({"t": "1", "Id": "I", "Key": "K", "Name": "N", "id": "i", "key": "k", "name": "n"}, "n"),
        ({"Id": "I", "Key": "K", "Name": "N", "id": "i", "key": "k"}, "k"),
        ({"Id": "I", "Key": "K", "Name": "N", "id": "i"}, "i"),
        ({"Id": "I", "Key": "K", "Name": "N"}, "N"),
        ({"Id": "I", "Key": "K"}, "K"),
        ({"Id": "I"}, "I"),
        ({"name": "two\nlines", "id": "i"}, "i"),
        ({"name": "\x1b[1m"}, None),
        ({"name": ""}, None),
        ({"name": "x" * 201}, None),
        ({"NAME": "n"}, None),
    ],
)
def test_an_element_is_called_by_the_same_keys_in_all_formats(
    file: str, element: dict[str, str], name: str | None
) -> None:
    entries = [f"{key}{'=' if file == 'a.toml' else ': '}{json.dumps(value)}" for key, value in element.items()]
    text = {
        "a.yaml": f"a: [{{{', '.join(entries)}}}]",
        "a.json": json.dumps({"a": [element]}),
        "a.toml": f"a = [{{{', '.join(entries)}}}]",
    }[file]
    first = FORMATS[file[2:]].read(text.encode(), file)[0]
    assert first.route[1] == Index(0, name)
