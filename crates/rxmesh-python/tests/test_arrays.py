"""Arrays in and out: types, shapes, errors, attributes, memory."""

import gc
import os
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest

import rxmesh
from conftest import DATA, tetrahedron


def simplify(v, f, **named):
    return rxmesh.simplify(v, f, **{"faces": 500, "engine": "cpu", **named})


def test_types_come_back(arrays):
    v, f = arrays
    expected = simplify(v, f)
    for floats in (np.float32, np.float64):
        for whole in (np.int32, np.int64, np.uint32):
            result = simplify(v.astype(floats), f.astype(whole))
            assert result.vertices.dtype == floats
            assert result.faces.dtype == whole
            assert np.array_equal(result.vertices, expected.vertices)
            assert np.array_equal(result.faces, expected.faces)
    assert result.vertices.flags.writeable and result.vertices.flags.c_contiguous
    result.vertices[0] = 7.0


def test_strides_are_followed(arrays):
    v, f = arrays
    expected = simplify(v, f)
    wide = np.zeros((len(v), 5), dtype=np.float32)
    wide[:, 1:4] = v
    result = simplify(wide[:, 1:4], np.asfortranarray(f))
    assert np.array_equal(result.vertices, expected.vertices)
    backwards = simplify(v[::-1], (len(v) - 1 - f).astype(np.int64))
    assert len(backwards.faces) == len(expected.faces)
    raw = np.frombuffer(b"\0" + v.tobytes(), dtype=np.uint8)[1:]
    unaligned = raw.view(np.float32).reshape(v.shape) if raw.ctypes.data % 4 == 0 else None
    if unaligned is None:
        unaligned = np.ndarray(v.shape, np.float32, buffer=b"\0" + v.tobytes(), offset=1)
    assert np.array_equal(simplify(unaligned, f).vertices, expected.vertices)


def test_far_meshes_keep_their_digits(arrays):
    v, f = arrays
    far = v.astype(np.float64) / 1000 + np.array([5e5, 5.4e6, 100.0])
    moved = rxmesh.smooth(far, f, iterations=1, engine="cpu").vertices
    near = rxmesh.smooth(v, f, iterations=1, engine="cpu").vertices
    assert moved.dtype == np.float64
    assert np.abs((moved - far) * 1000 - (near - v)).max() < 1e-2
    mesh = rxmesh.Mesh(far, f, engine="cpu")
    assert mesh.vertices.dtype == np.float64
    assert np.abs(mesh.vertices - far).max() < 1e-7


def test_lists():
    v, f = tetrahedron()
    result = rxmesh.normals(v.tolist(), f.tolist(), engine="cpu")
    assert result.vertices.dtype == np.float64
    assert result["normal"].shape == (4, 3)


@pytest.mark.parametrize(
    "v, f, error, text",
    [
        (np.zeros((5, 2), np.float32), None, ValueError, r"v: shape \(n, 3\) .* \(5, 2\)"),
        (np.zeros(6, np.float32), None, ValueError, r"v: shape"),
        (np.zeros((4, 3), np.int32), None, TypeError, r"v: float32 or float64 .* int32"),
        (np.zeros((4, 3), np.float16), None, TypeError, r"v: elements of type <f2"),
        (np.zeros((4, 3), np.complex64), None, TypeError, r"v: elements"),
        (np.zeros((4, 3), ">f4"), None, TypeError, r"v: elements of type >f4"),
        (None, np.zeros((2, 3), np.float32), TypeError, r"f: int32, int64 or uint32 .* float32"),
        (None, np.zeros((2, 2), np.int32), ValueError, r"f: shape \(m, 3\) .* \(2, 2\)"),
        (None, np.array([[0, 1, 4]], np.int32), ValueError, r"f: row 0 holds 4, .* 0 to 3"),
        (None, np.array([[0, 1, 2], [0, -1, 2]]), ValueError, r"f: row 1 holds -1"),
        (None, np.array([[0, 1, 2**40]]), ValueError, r"f: row 0 holds 1099511627776"),
        ("text", None, TypeError, r"v: an array is needed"),
        (np.full((4, 3), np.nan, np.float32), None, ValueError, r"v: vertex 0 .* not finite"),
        (np.full((4, 3), np.inf), None, ValueError, r"v: vertex 0 .* not finite"),
    ],
)
def test_wrong_arrays_name_the_argument(v, f, error, text):
    good = tetrahedron()
    v = good[0] if v is None else v
    f = good[1] if f is None else f
    for operation in ("normals", "delaunay", "repair", "subdivide", "check"):
        with pytest.raises(error, match=text):
            getattr(rxmesh, operation)(v, f)


@pytest.mark.parametrize(
    "given, error, text",
    [
        ({}, TypeError, "faces or ratio or error"),
        ({"faces": "many"}, ValueError, "^faces: 'many'"),
        ({"faces": -1}, ValueError, "^faces: '-1'"),
        ({"faces": 10, "ratio": 2.0}, (ValueError, TypeError), "ratio"),
        ({"faces": [1, 2]}, ValueError, "^faces: '1,2'"),
        ({"faces": 10, "cost": "gold"}, ValueError, "^cost: 'gold' is none of quadric, length"),
        ({"face": 10}, TypeError, "unexpected keyword argument 'face'; did you mean faces"),
        ({"faces": 10, "validate": 3}, TypeError, "^validate: True or False"),
        ({"faces": True}, TypeError, "^faces: a value is needed"),
        ({"faces": object()}, TypeError, "^faces: a number or a text"),
        ({"faces": 10, "engine": "gpu"}, ValueError, "^engine: 'gpu'"),
        ({"faces": 10, "progress": 3}, TypeError, "^progress: a function"),
        ({"faces": 10, "quantile": 0}, ValueError, "quantile"),
        ({"faces": 10, "output": "x"}, TypeError, "unexpected keyword argument 'output'"),
    ],
)
def test_wrong_keywords_name_the_argument(given, error, text):
    v, f = tetrahedron()
    with pytest.raises(error, match=text):
        rxmesh.simplify(v, f, **given)


def test_wrong_positional_arguments():
    v, f = tetrahedron()
    with pytest.raises(TypeError, match="^v: is missing"):
        rxmesh.normals()
    with pytest.raises(TypeError, match="takes 2 positional"):
        rxmesh.normals(v, f, f)
    with pytest.raises(TypeError, match="^f: is given twice"):
        rxmesh.normals(v, f, f=f)
    with pytest.raises(TypeError, match="^v: a Mesh, or arrays"):
        rxmesh.normals(v)
    with pytest.raises(TypeError, match="reference"):
        rxmesh.distance(v, f, engine="cpu")
    with pytest.raises(ValueError, match="the list is empty"):
        rxmesh.merge([])
    with pytest.raises(ValueError, match=r"meshes\[1\].*f: row 0"):
        rxmesh.merge([(v, f), (v, f + 9)])
    with pytest.raises(TypeError, match="is a volume"):
        rxmesh.normals(rxmesh.Mesh(v, cells=np.array([[0, 1, 2, 3]])))
    with pytest.raises(AttributeError, match="simplifi"):
        rxmesh.simplifi


def test_numbers_of_other_types(arrays):
    expected = simplify(*arrays, faces=500)
    for faces in (np.int64(500), np.uint8(200), "500", np.array(500)):
        result = simplify(*arrays, faces=faces)
        assert len(result.faces) <= 500
    assert np.array_equal(result.faces, expected.faces)
    half = simplify(*arrays, faces=None, ratio=np.float32(0.5))
    assert len(half.faces) <= len(arrays[1]) // 2


def test_attributes_are_carried(arrays):
    v, f = arrays
    rng = np.random.default_rng(5)
    given = {
        "temperature": v[:, 0].astype(np.float64),
        "uv": v[:, :2].copy(),
        "material": (np.arange(len(f)) % 3).astype(np.int64),
        "flag": np.arange(len(v)) % 2 == 0,
        "small": rng.integers(-5, 5, len(v)).astype(np.int8),
    }
    result = rxmesh.smooth(v, f, attributes=given, iterations=3, engine="cpu")
    assert set(result.attributes) == set(given)
    for name, values in given.items():
        assert result[name].dtype == values.dtype and np.array_equal(result[name], values), name
    assert set(result.face_attributes) == {"material"}
    small = simplify(v, f, attributes=given)
    count, faces = len(small.vertices), len(small.faces)
    assert small["temperature"].shape == (count,) and small["uv"].shape == (count, 2)
    assert small["material"].shape == (faces,) and small["material"].dtype == np.int64
    assert set(np.unique(small["material"])) <= {0, 1, 2}
    assert small["flag"].dtype == np.bool_
    # Values are carried to where the vertices are.
    assert np.abs(small["temperature"] - small.vertices[:, 0]).max() < 0.5


def test_wrong_attributes():
    v, f = tetrahedron()
    four = np.zeros(4, np.float32)
    with pytest.raises(ValueError, match=r"attributes\[\"x1\"\]: there are 4 vertices and as many"):
        rxmesh.normals(v, f, attributes={"x1": four})
    result = rxmesh.normals(v, f, face_attributes={"a": four}, vertex_attributes={"b": four})
    assert list(result.face_attributes) == ["a"] and "b" in result.vertex_attributes
    with pytest.raises(ValueError, match=r"attributes\[\"a\"\]: 3 rows"):
        rxmesh.normals(v, f, attributes={"a": four[:3]})
    with pytest.raises(ValueError, match="32 bits"):
        rxmesh.normals(v, f, vertex_attributes={"a": np.full(4, 2**40)})
    with pytest.raises(TypeError, match="a dict is needed"):
        rxmesh.normals(v, f, attributes=[four])
    with pytest.raises(TypeError, match="a mesh has its own"):
        rxmesh.normals(rxmesh.Mesh(v, f, engine="cpu"), attributes={"a": four})


def test_polygons():
    cube = rxmesh.read(DATA / "creased_cube.obj", polygons=True)
    assert cube.faces.shape == (6, 4)
    fine = rxmesh.subdivide(cube.vertices, cube.faces, levels=2, engine="cpu")
    assert fine.faces.shape == (96, 4)
    corners = np.array([0, 1, 2, 0, 2, 3, 1, 4, 2, 5, 3], np.int32)
    offsets = np.array([0, 3, 6, 11], np.int32)
    v = np.random.default_rng(1).random((6, 3)).astype(np.float32)
    report = rxmesh.check(v, (corners, offsets)).report["check"]
    assert report["polygons"]["larger"] == 1
    mixed = rxmesh.Mesh(v, (corners, offsets))
    assert mixed.faces[0].tolist() == corners.tolist()
    assert mixed.faces[1].tolist() == offsets.tolist()
    with pytest.raises(ValueError, match="offsets must ascend"):
        rxmesh.check(v, (corners, offsets[:-1]))


def test_mesh_class(tmp_path, arrays):
    v, f = arrays
    mesh = rxmesh.Mesh(v, f, attributes={"x1": v[:, 0]}, engine="cpu")
    assert repr(mesh) == f"Mesh({len(v)} vertices, {len(f)} faces, cpu)"
    assert np.array_equal(mesh.vertices, v) and np.array_equal(mesh.faces, f)
    assert not mesh.vertices.flags.writeable
    # Views outlive the mesh.
    vertices = mesh.vertices
    small = mesh.simplify(faces=500).mesh.smooth(iterations=2)
    mesh.write(tmp_path / "a.ply")
    del mesh
    gc.collect()
    assert np.array_equal(vertices, v)
    small.write(tmp_path / "small.ply")
    rxmesh.write(tmp_path / "again.ply", small.vertices, small.faces, attributes=small.attributes)
    assert (tmp_path / "again.ply").read_bytes() == (tmp_path / "small.ply").read_bytes()
    with pytest.raises(OSError, match="missing"):
        rxmesh.read(tmp_path / "missing.ply")
    with pytest.raises(ValueError, match="^format"):
        small.write(tmp_path / "b", format="nothing")
    with pytest.raises(TypeError, match="^engine: the mesh has its own"):
        rxmesh.normals(small.mesh, engine="cpu")


def test_objects_with_vertices_and_faces(arrays):
    class Other:
        vertices, faces = arrays

    result = rxmesh.simplify(Other(), faces=500, engine="cpu")
    assert np.array_equal(result.vertices, simplify(*arrays).vertices)
    assert isinstance(rxmesh.merge([Other(), arrays]), rxmesh.Result)


def test_dlpack_of_numpy(arrays):
    class Foreign:
        """An array that shows itself by DLPack alone."""

        def __init__(self, array, old=False):
            self.array, self.old = array, old

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

        def __dlpack__(self, **named):
            if self.old and "max_version" in named:
                raise TypeError("unexpected keyword argument")
            return self.array.__dlpack__(**named)

    v, f = arrays
    expected = simplify(v, f)
    for old in (False, True):
        result = simplify(Foreign(v, old), Foreign(f.astype(np.int64)[:, ::-1][:, ::-1], old))
        assert np.array_equal(result.vertices, expected.vertices)
        assert result.faces.dtype == np.int64

    class OnGpu(Foreign):
        def __dlpack_device__(self):
            return (2, 0)

    # Without a GPU, or on one, where the address is none of its memory.
    with pytest.raises((rxmesh.Error, ValueError), match="^v: .*GPU"):
        simplify(OnGpu(v), OnGpu(f))


def test_buffers_are_dlpack(arrays):
    v, _ = arrays
    mesh = rxmesh.Mesh(*arrays, engine="cpu")
    base = mesh.vertices.base
    while isinstance(base, np.ndarray):
        base = base.base
    assert isinstance(base, rxmesh.Buffer)
    assert base.__dlpack_device__() == (1, 0)
    for named in ({}, {"max_version": (1, 0)}, {"copy": True}):
        capsule = base.__dlpack__(**named)
        del capsule
    there = np.from_dlpack(base)
    assert np.array_equal(there, v)
    with pytest.raises(BufferError):
        base.__dlpack__(copy=False)
    with pytest.raises(ValueError):
        base.__dlpack__(stream=1)


def test_torch(arrays):
    torch = pytest.importorskip("torch")
    v, f = arrays
    expected = simplify(v, f)
    tensors = torch.from_numpy(v), torch.from_numpy(f.astype(np.int64))
    result = simplify(*tensors, attributes={"x1": tensors[0][:, 0]})
    assert isinstance(result.vertices, torch.Tensor) and result.faces.dtype == torch.int64
    assert np.array_equal(result.vertices.numpy(), expected.vertices)
    assert isinstance(result["x1"], torch.Tensor)
    with pytest.raises(TypeError, match="^v: "):
        simplify(tensors[0].requires_grad_(), tensors[1])


def test_libraries_of_the_array_api(arrays):
    xp = pytest.importorskip("array_api_strict")
    expected = simplify(*arrays)
    result = simplify(*(xp.asarray(a) for a in arrays), attributes={"x1": arrays[0][:, 0]})
    assert type(result.vertices) is type(xp.asarray(arrays[0]))
    assert np.array_equal(np.from_dlpack(result.vertices), expected.vertices)
    assert np.array_equal(np.from_dlpack(result.faces), expected.faces)


def test_jax(arrays):
    jax = pytest.importorskip("jax")
    expected = simplify(*arrays)
    result = simplify(*(jax.numpy.asarray(a) for a in arrays))
    assert isinstance(result.vertices, jax.Array)
    assert np.array_equal(np.asarray(result.vertices), expected.vertices)


def test_progress_and_its_exceptions(arrays):
    told = []
    simplify(*arrays, progress=lambda stage, ms: told.append((stage, ms)))
    begun = [stage for stage, ms in told if ms is None]
    ended = [stage for stage, ms in told if ms is not None]
    assert begun == ended and "simplifying" in begun

    def stop(stage, ms):
        if stage == "simplifying":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simplify(*arrays, progress=stop)
    mesh = rxmesh.Mesh(*arrays, engine="cpu")

    def look(stage, ms):
        mesh.vertices

    with pytest.raises(rxmesh.Error, match="in use by the call"):
        mesh.smooth(progress=look)
    assert mesh.smooth().vertices.shape == arrays[0].shape


def test_a_goal_that_is_missed_warns():
    v, f = tetrahedron()
    with pytest.warns(RuntimeWarning, match="no_keep_seams"):
        result = rxmesh.simplify(v, f, faces=1, engine="cpu")
    assert not result.converged and result.warnings
    assert "--" not in "".join(result.warnings)


def test_threads(arrays):
    expected = simplify(*arrays)
    mesh = rxmesh.Mesh(*arrays, engine="cpu")
    failed = []

    def work(i):
        try:
            for _ in range(5):
                result = simplify(*arrays) if i % 2 else mesh.simplify(faces=500)
                assert np.array_equal(result.vertices, expected.vertices)
        except BaseException as e:
            failed.append(e)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_the_lock_of_the_interpreter_is_released(arrays):
    turns, done = 0, threading.Event()

    def count():
        nonlocal turns
        while not done.is_set():
            turns += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = turns
    for _ in range(3):
        rxmesh.remesh(*arrays, iterations=1, engine="cpu")
    after = turns
    done.set()
    thread.join()
    assert after - before > 1000


def test_a_forked_process_works(arrays):
    expected = simplify(*arrays)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            mesh = rxmesh.Mesh(*arrays, engine="cpu")
            ok = np.array_equal(simplify(*arrays).vertices, expected.vertices)
            code = 0 if ok and np.array_equal(mesh.smooth().faces, arrays[1]) else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_memory_does_not_grow():
    v, f = tetrahedron()
    for _ in range(4):
        fine = rxmesh.subdivide(v, f, levels=1, scheme="loop", triangles=True, engine="cpu")
        v, f = fine
    mesh = rxmesh.Mesh(v, f, engine="cpu")

    def calls(n):
        for _ in range(n):
            result = rxmesh.smooth(v, f, iterations=1, attributes={"x1": v[:, 0]}, engine="cpu")
            assert result.vertices.shape == v.shape
            np.from_dlpack(mesh.smooth(iterations=1).vertices.base)
            with pytest.raises(ValueError):
                rxmesh.smooth(v, f, iterations="x")
        gc.collect()

    def resident():
        pages = int(open("/proc/self/statm").read().split()[1])
        return pages * resource.getpagesize()

    calls(200)
    before = resident()
    calls(1000)
    assert resident() - before < 4_000_000


def test_import_is_lazy_and_quick():
    code = (
        "import time, sys; t = time.perf_counter(); import rxmesh; "
        "print(time.perf_counter() - t, 'numpy' in sys.modules)"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(5)
    ]
    times = [float(run.stdout.split()[0]) for run in runs]
    assert all(run.stdout.split()[1] == "False" for run in runs)
    assert min(times) < 0.06, times


def test_help_and_signatures():
    import inspect

    signature = inspect.signature(rxmesh.simplify)
    assert list(signature.parameters)[:2] == ["v", "f"]
    assert {"faces", "ratio", "error", "engine", "attributes"} <= set(signature.parameters)
    assert "Largest deviation" in rxmesh.simplify.__doc__
    assert "simplify" in dir(rxmesh) and hasattr(rxmesh.Mesh, "simplify")
