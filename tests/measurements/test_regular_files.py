"""Only regular files of a bounded size are read, and nothing else blocks or crashes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from outlast.constraints.errors import OutlastError
from outlast.constraints.files import decode, open_regular


def refusal(path: str | Path, limit: int = 100) -> str:
    with pytest.raises(OutlastError) as caught:
        open_regular(path, limit)
    assert caught.value.place is None
    return str(caught.value).replace(str(Path(path).parent) + "/", "")


def test_a_file_and_a_link_to_one_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    (tmp_path / "b").symlink_to("a")
    assert open_regular(tmp_path / "a", 100) == open_regular(str(tmp_path / "b"), 100) == b"x" * 100


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"x" * 101)
    (tmp_path / "loop").symlink_to("loop")
    assert refusal(tmp_path / "none") == "cannot read none: no such file or directory"
    assert refusal(tmp_path / "pipe") == "expected pipe to be a regular file, found a pipe"
    assert refusal(tmp_path / "large") == "expected a file of at most 100 bytes, found large to be larger"
    assert refusal("/dev/null") == "expected null to be a regular file, found a device"
    assert refusal(tmp_path / "loop").startswith("cannot read loop: ")
    assert refusal("/dev/shm") == "expected shm to be a regular file, found a folder"
    assert refusal("a\0\x1b") == "expected the path of a file, found 'a\\x00\\x1b'"


def test_a_file_that_grows_while_it_is_read_is_still_cut(tmp_path: Path) -> None:
    assert "to be larger" in refusal("/proc/self/status", 10)  # its size is told as 0


def test_the_place_of_a_wrong_byte_counts_characters() -> None:
    with pytest.raises(OutlastError) as caught:
        decode("\ufeffa\nµs\n".encode() + "ää".encode() + b"\xc3(", "f")
    assert str(caught.value) == "f:3:3: expected UTF-8 text, found the byte 0xc3"
    with pytest.raises(OutlastError) as caught:
        decode("\ufeffa".encode() + b"\xff", "f")
    assert str(caught.value) == "f:1:2: expected UTF-8 text, found the byte 0xff"
