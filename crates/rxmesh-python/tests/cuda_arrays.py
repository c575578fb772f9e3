"""Tests on a GPU: arrays in its memory in and out. Needs numpy and the package; torch, if it is there, is tested too.

    python cuda_arrays.py [--mesh FILE] [--calls N] [--without-torch]

Prints a line for each test and ends with 1 if one has failed. Arrays without torch are made with the driver's
interface in libcuda.so.1.
"""

import argparse
import ctypes
import gc
import importlib
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from gpu_arrays import GpuArray, InterfaceArray  # noqa: E402

import rxmesh  # noqa: E402

FAILED = []
LEGACY = 1


class Driver:
    """The few functions of the driver that the tests need, on the context that all libraries share."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        self.enter()

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name} gave {code}")

    def enter(self):
        self.call("cuCtxSetCurrent", self.context)

    def current(self):
        context = ctypes.c_void_p()
        self.call("cuCtxGetCurrent", ctypes.byref(context))
        return context.value

    def stream(self):
        stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)
        return stream.value

    def wait(self, stream=None):
        self.call("cuStreamSynchronize", ctypes.c_void_p(stream))

    def free_bytes(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value

    def upload(self, array, at=None, stream=None):
        array = np.ascontiguousarray(array)
        memory = at or Memory(self, array.nbytes)
        self.call(
            "cuMemcpyHtoDAsync_v2",
            ctypes.c_uint64(memory.address),
            ctypes.c_void_p(array.ctypes.data),
            ctypes.c_size_t(array.nbytes),
            ctypes.c_void_p(stream),
        )
        self.wait(stream)
        return memory

    def fill(self, address, value, size, stream):
        self.call(
            "cuMemsetD8Async", ctypes.c_uint64(address), value, ctypes.c_size_t(size), ctypes.c_void_p(stream)
        )

    def download(self, array):
        """Returns an array of a GPU, as `__cuda_array_interface__` describes it, in main memory."""
        shown = array.__cuda_array_interface__
        out = np.zeros(shown["shape"], shown["typestr"])
        assert shown["strides"] is None
        if out.nbytes:
            self.call(
                "cuMemcpyDtoH_v2",
                ctypes.c_void_p(out.ctypes.data),
                ctypes.c_uint64(shown["data"][0]),
                ctypes.c_size_t(out.nbytes),
            )
        return out


class Memory:
    """Memory of the GPU that is given back with the object."""

    def __init__(self, driver, size):
        address = ctypes.c_uint64()
        driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 1)))
        self.driver, self.address = driver, address.value

    def __del__(self):
        self.driver.enter()
        self.driver.cuda.cuMemFree_v2(ctypes.c_uint64(self.address))


def test(function):
    """Runs a test, and notes whether it fails."""
    start = time.perf_counter()
    try:
        note = function()
    except BaseException:
        FAILED.append(function.__name__)
        print(f"FAILED {function.__name__}", flush=True)
        traceback.print_exc(file=sys.stdout)
    else:
        seconds = time.perf_counter() - start
        print(f"ok     {function.__name__} {seconds:.2f} s{': ' + note if note else ''}", flush=True)


def grid(n):
    """Returns a bumpy closed surface (a torus) of 2 n n triangles: float32 and int32."""
    u, v = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    a, b = 2 * np.pi * u / n, 2 * np.pi * v / n
    r = 0.4 + 0.02 * np.sin(9 * a) * np.cos(7 * b)
    x = np.stack([(1 + r * np.cos(b)) * np.cos(a), (1 + r * np.cos(b)) * np.sin(a), r * np.sin(b)], -1)
    at = lambda i, j: (i % n) * n + j % n
    p, q, s, t = at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)
    f = np.concatenate([np.stack([p, q, s], -1).reshape(-1, 3), np.stack([p, s, t], -1).reshape(-1, 3)])
    return x.reshape(-1, 3).astype(np.float32), f.astype(np.int32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mesh", help="a file to test with, beside generated meshes")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--without-torch", action="store_true")
    given = parser.parse_args()
    print("python", sys.version.replace("\n", " "))
    print("machine", platform.platform(), "cores", os.cpu_count())
    for name in ("numpy", "torch", "cupy", "jax", "numba"):
        try:
            module = sys.modules.get(name) or (importlib.import_module(name) if name in ("numpy", "torch") else None)
            version = module.__version__ if module else "not imported"
        except Exception as e:
            version = f"no ({type(e).__name__})"
        print(name, version)
    print("rxmesh", rxmesh.__version__, rxmesh._rxmesh.__file__, flush=True)

    driver = Driver()
    v, f = grid(100)
    if given.mesh:
        mesh = rxmesh.read(given.mesh, engine="cpu")
        v, f = np.array(mesh.vertices, np.float32), np.array(mesh.faces)

    def gpu(array, kind=GpuArray, stream=LEGACY, **named):
        memory = driver.upload(array)
        if kind is InterfaceArray:
            named["stream"] = stream
        return kind(memory.address, array.dtype, array.shape, keep=memory, **named)

    def down(array):
        return driver.download(array)

    def same(a, b, name="", most=0.0):
        p, q = down(a.vertices), down(b.vertices)
        assert p.shape == q.shape, f"{name}: {len(p)} and {len(q)} vertices"
        off = np.abs(p - q).max()
        assert off <= most and (most > 0 or p.tobytes() == q.tobytes()), f"{name}: positions differ by up to {off}"
        assert down(a.faces).tobytes() == down(b.faces).tobytes(), f"{name}: faces differ"

    def first_call():
        start = time.perf_counter()
        result = rxmesh.simplify(gpu(v), gpu(f), ratio=0.1)
        assert result.faces.shape[0] <= len(f) // 10 and result.converged
        assert isinstance(result.vertices, rxmesh.Buffer), type(result.vertices)
        assert result.vertices.__dlpack_device__() == (2, 0)
        return f"first simplify with the start of the engine {time.perf_counter() - start:.3f} s"

    def both_interfaces():
        a = rxmesh.simplify(gpu(v), gpu(f), faces=1000)
        for versions in (True, False):
            same(a, rxmesh.simplify(gpu(v, versions=versions), gpu(f, versions=versions), faces=1000))
        for stream in (LEGACY, 2, None, driver.stream()):
            kinds = [gpu(array, InterfaceArray, stream) for array in (v, f)]
            same(a, rxmesh.simplify(*kinds, faces=1000))
        got = down(a.faces)
        assert got.min() == 0 and got.max() == a.vertices.shape[0] - 1
        assert np.isfinite(down(a.vertices)).all()
        return f"{len(got)} faces"

    def operations():
        """Runs every operation, and compares measures with those of the CPU."""
        calls = {
            "simplify": {"ratio": 0.2}, "remesh": {}, "delaunay": {}, "smooth": {"iterations": 3},
            "mcf": {}, "filter": {}, "normals": {}, "curvature": {}, "quality": {}, "components": {},
            "geodesic": {"source": [0]}, "track": {"frames": 1}, "subdivide": {"levels": 1},
            "check": {}, "repair": {}, "transform": {"scale": 2}, "sample": {"points": 100}, "spring": {"steps": 2},
            "wrap": {"resolution": 24},
        }
        size = np.ptp(v, axis=0).max()
        for name, options in calls.items():
            function = getattr(rxmesh, name)
            cpu = {} if name in ("check", "repair", "transform", "sample") else {"engine": "cpu"}
            there, here = function(gpu(v), gpu(f), **options), function(v, f, **cpu, **options)
            if there.vertices is None:
                assert there.report == here.report, name
                continue
            a = down(there.vertices)
            if name in ("smooth", "mcf", "filter", "normals", "curvature", "quality", "geodesic", "components"):
                assert np.abs(a - here.vertices).max() < 1e-3 * size, name
                assert np.array_equal(down(there.faces), here.faces), name
                for column in set(here.attributes) - {"quality"}:
                    x, y = down(there[column]), np.asarray(here[column])
                    assert x.shape == y.shape, (name, column)
                    scale = np.abs(y[np.isfinite(y)]).max()
                    assert np.isclose(x, y, rtol=1e-2, atol=1e-3 * scale).mean() > 0.99, (name, column)
            else:
                assert np.isfinite(a).all(), name
                low, high = a.min(0), a.max(0)
                factor = 2.0 if name == "transform" else 1.0
                assert np.abs(low / factor - v.min(0)).max() < 0.1 * size, (name, low)
                assert np.abs(high / factor - v.max(0)).max() < 0.1 * size, (name, high)
        return f"{len(calls)} operations"

    def nothing_goes_through_the_host():
        """Bytes that are copied between the GPU and main memory: counts and sums, no positions and no faces."""
        positions, corners = grid(400)
        a, b = gpu(positions), gpu(corners)
        notes = []
        stay = ("simplify", "delaunay", "smooth", "mcf", "curvature", "track", "normals")
        for name, options in [
            ("simplify", {"ratio": 0.1}), ("delaunay", {}), ("smooth", {}), ("mcf", {}), ("curvature", {}),
            ("track", {"frames": 1}), ("remesh", {}), ("filter", {}), ("geodesic", {"source": [0]}), ("normals", {}),
        ]:
            before = rxmesh._rxmesh.traffic()
            getattr(rxmesh, name)(a, b, **options)
            after = rxmesh._rxmesh.traffic()
            moved = [x - y for x, y in zip(after, before)]
            notes.append(f"{name} {moved[0]} {moved[1]}")
            if name in stay:
                assert max(moved) < positions.nbytes // 2, (name, moved, positions.nbytes)
        # Numbers of 64 bits are converted there and back.
        out = gpu(np.zeros(positions.shape))
        for name in ("simplify", "smooth"):
            options = {"ratio": 0.1} if name == "simplify" else {"out": out}
            wide = gpu(positions.astype(np.float64)), gpu(corners.astype(np.int64))
            before = rxmesh._rxmesh.traffic()
            result = getattr(rxmesh, name)(*wide, **options)
            kinds = [result.vertices.dtype, result.faces.dtype]
            moved = [x - y for x, y in zip(rxmesh._rxmesh.traffic(), before)]
            notes.append(f"{name} of 64 bits {moved[0]} {moved[1]}")
            assert kinds == ["float64", "int64"] and max(moved) < positions.nbytes // 2, (name, kinds, moved)
        return f"bytes to the GPU and back, of {positions.nbytes} bytes of positions: {', '.join(notes)}"

    def runs_are_the_same():
        for name, options in [("simplify", {"ratio": 0.1}), ("smooth", {}), ("remesh", {}), ("mcf", {})]:
            function = getattr(rxmesh, name)
            # The areas of mcf are added up in any order.
            most = 1e-6 if name == "mcf" else 0.0
            same(function(gpu(v), gpu(f), **options), function(gpu(v), gpu(f), **options), name, most)

    def the_cpu_gives_the_same():
        """Edits of the same arrays on the CPU, in a process where main memory stands for a GPU."""
        code = (
            "import sys, numpy as np, rxmesh\n"
            "from gpu_arrays import shown\n"
            "given = np.load(sys.argv[1])\n"
            "v, f = given['v'], given['f']\n"
            "out = {}\n"
            "for name, options in [('simplify', {'ratio': 0.1}), ('delaunay', {}), ('smooth', {'iterations': 3})]:\n"
            "    result = getattr(rxmesh, name)(shown(v), shown(f), **options)\n"
            "    out[name + '_v'], out[name + '_f'] = np.asarray(result.vertices), np.asarray(result.faces)\n"
            "np.savez(sys.argv[2], **out)\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            given_file, out_file = os.path.join(folder, "given.npz"), os.path.join(folder, "out.npz")
            np.savez(given_file, v=v, f=f)
            here = str(Path(__file__).resolve().parent)
            paths = [here, str(Path(rxmesh.__file__).resolve().parents[1]), os.environ.get("PYTHONPATH", "")]
            environment = {**os.environ, "RXMESH_PRETEND_GPU": "1", "PYTHONPATH": os.pathsep.join(paths)}
            done = subprocess.run(
                [sys.executable, "-c", code, given_file, out_file], env=environment, capture_output=True, text=True
            )
            if "does not lie in the memory of a GPU" in done.stderr:
                return "skipped: the package is built for users"
            assert done.returncode == 0, done.stderr
            cpu = dict(np.load(out_file))
        notes = []
        for name, options in [("simplify", {"ratio": 0.1}), ("delaunay", {}), ("smooth", {"iterations": 3})]:
            result = getattr(rxmesh, name)(gpu(v), gpu(f), **options)
            assert np.array_equal(down(result.faces), cpu[name + "_f"]), f"{name}: other faces"
            # A GPU adds up in another order.
            off = np.abs(down(result.vertices) - cpu[name + "_v"]).max()
            assert off < 1e-4, f"{name}: positions differ by {off}"
            notes.append(f"{name} {off:.1e}")
        return f"the same faces as on the CPU, and positions up to {', '.join(notes)}"

    def types():
        a = rxmesh.smooth(gpu(v), gpu(f))
        for positions, faces in [
            (v, f.astype(np.uint32)), (v, f.astype(np.int64)), (v.astype(np.float64), f.astype(np.int64)),
        ]:
            b = rxmesh.smooth(gpu(positions), gpu(faces))
            assert b.vertices.dtype == positions.dtype.name and b.faces.dtype == faces.dtype.name
            assert np.abs(down(b.vertices) - down(a.vertices)).max() < 1e-4
            assert np.array_equal(down(b.faces), f)
        wide = np.zeros((len(v), 4), np.float32)
        wide[:, :3] = v
        memory = driver.upload(wide)
        strided = GpuArray(memory.address, np.float32, v.shape, (16, 4), keep=memory)
        assert np.abs(down(rxmesh.smooth(strided, gpu(f)).vertices) - down(a.vertices)).max() < 1e-4

    def attributes():
        result = rxmesh.simplify(gpu(v), gpu(f), ratio=0.2, attributes={"heat": gpu(v[:, 0].copy())})
        assert np.abs(down(result["heat"]) - down(result.vertices)[:, 0]).max() < 0.05

    def errors():
        bad = f.copy()
        bad[3, 1] = len(v)
        for arrays, text in [
            ((gpu(v), f), "f: the array is in main memory"),
            ((v, gpu(f)), "f: the array is on GPU 0"),
            ((gpu(v), gpu(bad)), f"f: row 3 holds {len(v)}"),
            ((gpu(v), gpu(bad.astype(np.int64) - len(v) - 5)), f"f: row 0 holds {f[0, 0] - len(v) - 5}"),
            ((gpu(v), gpu(bad.astype(np.int64))), f"f: row 3 holds {len(v)}"),
            ((gpu(v), gpu(f.astype(np.float32))), "f: int32"),
            ((gpu(np.full_like(v, np.nan)), gpu(f)), "v: "),
            ((GpuArray(v.ctypes.data, v.dtype, v.shape, keep=v), gpu(f)), "v: "),
            ((GpuArray(gpu(v).address, v.dtype, (1 << 40, 3)), gpu(f)), "v: "),
        ]:
            for operation in ("smooth", "delaunay"):
                try:
                    getattr(rxmesh, operation)(*arrays)
                except (TypeError, ValueError, MemoryError, rxmesh.Error) as e:
                    assert str(e).startswith(text), (text, str(e))
                else:
                    raise AssertionError(f"no error: {text}")

    def results_outlive_all():
        arrays = gpu(v), gpu(f)
        result = rxmesh.simplify(*arrays, faces=1000)
        vertices, faces = result.vertices, result.faces
        want = down(vertices).tobytes(), down(faces).tobytes()
        del result, arrays
        gc.collect()
        for _ in range(20):
            rxmesh.simplify(gpu(v), gpu(f), faces=500)
        assert (down(vertices).tobytes(), down(faces).tobytes()) == want

    def inputs_are_untouched():
        a, b = gpu(v), gpu(f)
        rxmesh.simplify(a, b, faces=1000)
        back = InterfaceArray(a.address, v.dtype, v.shape)
        assert down(back).tobytes() == v.tobytes()
        back = InterfaceArray(b.address, f.dtype, f.shape)
        assert down(back).tobytes() == f.tobytes()

    def side_streams():
        """The copy waits for work of the producer's stream, and nobody waits for the whole device."""
        stream = driver.stream()
        long = Memory(driver, 1 << 30)
        positions = driver.upload(np.zeros_like(v))
        source = driver.upload(v)
        faces = gpu(f)
        want = down(rxmesh.smooth(gpu(v), faces).vertices).tobytes()
        for _ in range(20):
            driver.fill(positions.address, 0, v.nbytes, stream)
            for _ in range(10):
                driver.fill(long.address, 1, 1 << 30, stream)
            driver.call(
                "cuMemcpyDtoDAsync_v2", ctypes.c_uint64(positions.address), ctypes.c_uint64(source.address),
                ctypes.c_size_t(v.nbytes), ctypes.c_void_p(stream),
            )
            shown = InterfaceArray(positions.address, v.dtype, v.shape, stream=stream, keep=positions)
            assert down(rxmesh.smooth(shown, faces).vertices).tobytes() == want
        driver.wait(stream)

    def contexts_are_kept():
        driver.enter()
        before = driver.current()
        rxmesh.smooth(gpu(v), gpu(f))
        assert driver.current() == before
        driver.call("cuCtxSetCurrent", ctypes.c_void_p(None))
        result = rxmesh.smooth(*[InterfaceArray(a.address, a.dtype, a.shape, keep=a) for a in kept])
        assert driver.current() is None
        del result
        gc.collect()
        assert driver.current() is None
        driver.enter()

    kept = [gpu(v), gpu(f)]

    def threads():
        wrong = []
        want = down(rxmesh.simplify(*kept, faces=1000).vertices).tobytes()

        def work():
            try:
                driver.enter()
                for _ in range(10):
                    got = rxmesh.simplify(gpu(v), gpu(f), faces=1000)
                    assert down(got.vertices).tobytes() == want
            except BaseException as e:
                wrong.append(e)

        all_threads = [threading.Thread(target=work) for _ in range(4)]
        [t.start() for t in all_threads]
        [t.join() for t in all_threads]
        assert not wrong, wrong

    def no_growth():
        """Memory of the GPU and of the process after warming up, and after many calls."""
        import resource

        def call():
            result = rxmesh.simplify(*kept, faces=1000)
            rxmesh.smooth(result.vertices, result.faces, iterations=1)
            kept[0].alive.clear(), kept[1].alive.clear()

        for _ in range(50):
            call()
        gc.collect()
        free, peak = driver.free_bytes(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        for _ in range(given.calls):
            call()
        each = (time.perf_counter() - start) / given.calls
        gc.collect()
        grown = free - driver.free_bytes()
        more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
        assert grown <= 32 << 20, f"{grown} bytes of the GPU"
        assert more <= 64 << 10, f"{more} KiB of the process"
        return f"{given.calls} calls, {1e3 * each:.3f} ms each, GPU {grown} bytes more, process {more} KiB more"

    def surfaces():
        """Surfaces of positions on the GPU: those of main memory up to rounding, without copies through it."""
        options = {"scheme": "loop", "levels": 2}
        surface = rxmesh.Subdivision(gpu(f), **options)
        whole = rxmesh.subdivide(v, f, engine="cpu", limit=True, normals=True, **options)
        plain = rxmesh.subdivide(v, f, engine="cpu", **options)
        assert np.array_equal(down(surface.faces), plain.faces)
        x = gpu(v)
        size = np.ptp(v, axis=0).max()
        before = rxmesh._rxmesh.traffic()
        got = surface(x)
        points, normals = surface(x, limit=True, normals=True)
        moved = [a - b for a, b in zip(rxmesh._rxmesh.traffic(), before)]
        assert max(moved) < v.nbytes // 2, moved
        off = np.abs(down(got) - plain.vertices).max() / size
        assert off < 1e-5, off
        assert np.abs(down(points) - whole.vertices).max() < 1e-4 * size
        assert np.abs(down(normals) - whole["normal"]).max() < 1e-2
        through_host = rxmesh.subdivide(v, f, engine="cuda", **options)
        assert down(surface(x)).tobytes() == down(got).tobytes()
        out = gpu(np.zeros((len(surface), 3), np.float32))
        before = rxmesh._rxmesh.traffic()
        assert surface(x, out=out) is out
        moved = [a - b for a, b in zip(rxmesh._rxmesh.traffic(), before)]
        assert max(moved) < v.nbytes // 2, moved
        back = down(InterfaceArray(out.address, np.float32, out.shape))
        assert back.tobytes() == down(got).tobytes()
        assert np.abs(back - through_host.vertices).max() < 1e-6 * size
        assert surface(v).tobytes() == through_host.vertices.tobytes()
        return f"differs by {off:.1e} of the size from the CPU"

    def results_in_arrays_of_the_caller():
        """Arrays of the GPU are filled in place; wrong ones are refused, and stay as they are."""
        notes = []
        for name, options, column in [
            ("smooth", {}, "vertices"), ("mcf", {}, "vertices"), ("filter", {}, "vertices"), ("normals", {}, "normal"),
            ("geodesic", {"source": [0]}, "distance"),
        ]:
            function = getattr(rxmesh, name)
            expected = function(gpu(v), gpu(f), **options)
            want = down(expected.vertices if column == "vertices" else expected[column])
            for kind in (GpuArray, InterfaceArray):
                for dtype in (np.float32, np.float64):
                    memory = driver.upload(np.zeros(want.shape, dtype))
                    out = kind(memory.address, dtype, want.shape, keep=memory)
                    for call in (
                        lambda **named: function(gpu(v), gpu(f), **named),
                        getattr(rxmesh.Mesh(gpu(v), gpu(f)), name),
                        # A mesh from main memory on the same GPU, whose result is another one up to rounding.
                        getattr(rxmesh.Mesh(v, f, engine="cuda"), name),
                    ):
                        driver.upload(np.zeros(want.shape, dtype), memory)
                        result = call(out=out, **options)
                        assert (result.vertices if column == "vertices" else result[column]) is out, name
                        got = down(InterfaceArray(memory.address, dtype, want.shape))
                        finite = np.isfinite(want)
                        off = np.abs(got[finite] - want[finite]).max()
                        scale = np.abs(want[finite]).max()
                        assert off <= 1e-3 * scale, (name, off)
            notes.append(name)
        positions, corners = grid(400)
        a, b = gpu(positions), gpu(corners)
        memory = driver.upload(np.zeros_like(positions))
        out = GpuArray(memory.address, np.float32, positions.shape, keep=memory)
        before = rxmesh._rxmesh.traffic()
        rxmesh.smooth(a, b, out=out)
        moved = [x - y for x, y in zip(rxmesh._rxmesh.traffic(), before)]
        assert max(moved) < positions.nbytes // 2, moved
        same_bits = down(InterfaceArray(memory.address, np.float32, positions.shape)).tobytes()
        assert same_bits == down(rxmesh.smooth(a, b).vertices).tobytes()
        zeros = np.zeros_like(v)
        keep = driver.upload(zeros)
        whole = lambda dtype=np.float32, shape=v.shape, strides=None: GpuArray(keep.address, dtype, shape, strides)
        mesh = rxmesh.Mesh(gpu(v), gpu(f))
        for call, error, text in [
            (lambda: rxmesh.smooth(gpu(v), gpu(f), out=zeros), ValueError, "out: the array is in main memory"),
            (lambda: rxmesh.smooth(v, f, engine="cpu", out=whole()), ValueError, "out: the array is on GPU 0"),
            (lambda: mesh.smooth(out=whole(np.int32)), TypeError, "out: float32 or float64"),
            (lambda: mesh.smooth(out=whole(shape=(len(v) - 1, 3))), ValueError, "out: shape"),
            (lambda: mesh.smooth(out=whole(shape=(len(v) // 2, 3), strides=(24, 4))), ValueError, "out: "),
            (lambda: mesh.smooth(out=mesh.vertices), ValueError, "out: the array is read only"),
        ]:
            try:
                call()
            except error as e:
                assert str(e).startswith(text), (text, str(e))
            else:
                raise AssertionError(f"no error: {text}")
        assert not down(InterfaceArray(keep.address, np.float32, v.shape)).any()
        # A mesh in main memory that the GPU works on.
        assert rxmesh.smooth(v, f, engine="cuda", out=whole()).vertices is not None
        got = down(InterfaceArray(keep.address, np.float32, v.shape))
        assert got.tobytes() == rxmesh.smooth(v, f, engine="cuda").vertices.tobytes()
        return ", ".join(notes)

    def queries():
        """Closest points, rays and what is inside: the bits of the CPU, and arrays stay on the GPU."""
        positions, corners = grid(400)
        low, high = positions.min(axis=0), positions.max(axis=0)
        points = np.random.default_rng(4).uniform(low, high, (200_000, 3)).astype(np.float32)
        directions = np.random.default_rng(5).uniform(-1, 1, points.shape).astype(np.float32)
        here = rxmesh.SurfaceTree((positions, corners), engine="cpu")
        arrays = [gpu(array) for array in (positions, corners, points, directions)]
        before = rxmesh._rxmesh.traffic()
        there = rxmesh.SurfaceTree((arrays[0], arrays[1]))
        found = there.closest(arrays[2], signed=True)
        hits = there.first_hits(arrays[2], arrays[3])
        inside, counts = there.contains(arrays[2]), there.count_hits(arrays[2], arrays[3])
        blocked = there.find_blocked(arrays[2], arrays[3], limit=0.1)
        lists = [there.all_hits(arrays[2], arrays[3]), there.faces_within(arrays[2], 0.02)]
        nearest = there.nearest_vertices(arrays[2], 5)
        moved = [x - y for x, y in zip(rxmesh._rxmesh.traffic(), before)]
        assert max(moved) < points.nbytes // 8, moved
        wanted, struck = here.closest(points, signed=True), here.first_hits(points, directions)
        for name in ("points", "distances", "faces", "barycentric"):
            assert down(getattr(found, name)).tobytes() == getattr(wanted, name).tobytes(), name
        for name in ("distances", "faces", "barycentric"):
            assert down(getattr(hits, name)).tobytes() == getattr(struck, name).tobytes(), name
        assert down(inside).tobytes() == here.contains(points).tobytes()
        assert down(counts).tobytes() == here.count_hits(points, directions).tobytes()
        assert down(blocked).tobytes() == here.find_blocked(points, directions, limit=0.1).tobytes()
        for listed, same in zip(lists, [here.all_hits(points, directions), here.faces_within(points, 0.02)]):
            for name in ("starts", "distances", "faces"):
                assert down(getattr(listed, name)).tobytes() == getattr(same, name).tobytes(), name
        same = here.nearest_vertices(points, 5)
        for name in ("vertices", "distances"):
            assert down(getattr(nearest, name)).tobytes() == getattr(same, name).tobytes(), name
        wide = there.closest(gpu(points.astype(np.float64)))
        assert wide.distances.dtype == "float64"
        assert np.array_equal(down(wide.distances), np.abs(down(found.distances)).astype(np.float64))
        bad = points.copy()
        bad[9] = np.nan
        try:
            there.closest(gpu(bad))
        except ValueError as e:
            assert "row 9" in str(e), e
        else:
            raise AssertionError("a point that is not finite")
        return f"bytes to the GPU and back: {moved[0]} {moved[1]}"

    def edits_of_edges():
        """Chosen edges on the GPU. Patches number edges, and differ from those of the CPU: splits, which all happen,
        are compared, and of the others what a mesh of any numbers has."""
        notes = []
        for name in ("flip", "split", "collapse"):
            results = []
            for engine in ("cuda", "cpu"):
                edit = rxmesh.Edit((v, f), engine=engine)
                ends = np.array(edit.vertices)[np.array(edit.edges)]
                low = ends.mean(axis=1)[:, 0]
                report = getattr(edit, name)(low > np.median(low))
                assert edit.validate() == []
                assert report.done + report.refused + report.conflicts == report.asked
                assert report.mask.sum() == report.done > 0
                mesh = edit.finish()
                born = {"flip": 0, "split": report.done, "collapse": -report.done}[name]
                assert len(mesh.vertices) == len(v) + born
                results.append((report.asked, np.sort(np.array(mesh.vertices), axis=0)))
                notes.append(repr(report))
            assert results[0][0] == results[1][0], name
            if name == "split":
                assert np.array_equal(results[0][1], results[1][1])
        edit = rxmesh.Mesh(gpu(v), gpu(f)).edit()
        edges, x = down(edit.edges), down(edit.vertices)
        long = np.linalg.norm(x[edges[:, 0]] - x[edges[:, 1]], axis=1)
        chosen = gpu(long > np.median(long))
        before = rxmesh._rxmesh.traffic()
        report = edit.split(chosen)
        kept = edit.edges, edit.vertices, edit.faces, report.mask
        moved = [a - b for a, b in zip(rxmesh._rxmesh.traffic(), before)]
        assert max(moved) < len(edges) // 2, moved
        assert all(array.__dlpack_device__() == (2, 0) for array in kept)
        assert np.array_equal(down(report.mask), long > np.median(long))
        assert report.done == (long > np.median(long)).sum()
        where = down(edit.faces)
        assert where.max() == edit.vertices.shape[0] - 1 and len(where) == len(f) + 2 * report.done
        assert edit.validate() == []
        assert edit.mesh.vertices.shape == (len(v) + report.done, 3)
        assert edit.mesh.vertices.__dlpack_device__() == (2, 0)
        return "; ".join(notes)

    def isosurfaces():
        """Surfaces of grids: the bits of the CPU, and values and results stay on the GPU."""
        axis = np.linspace(0, 40, 160, dtype=np.float32)
        values = np.sin(axis[:, None, None]) + np.cos(axis[None, :, None]) + np.sin(axis[None, None, :] / 2)
        values = np.ascontiguousarray(values[:, :120, :90])
        here = rxmesh.isosurface(values, level=0.25, engine="cpu")
        array = gpu(values)
        before = rxmesh._rxmesh.traffic()
        there = rxmesh.isosurface(array, level=0.25)
        moved = [a - b for a, b in zip(rxmesh._rxmesh.traffic(), before)]
        assert max(moved) < values.nbytes // 20, moved
        assert down(there.faces).tobytes() == here.faces.tobytes()
        assert down(there.vertices).tobytes() == here.vertices.tobytes()
        try:
            rxmesh.isosurface(array, level=9, inside="above")
        except ValueError as e:
            assert "there is no surface at the level 9" in str(e), e
        else:
            raise AssertionError("no error")
        back = rxmesh.isosurface(array, level=0.25, engine="cpu")
        assert down(back.faces).tobytes() == here.faces.tobytes()
        return f"{len(here.faces)} faces of {values.size} values; bytes to the GPU and back: {moved}"

    def memory_is_given_back():
        positions, corners = grid(1000)
        result = rxmesh.simplify(gpu(positions), gpu(corners), ratio=0.5)
        del result
        gc.collect()
        before = driver.free_bytes()
        bytes = rxmesh.trim()
        after = driver.free_bytes()
        assert bytes > 16 << 20 and after - before >= bytes // 2, (bytes, after - before)
        rxmesh.smooth(gpu(v), gpu(f))
        return f"{bytes} bytes; the driver has {after - before} more"

    def timings():
        lines = []
        for n, faces in ((100, 2_000), (800, 128_000)):
            positions, corners = grid(n)
            a, b = gpu(positions), gpu(corners)
            times = []
            for _ in range(12):
                start = time.perf_counter()
                rxmesh.simplify(a, b, faces=faces)
                times.append(time.perf_counter() - start)
            best, median = 1e3 * min(times), 1e3 * sorted(times)[6]
            lines.append(f"{len(corners)} to {faces}: {best:.2f} ms best, {median:.2f} median")
        empty = []
        one = [gpu(np.eye(3, dtype=np.float32)), gpu(np.array([[0, 1, 2]], np.int32))]
        for _ in range(200):
            start = time.perf_counter()
            rxmesh.Mesh(*one)
            empty.append(time.perf_counter() - start)
        lines.append(f"a Mesh of one face: {1e6 * sorted(empty)[100]:.0f} us median")
        return "; ".join(lines)

    for function in (
        first_call, both_interfaces, operations, nothing_goes_through_the_host, runs_are_the_same,
        the_cpu_gives_the_same, types, attributes, errors, results_outlive_all,
        inputs_are_untouched, side_streams, contexts_are_kept, threads, surfaces, results_in_arrays_of_the_caller,
        edits_of_edges, queries, isosurfaces, memory_is_given_back, no_growth, timings,
    ):
        driver.enter()
        test(function)
    if not given.without_torch:
        try:
            import torch

            there = torch.cuda.is_available()
        except Exception as e:
            print(f"torch cannot be used: {e}")
        else:
            print("torch", torch.__version__, "CUDA", torch.version.cuda, "available", there, flush=True)
            if there:
                from cuda_torch import run

                run(test, v, f, given.calls)
    print(f"{len(FAILED)} tests failed {FAILED if FAILED else ''}".rstrip())
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
