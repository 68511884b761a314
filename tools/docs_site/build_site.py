# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the documentation site with MkDocs; see `tools/docs`.

The written pages are copied to a folder in build, the others are made there: one for
each pass, command and part of the Python interface. Then MkDocs makes HTML of all and
refuses dead links, unknown anchors and pages that the menu lacks.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import sys
import time
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

import mlir_lexer
import site_api as api
import site_commands as commands
import site_passes as passes
import site_tile_passes as tile_passes
import yaml
from mkdocs.commands.build import build
from mkdocs.config.base import load_config  # pyright: ignore[reportUnknownVariableType]
from mkdocs.exceptions import Abort
from site_sources import ROOT, copy_sources, write, written_pages

WORK = ROOT / "build" / "docs-site"
"""Where the sources of the site and MkDocs's settings are put together."""
SITE = ROOT / "build" / "site"
PORT = 8000
Menu: TypeAlias = "str | list[Menu] | dict[str, Menu]"
"""A page, or entries, or entries under titles, as in mkdocs.yml."""
GENERATED = {
    "api/": api.pages,
    "commands/": commands.pages,
    "passes/": passes.pages,
    "tile-passes/": tile_passes.pages,
}
"""Who makes the pages below a folder, which stands in the menu for all of them."""


def make_sources(target: Path) -> dict[str, list[str]]:
    """Fills the folder `target`; the generated pages by their folder, in order."""
    shutil.rmtree(target, ignore_errors=True)
    copy_sources(target)
    made: dict[str, list[str]] = {}
    for folder, make in GENERATED.items():
        pages = make()
        for path, text in pages.items():
            write(target / path, text)
        made[folder] = list(pages)
    shutil.copytree(ROOT / "tools" / "docs_site" / "assets", target / "assets")
    return made


def menu(entry: Menu, made: dict[str, list[str]]) -> Menu:
    """The menu of mkdocs.yml with the pages of each generated folder in its place."""
    if isinstance(entry, dict):
        return {title: menu(inner, made) for title, inner in entry.items()}
    if isinstance(entry, str):
        return entry
    result: list[Menu] = []
    for inner in entry:
        folder = made.get(inner) if isinstance(inner, str) else None
        result += [menu(inner, made)] if folder is None else folder
    return result


def listed(entry: Menu) -> set[str]:
    """The pages of a menu."""
    if isinstance(entry, str):
        return {entry}
    inner = entry.values() if isinstance(entry, dict) else entry
    return {page for part in inner for page in listed(part)}


def unlisted(nav: Menu) -> list[str]:
    """Manuals that mkdocs.yml does not place yet; they stand at the end of the menu."""
    known = listed(nav) | {"docs/README.md"}
    pages = [str(page) for page in written_pages() if page.parts[0] == "docs"]
    return sorted(page for page in pages if page not in known)


def configuration(work: Path, site: Path) -> Path:
    """Makes the sources and MkDocs's settings, with the whole menu; their file."""
    source = work / "source"
    made = make_sources(source)
    settings: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    settings["nav"] = menu(settings["nav"], made)
    if others := unlisted(settings["nav"]):
        settings["nav"] = [*settings["nav"], {"More": others}]
    settings |= {"docs_dir": str(source), "site_dir": str(site)}
    python = settings["plugins"][-1]["mkdocstrings"]["handlers"]["python"]
    python["paths"] = [str(ROOT / "python")]
    file = work / "mkdocs.yml"
    file.write_text(yaml.safe_dump(settings, sort_keys=False))
    return file


def run_mkdocs(settings: Path) -> str:
    """Makes HTML; what MkDocs finds wrong, empty if all is well."""
    faults = StringIO()
    logger = logging.getLogger("mkdocs")
    logger.setLevel(logging.WARNING)
    logger.addHandler(logging.StreamHandler(faults))
    config = load_config(str(settings), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    except Abort:
        pass
    finally:
        config.plugins.on_shutdown()
    return faults.getvalue()


def serve(folder: Path) -> None:
    """Serves the site to this machine until Control-C."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", PORT), handler) as server:
        print(f"http://127.0.0.1:{PORT}/index.html; Control-C ends it", flush=True)
        with suppress(KeyboardInterrupt):
            server.serve_forever()


def main() -> int:
    """Builds, and serves if asked to; 1 if a link is dead."""
    parser = argparse.ArgumentParser(prog="tools/docs", description=__doc__)
    parser.add_argument(
        "--serve", action="store_true", help=f"show it at http://127.0.0.1:{PORT}"
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=SITE, metavar="DIR", help="build/site"
    )
    parser.add_argument(
        "--work", type=Path, default=WORK, metavar="DIR", help="for what it is made of"
    )
    arguments = parser.parse_args()
    start = time.perf_counter()
    output: Path = arguments.output.resolve()
    mlir_lexer.register()
    faults = run_mkdocs(configuration(arguments.work.resolve(), output))
    if faults:
        print(f"{faults}tools/docs: expected no faults, got those above")
        return 1
    seconds = time.perf_counter() - start
    pages = len(list(output.rglob("*.html")))
    print(f"{pages} pages in {seconds:.0f} s; open {output / 'index.html'}")
    if arguments.serve:
        serve(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
