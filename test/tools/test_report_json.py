# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--report=json: one schema for a kernel and for many, and what each field says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from json_schemas import fitting, rules
from tool_command import KERNELS, SCALE, Command

import cuda_tile
from cuda_tile.cli import compile as tool
from cuda_tile.report import SCHEMA
from cuda_tile.runtime.record import LaunchRecord

PRODUCT = KERNELS / "13.4" / "matmul_f16_64x64x64.tileirbc"
JSON = ("--report=json", "--no-cache")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test runs in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(name="said")
def said_by(command: Command) -> Any:
    """Gives the JSON of a command line, which fits the schema."""

    def run(*words: object) -> dict[str, Any]:
        return fitting(command(tool, *words).out, "report")

    return run


def test_a_kernel_alone_and_among_others_says_the_same(said: Any) -> None:
    alone = said(PRODUCT, "--gpu", "sm_90", "-o", "k.cubin", "--report=json")
    many = said(PRODUCT, SCALE, "--gpu", "sm_90", "-o", "out", *JSON)
    assert alone["schema"] == many["schema"] == SCHEMA
    assert alone["versions"] == many["versions"]
    assert alone["versions"]["compiler"] == cuda_tile.__version__
    assert alone["versions"]["bytecode"] == "13.5"
    job = many["jobs"][0]
    assert job["kernels"] == alone["kernels"]
    assert set(job["steps"]) >= {"plan", "emit", "ptxas"}
    assert set(job["steps"]) == set(alone["steps"])


def test_the_plan_is_an_object_and_the_record_launches(said: Any) -> None:
    (kernel,) = said(PRODUCT, "--gpu", "sm_90", "-o", "k.cubin", "--report=json")[
        "kernels"
    ]
    assert kernel["plan"]["roles"] == "load"
    assert kernel["plan"]["num_warps"] == 4
    record = LaunchRecord.from_json(kernel["launch"])
    assert record.block[0] == kernel["threads"]


def test_a_remark_has_a_code_and_a_place(said: Any) -> None:
    words = ("--gpu", "sm_90", "-o", "k.cubin", "--abi=tile", "--report=json")
    remark, *_ = said(PRODUCT, *words)["kernels"][0]["remarks"]
    assert (remark["code"], remark["category"]) == ("MemoryMissed", "memory")
    assert remark["text"].startswith("load by cp.async instead of TMA: a launcher")
    assert remark["place"]["file"].endswith("kernels.py")
    assert remark["place"]["line"] > 1


def test_launch_records_lie_beside_each_cubin(said: Any, folder: Path) -> None:
    (kernel,) = said(PRODUCT, "--gpu", "sm_90", "-o", "k.cubin", "--report=json")[
        "kernels"
    ]
    text = (folder / "k.launch.json").read_text()
    alone = fitting(text, "report", "launch_file")
    assert alone == {"schema": SCHEMA, "kernels": {kernel["kernel"]: kernel["launch"]}}
    job, *_ = said(PRODUCT, SCALE, "--gpu", "sm_90", "-o", "out", *JSON)["jobs"]
    beside = Path(job["output"]).with_suffix(".launch.json")
    assert json.loads(beside.read_text()) == alone


def test_text_on_stdout_has_no_file_beside_it(command: Command, folder: Path) -> None:
    command(tool, SCALE, "--gpu", "sm_90", "--emit=ptx", "-o", "-")
    command(tool, SCALE, "--gpu", "sm_90", "--emit=cubin", "-o", "/dev/null")
    assert list(folder.iterdir()) == []


def test_jobs_that_make_no_cubin_fit_the_schema_too(said: Any, folder: Path) -> None:
    (folder / "bad.mlir").write_text("nonsense")
    found = said(SCALE, "bad.mlir", "--gpu", "sm_80", "-o", "out", "--emit=ptx", *JSON)
    assert [job["status"] for job in found["jobs"]] == ["compiled", "refused"]
    refused = found["jobs"][1]
    assert "nonsense" in refused["message"]
    assert refused["kernels"] == []
    assert refused["output"] is None


def test_the_list_of_plans_fits_too(command: Command) -> None:
    words = (PRODUCT, "--gpu", "sm_90", "--list-plans")
    (plans,) = fitting(command(tool, *words).out, "report", "plans").values()
    assert sum(plan["chosen"] for plan in plans) == 1
    near = [{**plans[0], "cost": {"iteration": "36"}}]
    assert not rules("report", "plans").is_valid({"k": near})


def test_the_schema_refuses_what_is_none() -> None:
    """A field that is missing, or of another kind."""
    report_rules = rules("report")
    report = cuda_tile.compile(cuda_tile.load(SCALE), "sm_90").report
    good = json.loads(report.to_json())
    assert report_rules.is_valid(good)
    for change in ({"schema": SCHEMA + 1}, {"kernels": [{}]}, {"steps": []}):
        assert not report_rules.is_valid(good | change), change
    kernel = good["kernels"][0]
    assert not report_rules.is_valid(good | {"kernels": [kernel | {"plan": "{}"}]})
