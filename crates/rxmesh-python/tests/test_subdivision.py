"""Subdivision surfaces that are prepared once."""

import numpy as np
import pytest

import rxmesh
from conftest import tetrahedron


def cube():
    v = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)], dtype=np.float32)
    f = np.array([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])
    return v, f


def moved(v, frame):
    return (v + 0.1 * np.sin(3 * v[:, [1, 2, 0]] + frame)).astype(v.dtype)


@pytest.mark.parametrize(
    "options",
    [
        {"scheme": "loop", "levels": 3},
        {"scheme": "sqrt3", "levels": 2},
        {"levels": 2},
        {"levels": 0},
        {"levels": 2, "boundary": "edge-only", "creasing": "chaikin"},
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_positions_are_those_of_subdivide(options, dtype, arrays):
    v, f = cube()
    f = f[1:]
    if "scheme" in options:
        v, f = arrays
        f = f[:-3]
    surface = rxmesh.Subdivision(f, vertices=len(v), engine="cpu", **options)
    for frame in range(3):
        x = moved(v.astype(dtype), frame)
        whole = rxmesh.subdivide(x, f, engine="cpu", **options)
        got = surface(x)
        assert got.dtype == dtype and got.tobytes() == whole.vertices.tobytes()
        assert surface.faces.dtype == f.dtype and np.array_equal(surface.faces, whole.faces)
        limit, normals = surface(x, limit=True, normals=True) if options["levels"] else (None, None)
        if limit is not None:
            whole = rxmesh.subdivide(x, f, engine="cpu", limit=True, normals=True, **options)
            assert limit.tobytes() == whole.vertices.tobytes()
            assert normals.tobytes() == whole["normal"].tobytes()
    assert len(surface) == len(got)
    assert surface.parents.shape == (len(surface.faces),) and surface.parents.max() == len(f) - 1


def test_far_meshes_keep_their_digits():
    v, f = cube()
    far = v.astype(np.float64) + [500000.25, 4e6, 0]
    surface = rxmesh.Subdivision(f, levels=3, engine="cpu")
    whole = rxmesh.subdivide(far, f, levels=3, engine="cpu")
    assert surface(far).tobytes() == whole.vertices.tobytes()
    out = np.zeros((len(surface), 3))
    assert surface(far, out=out) is out
    assert out.tobytes() == whole.vertices.tobytes()
    assert np.ptp(out, axis=0).max() < 1


def test_creases(tmp_path):
    v, f = cube()
    ends, sharpness = np.array([[0, 1], [3, 1], [4, 5]]), np.array([10.0, 2.5, 1.0])
    (tmp_path / "creases.txt").write_text("0 1 10\n3 1 2.5\n4 5 1\n")
    whole = rxmesh.subdivide(v, f, levels=3, creases=tmp_path / "creases.txt", engine="cpu")
    smooth = rxmesh.subdivide(v, f, levels=3, engine="cpu")
    assert whole.vertices.tobytes() != smooth.vertices.tobytes()
    for creases in [(ends, sharpness), (ends.tolist(), [10, 2.5, 1.0]), tmp_path / "creases.txt"]:
        surface = rxmesh.Subdivision(f, levels=3, creases=creases, engine="cpu")
        assert surface(v).tobytes() == whole.vertices.tobytes()
    sharp = rxmesh.Subdivision(f, levels=3, creases=ends, engine="cpu")(v)
    assert sharp.tobytes() == rxmesh.Subdivision(f, levels=3, creases=(ends, [10.0] * 3), engine="cpu")(v).tobytes()
    mesh = rxmesh.Mesh(v, f)
    angle = rxmesh.Subdivision(mesh, levels=2, creases=30, engine="cpu")
    whole = rxmesh.subdivide(mesh, levels=2, creases=30, engine="cpu")
    assert angle(v).tobytes() == whole.vertices.tobytes()
    assert np.array_equal(angle(v).max(axis=0), [1, 1, 1])


def test_meshes_and_mixed_faces(bunny):
    surface = rxmesh.Subdivision(bunny, scheme="loop", levels=1)
    whole = bunny.subdivide(scheme="loop", levels=1)
    assert surface.engine == "cpu"
    assert surface(bunny.vertices).tobytes() == whole.vertices.tobytes()
    v, f = cube()
    corners = np.array([*f[:5].ravel(), 1, 3, 7, 1, 7, 5])
    offsets = np.array([0, 4, 8, 12, 16, 20, 23, 26])
    for levels in (0, 2):
        surface = rxmesh.Subdivision((corners, offsets), levels=levels, engine="cpu")
        whole = rxmesh.subdivide(v, (corners, offsets), levels=levels, engine="cpu")
        assert surface(v).tobytes() == whole.vertices.tobytes()
        for a, b in zip(surface.faces, whole.faces):
            assert np.array_equal(a, b)


def test_edges_of_three_faces():
    v = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [-1, -1, 0]], dtype=np.float32)
    f = np.array([[0, 1, 2], [0, 1, 3], [0, 1, 4]], dtype=np.int32)
    with pytest.raises(ValueError, match="sharpen_non_manifold"):
        rxmesh.Subdivision(f, scheme="loop", engine="cpu")
    options = {"scheme": "loop", "levels": 2, "sharpen_non_manifold": True, "engine": "cpu"}
    with pytest.warns(RuntimeWarning, match="are sharp"):
        surface = rxmesh.Subdivision(f, **options)
    whole = rxmesh.subdivide(v, f, **options)
    assert surface(v).tobytes() == whole.vertices.tobytes()
    assert np.array_equal(surface.faces, whole.faces)


def test_results_are_written_into_arrays():
    v, f = cube()
    surface = rxmesh.Subdivision(f, levels=2, engine="cpu")
    expected, expected_normals = surface(v, normals=True)
    for dtype in (np.float32, np.float64):
        out, normals = np.zeros((len(surface), 3), dtype), np.zeros((len(surface), 3), dtype)
        assert surface(v, out=out) is out
        assert np.array_equal(out, expected)
        pair = surface(v, normals=True, out=(None, normals))
        assert pair[1] is normals and np.array_equal(normals, expected_normals)
        assert np.array_equal(pair[0], expected)
    strict = pytest.importorskip("array_api_strict")
    out = strict.zeros((len(surface), 3), dtype=strict.float32)
    assert surface(strict.asarray(v), out=out) is out
    assert np.array_equal(np.from_dlpack(out), expected)


def test_wrong_arrays_name_the_argument():
    v, f = cube()
    make = rxmesh.Subdivision
    surface = make(f, levels=1, engine="cpu")
    good = np.zeros((len(surface), 3), np.float32)
    locked = good.copy()
    locked.flags.writeable = False
    for call, error, text in [
        (lambda: make(f, scheme="lop"), ValueError, "^scheme: 'lop' is none of catmull-clark, loop, sqrt3"),
        (lambda: make(f, levels=11), ValueError, "11 levels"),
        (lambda: make(f, levels=-1), OverflowError, None),
        (lambda: make(f, scheme="loop", engine="cpu"), ValueError, "triangles|Loop|loop"),
        (lambda: make(f, vertices=7), ValueError, "^f: row 1 holds 7, .* 0 to 6"),
        (lambda: make(-f), ValueError, "^f: row 0 holds -2"),
        (lambda: make(f.astype(np.float32)), TypeError, "^f: int32"),
        (lambda: make(f, creases=30), TypeError, "^creases: an angle needs positions"),
        (lambda: make(f, creases="30"), TypeError, "^creases: an angle needs positions"),
        (lambda: make(f, creases=[[0, 8]]), ValueError, "^creases: row 0 holds 8"),
        (lambda: make(f, creases=[[0, 1, 2]]), ValueError, r"^creases: shape \(k, 2\)"),
        (lambda: make(f, creases=([[0, 1]], [1.0, 2.0])), ValueError, "^creases: a sharpness for each of 1 edges"),
        (lambda: make(f, creases=([[0, 1]], [-1.0])), ValueError, "^creases: a sharpness is -1"),
        (lambda: make(f, creases=([[0, 1]], [np.nan])), ValueError, "^creases: a sharpness is NaN"),
        (lambda: make(f, creases=[[0, 7]], engine="cpu"), ValueError, "0.*7"),
        (lambda: make(rxmesh.Mesh(v, f), vertices=8), TypeError, "^vertices: the mesh has its own"),
        (lambda: surface(v[:7]), ValueError, r"^v: shape \(8, 3\) is needed, not \(7, 3\)"),
        (lambda: surface(v.astype(np.int32)), TypeError, "^v: float32 or float64"),
        (lambda: surface(v * np.nan), ValueError, "^v: "),
        (lambda: surface(v, out=good[1:]), ValueError, r"^out: shape \(26, 3\) is needed, not \(25, 3\)"),
        (lambda: surface(v, out=good.astype(np.int32)), TypeError, "^out: float32 or float64 is needed, not int32"),
        (lambda: surface(v, out=np.asfortranarray(good)), ValueError, "^out: the array is not contiguous"),
        (lambda: surface(v, out=np.zeros((26, 6), np.float32)[:, ::2]), ValueError, "^out: .* not contiguous"),
        (lambda: surface(v, out=locked), ValueError, "^out: the array is read only"),
        (lambda: surface(v, out=good.tolist()), TypeError, "^out: an array that can be written"),
        (lambda: surface(v, out=3), TypeError, "^out: an array that can be written is needed, not int"),
        (lambda: surface(v, normals=True, out=good), TypeError, "^out: a pair of arrays"),
        (lambda: surface(v, normals=True, out=(good, locked)), ValueError, r"^out\[1\]: the array is read only"),
    ]:
        with pytest.raises(error, match=text):
            call()
        assert not good.any() and not locked.any()


def test_no_faces():
    surface = rxmesh.Subdivision(np.zeros((0, 4), np.int32), engine="cpu")
    assert surface(np.zeros((0, 3), np.float32)).shape == (0, 3)
    v, f = tetrahedron()
    assert repr(rxmesh.Subdivision(f, scheme="loop", levels=1, engine="cpu")).startswith("Subdivision(10 vertices, 16")
