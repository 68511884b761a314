# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who imports whom, of all Python files of a checkout, read from their texts.

Edges are imports, at any depth of a file; the names that `import cuda_tile` loads on
first use; tables of rules with the modules that fill them (`RuleTable.fill_from`); and
strings that name a module or a command of the package, since child processes and
loaders by name begin so.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

_PACKAGE = "cuda_tile"
_COMMAND = re.compile(r"\bcuda-tile-\w+")
_CLIENT = re.compile(r"^add_client\((\S+) (\S+)\)", re.MULTILINE)
_DOORS = ("python/cuda_tile/pictured.py",)
"""Files that lead on only for who asks: each result can draw itself, and the tests of
pictures import them."""
_FOLDERS = ("python/cuda_tile", "test", "tools", "bench", "examples")


class Graph:
    """The imports of a checkout.

    Args:
        root: The checkout.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._texts = {
            str(path.relative_to(root)): path.read_text()
            for folder in _FOLDERS
            for path in sorted((root / folder).rglob("*.py"))
            if "_mlir" not in path.parts
        }
        self._by_stem: dict[str, list[str]] = {}
        for name in self._texts:
            if not name.startswith(f"python/{_PACKAGE}/"):
                self._by_stem.setdefault(Path(name).stem, []).append(name)
        self._commands = self._scripts()
        self._lazy: dict[str, str] = {}
        self._lazy = self._loaded_on_use()

    @cached_property
    def tests(self) -> list[str]:
        """The test files of pytest."""
        return [
            name
            for name in self._texts
            if name.startswith("test/") and Path(name).name.startswith("test_")
        ]

    @cached_property
    def edges(self) -> dict[str, set[str]]:
        """Per file, the files that it imports."""
        return {name: set(self._imports(name)) for name in self._texts}

    def users(self, changed: str, past: set[str]) -> set[str]:
        """The files that import one, also through others.

        Args:
            changed: The file, which counts too; it need not exist any more.
            past: Files through which none is reached.
        """
        users: dict[str, set[str]] = {}
        for name, imported in self.edges.items():
            for other in imported:
                users.setdefault(other, set()).add(name)
        found, todo = {changed}, [changed]
        while todo:
            here = todo.pop()
            if here in past:
                continue
            new = users.get(here, set()) - found
            found |= new
            todo += new
        return found

    def names(self, test: str, words: Sequence[str]) -> bool:
        """Whether a test and the helpers that it imports have all of some words."""
        own = [name for name in self._reached(test) if not name.startswith("python/")]
        texts = [self._texts[name] for name in own if name in self._texts]
        return all(any(word in text for text in texts) for word in words)

    def _reached(self, name: str) -> set[str]:
        """A file and those that it imports, also through others."""
        found, todo = {name}, [name]
        while todo:
            new = self.edges.get(todo.pop(), set()) - found
            found |= new
            todo += new
        return found

    def _imports(self, name: str) -> Iterator[str]:
        if name in _DOORS:
            return
        tree = ast.parse(self._texts[name])
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield from self._module(alias.name)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    yield from self._member(node.module, alias.name)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id == _PACKAGE:
                    yield from self._member(_PACKAGE, node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from self._named(node.value)
        yield from self._fillers(tree)

    def _fillers(self, tree: ast.Module) -> Iterator[str]:
        """The modules that fill tables of rules, as a file's outermost calls say."""
        assigned = {
            ast.unparse(node.targets[0]): node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
        }
        for node in tree.body:
            called = node.value if isinstance(node, ast.Expr) else None
            if isinstance(called, ast.Call) and "fill_from" in ast.unparse(called.func):
                package, homes = called.args[:2]
                table = assigned.get(ast.unparse(homes), homes)
                for word in " ".join(ast.literal_eval(table).values()).split():
                    yield from self._module(f"{ast.literal_eval(package)}.{word}")

    def _named(self, text: str) -> Iterator[str]:
        """What a string may start or load."""
        if text.startswith(f"{_PACKAGE}."):
            yield from self._module(text)
            yield from self._module(f"{text}.__main__")
        for command in _COMMAND.findall(text):
            if command in self._commands:
                yield from self._module(self._commands[command])

    def _member(self, module: str, name: str) -> Iterator[str]:
        """`from module import name`, where the name may be a module."""
        if module == _PACKAGE and name in self._lazy:
            yield self._lazy[name]
            return
        inner = list(self._module(f"{module}.{name}"))
        yield from inner
        if not inner or module != _PACKAGE:
            yield from self._module(module)

    def _module(self, name: str) -> Iterator[str]:
        """The file of a module; of the package's own root none."""
        parts = name.split(".")
        if parts[0] != _PACKAGE:
            yield from self._by_stem.get(parts[0], [])
        elif len(parts) > 1:
            path = f"python/{'/'.join(parts)}"
            for file in (f"{path}.py", f"{path}/__init__.py"):
                if file in self._texts:
                    yield file

    def _scripts(self) -> dict[str, str]:
        """The package's commands, and the modules that they run."""
        project = tomllib.loads((self._root / "pyproject.toml").read_text())["project"]
        modules = {
            name: place.partition(":")[0] for name, place in project["scripts"].items()
        }
        clients = self._root / "client" / "CMakeLists.txt"
        return modules | dict(_CLIENT.findall(clients.read_text()))

    def _loaded_on_use(self) -> dict[str, str]:
        """The names that the package's root gives, and the files that they are in."""
        text = self._texts.get(f"python/{_PACKAGE}/__init__.py", "")
        found: dict[str, str] = {}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    for file in self._module(node.module):
                        found[alias.name] = file
        return found
