"""Which Kubernetes objects an overlay of kustomize changes: patches in its folder, or in the file itself."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Final

from outlast.configs.recognise.sites import Site, unknown_rest
from outlast.constraints.catalogue.known import Kind
from outlast.constraints.record import record

__all__ = ["Overlays"]

_KUSTOMIZATION: Final = re.compile(r"(?:.*/)?(?:kustomization\.ya?ml|Kustomization)")
_LISTED: Final = re.compile(r"^[ \t]*-[ \t]+[\"']?([\w./-]+)[\"']?[ \t]*(?:#.*)?\r?$", re.M)
_INLINE: Final = re.compile(
    r"^[ \t]*(?:-[ \t]+)?(?:patch:|patchesJson6902:|patchesStrategicMerge:[ \t\r]*\n[ \t]*-[ \t]*\|)", re.M
)
_SEPARATOR: Final = re.compile(r"^---", re.M)
_OBJECT: Final = re.compile(r"^kind:[ \t]*[\"']?(\w+)", re.M)
_NAME: Final = re.compile(
    r"^metadata:(?:[ \t]*\{|[ \t\r]*\n)(?:[ \t]+.*\n)*?[^\n}]*?\bname:[ \t]*[\"']?([\w.-]+)", re.M
)


@record(kw_only=True)
class _Overlay:
    """A file of kustomize: the folder that it is in, and what it lists."""

    folder: str
    listed: frozenset[str]
    has_inline: bool


class Overlays:
    """What is told of overlays by the files that were seen."""

    def __init__(self) -> None:
        self._overlays: list[_Overlay] = []
        #: By `Deployment/web` the files that have such a document.
        self._documents: dict[str, set[str]] = {}

    def see(self, file: str, data: bytes) -> None:
        """One more file in YAML."""
        if b"kind:" not in data and not _KUSTOMIZATION.fullmatch(file):
            return
        path, text = posixpath.normpath(file), data.decode(errors="replace")
        if _KUSTOMIZATION.fullmatch(file):
            folder = posixpath.dirname(path)
            listed = frozenset(posixpath.normpath(posixpath.join(folder, m[1])) for m in _LISTED.finditer(text))
            has_inline = _INLINE.search(text) is not None
            self._overlays.append(_Overlay(folder=folder, listed=listed, has_inline=has_inline))
            return
        for document in _SEPARATOR.split(text):
            kind, name = _OBJECT.search(document), _NAME.search(document)
            if kind is not None and name is not None:
                self._documents.setdefault(f"{kind[1]}/{name[1]}", set()).add(path)

    def over(self, sites: Sequence[Site], kinds: Mapping[str, Kind]) -> list[Site]:
        """The sites, what those in a patched object do not set being unknown."""
        if not self._overlays:
            return list(sites)
        return [
            unknown_rest(site, kinds[site.kind]) if site.format == "yaml" and self._is_patched(site) else site
            for site in sites
        ]

    def _is_patched(self, site: Site) -> bool:
        path = posixpath.normpath(site.file)
        others = {file for name in (site.root[0] if site.root else ()) for file in self._documents.get(name, ())}
        reached = {path, posixpath.dirname(path)}
        for _ in self._overlays:
            for overlay in self._overlays:
                if overlay.listed.isdisjoint(reached):
                    continue
                inside = overlay.folder + "/"
                if overlay.has_inline or any(f != path and f.startswith(inside) for f in others):
                    return True
                reached.add(overlay.folder)
        return False
