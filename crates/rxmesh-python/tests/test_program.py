"""Results of every operation are those of the program, byte for byte."""

import json

import numpy as np
import pytest

import rxmesh
from conftest import DATA
from rxmesh import _rxmesh
from scenes import SCENE

# For each operation keyword arguments, the same as flags, and the kind of its result.
CASES = {
    "mcf": [({}, []), ({"time_step": 0.01, "tol": 1e-5}, ["--time-step", "0.01", "--tol", "1e-5"])],
    "normals": [({}, [])],
    "filter": [({"iterations": 2}, ["--iterations", "2"])],
    "geodesic": [
        ({"source": [0, 700]}, ["--source", "0", "--source", "700"]),
        ({"source_point": (0.1, 0.2, -0.3)}, ["--source-point", "0.1,0.2,-0.3"]),
    ],
    "curvature": [({}, [])],
    "quality": [({}, [])],
    "components": [({"labels": True}, ["--labels"]), ({"largest": True}, ["--largest"])],
    "smooth": [
        ({"iterations": 5, "lambda_": 0.3}, ["--iterations", "5", "--lambda", "0.3"]),
        ({"taubin": True, "mu": -0.55}, ["--taubin", "--mu", "-0.55"]),
    ],
    "spring": [({"steps": 20, "pin": [3, 5]}, ["--steps", "20", "--pin", "3", "--pin", "5"])],
    "delaunay": [({}, []), ({"validate": True, "seed": 7}, ["--validate", "--seed", "7"])],
    "simplify": [
        ({"faces": 1000}, ["--faces", "1000"]),
        ({"ratio": 0.1, "cost": "length"}, ["--ratio", "0.1", "--cost", "length"]),
        ({"error": "0.1%", "patch_size": 300}, ["--error", "0.1%", "--patch-size", "300"]),
        ({"faces": 500, "repair": True}, ["--faces", "500", "--repair"]),
    ],
    "remesh": [({"iterations": 1, "no_features": True}, ["--iterations", "1", "--no-features"])],
    "track": [({"frames": 2}, ["--frames", "2"])],
    "subdivide": [
        ({"levels": 1}, ["--levels", "1"]),
        ({"levels": 1, "scheme": "loop"}, ["--levels", "1", "--scheme", "loop"]),
        ({"levels": 1, "triangles": True}, ["--levels", "1", "--triangles"]),
    ],
    "repair": [({}, []), ({"weld": "0.001%"}, ["--weld=0.001%"]), ({"weld": True}, ["--weld"])],
    "transform": [
        (
            {"rotate": ("z", 90), "scale": 0.5, "translate": (0, 0, -1.5)},
            ["--rotate", "z,90", "--scale", "0.5", "--translate", "0,0,-1.5"],
        )
    ],
    "sample": [({"points": 500, "seed": 7}, ["--points", "500", "--seed", "7"])],
    "wrap": [({"resolution": 24}, ["--resolution", "24"])],
}

# Operations with tests of their own below.
APART = {"check", "distance", "merge", "cloth", "soft", "simulate", "sdf", "isosurface"}

WITHOUT_ENGINE = {"repair", "transform", "sample", "check", "merge"}


def with_engine(name, given):
    return given if name in WITHOUT_ENGINE else {**given, "engine": "cpu"}


def flags(name):
    return [] if name in WITHOUT_ENGINE else ["--engine", "cpu"]


def test_every_operation_is_compared():
    assert set(CASES) | APART == set(_rxmesh.OPERATIONS)


def same(result, expected):
    """Compares arrays to the last bit."""
    for name in ("vertices", "faces", "cells"):
        a, b = getattr(result, name), getattr(expected, name)
        assert (a is None) == (b is None), name
        if a is not None:
            assert a.shape == b.shape, name
            assert np.asarray(a).tobytes() == np.asarray(b, dtype=a.dtype).tobytes(), name
    for kind in ("vertex_attributes", "face_attributes"):
        a, b = getattr(result, kind), getattr(expected, kind)
        assert list(a) == list(b), kind
        for key in a:
            assert a[key].dtype == b[key].dtype, key
            assert a[key].tobytes() == b[key].tobytes(), key


def reported(record):
    """The keys of an operation's report in the program's record."""
    return record["edit"]["report"] if "edit" in record else record


@pytest.mark.parametrize(
    "name, given, words",
    [(name, given, words) for name, cases in CASES.items() for given, words in cases],
)
def test_results_are_the_programs(program, tmp_path, arrays, bunny, name, given, words):
    out, json_file = tmp_path / "out.ply", tmp_path / "record.json"
    source = DATA / "bunny.obj"
    code = program.run(name, source, *words, *flags(name), "-o", out, "--json", json_file, "-q")
    expected = rxmesh.read(out, polygons=True, engine="cpu")
    v, f = arrays
    with np.errstate(all="raise"):
        result = getattr(rxmesh, name)(v, f, **with_engine(name, given))
    same(result, expected)
    assert result.converged == (code == 0)
    record = reported(json.loads(json_file.read_text()))
    for key, value in result.report.items():
        if key in record:
            assert value == record[key], key
    # Arrays of the caller stay as they are.
    assert v.tobytes() == bunny.vertices.tobytes() and f.tobytes() == bunny.faces.tobytes()
    # A mesh keeps all that the file has: the written file is the program's.
    of_mesh = getattr(bunny, name)(**given)
    written = tmp_path / "of_mesh.ply"
    of_mesh.write(written)
    assert written.read_bytes() == out.read_bytes()


@pytest.mark.parametrize("name", [n for n in CASES if n != "sample"])
def test_results_of_a_mesh_are_those_of_its_arrays(arrays, bunny, name):
    given = CASES[name][0][0]
    of_arrays = getattr(rxmesh, name)(*arrays, **with_engine(name, given))
    of_mesh = getattr(bunny, name)(**given)
    same(of_mesh, of_arrays)
    again = getattr(rxmesh, name)(bunny, **given)
    same(again, of_arrays)


def test_several_meshes(program, tmp_path):
    sources = [DATA / name for name in ("bunny.obj", "spot.ply", "ant.ply")]
    # A list is one batch; of the program's batches on the CPU, larger meshes are alone.
    words = ["--ratio", "0.2", "--engine", "cpu", "--batch-faces", "1000000"]
    program.run("simplify", *sources, *words, "--format", "ply", "-o", tmp_path / "small", "-q")
    meshes = [rxmesh.read(source, engine="cpu") for source in sources]
    pairs = [(mesh.vertices, mesh.faces) for mesh in meshes[:1]] + meshes[1:]
    results = rxmesh.simplify(pairs, ratio=0.2)
    assert len(results) == 3
    for result, source in zip(results, sources):
        expected = rxmesh.read(tmp_path / "small" / (source.stem + ".ply"), engine="cpu")
        assert result.vertices.tobytes() == expected.vertices.tobytes()
        assert result.faces.tobytes() == expected.faces.tobytes()
    assert [m["faces"] for m in results[0].report["meshes"]] == [len(r.faces) for r in results]


def test_check(program, tmp_path, arrays):
    json_file = tmp_path / "record.json"
    program.run("check", DATA / "bunny.obj", "--json", json_file, "-q")
    result = rxmesh.check(*arrays)
    assert result.report["check"] == json.loads(json_file.read_text())["check"]
    assert result.vertices is None and result.attributes == {}
    broken = np.concatenate([arrays[1], arrays[1][:1]])
    with pytest.raises(rxmesh.Error, match="duplicate"):
        rxmesh.check(arrays[0], broken, strict=True)


def test_distance(program, tmp_path, arrays):
    out, json_file = tmp_path / "out.ply", tmp_path / "record.json"
    words = [DATA / "bunny.obj", DATA / "spot.ply", "--samples", "2000", "--engine", "cpu"]
    program.run("distance", *words, "-o", out, "--json", json_file, "-q")
    spot = rxmesh.read(DATA / "spot.ply", engine="cpu")
    pair = (spot.vertices, spot.faces)
    result = rxmesh.distance(*arrays, reference=pair, samples=2000, engine="cpu")
    same(result, rxmesh.read(out, engine="cpu"))
    record = json.loads(json_file.read_text())
    assert result.report["distance"] == record["distance"]
    shown = rxmesh.distance(tuple(arrays), spot, samples=2000, quality=True)
    assert np.array_equal(shown["quality"], result["distance"])


def test_merge(program, tmp_path, arrays):
    out = tmp_path / "out.ply"
    program.run("merge", DATA / "bunny.obj", DATA / "teapot.obj", "-o", out, "-q")
    teapot = rxmesh.read(DATA / "teapot.obj", engine="cpu")
    result = rxmesh.merge([tuple(arrays), (teapot.vertices, teapot.faces)])
    expected = rxmesh.read(out, engine="cpu")
    assert result.vertices.tobytes() == expected.vertices.tobytes()
    assert result.faces.tobytes() == expected.faces.tobytes()


def test_cloth(program, tmp_path):
    grid, out = tmp_path / "grid.ply", tmp_path / "out.ply"
    program.run("generate", "grid", "--nx", "8", "--ny", "8", "-o", grid, "-q")
    program.run("cloth", grid, "--steps", "20", "--engine", "cpu", "-o", out, "-q")
    mesh = rxmesh.read(grid, engine="cpu")
    result = rxmesh.cloth(mesh.vertices, mesh.faces, steps=20, frames=True, engine="cpu")
    expected = rxmesh.read(out, engine="cpu")
    assert result.vertices.tobytes() == expected.vertices.tobytes()
    # PLY has columns of single numbers.
    columns = [expected.attributes[f"velocity_{i}"] for i in range(3)]
    assert np.array_equal(result["velocity"], np.stack(columns, axis=1))
    assert [step for step, _ in result.frames] == [0, 10, 20]
    (last,) = result.frames[-1][1].values()
    assert last.vertices.shape == mesh.vertices.shape


def test_soft(program, tmp_path):
    ball, out = tmp_path / "ball.msh", tmp_path / "out.vtu"
    program.run("generate", "ball", "-n", "2", "-o", ball, "-q")
    program.run("soft", ball, "--steps", "10", "--engine", "cpu", "-o", out, "-q")
    mesh = rxmesh.read(ball)
    assert mesh.faces is None and mesh.cells.shape[1] == 4
    result = rxmesh.soft(mesh.vertices, cells=mesh.cells, steps=10, engine="cpu")
    expected = rxmesh.read(out)
    assert result.vertices.tobytes() == expected.vertices.tobytes()
    assert result.cells.tobytes() == expected.cells.tobytes()
    assert result["velocity"].tobytes() == expected.attributes["velocity"].tobytes()


def test_simulate(program, tmp_path):
    scene = tmp_path / "scene.toml"
    scene.write_text(SCENE)
    json_file = tmp_path / "record.json"
    program.run("simulate", scene, "--engine", "cpu", "--json", json_file, "-q")
    result = rxmesh.simulate(scene, engine="cpu")
    energies = json.loads(json_file.read_text())["energies"]
    assert result.report["energies"] == energies
    assert result.bodies["block"].cells.shape == (12, 4)
    of_text = rxmesh.simulate(SCENE, engine="cpu")
    a, b = of_text.bodies["block"], result.bodies["block"]
    assert a.vertices.tobytes() == b.vertices.tobytes()
    with pytest.raises(OSError):
        rxmesh.simulate(tmp_path / "missing.toml", engine="cpu")
    with pytest.raises(ValueError, match="unknown"):
        rxmesh.simulate(SCENE + "\nunknown = 1\n", engine="cpu")


def test_map(program, tmp_path, arrays):
    out, places = tmp_path / "out.ply", tmp_path / "map.txt"
    words = ["--faces", "1000", "--map", places, "--engine", "cpu", "-o", out, "-q"]
    program.run("simplify", DATA / "bunny.obj", *words)
    result = rxmesh.simplify(*arrays, faces=1000, map=True, engine="cpu")
    lines = places.read_text().split("\n")
    count = len(arrays[0])
    assert result.vertex_map.tolist() == [int(line) for line in lines[1 : count + 1]]
    assert result.face_map.min() == -1


def test_sdf(program, tmp_path, arrays):
    out, json_file = tmp_path / "out.npy", tmp_path / "record.json"
    words = ["--resolution", "12", "--engine", "cpu"]
    program.run("sdf", DATA / "bunny.obj", *words, "-o", out, "--json", json_file, "-q")
    result = rxmesh.sdf(*arrays, resolution=12, engine="cpu")
    expected = np.load(out)
    assert result.values.shape == expected.shape and result.values.dtype == expected.dtype
    assert np.array_equal(result.values, expected)
    record = json.loads(json_file.read_text())
    for key, value in result.report.items():
        assert record[key] == value, key


def test_isosurface(program, tmp_path):
    grid, out, json_file = tmp_path / "grid.npy", tmp_path / "out.ply", tmp_path / "record.json"
    values = np.random.default_rng(3).standard_normal((9, 7, 8)).astype(np.float32)
    np.save(grid, values)
    placed = ["--origin=1,2,-3", "--spacing", "0.5,1,2", "--level", "0.25", "--inside", "above"]
    program.run("isosurface", grid, *placed, "--engine", "cpu", "-o", out, "--json", json_file, "-q")
    options = {"origin": (1, 2, -3), "spacing": (0.5, 1, 2), "level": 0.25, "inside": "above"}
    result = rxmesh.isosurface(values, **options, engine="cpu")
    with pytest.warns(RuntimeWarning, match="rounded"):
        expected = rxmesh.read(out, engine="cpu")
    assert len(result.faces) == len(expected.faces) > 0

    # Vertices come in the order of the values in memory, and faces of a cell are divided along it.
    a, b = (np.asarray(mesh.vertices, dtype=np.float64) for mesh in (result, expected))
    assert np.linalg.norm(a[:, None] - b, axis=2).min(axis=0).max() < 1e-5
    volumes = [np.linalg.det(v[mesh.faces]).sum() for v, mesh in ((a, result), (b, expected))]
    assert volumes[0] == pytest.approx(volumes[1], rel=0.02)
    record = json.loads(json_file.read_text())
    for key, value in result.report.items():
        assert record[key] == value, key
