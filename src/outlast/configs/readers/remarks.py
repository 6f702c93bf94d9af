"""Where comments stand in programs and HCL, as the grammars tell them from strings, here-documents and regular expressions."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from outlast.configs.readers.trees import parse

__all__ = ["comments"]

#: The package of each grammar, and its function.
_GRAMMARS: Final = {
    "go": ("tree_sitter_go", "language"),
    "hcl": ("tree_sitter_hcl", "language"),
    "java": ("tree_sitter_java", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
}
_COMMENTS: Final = ("comment", "line_comment", "block_comment")


def comments(grammar: str, data: bytes) -> list[tuple[int, int]]:
    """The first byte of each comment and the one behind its last, in their order.

    Raises:
        OutlastError: it is not what the grammar wants.
    """
    from tree_sitter import Language, Parser

    package, function = _GRAMMARS[grammar]
    root = parse(Parser(Language(getattr(import_module(package), function)())), data, "", grammar)
    found: list[tuple[int, int]] = []
    cursor = root.walk()
    is_new = True
    while True:
        if is_new:
            node = cursor.node
            if node is not None and node.type in _COMMENTS:
                found.append((node.start_byte, node.end_byte))
            elif cursor.goto_first_child():
                continue
        if cursor.goto_next_sibling():
            is_new = True
        elif cursor.goto_parent():
            is_new = False
        else:
            return found
