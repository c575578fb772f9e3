"""Results that are written into arrays of the caller."""

import numpy as np
import pytest

import rxmesh
from scenes import SCENE

CALLS = [
    ("smooth", {"iterations": 2}, {"vertices": 3}),
    ("mcf", {}, {"vertices": 3}),
    ("filter", {}, {"vertices": 3}),
    ("spring", {"steps": 2}, {"vertices": 3}),
    ("normals", {}, {"normal": 3}),
    ("curvature", {}, {"gaussian_curvature": 1, "mean_curvature": 1, "angle_defect": 1}),
    ("geodesic", {"source": [0]}, {"distance": 1}),
]


def value(result, name):
    return result.vertices if name == "vertices" else result[name]


def shape(n, width):
    return n if width == 1 else (n, width)


@pytest.mark.parametrize("name, options, columns", CALLS)
def test_values_are_those_of_results(name, options, columns, arrays, bunny):
    v, f = arrays
    function = getattr(rxmesh, name)
    expected = function(v, f, engine="cpu", **options)
    for dtype in (np.float32, np.float64):
        for call in (lambda **named: function(v, f, engine="cpu", **named), getattr(bunny, name)):
            outs = {column: np.full(shape(len(v), width), 7, dtype) for column, width in columns.items()}
            result = call(out=outs, **options)
            for column, out in outs.items():
                assert value(result, column) is out
                assert np.array_equal(out, value(expected, column).astype(dtype)), (name, column)
            assert sorted(result.attributes) == sorted(expected.attributes)
            assert sorted(result.vertex_attributes) == sorted(expected.vertex_attributes)
            assert np.array_equal(result.faces, f)
    if len(columns) == 1:
        (column, width), = columns.items()
        out = np.zeros(shape(len(v), width), np.float32)
        assert value(function(v, f, out=out, engine="cpu", **options), column) is out
        assert np.array_equal(out, value(expected, column))


def test_some_values_and_the_input_itself(arrays):
    v, f = arrays
    expected = rxmesh.curvature(v, f, engine="cpu")
    mean = np.zeros(len(v), np.float32)
    result = rxmesh.curvature(v, f, out={"mean_curvature": mean}, engine="cpu")
    assert result["mean_curvature"] is mean and mean.tobytes() == expected["mean_curvature"].tobytes()
    assert result["angle_defect"].tobytes() == expected["angle_defect"].tobytes()
    expected = rxmesh.smooth(v, f, iterations=2, engine="cpu")
    assert rxmesh.smooth(v, f, iterations=2, out=v, engine="cpu").vertices is v
    assert v.tobytes() == expected.vertices.tobytes()


def test_far_meshes(arrays):
    v, f = arrays
    far = v.astype(np.float64) + [4e6, 0, 0]
    expected = rxmesh.smooth(far, f, iterations=2, engine="cpu")
    out = np.zeros_like(far)
    rxmesh.smooth(far, f, iterations=2, out=out, engine="cpu")
    assert out.tobytes() == expected.vertices.tobytes()
    rxmesh.Mesh(far, f, engine="cpu").smooth(iterations=2, out=out)
    assert out.tobytes() == expected.vertices.tobytes()


def test_arrays_with_dlpack(arrays):
    strict = pytest.importorskip("array_api_strict")
    v, f = arrays
    out = strict.zeros(v.shape, dtype=strict.float32)
    result = rxmesh.normals(v, f, out=out, engine="cpu")
    assert result["normal"] is out
    assert np.from_dlpack(out).tobytes() == rxmesh.normals(v, f, engine="cpu")["normal"].tobytes()


def test_wrong_arrays_name_the_argument_and_nothing_changes(arrays, bunny):
    v, f = arrays
    good = np.zeros_like(v)
    locked = good.copy()
    locked.flags.writeable = False
    smooth = lambda out, **named: rxmesh.smooth(v, f, out=out, **named)
    for call, error, text in [
        (lambda: smooth(good[:-1]), ValueError, rf"^out: shape \({len(v)}, 3\) is needed, not \({len(v) - 1}, 3\)"),
        (lambda: smooth(good.ravel()), ValueError, r"^out: shape .* not \(\d+,\)"),
        (lambda: smooth(good.astype(np.int32)), TypeError, "^out: float32 or float64 is needed, not int32"),
        (lambda: smooth(good.astype(np.float16)), TypeError, "^out: "),
        (lambda: smooth(np.asfortranarray(good)), ValueError, "^out: the array is not contiguous"),
        (lambda: smooth(good[::-1]), ValueError, "^out: the array is not contiguous"),
        (lambda: smooth(locked), ValueError, "^out: the array is read only"),
        (lambda: smooth(bunny.vertices), ValueError, "^out: the array is read only"),
        (lambda: smooth(good.tolist()), TypeError, "^out: .* not a list"),
        (lambda: smooth("out"), TypeError, "^out: an array that can be written is needed, not str"),
        (lambda: smooth({"normal": good}), ValueError, "^out: 'normal' is none of vertices"),
        (lambda: smooth({"vertices": locked}), ValueError, r'^out\["vertices"\]: the array is read only'),
        (lambda: smooth({3: good}), TypeError, "^out: the names are texts"),
        (lambda: smooth(good, iterations="x"), ValueError, "^iterations"),
        (lambda: rxmesh.smooth([bunny], out=good), TypeError, "^out: it goes with one mesh"),
        (lambda: rxmesh.curvature(v, f, out=good), TypeError, "^out: a dict .* gaussian_curvature"),
        (lambda: rxmesh.geodesic(v, f, source=[0], out=good), ValueError, r"^out: shape \(\d+,\) is needed"),
        (lambda: rxmesh.simplify(v, f, faces=9, out=good), TypeError, r"^out: simplify\(\) takes no arrays"),
        (lambda: rxmesh.smooth(v * np.nan, f, out=good), ValueError, "^v: "),
        (lambda: rxmesh.smooth(v, np.maximum(f, 1) + len(v), out=good), ValueError, "^f: "),
    ]:
        with pytest.raises(error, match=text):
            call()
        assert not good.any() and not locked.any()


def test_positions_of_worlds():
    world = rxmesh.World(SCENE, engine="cpu")
    out = np.zeros(world.bodies["block"].vertices.shape, np.float32)
    for _ in range(2):
        world.step(2)
        assert world.positions("block", out=out) is out
        assert out.tobytes() == world.bodies["block"].vertices.tobytes()
        assert world.positions("block").tobytes() == out.tobytes()
    wide = np.zeros(out.shape)
    assert np.array_equal(world.positions("block", out=wide), out)
    with pytest.raises(KeyError, match="cube"):
        world.positions("cube")
    with pytest.raises(ValueError, match="^out: shape"):
        world.positions("block", out=out[1:])
    with pytest.raises(TypeError, match="^out: float32 or float64"):
        world.positions("block", out=out.astype(np.int8))


def test_memory_is_given_back():
    assert rxmesh.trim() >= 0
    assert rxmesh.trim("cpu") == 0
    with pytest.raises(ValueError, match="^engine"):
        rxmesh.trim("tpu")
