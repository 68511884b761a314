# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sessions that the tutorial and the manual show are what happens."""

import pytest
import readme

PAGES = [
    readme.ROOT / "docs" / f"{name}.md" for name in ("debugging", "tutorial-debugging")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_sessions(page, monkeypatch, capsys):
    monkeypatch.setenv("CUDA_TILE_CACHE_DIR", "off")
    monkeypatch.setattr("sys.argv", ["readme", str(page)])
    assert readme.main() == 0, capsys.readouterr().out


def test_sessions_type_only_what_the_page_shows():
    tutorial = PAGES[1].read_text()
    folder = readme.GUIDE / "debugging"
    sessions = sorted(folder.glob("*.session"))
    assert len(sessions) == 3
    for session in sessions:
        for line in session.read_text().splitlines():
            assert f"(tile) {line}" in tutorial, (session.name, line)
