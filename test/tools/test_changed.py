# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `tools/test --changed` relates a change to, on a small package."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from changed import Choice, changed_files, choose
from imports import Graph

ROOT = Path(__file__).resolve().parents[2]
SLOW = ("readme", "ring_mutation")
FILES = {
    "pyproject.toml": '[project.scripts]\ncuda-tile-run = "cuda_tile.cli.run:main"\n',
    "client/CMakeLists.txt": "add_client(cuda-tile-as cuda_tile.cli.assembler)\n",
    "python/cuda_tile/cli/assembler.py": "",
    "python/cuda_tile/__init__.py": "from cuda_tile.api import compile, run\n",
    "python/cuda_tile/api.py": "from cuda_tile.pipeline import steps\n",
    "python/cuda_tile/pipeline.py": "from cuda_tile.passes import ring, emit, rules\n",
    "python/cuda_tile/passes/rules.py": """
HOMES = {"mma": "wgmma mma"}
RULES.fill_from("cuda_tile.passes", HOMES, group_of)
OTHERS.fill_from("cuda_tile.passes", {"a": "scan"}, group_of)
""",
    "python/cuda_tile/passes/wgmma.py": "",
    "python/cuda_tile/passes/scan.py": "",
    "python/cuda_tile/passes/__init__.py": "",
    "python/cuda_tile/passes/ring.py": "from cuda_tile.errors import UserError\n",
    "python/cuda_tile/passes/emit.py": "import cuda_tile.errors\n",
    "python/cuda_tile/errors.py": "",
    "python/cuda_tile/cli/run.py": "def main():\n    from cuda_tile import run\n",
    "python/cuda_tile/judge.py": "",
    "tools/checks/ring_mutation.py": "from cuda_tile.passes import ring\n",
    "test/passes/test_slots.py": "from cuda_tile.passes.ring import slots\n",
    "test/passes/test_ring.py": "",
    "test/passes/test_whole.py": "import cuda_tile\ncuda_tile.compile\n",
    "test/tools/test_commands.py": 'WORDS = ["cuda-tile-run", "page.md"]\n',
    "test/tools/test_child.py": 'WORDS = ["-m", "cuda_tile.judge"]\n',
    "test/tools/test_producer.py": 'WORDS = ["cuda-tile-as"]\n',
    "test/tools/helper.py": 'FOLDER = Path("tools", "Inputs")\n',
    "test/tools/test_helped.py": "import helper\n",
    "test/tools/test_other.py": "",
    "test/interp/test_data.py": 'FOLDER = "tools", "Inputs"\n',
    "test/interp/test_alone.py": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with the files above."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def chosen(root: Path, *files: str) -> Choice:
    return choose(root, files, SLOW)


def names(tests: dict[str, str]) -> set[str]:
    return {Path(test).stem.removeprefix("test_") for test in tests}


def test_importers_are_near_and_whole_kernels_far(root: Path) -> None:
    choice = chosen(root, "python/cuda_tile/passes/ring.py")
    assert names(choice.near) == {"slots", "ring"}
    assert names(choice.far) == {"whole", "commands"}
    assert list(choice.checks) == ["ring_mutation"]
    assert choice.lit == ["test"]


def test_the_file_need_not_exist_any_more(root: Path) -> None:
    (root / "python/cuda_tile/passes/ring.py").unlink()
    assert "ring" in names(chosen(root, "python/cuda_tile/passes/ring.py").near)


@pytest.mark.parametrize("stem", ["wgmma", "scan"])
def test_modules_that_fill_a_table_are_reached_through_it(
    root: Path, stem: str
) -> None:
    choice = chosen(root, f"python/cuda_tile/passes/{stem}.py")
    assert names(choice.far) == {"whole", "commands"}


def test_what_a_child_process_or_a_command_runs_counts(root: Path) -> None:
    assert names(chosen(root, "python/cuda_tile/judge.py").near) == {"child"}
    choice = chosen(root, "python/cuda_tile/cli/run.py")
    assert names(choice.near) == {"commands"}
    assert list(choice.checks) == ["readme"]
    near = chosen(root, "python/cuda_tile/cli/assembler.py").near
    assert names(near) == {"producer"}


def test_what_all_import_is_near_to_its_own_tests_alone(root: Path) -> None:
    for name in ("a", "b", "c", "d"):
        text = "from cuda_tile.errors import UserError\n"
        (root / f"test/interp/test_{name}.py").write_text(text)
    choice = chosen(root, "python/cuda_tile/errors.py")
    assert not choice.near
    assert {"a", "slots", "whole"} <= names(choice.far)


def test_helpers_and_tests_themselves(root: Path) -> None:
    assert names(chosen(root, "test/tools/helper.py").near) == {"helped"}
    choice = chosen(root, "test/interp/test_alone.py")
    assert names(choice.near) == {"alone"}
    assert (choice.far, choice.lit, choice.checks) == ({}, [], {})


def test_data_belongs_to_its_folder_and_to_who_names_it(root: Path) -> None:
    near = chosen(root, "test/tools/Inputs/numbers.json").near
    assert names(near) == {"commands", "child", "helped", "other", "data", "producer"}


def test_pages_run_their_commands(root: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs/page.md").write_text("```console\n$ true\n```\n")
    choice = chosen(root, "docs/page.md", "docs/gone.md")
    assert names(choice.near) == {"commands"}
    assert list(choice.checks) == ["readme"]


def test_a_text_for_lit_is_run_alone(root: Path) -> None:
    assert chosen(root, "test/passes/ring.mlir").lit == ["test/passes/ring.mlir"]
    program = chosen(ROOT, "test/faults/division_by_zero.mlir")
    assert program.lit == []
    assert any(test.startswith("test/faults/") for test in program.near)
    both = chosen(root, "test/passes/ring.mlir", "python/cuda_tile/judge.py")
    assert both.lit == ["test"]


@pytest.mark.parametrize(
    "name",
    [
        "dialect/lib/IR/Types.cpp",
        "dialect/include/cuda_tile/IR/Types.td",
        "python/ext/Types.cpp",
        "python/bindings/dialects/cuda_tile.py",
        "test/capi/CMakeLists.txt",
        "CMakeLists.txt",
        "test/conftest.py",
        "test/ptx/conftest.py",
        "pyproject.toml",
        "tools/requirements.txt",
        "tools/setup",
        "tools/test",
        ".ci/run",
        "unknown.bin",
    ],
)
def test_what_no_rule_relates_means_everything(root: Path, name: str) -> None:
    choice = chosen(root, "test/interp/test_alone.py", name)
    assert choice.everything.startswith(name)
    assert list(choice.lines()) == [f"everything: {choice.everything}"]


def test_each_choice_is_printed_with_its_reason(root: Path) -> None:
    lines = list(chosen(root, "python/cuda_tile/passes/ring.py").lines())
    changed = "python/cuda_tile/passes/ring.py"
    assert f"near: test/passes/test_slots.py: imports {changed}" in lines
    assert f"near: test/passes/test_ring.py: named after {changed}" in lines
    assert f"check: ring_mutation: imports {changed}" in lines
    far = f"far: one case of 12 of 2 test files: {changed}, through whole kernels"
    assert far in lines
    assert lines[-1] == "lit: test"


def test_files_that_differ_from_the_base(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True)

    git("init", "-q", "-b", "main")
    for name in ("kept", "committed", "edited", "gone", ".gitignore"):
        (tmp_path / name).write_text("ignored\n")
    git("add", "-A")
    git("commit", "-q", "-m", "a")
    assert changed_files(tmp_path) == []
    git("checkout", "-q", "-b", "more")
    (tmp_path / "committed").write_text("new")
    git("commit", "-q", "-a", "-m", "b")
    (tmp_path / "edited").write_text("new")
    (tmp_path / "gone").unlink()
    (tmp_path / "new").write_text("new")
    (tmp_path / "ignored").write_text("new")
    assert changed_files(tmp_path) == ["committed", "edited", "gone", "new"]
    assert changed_files(tmp_path, "HEAD") == ["edited", "gone", "new"]
    with pytest.raises(ValueError, match="a commit to compare with, got 'nothing'"):
        changed_files(tmp_path, "nothing")


def test_the_project_itself() -> None:
    graph = Graph(ROOT)
    emulator = "python/cuda_tile/emulator/isa/mma.py"
    assert "test/ptx/test_isa_mma.py" in graph.users(emulator, past=set())
    for reached in ("passes/ring", "emit/reduce", "place/mma", "stage/wgmma"):
        whole = graph.users(f"python/cuda_tile/{reached}.py", past=set())
        assert "test/ops/test_ops.py" in whole
    assert "test/ptx/test_parse.py" not in whole
