"""A function on each mesh of a folder, on the workers of Ray, Dask or `concurrent.futures`.

>>> import rxmesh.folder
>>> def small(mesh):
...     return mesh.simplify(faces=2000)
>>> rows = rxmesh.folder.process(small, "scans", "small", on="ray")  # doctest: +SKIP

Workers read and write the files themselves, so that the folders must be the same for all of them. This module moves
names and rows only. Ray is `pip install rxmesh[ray]`, Dask `pip install rxmesh[dask]`.
"""

from __future__ import annotations

import functools
import json
import os
import time
import traceback
from concurrent import futures
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, Protocol, Union

from . import Mesh, Result, read

__all__ = ["TABLE", "process", "rows"]

TABLE = "rows.jsonl"
"""Name of the table in the folder of the results."""

Row = dict[str, Any]
Work = Callable[[Mesh], Union[Mesh, Result, None]]

_IN_FLIGHT = 256
"""Most meshes that wait at the workers at a time."""


def process(
    function: Work,
    meshes: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    on: Any = None,
    engine: str = "auto",
    retries: int = 2,
    pattern: str = "**/*",
    suffix: str | None = None,
    resources: Mapping[str, Any] | None = None,
    progress: Callable[[Row], None] | None = None,
) -> list[Row]:
    """Runs a function on each mesh and writes the results. Returns a row for each mesh, in the order of the meshes.

    A row has `mesh`, `output` (None where the function gave no mesh), `status` (`"done"` or `"failed"`), `error` (the
    exception's type and text, of a failure), `traceback`, `attempts`, `seconds`, `vertices`, `faces`, and `report` and
    `warnings` of a `Result`. Rows are appended to the table `rows.jsonl` of the output folder as they come. Another
    call with the same folders continues: meshes whose rows are done, whose files have not changed since, and whose
    results are there, are not processed again; failed ones are.

    function:  takes a `Mesh`, gives a `Mesh`, a `Result` or None. On Ray and Dask any function; for processes of
               `concurrent.futures` one of a module.
    meshes:    a folder, whose files are taken with those of its subfolders, or paths.
    output:    folder of the results, which have the meshes' names, in subfolders as the meshes are.
    on:        `"ray"`, with the cluster that the program is connected to, else a local one; a Dask `Client`; an
               `Executor` of `concurrent.futures` (of processes: start method "spawn"); None for this process.
    engine:    engine of the meshes, on the worker.
    retries:   most attempts after the first, of a mesh whose function raised an exception or whose worker died.
    pattern:   files of the folder that are meshes, such as "**/*.ply".
    suffix:    extension of the results, such as ".glb", in place of the meshes' own.
    resources: what Ray reserves for a mesh, such as {"num_gpus": 0.5}.
    progress:  called with each row.
    """
    if retries < 0:
        raise ValueError(f"retries: 0 or more is needed, not {retries}")
    if suffix is not None and not suffix.startswith("."):
        raise ValueError(f"suffix: it begins with a point, unlike {suffix!r}")
    output = Path(output)
    pairs = _pairs(meshes, pattern, output, suffix)
    output.mkdir(parents=True, exist_ok=True)
    table = output / TABLE
    finished = {row["mesh"]: row for row in rows(table)}
    known = {mesh: finished[mesh] for mesh, to in pairs if _is_current(finished.get(mesh), mesh, to)}
    jobs = [_Job(mesh, to) for mesh, to in pairs if mesh not in known]
    with _Table(table) as appended:
        for row in _run(_workers(on, resources), function, engine, jobs, retries):
            appended.add(row)
            known[row["mesh"]] = row
            if progress is not None:
                progress(row)
    return [known[mesh] for mesh, _ in pairs]


def rows(table: str | os.PathLike[str]) -> list[Row]:
    """Returns the last row of each mesh in a table; none if there is no such file. A line that was cut off when a
    program was killed does not count."""
    found: dict[str, Row] = {}
    try:
        lines = Path(table).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    for line in lines:
        try:
            row = json.loads(line)
            found[row["mesh"]] = row
        except (ValueError, KeyError, TypeError):
            continue
    return list(found.values())


class _Table:
    """A table that rows are appended to. Each is on the disk before the next begins."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "ab+")
        # A line that was cut off is ended.
        if self._file.tell() > 0:
            self._file.seek(-1, os.SEEK_END)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")

    def __enter__(self) -> _Table:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, row: Row) -> None:
        self._file.write(json.dumps(row).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())


class _Job:
    """A mesh to process, and its attempts so far."""

    def __init__(self, mesh: str, output: str) -> None:
        self.mesh = mesh
        self.output = output
        self.attempts = 0


class _Workers(Protocol):
    """Workers of any kind."""

    def submit(self, *arguments: Any) -> Any:
        """Begins `_one(*arguments)` on a worker. Returns what stands for the result."""

    def next(self, waiting: list[Any]) -> Any:
        """Waits for the first of several results. Returns what stands for it."""

    def row(self, done: Any) -> Row:
        """Returns a result that is there; raises an exception if its worker died."""


def _run(
    workers: _Workers, function: Work, engine: str, jobs: list[_Job], retries: int
) -> Iterator[Row]:
    """Yields the last row of each job, in the order in which they end."""
    queue = list(reversed(jobs))
    at_work: dict[Any, _Job] = {}
    while queue or at_work:
        while queue and len(at_work) < _IN_FLIGHT:
            job = queue.pop()
            job.attempts += 1
            at_work[workers.submit(function, job.mesh, job.output, engine)] = job
        done = workers.next(list(at_work))
        job = at_work.pop(done)
        try:
            row = workers.row(done)
        except Exception as error:  # The worker died, or the function did not reach it.
            row = _failed(job.mesh, error)
        row["attempts"] = job.attempts
        if row["status"] == "failed" and job.attempts <= retries:
            # After the others: what is short now may not be later.
            queue.insert(0, job)
        else:
            yield row


def _one(function: Work, mesh: str, output: str, engine: str) -> Row:
    """Processes a mesh, on a worker."""
    start = time.monotonic()
    try:
        before = _state(mesh)
        given = function(read(mesh, engine=engine))
        row: Row = {"mesh": mesh, "output": None, "status": "done"}
        if given is not None:
            if not isinstance(given, (Mesh, Result)):
                raise TypeError(f"the function gave a {type(given).__name__}, not a Mesh or a Result")
            Path(output).parent.mkdir(parents=True, exist_ok=True)
            given.write(output)
            result = given.mesh if isinstance(given, Result) else given
            row["output"] = output
            row["vertices"] = len(result.vertices)
            row["faces"] = len(result.faces)
        if isinstance(given, Result):
            row["report"] = given.report
            row["warnings"] = given.warnings
        row["state"] = before
        json.dumps(row)
    except Exception as error:
        row = _failed(mesh, error)
    row["seconds"] = round(time.monotonic() - start, 6)
    return row


def _failed(mesh: str, error: Exception) -> Row:
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return {
        "mesh": mesh,
        "output": None,
        "status": "failed",
        "error": f"{type(error).__name__}: {error}",
        "traceback": text,
    }


def _state(mesh: str) -> list[int]:
    """Returns the size of a file and the time of its last change, in nanoseconds."""
    found = os.stat(mesh)
    return [found.st_size, found.st_mtime_ns]


def _is_current(row: Row | None, mesh: str, output: str) -> bool:
    """Returns True if a row of an earlier call still holds."""
    if row is None or row.get("status") != "done":
        return False
    try:
        same = row.get("state") == _state(mesh)
    except OSError:
        return False
    return same and (row.get("output") is None or row["output"] == output and os.path.exists(output))


def _pairs(meshes: Any, pattern: str, output: Path, suffix: str | None) -> list[tuple[str, str]]:
    """Returns the path of each mesh and that of its result."""
    if isinstance(meshes, (str, os.PathLike)):
        folder = Path(meshes)
        if not folder.is_dir():
            raise NotADirectoryError(f"meshes: {folder} is no folder")
        below = output.resolve()
        if below == folder.resolve():
            raise ValueError(f"output: the results would take the place of the meshes in {folder}")
        files = (path for path in sorted(folder.glob(pattern)) if path.is_file())
        found = [path for path in files if below not in path.resolve().parents]
        places = [path.relative_to(folder) for path in found]
    else:
        found = [Path(path) for path in meshes]
        places = [Path(path.name) for path in found]
    pairs: list[tuple[str, str]] = []
    taken: dict[Path, Path] = {}
    for path, place in zip(found, places):
        to = output / (place if suffix is None else place.with_suffix(suffix))
        if to in taken:
            raise ValueError(f"meshes: {taken[to]} and {path} would both become {to}")
        if to.resolve() == path.resolve():
            raise ValueError(f"output: the result would take the place of {path}")
        taken[to] = path
        pairs.append((str(path.absolute()), str(to.absolute())))
    return pairs


def _workers(on: Any, resources: Mapping[str, Any] | None) -> _Workers:
    if on == "ray":
        return _Ray(resources or {})
    if resources:
        raise ValueError('resources: they are for on="ray"')
    if on is None:
        return _Here()
    if isinstance(on, futures.Executor):
        return _Futures(on)
    if hasattr(on, "submit") and hasattr(on, "scheduler_info"):
        return _Dask(on)
    raise TypeError(f'on: "ray", a Dask Client, an Executor or None is needed, not {on!r}')


class _Here:
    """This process. The work is done when its row is asked for, so that each row is written before the next mesh."""

    def submit(self, *arguments: Any) -> Any:
        return functools.partial(_one, *arguments)

    def next(self, waiting: list[Any]) -> Any:
        return waiting[0]

    def row(self, done: Any) -> Row:
        return done()


class _Futures:
    """An executor of `concurrent.futures`. One whose process died takes no more work."""

    def __init__(self, executor: futures.Executor) -> None:
        self._executor = executor

    def submit(self, *arguments: Any) -> Any:
        try:
            return self._executor.submit(_one, *arguments)
        except futures.BrokenExecutor as error:
            done: futures.Future[Row] = futures.Future()
            done.set_exception(error)
            return done

    def next(self, waiting: list[Any]) -> Any:
        return next(iter(futures.wait(waiting, return_when=futures.FIRST_COMPLETED).done))

    def row(self, done: Any) -> Row:
        return done.result()


class _Ray:
    """Tasks of Ray."""

    def __init__(self, resources: Mapping[str, Any]) -> None:
        try:
            import ray
        except ImportError as error:
            raise ImportError('on="ray" needs Ray: pip install rxmesh[ray]') from error
        self._ray = ray
        if not ray.is_initialized():
            ray.init()
        # Attempts are counted here, those after a worker's death among them.
        self._one = ray.remote(**{"max_retries": 0, **resources})(_one)
        self._functions: dict[int, Any] = {}

    def submit(self, *arguments: Any) -> Any:
        function, *rest = arguments
        # The function is stored once, not once a mesh.
        stored = self._functions.get(id(function))
        if stored is None:
            stored = self._functions[id(function)] = self._ray.put(function)
        return self._one.remote(stored, *rest)

    def next(self, waiting: list[Any]) -> Any:
        return self._ray.wait(waiting, num_returns=1)[0][0]

    def row(self, done: Any) -> Row:
        return self._ray.get(done)


class _Dask:
    """Tasks of a Dask client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, *arguments: Any) -> Any:
        return self._client.submit(_one, *arguments, pure=False, retries=0)

    def next(self, waiting: list[Any]) -> Any:
        from distributed import wait

        return next(iter(wait(waiting, return_when="FIRST_COMPLETED").done))

    def row(self, done: Any) -> Row:
        return done.result()
