"""Which words of a file are a comment that ignores findings, and the line that it speaks of."""

from __future__ import annotations

import pytest

from outlast.configs.comments import ignores_in
from outlast.configs.formats import FORMATS


def lines(format_name: str, text: str) -> list[int | None]:
    found, errors = ignores_in(text.encode(), "file", format_name)
    assert errors == ()
    assert {each.why for each in found} <= {"why"}
    return [each.line for each in found]


I = "outlast: ignore[a] why"  # noqa: E741  # for tables that fit

#: Format, text, the lines that its comments speak of.
TABLE: list[tuple[str, str, list[int]]] = [
    ("yaml", f"a: 1 # {I}\nb: 2\n", [1]),
    ("yaml", f"# {I}\n\n  # more\na: 1\n", [4]),
    ("yaml", f"a: 'x # {I}'\nb: \"x # {I}\"\nc: x#{I.replace(' ', '')}\n", []),
    ("yaml", f"a: 'it''s\n  # {I}\n  '\n", []),
    ("yaml", f"a: |\n  # {I}\n  x\nb: 1 # {I}\n", [4]),
    ("yaml", f"a: | # {I}\n  x\n", [1]),
    ("yaml", f"a: |\n  x\n# {I}\nb: 1\n", [4]),
    ("yaml", f"a: !t &x > # {I}\n  x # {I}\n", [1]),
    ("yaml", f"u: http://h/#frag # {I}\nv: http://h/#{I.replace(' ', '')}\n", [1]),
    ("yaml", f"a: don't # {I}\nb: [1, # {I}\n 2]\n", [1, 2]),
    ("yaml", f"a: \u00e4\u00f6 # {I}\r\nb: 1\r\n# {I}\r\nc: 1\r\n", [1, 4]),
    ("yaml", f"a: 1 # outlast:ignore[a] why\nb: 1 # see {I}\n", [1]),
    ("yaml", f"a: 1 # noqa  # {I}\n", [1]),
    ("yaml", f"a: 1\n# {I}\n", [4]),
    ("helm", f'{{{{- if .x }}}}\n# {I}\na: {{{{ .y | default "# {I}" }}}}\n{{{{- end }}}}\n', [3]),
    ("helm", f"{{{{/* {I} */}}}}\na: {{{{ .y }}}} # {I}\n", [2, 2]),
    ("json", f'{{"a": "// {I}", // {I}\n"b": 1 /* {I} */}}\n', [1, 2]),
    ("json", f'{{"u": "http://x", "q": "\\"/* {I} */"}}\n', []),
    ("toml", f'a = "# {I}" # {I}\nb = \'\'\'\n# {I}\n\'\'\'\nc = """\n# {I}\n"""\n', [1]),
    ("properties", f"# {I}\na=1\n! {I}\nb=x # {I}\nc=x\\\n# {I}\n", [2, 4]),
    ("env", f"# {I}\nA=1 # {I}\nB='# {I}'\nC=\"x\n# {I}\n\"\nD=x#{I}\n", [2, 2]),
    ("shell", f"A=1 # {I}\nB='# {I}'\ncat <<E\n# {I}\nE\nC=${{x#{I}}}\nD=2 # {I}\n", [1, 7]),
    ("ini", f"; {I}\n[s]\na = 1 ; {I}\nb = x;{I}\nc = 'x # {I}'\n", [2, 3]),
    ("mysql", f"a = 1# {I}\nb = 'x # {I}'\nc = 2 ; {I}\n; {I}\nd=1\n", [1, 5]),
    ("pgbouncer", f"a = 1 ; {I}\n; {I}\nb = 1\n", [3]),
    ("postgres", f"a = 1 # {I}\nb = 'it''s # {I}'\n", [1]),
    ("systemd", f"a=1 # {I}\n; {I}\nb=1\n", [3]),
    ("nginx", f"a 1; # {I}\nb '# {I}';\nc x#{I};\nd \"\\\" # {I}\"; # {I}\n", [1, 4]),
    ("nginx", f"location ~ \\# {{ # {I}\n}}\n", [1]),
    ("haproxy", f"global\n  a '# {I}' # {I}\n  b \\# {I}\n", [2]),
    ("apache", f'# {I}\nA 1 # {I}\nB x \\\n# {I}\nC "# {I}"\n', [2]),
    ("dockerfile", f"# {I}\nRUN echo '# {I}' # {I}\nRUN <<E\n# {I}\nE\n # {I}\nCMD x\n", [2, 7]),
    ("python", f"x = '# {I}'  # {I}\ny = '''\n# {I}\n'''\n# {I}\nz = f\"{{x}} # {I}\"\n", [1, 6]),
    ("go", f'package p\nvar a = "// {I}" // {I}\nvar b = `\n// {I}\n`\n/* {I} */\nvar u = "http://x"\n', [2, 7]),
    ("hcl", f'a = "# {I}" # {I}\nb = <<E\n# {I}\nE\n// {I}\nc = "${{x("#")}}" /* {I} */\n', [1, 6, 6]),
    ("hcl", f"a = 1 /* {I}\n*/\nb = 2 /*\n {I} */\nc = 3\n", [1, 3]),
    ("java", f'class A {{ // {I}\n  String s = "// {I}";\n  String t = """\n    // {I}\n    """;\n  /*\n   * {I}\n   */\n  int x;\n}}\n', [1, 9]),
    ("javascript", f"const a = `// {I} ${{'//'}}` // {I}\nconst r = /\\/\\/ {I.replace('[', '.').replace(']', '.')}/\n", [1]),
    ("typescript", f"const a: string = '/* {I} */'\n/* {I} */ const b = 1\n/** {I}\n * {I}\n */\nconst c = 2\n", [2, 6, 6]),
]  # fmt: skip


@pytest.mark.parametrize(("format_name", "text", "expected"), TABLE)
def test_comments_speak_of_their_line_or_the_next_and_strings_of_none(
    format_name: str, text: str, expected: list[int]
) -> None:
    assert lines(format_name, text) == expected
    FORMATS[format_name].read(text.encode(), "file")  # what the reader refuses would prove nothing


def test_every_format_says_what_is_a_comment() -> None:
    assert {row[0] for row in TABLE} | {"compose", "spring-yaml", "spring-properties"} == FORMATS.keys()
    for name in FORMATS:
        assert ignores_in(b"outlast: ignore[a] why", "file", name) == ((), ())


def test_places_count_characters_behind_a_mark_of_byte_order() -> None:
    text = "\ufeff\u00e4: 1 # outlast: ignore[a] w\u00fcrde\n"
    ((found,), _) = ignores_in(text.encode(), "file", "yaml")
    assert (found.place, found.why) == (("file", 1, 8), "w\u00fcrde")


def test_a_comment_that_is_not_understood_is_told_at_its_place() -> None:
    found, errors = ignores_in(b"a: 1\nb: 1 # outlast: ignore[x]\nc: 1 # outlast: ignore[y] why\n", "f", "yaml")
    assert [each.ids for each in found] == [("y",)]
    assert [str(error) for error in errors] == ["f:2:26: expected the reason behind the brackets, found none"]


_BY_GRAMMAR = ("java", "go", "hcl", "javascript", "typescript")


@pytest.mark.parametrize(
    "text", ["<<A\n" * 20_000, "# outlast: ignore[a] b\n" * 1_500, "'" * 100_000, '"""' * 40_000, "/*" * 50_000, "\\" * 100_000,
             "{{" * 50_000, "a='" * 30_000, "[=" * 30_000, " #" * 50_000]
)  # fmt: skip
def test_a_strangers_file_takes_no_more_than_a_moment(text: str) -> None:
    for name in FORMATS:
        if name not in _BY_GRAMMAR:  # whose readers bear it, or have failed before
            ignores_in(f"outlast: ignore\n{text}".encode(), "file", name)
