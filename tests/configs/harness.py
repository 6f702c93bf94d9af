"""What every reader of users' files is held to: the settings written down beside a sample, patches that change nothing else, broken files.

A sample is a file below tests/data with a file `NAME.expected` beside it; OUTLAST_UPDATE_SNAPSHOTS=1 writes that anew (look at the difference
before it is committed). A reader whose sample has no `.expected` yet: create an empty one and run so.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

from outlast.configs.formats import FORMATS, Format, format_of
from outlast.configs.setting import Computed, Content, Flag, Index, Key, Literal, Setting, Step
from outlast.constraints.errors import OutlastError
from outlast.constraints.files import place_of_byte

DATA = Path(__file__).resolve().parent.parent / "data"

#: What literals are replaced by: numbers, durations, and texts that need quotes, escapes or a refusal somewhere.
NUMBERS = ("7", "123456", "0", "2.5")
TEXTS = ("7s", "1m30s", "PT20S", "75 sec", "75", "010", "1:30", "1_000", "true", "null", "~", "", " 7s ", "a: b", "a #b", "#b", "a;b", "a,b", "{a}",
         "[a]", "it's", 'a "b" c', "a\\b", "\\", "$A", "${A}", "%d", "{{ a }}", "*a", "&a", "!a", "-", "- a", "? a", "@a", "`a`", "'", '"', "ü€😀", "a\nb",
         "a\tb", "\x07", "a=b", "</a>", "\\n")  # fmt: skip


def samples() -> list[Path]:
    """Every file that has its expected settings beside it."""
    return sorted(path.with_name(path.name.removesuffix(".expected")) for path in DATA.rglob("*.expected"))


def name_of(path: Path) -> str:
    """The path below tests/data."""
    return path.relative_to(DATA).as_posix()


def format_for(path: Path) -> Format:
    """By the path as a user's file would be told, else by the folder."""
    name = name_of(path)
    found = format_of(name, path.read_bytes()) or FORMATS.get(name.split("/")[0])
    assert found is not None, f"{name}: its name tells no format, nor does its folder"
    return found


def written(data: bytes, settings: tuple[Setting, ...]) -> str:
    """One line a setting: place, scope and route, the bytes, what they say."""
    return "".join(_line(data, setting) + "\n" for setting in settings)


def identity(setting: Setting) -> str:
    """Scope and route as one text: `Deployment/web~Deployment~web: spec.containers[0=web].args[--timeout]`."""
    scope = " / ".join("~".join(segment) for segment in setting.scope)
    return (scope + ": " if scope else "") + "".join(_step(step) for step in setting.route).removeprefix(".")


def _step(step: Step) -> str:
    match step:
        case Key(name):
            return f".{name}" if re.fullmatch(r"[\w-]+", name) else f"[{json.dumps(name, ensure_ascii=False)}]"
        case Index(position, None):
            return f"[{position}]"
        case Index(position, name):
            return f"[{position}={name}]"
        case Flag(name):
            return f"[{name}]"


def _line(data: bytes, setting: Setting) -> str:
    place = place_of_byte(data, setting.start, "")
    tail = "".join(f"; {word} {told}" for word in ("dialect", "locked") if (told := getattr(setting, word)) is not None)
    shown = [identity(setting), setting.raw, _content(setting.content, setting.start) + tail]
    return f"{place.line}:{place.col} " + " | ".join(_visible(text) for text in shown)


def _content(content: Content, start: int) -> str:
    match content:
        case Literal():
            return f"{'text' if content.is_text else 'bare'} {content.text}" + f" in {content.quote}" * bool(
                content.quote
            )
        case Computed():
            unit = "" if content.unit is None else f" x {content.unit} ns"
            found = content.coefficient
            by = f", {found.value} at {found.start - start}-{found.end - start}" if found else ", no coefficient"
            spellings = "".join(f" {n}={text!r}" for n, text in content.spellings.items())
            return f"computed {content.amount}{unit}{by}{', whole' * content.is_whole}{spellings}"
        case _:
            return f"opaque: {content.reason}"


def _visible(text: str) -> str:
    text = text.replace("\r", "␍").replace("\n", "⏎").replace("\t", "⇥")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def check_expected(path: Path) -> None:
    """The whole file gives the settings that are written down, and their bytes are where they say."""
    data = path.read_bytes()
    settings = format_for(path).read(data, name_of(path))
    check_spans(data, settings)
    expected = path.with_name(path.name + ".expected")
    if os.environ.get("OUTLAST_UPDATE_SNAPSHOTS"):
        expected.write_text(written(data, settings), encoding="utf-8", newline="\n")
    assert written(data, settings) == expected.read_text(encoding="utf-8")


def codec_of(data: bytes) -> str:
    """UTF-8, or Latin-1 where a format (.properties) falls back on it."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


def check_spans(data: bytes, settings: tuple[Setting, ...]) -> None:
    """Spans lie inside the file, in order, without overlap but for flags inside a word, and hold what `raw` says."""
    codec = codec_of(data)
    last = 0
    for setting in settings:
        assert 0 <= setting.start <= setting.end <= len(data), setting
        assert data[setting.start : setting.end].decode(codec) == setting.raw, setting
        if setting.start < last:
            is_flag = any(isinstance(step, Flag) for step in setting.route)
            assert is_flag, f"{setting} begins before {last}, where the one before it ends"
        content = setting.content
        if isinstance(content, Computed) and (number := content.coefficient):
            assert setting.start <= number.start < number.end <= setting.end, setting
        last = max(last, setting.end)
    starts = [setting.start for setting in settings]
    assert starts == sorted(starts)


def check_patches(path: Path) -> Counter[str]:
    """Every value on its own by many others; says how many were written, refused and left alone.

    The first value of each sort in the samples of a format gets every text, the first of each kind of spelling in each a third of them, any
    other one; long files are thinned out.
    """
    data, format_ = path.read_bytes(), format_for(path)
    before = format_.read(data, name_of(path))
    told: Counter[str] = Counter()
    sorts: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for number, setting in enumerate(before):
        if setting.locked is not None:
            told["locked"] += 1
            continue
        sort = _sort(setting)
        kind = sort + re.sub("[0-9]", "0", re.sub("[a-zA-Z]", "a", setting.raw[:1]))
        sorts[sort] += 1
        seen[kind] += 1
        texts: tuple[str, ...] = NUMBERS + TEXTS
        if seen[kind] > 1:
            texts = ("7", "7s")[number % 2 :][:1]
        elif sorts[sort] > 1 or _first_samples(format_)[sort] != path:
            texts = texts[number % 3 :: 3]
        if seen[kind] > 5 and number % 4:
            continue
        for patch in _patches(format_, setting, texts):
            told[check_patch(format_, data, before, number, *patch) if patch else "refused"] += 1
    return told


@cache
def _first_samples(format_: Format) -> dict[str, Path]:
    """By sort of what can be written in the samples of a format, the first that has it."""
    found: dict[str, Path] = {}
    for path in samples():
        if format_for(path) is format_:
            for setting in format_.read(path.read_bytes(), name_of(path)):
                if setting.locked is None:
                    found.setdefault(_sort(setting), path)
    return found


def _sort(setting: Setting) -> str:
    """Settings of one sort are written in the same way."""
    content, last = setting.content, setting.route[-1]
    told = f"{content.quote} {content.is_text}" if isinstance(content, Literal) else type(content).__name__
    return f"{told} {type(last).__name__} "


#: The bytes that are replaced, by what, and what is then to be read: a text, or how many nanoseconds (or, without a unit, of what).
Patch = tuple[int, int, str, str | Fraction]


def _patches(format_: Format, setting: Setting, texts: tuple[str, ...]) -> Iterator[Patch | None]:
    match setting.content:
        case Literal():
            for text in texts:
                try:
                    yield setting.start, setting.end, format_.encode(setting, text), text
                except OutlastError:
                    yield None
        case Computed() as computed:
            unit = 1 if computed.unit is None else computed.unit
            numbers = ("7", "123456") if computed.is_whole else ("7", "123456", "2.5")
            if (found := computed.coefficient) and found.value:
                for number in numbers:
                    amount = computed.amount * unit / found.value * Fraction(number)
                    yield found.start, found.end, number, amount
            for size, spelling in computed.spellings.items():
                yield setting.start, setting.end, spelling.replace("{}", "7"), Fraction(7 * size)
        case _:
            return


def check_patch(
    format_: Format,
    data: bytes,
    before: tuple[Setting, ...],
    number: int,
    start: int,
    end: int,
    new: str,
    wanted: str | Fraction,
) -> str:
    """One value is written: it reads back as wanted, once more changes nothing, and all others stay what and where they were."""
    old = before[number]
    encoded = new.encode(codec_of(data))
    changed = data[:start] + encoded + data[end:]
    shift = len(encoded) - (end - start)
    about = f"{identity(old)}: {old.raw!r} to {new!r}"
    try:
        after = format_.read(changed, "patched")
    except OutlastError as error:
        raise AssertionError(f"{about} cannot be read: {error}") from error
    check_spans(changed, after)
    patched = [
        s for s in after if (s.start, s.end) == (old.start, old.end + shift) and type(s.content) is type(old.content)
    ]
    assert patched, f"{about} is not found again"
    assert _says(patched[0], wanted), f"{about} says {patched[0].content}"
    if isinstance(wanted, str) and isinstance(old.content, Literal) and isinstance(patched[0].content, Literal):
        assert patched[0].content.is_text == old.content.is_text, f"{about} has another type"
        assert format_.encode(patched[0], wanted) == new, f"{about}: written once more it is another"
    # What lies inside the patched bytes is gone with them: flags of a command line.
    others = [s for s in before if s is not old and not (old.start <= s.start and s.end <= old.end)]
    now = [s for s in after if s is not patched[0] and not (old.start <= s.start and s.end <= old.end + shift)]
    if _is_argument(old, before) or _is_argument(old, after):
        return "written"  # a word decides which words are options: they may come and go
    assert len(others) == len(now), f"{about}: {len(others)} others before, {len(now)} after"
    for was, is_ in zip([*others, old], [*now, patched[0]], strict=True):
        if was is not old:
            moved = (was.start + shift * (was.start >= old.end), was.end + shift * (was.end >= old.end))
            assert (is_.start, is_.end) == moved, f"{about} moves {identity(was)}"
            assert is_.raw == was.raw or was.start <= old.start <= old.end <= was.end, (
                f"{about} changes {identity(was)}"
            )
        if (was.route, was.scope) != (is_.route, is_.scope):
            # Only a value by which others are named may rename them: a name, a kind, an option.
            named = isinstance(old.content, Literal) and isinstance(wanted, str)
            assert named, f"{about} renames {identity(was)}"
            assert _names(old.content, was) or (isinstance(wanted, str) and wanted in identity(is_)), (
                f"{about} renames {identity(was)} to {identity(is_)}"
            )
    return "written"


def _is_argument(setting: Setting, settings: tuple[Setting, ...]) -> bool:
    above = setting.route[:-1]
    return any(
        s.route[:-1] == above and isinstance(s.route[-1], Flag) and s is not setting for s in settings
    ) and isinstance(setting.route[-1], Index)


def _names(content: Content, setting: Setting) -> bool:
    return isinstance(content, Literal) and any(
        word and word in identity(setting) for word in (content.text, content.text.split("=")[0])
    )


def _says(setting: Setting, wanted: str | Fraction) -> bool:
    match setting.content:
        case Literal(text=text):
            return text == wanted
        case Computed(amount=amount, unit=unit):
            return amount * (1 if unit is None else unit) == wanted
        case _:
            return False


def check_broken(
    path: Path, *, rounds: int, seed: int = 0, seconds: float = 1.0, patches: bool = False
) -> Counter[str]:
    """Mutated copies of a sample are read or refused with a place, in time, with sound spans; with `patches` one value of each is patched."""
    data, format_ = path.read_bytes(), format_for(path)
    chance = random.Random(f"{seed} {name_of(path)}")
    told: Counter[str] = Counter()
    for _ in range(rounds):
        broken = mutated(data, chance)
        told[check_any(format_, broken, seconds=seconds, chance=chance if patches else None)] += 1
    return told


def check_any(format_: Format, data: bytes, *, seconds: float = 1.0, chance: random.Random | None = None) -> str:
    """Whatever the bytes are, they are read or refused."""
    began = time.process_time()
    settings, refusal = _read(format_, data)
    taken = time.process_time() - began
    assert taken < seconds, f"{taken} s for {data!r}"
    if refusal is not None:
        place = refusal.place
        assert place is not None, f"no place: {refusal} for {data!r}"
        assert place.file == "broken", place
        assert min(place.line, place.col) >= 1, f"{place} for {data!r}"
        return "refused"
    try:
        check_spans(data, settings)
        free = [n for n, s in enumerate(settings) if s.locked is None]
        if chance is not None and free:
            number = chance.choice(free)
            for patch in _patches(format_, settings[number], (chance.choice(NUMBERS + TEXTS), "7s")):
                if patch:
                    check_patch(format_, data, settings, number, *patch)
    except AssertionError as error:
        raise AssertionError(f"{error} for {data!r}") from error
    return "read"


def _read(format_: Format, data: bytes) -> tuple[tuple[Setting, ...], OutlastError | None]:
    try:
        return format_.read(data, "broken"), None
    except OutlastError as error:
        return (), error
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error} for {data!r}") from error


_TOKEN = re.compile(rb"\w+|\s+|[^\w\s]")
_INSERTED = (b"\n", b"\r\n", b"\r", b"\t", b" ", b"  ", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xc3\xbc", b"\xf0\x9f\x98\x80", b"\xe2\x80\xa8", b"\xc2\x85", b'"',
             b"'", b"`", b"\\", b"\\\n", b"#", b";", b"{", b"}", b"[", b"]", b"(", b")", b"<", b">", b"=", b":", b": ", b",", b"- ", b"--- ", b"|", b"&a ", b"*a",
             b"!a ", b"$", b"${", b"{{", b"}}", b"%", b"@", b"/*", b"*/", b"//", b"0", b"1_0", b"0x", b"1e9", b"-", b"--", b"?")  # fmt: skip


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A copy with one to four wounds: bytes or words cut, doubled, swapped, put in or changed; sometimes only a part of it."""
    if chance.random() < 0.3 and len(data) > 20:
        begin = chance.randrange(len(data))
        data = data[begin : begin + chance.randrange(1, 600)]
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        tokens = _TOKEN.findall(data) if chance.random() < 0.6 else [data[i : i + 1] for i in range(len(data))]
        if not tokens:
            return chance.choice(_INSERTED)
        one, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        match chance.randrange(6):
            case 0:
                del tokens[one : one + chance.choice((1, 1, 2, 5, 50))]
            case 1:
                tokens[one:one] = tokens[one : one + chance.choice((1, 2, 5, 20))]
            case 2:
                tokens[one], tokens[other] = tokens[other], tokens[one]
            case 3:
                tokens.insert(one, chance.choice(_INSERTED))
            case 4:
                tokens[one] = chance.choice(_INSERTED)
            case _:
                tokens[one:one] = [chance.choice(_INSERTED)] * chance.choice((2, 3, 40))
        data = b"".join(tokens)
    return data
