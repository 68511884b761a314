# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes the picture of the debugger in docs/debugging.md: VS Code, really at a stop.

    .venv/bin/python tools/debugger_picture.py --code-server PATH [-o FILE]

VS Code comes as code-server (npm; with libkrb5-dev, and `npm_config_nodedir` where the
headers of Node are), the browser as tools/setup installs it. The extension and its
configuration are those that the page shows; the editor is driven by mouse and keys.
Nothing is drawn by this script: what the picture shows is what our debug adapter said.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "debugging.md"
PROGRAM = "softmax.py"
LINE, CONDITION = "total = ct.sum(powers", "block == 3"
QUESTIONS = "powers[0, 96:104]", "powers.sum(), powers[0, :100].sum()"
WIDTH, HEIGHT = 1280, 760
SETTINGS = {
    "security.workspace.trust.enabled": False,
    "workbench.startupEditor": "none",
    "workbench.colorTheme": "Default Light Modern",
    "workbench.tips.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "breadcrumbs.enabled": False,
    "chat.commandCenter.enabled": False,
    "editor.minimap.enabled": False,
    "extensions.ignoreRecommendations": True,
    "window.commandCenter": False,
}


def shown_extension() -> dict[str, Any]:
    """The extension's `package.json` as the manual has it, for this checkout."""
    (text,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
    extension = json.loads(text)
    (debugger,) = extension["contributes"]["debuggers"]
    debugger["program"] = str(ROOT / ".venv" / "bin" / "cuda-tile-debug")
    return extension


def shown_configuration() -> dict[str, Any]:
    """The launch configuration as the manual has it."""
    (text,) = re.findall(r'`(\{"type": "cuda-tile".*?\})`', PAGE.read_text())
    return json.loads(text)


def lay_out(home: Path) -> Path:
    """Writes settings, extension and workspace; gives the workspace."""
    for name, facts in {
        "user/User/settings.json": SETTINGS,
        "extensions/local.cuda-tile-0.1.0/package.json": shown_extension(),
        "kernels/.vscode/launch.json": {
            "version": "0.2.0",
            "configurations": [shown_configuration()],
        },
    }.items():
        file = home / name
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(facts))
    folder = home / "kernels"
    shutil.copy(ROOT / "examples" / "guide" / "debugging" / PROGRAM, folder)
    return folder


@contextmanager
def served(command: str, home: Path, folder: Path) -> Generator[str]:
    """Runs VS Code; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["--auth=none", f"--bind-addr=127.0.0.1:{port}", "--disable-telemetry"]
    words += ["--disable-update-check", f"--config={home / 'config.yaml'}"]
    words += [f"--user-data-dir={home / 'user'}"]
    words += [f"--extensions-dir={home / 'extensions'}"]
    with (home / "log").open("w") as log:
        process = subprocess.Popen([command, *words], stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(address, timeout=5).close()
                break
            except OSError:
                time.sleep(0.5)
        yield f"{address}/?folder={folder}"
    finally:
        process.terminate()
        process.wait()


def add_breakpoint(page: Page) -> None:
    """The menu beside the line, which has the entry once the extension is loaded."""
    number = page.locator(".margin-view-overlays .line-numbers.active-line-number")
    entry = page.locator(".context-view .action-item", has_text="Add Conditional")
    for _ in range(30):
        number.click(button="right")
        page.wait_for_timeout(1000)
        if entry.count():
            break
        page.keyboard.press("Escape")
    entry.first.click()


def stop_in_kernel(page: Page) -> None:
    """Opens the program, sets the breakpoint, and starts: what a user does."""
    page.locator(".explorer-viewlet .monaco-list-row", has_text=PROGRAM).dblclick()
    page.locator(".tab.active", has_text=PROGRAM).wait_for()
    page.locator(".editor-instance .view-line", has_text=LINE).click()
    add_breakpoint(page)
    asked = page.locator(".breakpoint-widget .view-line").first
    asked.click()
    page.wait_for_timeout(500)
    page.keyboard.type(CONDITION, delay=30)
    asked.get_by_text(CONDITION).wait_for()
    page.keyboard.press("Enter")
    page.locator(".codicon-debug-breakpoint-conditional").first.wait_for()
    page.keyboard.press("F5")
    page.locator(".debug-top-stack-frame-line").first.wait_for(timeout=60_000)


def look(page: Page) -> None:
    """Opens a tile among the variables, and asks the console."""
    row = page.locator(".debug-variables .monaco-list-row", has_text="powers").first
    row.click()
    page.keyboard.press("ArrowRight")
    page.locator(".debug-variables .monaco-list-row", has_text="elements").wait_for()
    for text in QUESTIONS:
        page.locator(".repl-input-wrapper .view-line").click()
        page.keyboard.type(text)
        page.keyboard.press("Escape")  # of what the editor proposes
        page.keyboard.press("Enter")
        page.wait_for_timeout(1500)


def take(args: argparse.Namespace) -> None:
    """Drives the editor and writes the picture."""
    from playwright.sync_api import sync_playwright

    browser_name = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        home = Path(scratch)
        browser = playwright.chromium.launch(
            executable_path=browser_name, args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_default_timeout(60_000)
        with served(args.code_server, home, lay_out(home)) as address:
            try:
                page.goto(address)
                stop_in_kernel(page)
                look(page)
            finally:
                page.screenshot(path=args.output)
        browser.close()


def main() -> int:
    """Takes the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--code-server", default="code-server", metavar="PATH")
    picture = ROOT / "docs" / "pictures" / "debugger.png"
    parser.add_argument("-o", "--output", default=picture, type=Path)
    take(parser.parse_args())
    return 0


if __name__ == "__main__":
    sys.exit(main())
