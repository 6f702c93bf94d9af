"""A comment to post: details are folded, and nothing in it is an element that outlast did not make."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from outlast.reports.document import (
    Block,
    Document,
    Entry,
    Fields,
    Paragraph,
    Section,
    Span,
    Table,
    Text,
    Tone,
    Verbatim,
    Verdict,
    code,
    link,
    text,
)
from outlast.reports.markdown import markdown
from outlast.reports.text import plain

HOSTILE = [
    "a | b `c` ``d`` ```",
    "<script>alert(1)</script> </details></summary><img src=x onerror=y> <!-- <![CDATA[ <?php",
    "@octocat org/repo#1 #42 GH-7",
    "übung.yaml 日本語 \u202egnp.exe\u2066 \u200b",
    "# heading\n\n</details>\n\n- list\n> quote\n1. one",
    "[link](javascript:alert(1)) ![i](http://x/y.png) [a]: http://x <http://auto.example> https://bare.example",
    "::error::x ##[group]y ##vso[task]",
    "\x1b[31m\x00 &lt;b&gt; &#60;i&#62; *bold* _em_ ~~gone~~ $x$ \\",
]


class _Elements(HTMLParser):
    """Counts elements and keeps what is text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.links: set[str | None] = set()
        self.words: list[str] = []
        self.depth = self.codes = 0
        #: What a site looks for names and numbers in to link.
        self.running: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += 1
        self.depth += tag == "details"
        self.codes += tag == "code"
        self.links |= {value for key, value in attrs if key in ("href", "src")}

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "details"
        self.codes -= tag == "code"
        assert self.depth >= 0

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if not self.codes:
            self.running.append(data)


def _rendered(document: Document) -> _Elements:
    """As a site does that lets HTML through, which is the worst one."""
    found = _Elements()
    found.feed(MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(markdown(document)))
    found.close()
    assert found.depth == 0
    return found


def _everywhere(words: str) -> Document:
    """The words wherever a report can have them."""
    shapes: tuple[Text, ...] = (text(words), (code(words),), (link(words),), (Span(words, Tone.STRONG),))
    rows = tuple((shape, shape) for shape in shapes)
    inner: tuple[Block, ...] = (
        *(Paragraph(shape) for shape in shapes),
        Fields(rows, folded=2),
        Table(("name", "value"), tuple((shape, shape) for shape in shapes)),
    )
    return (
        Verdict(text(words)),
        Entry(text(words), inner),
        Section("rules that hold", inner, is_folded=True),
        Section("rules", inner),
    )


@pytest.mark.parametrize("words", HOSTILE)
def test_words_from_a_file_make_no_element_and_stay_readable(words: str) -> None:
    hostile, calm = _rendered(_everywhere(words)), _rendered(_everywhere("calm"))
    # An empty span has no mark, and words that are bold by themselves are not twice so.
    assert set(hostile.elements) <= set(calm.elements)
    assert hostile.elements["details"] == calm.elements["details"] == 4
    for each in ("script", "img", "a", "h1", "h2", "del", "em", "blockquote", "ol"):
        assert hostile.elements[each] == 0
    for each in ("li", "td", "tr", "h3", "h4", "details"):
        assert hostile.elements[each] == calm.elements[each], each
    told = "".join(hostile.words)
    assert not re.search(r"^\s*::|##\[|##vso", markdown(_everywhere(words)), re.MULTILINE)
    assert not re.search(r"@octocat|#\d|GH-\d", "".join(hostile.running))
    assert all(c.isprintable() or c in "\n\u200b" for c in told)
    first = words.split()[0]
    assert first.replace("@", "@\u200b").replace("\x1b", r"\x1b").replace("\x00", r"\x00") in told


def test_an_address_is_a_link_and_nothing_else_is() -> None:
    assert _rendered((Paragraph((link("https://example.org/a?b=c#d"),)),)).links == {"https://example.org/a?b=c#d"}
    assert _rendered((Paragraph((link("https://example.org/<b>"),)),)).links == set()


def test_what_is_folded_is_rendered_inside_and_text_ignores_it() -> None:
    rows = (("why", text("because")), ("mended by", text("90s")))
    table = Table(("rule",), (((code("a"),),),))
    document: Document = (
        Entry(text("finding"), (Paragraph(text("it breaks")), Fields(rows, folded=1))),
        Section("rules that hold", (table,), is_folded=True),
    )
    assert markdown(document) == (
        "#### finding\n\nit breaks\n\n- mended by: 90s\n\n"
        "<details><summary>Numbers, reasons and sources</summary>\n\n- why: because\n\n</details>\n\n"
        "<details><summary>Rules that hold</summary>\n\n| rule |\n| --- |\n| `a` |\n\n</details>\n"
    )
    assert _rendered(document).elements >= Counter(details=2, summary=2, table=1, li=2)
    flat = (
        Entry(text("finding"), (Paragraph(text("it breaks")), Fields(rows))),
        Section("rules that hold", (table,)),
    )
    assert plain(document, 80) == plain(flat, 80)


def test_a_section_in_a_section_stands_one_level_deeper_and_apart() -> None:
    words = Paragraph(text("words"))
    found = Entry(text("found"), (words, Entry(text("case"), (words,))))
    document: Document = (Section("spec a", (found, Section("what changed", (words,)))), found)
    heads = [line for line in markdown(document).splitlines() if line.startswith("#")]
    assert heads == ["### Spec a", "#### found", "#### case", "#### What changed", "#### found", "#### case"]
    assert "    words\n\n  what changed:\n" in plain(document, 80)


def test_a_summary_is_text() -> None:
    found = _rendered((Section("<b>own & words</b>", (Paragraph(text("x")),), is_folded=True),))
    assert found.elements["b"] == 0
    assert "<b>own & words</b>" in found.words


def test_no_line_of_a_fenced_block_is_a_command_to_a_runner() -> None:
    lines = [" ::error::x", "\t::stop-commands::y", "##[error]z", "-  ##vso[task]", "+::kept::"]
    told = markdown((Verbatim(tuple((Span(line),) for line in lines), "diff"),))
    assert told.splitlines()[1:-1] == [
        " . ::error::x",
        "\t. ::stop-commands::y",
        "# #[error]z",
        "-  # #vso[task]",
        "+::kept::",
    ]
