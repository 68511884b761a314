# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation site: its generated pages, and what MkDocs makes of all."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import build_site
import pytest
import site_commands
import site_passes
import site_sources
import site_tile_passes

from cuda_tile.cli.opt import DIALECT_PASSES
from cuda_tile.pipeline import PIPELINE, PRINTERS

BUILD = site_sources.ROOT / "tools" / "docs_site" / "build_site.py"
HELP = """\
OVERVIEW: a tool

OPTIONS:

General options:

  --aarch64-use-aa      - Enable
    =value              -   of LLVM
      --cuda-tile-plan  - choose
        --gpu=<string>  - target chip
      --gvn             - of LLVM
        --deep          - of LLVM
"""


@pytest.mark.parametrize("step", [*PIPELINE, *PRINTERS], ids=lambda step: step.name)
def test_example_of_a_pass_shows_what_it_does(step):
    before, after = site_passes.before_and_after(step.name)
    assert before != after


@pytest.mark.parametrize("flag", DIALECT_PASSES)
def test_page_of_a_pass_on_tiles_has_its_contract_and_an_example(flag):
    known = site_tile_passes.definitions()
    assert set(known) == set(DIALECT_PASSES)
    before, after = site_tile_passes.before_and_after(flag)
    assert before != after
    assert "cuda_tile.module @kernels" in after
    page = site_tile_passes.page(flag, known[flag])
    assert str(site_sources.ROOT) not in page
    assert known[flag].description in page
    source = re.search(r"`(dialect/lib/Transforms/\w+\.cpp)`", page)
    assert source
    assert (site_sources.ROOT / source[1]).exists()


def test_help_keeps_our_options_and_what_belongs_to_them():
    lines = [line.split() for line in site_commands.our_part(HELP).split("\n")[3:]]
    assert lines == [
        ["--cuda-tile-plan", "choose"],
        ["--gpu=<string>", "target", "chip"],
    ]


def test_every_command_has_a_purpose():
    assert set(site_commands.PURPOSE) == set(site_commands.commands())


def test_menu_has_the_pages_of_a_generated_folder_in_its_place():
    made = {"passes/": ["passes/README.md", "passes/plan.md"]}
    nav: build_site.Menu = [{"Passes": ["passes/", "docs/x.md"]}, "README.md"]
    assert build_site.menu(nav, made) == [
        {"Passes": ["passes/README.md", "passes/plan.md", "docs/x.md"]},
        "README.md",
    ]


def test_manuals_that_the_menu_lacks_are_found():
    nav: build_site.Menu = [{"Start": ["docs/start.md"]}, "docs/faq.md"]
    assert build_site.listed(nav) == {"docs/start.md", "docs/faq.md"}
    assert {"docs/bounds.md"} <= set(build_site.unlisted(nav))
    assert not {"docs/faq.md", "docs/README.md"} & set(build_site.unlisted(nav))


def test_files_that_a_page_links_to_are_found_outside_of_code():
    text = "[a](../mkdocs.yml#x) [b](page.md) [c](https://e.org/d)\n```\n[d](../LICENSE)\n```\n"
    found = site_sources.linked_files(Path("docs/page.md"), text)
    assert list(found) == [Path("mkdocs.yml")]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of a site built from this checkout; dead links fail."""
    folder = tmp_path_factory.mktemp("site")
    result = subprocess.run(
        [sys.executable, BUILD, "-o", folder / "html", "--work", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return folder / "html"


def test_pages_load_nothing_from_the_network(site):
    loads = re.compile(
        r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"(https?:)?//"
    )
    pages = list(site.rglob("*.html"))
    assert len(pages) > 90
    assert not [page for page in pages if loads.search(page.read_text())]


def test_search_finds_an_op_in_pages_opened_as_files(site, browser_page):
    page = browser_page.open(site / "docs" / "start.html")
    page.click(".md-search__input")
    page.keyboard.type("mmaf", delay=30)
    page.wait_for_selector(".md-search-result__link")
    links = page.locator(".md-search-result__link")
    found = [links.nth(i).get_attribute("href") or "" for i in range(links.count())]
    wanted = [link for link in found if link.endswith("reference/mma.html?h=mmaf#mmaf")]
    assert len(wanted) == 1, found
    page.goto(wanted[0])
    assert page.locator("h1").inner_text().startswith("Matrix products")
    assert browser_page.network == []
    assert browser_page.errors == []


def test_pictures_and_texts_of_levels_are_shown(site, browser_page):
    page = browser_page.open(site / "docs" / "layouts.html")
    sizes = page.eval_on_selector_all(
        "article img", "images => images.map(image => image.naturalWidth)"
    )
    assert len(sizes) == 6
    assert min(sizes) > 100
    page = browser_page.open(site / "passes" / "place.html")
    page.locator(".tabbed-labels").get_by_text("After", exact=True).click()
    text = page.locator(".tabbed-block:visible").first.inner_text()
    assert "#cute.layout" in text


def test_the_first_screen_of_the_readme_says_how_to_install_and_the_licence() -> None:
    screen = "\n".join((site_sources.ROOT / "README.md").read_text().splitlines()[:30])
    for link in ("docs/install.md", "LICENSE", "docs/cutile.md", "docs/bounds.md"):
        assert f"]({link})" in screen, link
        assert (site_sources.ROOT / link).exists()
