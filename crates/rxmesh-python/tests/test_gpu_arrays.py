"""Arrays of a GPU, in main memory that stands for it."""

import numpy as np
import pytest

import rxmesh
from conftest import tetrahedron
from gpu_arrays import GpuArray, InterfaceArray, shown
from scenes import SCENE


@pytest.fixture(autouse=True)
def pretend(monkeypatch):
    monkeypatch.setenv("RXMESH_PRETEND_GPU", "1")
    v, f = tetrahedron()
    try:
        rxmesh.normals(shown(v), shown(f))
    except rxmesh.Error:
        pytest.skip("the package is built for users: nothing stands for a GPU")


def host(array):
    return np.asarray(array)


@pytest.mark.parametrize("kind", [GpuArray, InterfaceArray])
def test_results_are_those_of_arrays_on_the_engine(arrays, kind):
    v, f = arrays
    small = rxmesh.simplify(shown(v, kind), shown(f, kind), faces=500)
    assert isinstance(small.vertices, rxmesh.Buffer)
    assert small.vertices.dtype == "float32" and small.faces.dtype == "int32"
    assert small.faces.shape == (500, 3)
    again = rxmesh.simplify(shown(v, kind), shown(f, kind), faces=500)
    assert host(again.vertices).tobytes() == host(small.vertices).tobytes()
    assert host(again.faces).tobytes() == host(small.faces).tobytes()
    assert host(small.faces).max() == small.vertices.shape[0] - 1
    # The result is a mesh for further work.
    smooth = rxmesh.smooth(small.vertices, small.faces, iterations=2)
    assert host(smooth.faces).tobytes() == host(small.faces).tobytes()
    moved = small.mesh.smooth(iterations=2)
    assert host(moved.vertices).tobytes() == host(smooth.vertices).tobytes()


def test_values_are_close_to_those_of_the_host(arrays):
    v, f = arrays
    for name, options in [
        ("smooth", {"iterations": 3}),
        ("mcf", {}),
        ("filter", {}),
        ("normals", {}),
        ("curvature", {}),
        ("quality", {}),
        ("geodesic", {"source": [0]}),
        ("components", {}),
    ]:
        function = getattr(rxmesh, name)
        there = function(shown(v), shown(f), **options)
        here = function(v, f, engine="cpu", **options)
        size = np.ptp(v, axis=0).max()
        assert np.abs(host(there.vertices) - here.vertices).max() < 1e-4 * size, name
        assert np.array_equal(host(there.faces), here.faces), name
        columns = set(here.attributes) - {"quality"}
        assert columns <= set(there.attributes), name
        for column in columns:
            a, b = host(there[column]), here[column]
            assert a.shape == b.shape, (name, column)
            close = np.isclose(a, b, rtol=1e-2, atol=1e-3 * np.abs(b[np.isfinite(b)]).max())
            assert close.mean() > 0.99, (name, column)


def test_every_operation_takes_them(arrays):
    v, f = arrays
    calls = {
        "remesh": {"target_length": 2.0},
        "delaunay": {},
        "spring": {"steps": 2},
        "cloth": {"steps": 2},
        "track": {"frames": 1},
        "subdivide": {"levels": 1},
        "check": {},
        "repair": {},
        "transform": {"scale": 2},
        "sample": {"points": 10},
        "wrap": {"resolution": 24},
    }
    for name, options in calls.items():
        result = getattr(rxmesh, name)(shown(v), shown(f), **options)
        if result.vertices is not None:
            assert isinstance(result.vertices, rxmesh.Buffer), name
            assert np.isfinite(host(result.vertices)).all(), name
    far = rxmesh.distance(shown(v), shown(f), reference=(shown(v), shown(f)))
    assert far.report["distance"]["hausdorff"] < 1e-3
    both = rxmesh.simplify([(shown(v), shown(f)), (shown(v), shown(f))], faces=300)
    assert [host(r.faces).shape for r in both] == [(300, 3)] * 2
    joined = rxmesh.merge([(shown(v), shown(f)), (shown(v), shown(f))])
    assert joined.faces.shape == (2 * len(f), 3)


def test_types_and_strides(arrays):
    v, f = arrays
    expected = rxmesh.smooth(v, f, iterations=2, engine="cpu")
    wide = np.zeros((len(v), 5), np.float32)
    wide[:, 1:4] = v
    for positions, faces in [
        (v.astype(np.float64), f.astype(np.int64)),
        (wide[:, 1:4], np.asfortranarray(f)),
        (v, f.astype(np.int64)),
        (v, f.astype(np.int16)),
    ]:
        for kind in (GpuArray, InterfaceArray):
            got = rxmesh.smooth(shown(positions, kind), shown(faces, kind), iterations=2)
            assert got.vertices.dtype == positions.dtype.name
            assert np.allclose(host(got.vertices), expected.vertices, atol=1e-3)
            assert np.array_equal(host(got.faces), f)
    backwards = rxmesh.smooth(shown(v[::-1]), shown(len(v) - 1 - f), iterations=2)
    assert np.allclose(host(backwards.vertices)[::-1], expected.vertices, atol=1e-3)


@pytest.mark.parametrize("kind", [GpuArray, InterfaceArray])
def test_numbers_of_64_bits_are_converted_there_and_back(arrays, kind):
    # Large enough for the sample of positions that is read.
    fine = rxmesh.subdivide(*arrays, scheme="loop", levels=1, engine="cpu")
    v, f = fine.vertices, fine.faces
    expected = rxmesh.smooth(shown(v, kind), shown(f, kind), iterations=2)
    wide = np.zeros((len(v), 5))
    wide[:, 1:4] = v
    for positions, faces in [
        (v.astype(np.float64), f.astype(np.int64)),
        (v, f.astype(np.uint64)),
        (wide[:, 1:4], np.asfortranarray(f.astype(np.int64))),
        (wide.astype(np.float32)[:, 1:4], f),
    ]:
        given = shown(positions, kind), shown(faces, kind)
        got = rxmesh.smooth(*given, iterations=2)
        signed = {"uint64": "int64"}.get(faces.dtype.name, faces.dtype.name)
        assert (got.vertices.dtype, got.faces.dtype) == (positions.dtype.name, signed)
        assert host(got.vertices).astype(np.float32).tobytes() == host(expected.vertices).tobytes()
        assert np.array_equal(host(got.faces), f)
    out = np.zeros(v.shape)
    rxmesh.smooth(*given, iterations=2, out=shown(out, kind))
    assert out.astype(np.float32).tobytes() == host(expected.vertices).tobytes()


def test_points_far_away_keep_their_shape(arrays):
    v, f = arrays
    far = v.astype(np.float64) / np.ptp(v) + [5e5, 5.4e6, 10.0]
    got = host(rxmesh.smooth(shown(far), shown(f), iterations=2).vertices)
    expected = rxmesh.smooth(far, f, iterations=2, engine="cpu").vertices
    assert got.dtype == np.float64 and np.abs(got - expected).max() < 1e-5


def test_attributes_go_along(arrays):
    v, f = arrays
    small = rxmesh.simplify(
        shown(v), shown(f), faces=500, attributes={"heat": shown(v[:, 0].copy())}
    )
    assert isinstance(small["heat"], rxmesh.Buffer)
    assert np.abs(host(small["heat"]) - host(small.vertices)[:, 0]).max() < 0.5


@pytest.mark.parametrize(
    "v, f, error, text",
    [
        (np.zeros((5, 2), np.float32), None, ValueError, r"v: shape \(n, 3\) .* \(5, 2\)"),
        (np.zeros((4, 3), np.int32), None, TypeError, r"v: float32 or float64 .* int32"),
        (np.zeros((4, 3), np.float16), None, TypeError, r"v: elements of .*16 bits|v: elements"),
        (None, np.zeros((2, 3), np.float32), TypeError, r"f: int32, int64 or uint32 .* float32"),
        (None, np.array([[0, 1, 4]], np.int32), ValueError, r"f: row 0 holds 4, .* 0 to 3"),
        (None, np.array([[0, 1, 2], [0, -1, 2]], np.int32), ValueError, r"f: row 1 holds -1"),
        (None, np.array([[0, 1, 2**40]]), ValueError, r"f: row 0 holds 1099511627776"),
        (None, np.array([[0, 1, 2], [3, -7, 2]]), ValueError, r"f: row 1 holds -7, .* 0 to 3"),
        (None, np.array([[0, 1, 2], [0, 2**32, 9]]), ValueError, r"f: row 1 holds 4294967296"),
        (None, np.array([[0, 1, 2**64 - 1]], np.uint64), ValueError, r"f: row 0 holds 18446744073709551615"),
        (np.full((4, 3), np.nan), None, ValueError, r"v: .* not (a )?finite"),
        (np.full((4, 3), np.nan, np.float32), None, ValueError, r"v: .* not (a )?finite"),
    ],
)
@pytest.mark.parametrize("kind", [GpuArray, InterfaceArray])
def test_wrong_arrays_name_the_argument(v, f, error, text, kind):
    good = tetrahedron()
    v = good[0] if v is None else v
    f = good[1] if f is None else f
    for operation in ("normals", "delaunay", "check"):
        with pytest.raises(error, match=text):
            getattr(rxmesh, operation)(shown(v, kind), shown(f, kind))


def test_wrong_devices_and_interfaces():
    v, f = tetrahedron()
    with pytest.raises(ValueError, match="^f: the array is in main memory, and `v` is on GPU 0"):
        rxmesh.normals(shown(v), f)
    with pytest.raises(ValueError, match="^f: the array is on GPU 0, and `v` is in main memory"):
        rxmesh.normals(v, shown(f))
    with pytest.raises(ValueError, match="^f: the array is on GPU 1, and `v` is on GPU 0"):
        rxmesh.normals(shown(v), shown(f, device=(2, 1)))
    with pytest.raises(ValueError, match="^v: there is no GPU with number -1"):
        rxmesh.normals(shown(v, device=(2, -1)), shown(f))
    with pytest.raises(TypeError, match="^v: the array is on a device of kind 10"):
        rxmesh.normals(shown(v, device=(10, 0)), shown(f))
    with pytest.raises(ValueError, match="^v: the stream 0"):
        rxmesh.normals(shown(v, InterfaceArray, stream=0), shown(f))
    with pytest.raises(TypeError, match="^v: masks"):
        rxmesh.normals(shown(v, InterfaceArray, mask=shown(v, InterfaceArray)), shown(f))

    class Failing(GpuArray):
        def __dlpack__(self, **named):
            raise RuntimeError("this tensor requires a gradient")

    with pytest.raises(TypeError, match="^v: this tensor requires a gradient"):
        rxmesh.normals(shown(v, Failing), shown(f))

    class Moving(GpuArray):
        def __dlpack_device__(self):
            return (2, 0)

    with pytest.raises(ValueError, match="^v: __dlpack__ and __dlpack_device__"):
        rxmesh.normals(shown(v, Moving, device=(2, 1)), shown(f))


def test_producers_are_asked_with_a_stream(arrays):
    v, f = arrays
    for versions in (True, False):
        positions, faces = shown(v, versions=versions), shown(f, versions=versions)
        rxmesh.smooth(positions, faces)
        assert positions.log and all(isinstance(stream, int) for stream in positions.log)
    # An engine by its name is the arrays' own; another one gets them through main memory.
    for engine in ("auto", "cuda", "cuda:0", "cpu"):
        result = rxmesh.smooth(shown(v), shown(f), engine=engine)
        assert isinstance(result.vertices, rxmesh.Buffer)


def test_meshes_of_them(arrays, tmp_path):
    v, f = arrays
    mesh = rxmesh.Mesh(shown(v), shown(f))
    assert repr(mesh).startswith(f"Mesh({len(v)} vertices, {len(f)} faces")
    assert isinstance(mesh.vertices, rxmesh.Buffer)
    assert host(mesh.vertices).tobytes() == v.tobytes()
    assert host(mesh.faces).tobytes() == f.tobytes()
    assert mesh.smooth(iterations=1).mesh.normals()["normal"].shape == (len(v), 3)
    mesh.simplify(faces=300).mesh.write(tmp_path / "small.ply")
    assert len(rxmesh.read(tmp_path / "small.ply", engine="cpu").faces) == 300
    rxmesh.write(tmp_path / "all.ply", shown(v), shown(f))
    assert len(rxmesh.read(tmp_path / "all.ply", engine="cpu").faces) == len(f)


def test_empty_arrays():
    v, f = np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32)
    result = rxmesh.smooth(shown(v), shown(f))
    assert result.vertices.shape == (0, 3) and result.faces.shape == (0, 3)


@pytest.mark.parametrize("kind", [GpuArray, InterfaceArray])
def test_surfaces_of_them(arrays, kind):
    v, f = arrays
    options = {"scheme": "loop", "levels": 2}
    whole = rxmesh.subdivide(v, f, engine="cpu", limit=True, normals=True, **options)
    plain = rxmesh.subdivide(v, f, engine="cpu", **options)
    surface = rxmesh.Subdivision(shown(f, kind), **options)
    assert isinstance(surface.faces, rxmesh.Buffer)
    assert host(surface.faces).tobytes() == plain.faces.tobytes()
    got = surface(shown(v, kind))
    assert isinstance(got, rxmesh.Buffer) and host(got).tobytes() == plain.vertices.tobytes()
    # Limit points are rounded in another frame in main memory.
    limit, normals = surface(shown(v, kind), limit=True, normals=True)
    assert host(limit).tobytes() == whole.vertices.tobytes()
    assert host(normals).tobytes() == whole["normal"].tobytes()
    wide = surface(shown(v.astype(np.float64), kind))
    assert wide.dtype == "float64" and np.allclose(host(wide), plain.vertices, atol=1e-4)
    out = np.zeros((len(surface), 3), np.float32)
    there = shown(out, kind)
    assert surface(shown(v, kind), out=there) is there
    assert out.tobytes() == plain.vertices.tobytes()
    with pytest.raises(ValueError, match="^out: the array is in main memory, and the result is on GPU 0"):
        surface(shown(v, kind), out=out)


@pytest.mark.parametrize("kind", [GpuArray, InterfaceArray])
def test_results_are_written_into_them(arrays, kind):
    v, f = arrays
    calls = [("smooth", {"iterations": 2}, 3), ("normals", {}, 3), ("geodesic", {"source": [0]}, 1)]
    for name, options, width in calls:
        function = getattr(rxmesh, name)
        expected = function(shown(v, kind), shown(f, kind), **options)
        column = {"smooth": "vertices", "normals": "normal", "geodesic": "distance"}[name]
        want = host(expected.vertices if name == "smooth" else expected[column])
        for dtype in (np.float32, np.float64):
            out = np.zeros((len(v), 3) if width == 3 else len(v), dtype)
            there = shown(out, kind)
            result = function(shown(v, kind), shown(f, kind), out=there, **options)
            assert (result.vertices if name == "smooth" else result[column]) is there
            assert np.array_equal(out, want.astype(dtype)), (name, dtype)
            out[:] = 0
            mesh = rxmesh.Mesh(shown(v, kind), shown(f, kind))
            getattr(mesh, name)(out=there, **options)
            assert np.array_equal(out, want.astype(dtype)), (name, dtype)


def test_wrong_outputs_name_the_argument(arrays):
    v, f = arrays
    good = np.zeros_like(v)
    mesh = rxmesh.Mesh(shown(v), shown(f))
    for call, error, text in [
        (lambda: rxmesh.smooth(shown(v), shown(f), out=good), ValueError, "^out: the array is in main memory"),
        (lambda: mesh.smooth(out=good), ValueError, "^out: the array is in main memory"),
        (lambda: rxmesh.smooth(v, f, out=shown(good), engine="cpu"), ValueError, "^out: the array is on GPU 0"),
        (lambda: rxmesh.smooth(shown(v), shown(f), out=shown(good, device=(2, 1))), ValueError, "^out: .* on GPU 1"),
        (lambda: rxmesh.smooth(shown(v), shown(f), out=shown(good[1:])), ValueError, "^out: shape"),
        (lambda: rxmesh.smooth(shown(v), shown(f), out=shown(good.astype(np.int32))), TypeError, "^out: float32"),
        (lambda: rxmesh.smooth(shown(v), shown(f), out=shown(good[::-1])), ValueError, "^out: .* not contiguous"),
    ]:
        with pytest.raises(error, match=text):
            call()
        assert not good.any()


def read_back(work):
    """Returns a result, and the bytes that were copied from the engines to main memory for it."""
    before = rxmesh._rxmesh.traffic()[1]
    return work(), rxmesh._rxmesh.traffic()[1] - before


@pytest.mark.parametrize("kind", [GpuArray, InterfaceArray])
@pytest.mark.parametrize("name", ["flip", "split", "collapse"])
def test_edits_of_them(arrays, kind, name):
    v, f = arrays
    results = []
    for form in ("mask", "int32", "int64", "uint32", "every second int64", "host", "list"):
        edit = rxmesh.Mesh(shown(v, kind), shown(f, kind)).edit()
        edges, copied = read_back(lambda: edit.edges)
        assert isinstance(edges, rxmesh.Buffer) and (edges.dtype, edges.shape[1]) == ("int32", 2)
        assert repr(edit) == f"Edit({len(v)} vertices, {edges.shape[0]} edges, {len(f)} faces)"
        x = host(edit.vertices)[host(edges)]
        long = np.linalg.norm(x[:, 0] - x[:, 1], axis=1)
        mask = long > np.median(long)
        chosen = np.flatnonzero(mask)
        given = {
            "mask": lambda: shown(mask, kind),
            "every second int64": lambda: shown(np.repeat(chosen, 2)[::2], kind),
            "host": lambda: mask,
            "list": lambda: chosen.tolist(),
        }.get(form, lambda: shown(chosen.astype(form), kind))
        report, more = read_back(lambda: getattr(edit, name)(given()))
        vertices, again = read_back(lambda: edit.vertices)
        faces, last = read_back(lambda: edit.faces)
        # The host reads counts: much less than a mask.
        assert max(copied, again, last) < 500 and more < 4 * len(mask), (copied, more, again, last)
        assert isinstance(report.mask, rxmesh.Buffer) and report.mask.dtype == "bool"
        changed = host(report.mask)
        assert changed.shape == mask.shape and changed.sum() == report.done > 0 and not changed[~mask].any()
        assert report.asked == mask.sum() == report.done + report.refused + report.conflicts
        assert edit.validate() == []
        assert (vertices.dtype, faces.dtype) == ("float32", "int32")
        mesh = edit.finish()
        assert mesh.vertices.shape == vertices.shape and mesh.faces.shape == faces.shape
        arrays_now = [host(a).tobytes() for a in (vertices, faces, report.mask, mesh.vertices, mesh.faces)]
        results.append((repr(report), arrays_now))
    assert all(result == results[0] for result in results[1:])


def test_edits_are_those_of_main_memory(arrays):
    """Splits, which all happen, give the same vertices as those of a mesh in main memory."""
    v, f = arrays

    def split(mesh, show):
        edit = mesh.edit()
        x = host(edit.vertices)[host(edit.edges)]
        long = np.linalg.norm(x[:, 0] - x[:, 1], axis=1)
        report = edit.split(show(long > 0.5 * long.max()))
        return report.done, len(host(edit.faces)), np.sort(host(edit.vertices), axis=0).tobytes()

    there = split(rxmesh.Mesh(shown(v), shown(f)), shown)
    assert there == split(rxmesh.Mesh(v, f, engine="cpu"), np.asarray)


def test_types_of_edits(arrays):
    v, f = arrays
    edit = rxmesh.Mesh(shown(v.astype(np.float64)), shown(f.astype(np.int64))).edit()
    assert (edit.edges.dtype, edit.faces.dtype, edit.vertices.dtype) == ("int64", "int64", "float32")
    count = edit.edges.shape[0]
    for empty in ([], shown(np.zeros(0, np.float32)), shown(np.zeros(0, np.int64)), shown(np.zeros(count, bool))):
        report = edit.flip(empty)
        assert (report.asked, report.done, report.rounds) == (0, 0, 0) and not host(report.mask).any()
    # Other types and strides are copied to main memory.
    assert edit.split(shown(np.array([0, 5], np.int16))).done == 2
    count = edit.edges.shape[0]
    assert edit.split(shown(np.ones(2 * count, bool)[::2])).done == count
    assert edit.validate() == []
    with edit:
        pass
    assert edit.mesh.faces.dtype == "int64"


@pytest.mark.parametrize("kind", [GpuArray, InterfaceArray])
def test_wrong_edges_name_the_argument(arrays, kind):
    v, f = arrays
    edit = rxmesh.Edit((shown(v, kind), shown(f, kind)))
    before = host(edit.edges).tobytes()
    count = edit.edges.shape[0]
    for edges, error, text in [
        (np.ones(count - 1, bool), ValueError, rf"^edges: a mask has shape \({count},\), not \({count - 1},\)"),
        (np.ones((count, 1), bool), ValueError, "^edges: a mask"),
        (np.array([count]), ValueError, f"^edges: row 0 holds {count}, which is not from 0 to {count - 1}"),
        (np.array([0, -1]), ValueError, "^edges: row 1 holds -1"),
        (np.array([0, 1, -1], np.int32), ValueError, "^edges: row 2 holds -1"),
        (np.array([0, 2**63 + 5], np.uint64), ValueError, f"^edges: row 1 holds {2**63 + 5}"),
        (np.array([0.5]), TypeError, "^edges: int32"),
    ]:
        for change in (edit.flip, edit.split, edit.collapse):
            with pytest.raises(error, match=text):
                change(shown(edges, kind))
    assert host(edit.edges).tobytes() == before


@pytest.mark.parametrize("kind", [GpuArray, InterfaceArray])
def test_positions_of_worlds_are_written_into_them(kind):
    cloth = '[[body]]\nname = "sheet"\nsheet = { divisions = [9, 7], size = [1.0, 1.0] }\nsolver.xpbd = {}\n'
    world = rxmesh.World(SCENE + cloth, engine="cpu")
    for name in ("sheet", "block"):
        out = np.zeros(world.bodies[name].vertices.shape, np.float32)
        there = shown(out, kind)
        for _ in range(2):
            world.step(2)
            result, copied = read_back(lambda: world.positions(name, out=there))
            assert result is there and copied == 0
            assert out.tobytes() == world.bodies[name].vertices.tobytes()
    wide = np.zeros(out.shape)
    assert read_back(lambda: world.positions("block", out=shown(wide, kind)))[1] == 0
    assert np.array_equal(wide, out)
    for wrong, error, text in [
        (out[1:], ValueError, "^out: shape"),
        (out.astype(np.int32), TypeError, "^out: float32"),
        (np.zeros((len(out), 6), np.float32)[:, ::2], ValueError, "^out: .* not contiguous"),
    ]:
        with pytest.raises(error, match=text):
            world.positions("block", out=shown(wrong, kind))


def test_normals_are_counted_on_the_engine(arrays):
    v, f = arrays
    v = np.concatenate([v, v[:5]])
    result, copied = read_back(lambda: rxmesh.normals(shown(v), shown(f)))
    assert copied < len(v)
    assert result.report["normals"] == rxmesh.normals(v, f, engine="cpu").report["normals"] == {"zero": 5}
