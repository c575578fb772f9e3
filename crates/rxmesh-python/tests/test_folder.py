"""A folder of meshes on workers: results, failures, retries, and runs that go on after they were killed."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import rxmesh
from rxmesh import folder

HERE = Path(__file__).parent


def half(mesh):
    return mesh.simplify(ratio=0.5)


def dies_once(mesh):
    """Ends its process at the first attempt."""
    mark = Path(os.environ["RXMESH_TEST_MARK"])
    if not mark.exists():
        mark.touch()
        os._exit(7)
    return mesh.smooth(iterations=1)


def slowly(mesh):
    with open(os.environ["RXMESH_TEST_MARK"], "a", encoding="utf-8") as log:
        log.write(f"{len(mesh.faces)}\n")
    time.sleep(0.3)
    return half(mesh)


def strip(n):
    """A strip of 2 n triangles."""
    x = np.arange(n + 1, dtype=np.float32)
    v = np.concatenate([np.stack([x, 0 * x + y, 0 * x], axis=1) for y in (0, 1)])
    a = np.arange(n)
    f = np.concatenate([np.stack([a, a + 1, a + n + 1], 1), np.stack([a + 1, a + n + 2, a + n + 1], 1)])
    return v, f.astype(np.int32)


@pytest.fixture
def scans(tmp_path):
    """Four meshes, one of them in a subfolder, and one that is none."""
    root = tmp_path / "scans"
    (root / "more").mkdir(parents=True)
    for name, n in [("a.ply", 20), ("b.obj", 30), ("c.off", 40), ("more/a.ply", 50)]:
        rxmesh.write(root / name, *strip(n))
    (root / "broken.obj").write_text("v 0 0 zero\n")
    return root


@pytest.fixture(params=["here", "processes", "ray", "dask"])
def on(request):
    """Workers of each kind, two where there are several."""
    os.environ["RAYON_NUM_THREADS"] = "1"
    if request.param == "here":
        yield None
    elif request.param == "processes":
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
            yield executor
    elif request.param == "ray":
        ray = pytest.importorskip("ray")
        paths = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
        environment = {"env_vars": {"PYTHONPATH": paths, "RAYON_NUM_THREADS": "1"}}
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=100 * 2**20,
            runtime_env=environment,
        )
        yield "ray"
        ray.shutdown()
    else:
        distributed = pytest.importorskip("distributed")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster, distributed.Client(cluster) as client:
            client.run(lambda path: sys.path.insert(0, path), str(HERE))
            yield client


def names(root):
    return sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())


def test_each_mesh_has_a_row_and_a_result(scans, tmp_path, on):
    out = tmp_path / "out"
    seen = []
    rows = folder.process(half, scans, out, on=on, engine="cpu", retries=1, progress=seen.append)
    assert [Path(row["mesh"]).name for row in rows] == ["a.ply", "b.obj", "broken.obj", "c.off", "a.ply"]
    assert [row["status"] for row in rows] == ["done", "done", "failed", "done", "done"]
    assert [row["attempts"] for row in rows] == [1, 1, 2, 1, 1]
    assert [row.get("faces") for row in rows] == [20, 30, None, 40, 50]
    assert rows[0]["report"]["faces_before"] == 40
    assert "broken.obj" in rows[2]["error"] and "OSError" in rows[2]["error"], rows[2]["error"]
    assert names(out) == ["a.ply", "b.obj", "c.off", "more/a.ply", "rows.jsonl"]
    # As without workers, to the last byte.
    alone = half(rxmesh.read(scans / "b.obj", engine="cpu"))
    alone.write(tmp_path / "b.obj")
    assert (tmp_path / "b.obj").read_bytes() == (out / "b.obj").read_bytes()
    assert sorted(row["mesh"] for row in seen) == sorted(row["mesh"] for row in rows)
    assert len(folder.rows(out / folder.TABLE)) == 5
    # Only the failed one is processed again, and one that has changed, and one whose result is gone.
    seen.clear()
    rxmesh.write(scans / "broken.obj", *strip(10))
    rxmesh.write(scans / "c.off", *strip(60))
    (out / "a.ply").unlink()
    again = folder.process(half, scans, out, on=on, engine="cpu", progress=seen.append)
    assert sorted(Path(row["mesh"]).name for row in seen) == ["a.ply", "broken.obj", "c.off"]
    assert [row.get("faces") for row in again] == [20, 30, 10, 60, 50]


def test_a_dead_worker_is_a_failed_attempt(scans, tmp_path, on, monkeypatch):
    if on is None or isinstance(on, ProcessPoolExecutor):
        pytest.skip("this process, and pools that break, do not outlive it")
    mark = tmp_path / "mark"
    work = dies_once
    if on == "ray":
        # Environment variables of the driver are not those of its workers.
        path = str(mark)

        def work(mesh):
            os.environ["RXMESH_TEST_MARK"] = path
            return dies_once(mesh)

    else:
        on.run(lambda path: os.environ.update(RXMESH_TEST_MARK=path), str(mark))
    rows = folder.process(work, [scans / "a.ply"], tmp_path / "out", on=on, engine="cpu", retries=3)
    assert rows[0]["status"] == "done" and mark.exists(), rows


def test_a_broken_pool_fails_what_is_left(scans, tmp_path, monkeypatch):
    monkeypatch.setenv("RXMESH_TEST_MARK", str(tmp_path / "mark"))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        rows = folder.process(
            dies_once, [scans / "a.ply", scans / "b.obj"], tmp_path / "out", on=executor, engine="cpu", retries=1
        )
    assert [row["status"] for row in rows] == ["failed"] * 2
    assert "BrokenProcessPool" in rows[0]["error"]
    rows = folder.process(dies_once, [scans / "a.ply", scans / "b.obj"], tmp_path / "out", engine="cpu")
    assert [row["status"] for row in rows] == ["done"] * 2


def test_a_killed_run_goes_on(tmp_path):
    scans, out, log = tmp_path / "scans", tmp_path / "out", tmp_path / "log"
    scans.mkdir()
    for n in range(10, 18):
        rxmesh.write(scans / f"{n}.ply", *strip(n))
    program = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import test_folder, rxmesh.folder as f\n"
        "f.process(test_folder.slowly, sys.argv[2], sys.argv[3], engine='cpu')\n"
    )
    environment = {**os.environ, "RXMESH_TEST_MARK": str(log)}
    words = [sys.executable, "-c", program, HERE, scans, out]
    run = subprocess.Popen(words, env=environment)
    table = out / folder.TABLE
    until = time.monotonic() + 60
    while time.monotonic() < until and len(folder.rows(table)) < 2:
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    run.wait()
    kept = folder.rows(table)
    assert 2 <= len(kept) < 8
    # As if killed within a line.
    with open(table, "ab") as file:
        file.write(b'{"mesh": "' + bytes(5))
    subprocess.run(words, env=environment, check=True)
    finished = folder.rows(table)
    assert len(finished) == 8 and all(row["status"] == "done" for row in finished)
    processed = [int(line) for line in log.read_text().splitlines()]
    # Those with a row once; the one that was at work when the program was killed twice at most.
    assert set(processed) == set(range(20, 36, 2))
    for row in kept:
        assert processed.count(2 * int(Path(row["mesh"]).stem)) == 1
    assert len(processed) <= 9
    for line in table.read_bytes().splitlines():
        if b"\0" not in line:
            json.loads(line)


def test_what_is_wrong_is_refused(scans, tmp_path):
    with pytest.raises(ValueError, match="retries"):
        folder.process(half, scans, tmp_path / "out", retries=-1)
    with pytest.raises(ValueError, match="suffix"):
        folder.process(half, scans, tmp_path / "out", suffix="ply")
    with pytest.raises(TypeError, match="on"):
        folder.process(half, scans, tmp_path / "out", on="spark")
    with pytest.raises(NotADirectoryError, match="scans2"):
        folder.process(half, tmp_path / "scans2", tmp_path / "out")
    with pytest.raises(ValueError, match="a.ply"):
        folder.process(half, [scans / "a.ply", scans / "more/a.ply"], tmp_path / "out")
    with pytest.raises(ValueError, match="place"):
        folder.process(half, scans, scans)
    rows = folder.process(lambda mesh: 3, [scans / "a.ply"], tmp_path / "out", retries=0, engine="cpu")
    assert "TypeError: the function gave a int" in rows[0]["error"]
    rows = folder.process(lambda mesh: None, [scans / "a.ply"], tmp_path / "out", engine="cpu")
    assert (rows[0]["status"], rows[0]["output"]) == ("done", None)
    rows = folder.process(half, [scans / "a.ply"], tmp_path / "glb", engine="cpu", suffix=".glb")
    assert names(tmp_path / "glb") == ["a.glb", "rows.jsonl"] and rows[0]["faces"] == 20
