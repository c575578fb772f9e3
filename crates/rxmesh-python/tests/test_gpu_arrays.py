"""Arrays of a GPU, in main memory that stands for it."""

import numpy as np
import pytest

import rxmesh
from conftest import tetrahedron
from gpu_arrays import GpuArray, InterfaceArray, shown


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
