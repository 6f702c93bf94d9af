"""Every reader on every sample: settings as they are written down, patches that change nothing else, broken files."""

from __future__ import annotations

from pathlib import Path

import pytest

from configs.harness import check_broken, check_expected, check_patches, name_of, samples

each_sample = pytest.mark.parametrize("path", samples(), ids=name_of)


@each_sample
def test_a_sample_gives_the_settings_written_down_beside_it(path: Path) -> None:
    check_expected(path)


@each_sample
def test_a_patch_changes_one_value_and_nothing_else(path: Path) -> None:
    told = check_patches(path)
    assert told["written"] > 0


@each_sample
def test_a_broken_file_is_read_or_refused_with_a_place(path: Path) -> None:
    told = check_broken(path, rounds=60)
    assert told["read"] + told["refused"] == 60
