# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The browser hears what a page asks for and what goes wrong in it."""

from pathlib import Path

from headless import BrowserPage


def test_a_page_that_is_well(browser_page: BrowserPage, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("<button onclick='this.textContent = 2'>1</button>")
    page = browser_page.open(file)
    page.click("button")
    assert page.inner_text("button") == "2"
    assert browser_page.requests == [file.as_uri()]
    assert not browser_page.network
    assert not browser_page.errors


def test_requests_and_errors_are_heard(
    browser_page: BrowserPage, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    # Port 9 of this machine: nothing listens there.
    file.write_text("<img src='http://127.0.0.1:9/x.png'><script>oops()</script>")
    browser_page.open(file)
    assert browser_page.network == ["http://127.0.0.1:9/x.png"]
    assert any("oops" in error for error in browser_page.errors)
