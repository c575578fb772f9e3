"""Times of calls on torch's tensors on a GPU: from the call to results that are complete.

    python torch_times.py [--mesh FILE] [--json FILE]

Needs torch, which has to see a GPU, and the package. Prints medians of 7 calls after 2 that warm up. Meshes are bumpy
tori, and the mesh of FILE after three levels of Loop subdivision.
"""

import argparse
import json
import statistics
import subprocess
import sys
import threading
import time

import numpy as np

FIRST = """
import time
begin = time.perf_counter()
import numpy as np, torch
v, f = torch.from_numpy(np.load({v!r})).cuda(), torch.from_numpy(np.load({f!r})).cuda()
torch.cuda.synchronize()
start = time.perf_counter()
import rxmesh
imported = time.perf_counter()
small = rxmesh.simplify(v, f, faces={faces})
torch.cuda.synchronize()
print(imported - start, time.perf_counter() - imported)
"""


def torus(n):
    """Makes a bumpy torus of 2 n^2 faces."""
    i, j = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    a, b = 2 * np.pi * i / n, 2 * np.pi * j / n
    r = 0.4 + 0.05 * np.sin(9 * a) * np.sin(5 * b) + 0.01 * np.sin(40 * a + 31 * b)
    v = np.stack([(1 + r * np.cos(b)) * np.cos(a), (1 + r * np.cos(b)) * np.sin(a), r * np.sin(b)], -1)
    at = lambda di, dj: ((i + di) % n * n + (j + dj) % n).ravel()
    first = np.stack([at(0, 0), at(1, 0), at(1, 1)], -1)
    second = np.stack([at(0, 0), at(1, 1), at(0, 1)], -1)
    return v.reshape(-1, 3).astype(np.float32), np.concatenate([first, second]).astype(np.int32)


def timed(call, runs=7):
    import torch

    times = []
    for run in range(runs + 2):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        result = call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
        del result
    return 1e3 * statistics.median(times[2:])


def peak(call):
    """Returns the memory of the GPU that a call takes at most, in GB; looked at every millisecond."""
    import torch

    least, done = [torch.cuda.mem_get_info()[0]], threading.Event()
    before = least[0]

    def look():
        while not done.is_set():
            least.append(torch.cuda.mem_get_info()[0])
            time.sleep(1e-3)

    watch = threading.Thread(target=look)
    watch.start()
    call()
    torch.cuda.synchronize()
    done.set()
    watch.join()
    return (before - min(least)) / 1e9


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--mesh")
    arguments.add_argument("--json")
    arguments = arguments.parse_args()
    import tempfile

    import torch

    import rxmesh

    rows = []

    def row(name, value, unit):
        rows.append({"row": name, "value": value, "unit": unit})
        print(f"{name:60} {value:10.3f} {unit}", flush=True)

    print(torch.cuda.get_device_name(), "torch", torch.__version__, "rxmesh", rxmesh.__version__)
    for n, faces in [(1600, 200_000), (800, 128_000), (100, 2000)]:
        v, f = (torch.from_numpy(a).cuda() for a in torus(n))
        call = lambda: rxmesh.simplify(v, f, faces=faces)

        def checked():
            small = call()
            assert small.vertices.is_cuda and len(small.faces) == faces, len(small.faces)

        # The pool keeps what it has had: the first call shows what is taken.
        row(f"simplify {2 * n * n} to {faces}, memory taken beside earlier rows", peak(checked), "GB")
        row(f"simplify {2 * n * n} to {faces}", timed(call), "ms")
        if n != 1600:
            row(f"remesh {2 * n * n}", timed(lambda: rxmesh.remesh(v, f)), "ms")
            row(f"normals {2 * n * n}, from tensors", timed(lambda: rxmesh.normals(v, f)), "ms")
            mesh = rxmesh.Mesh(v, f)
            rxmesh.normals(mesh)
            row(f"normals {2 * n * n}, of a Mesh", timed(lambda: rxmesh.normals(mesh)), "ms")
    if arguments.mesh:
        fine = rxmesh.subdivide(rxmesh.read(arguments.mesh), levels=3, scheme="loop", triangles=True)
        v, f = (torch.from_numpy(np.array(a)).cuda() for a in (fine.vertices, fine.faces))
        name, faces = arguments.mesh.replace("\\", "/").split("/")[-1], len(f) // 10
        assert len(rxmesh.simplify(v, f, faces=faces).faces) == faces
        row(f"simplify {name}, {len(f)} to {faces}", timed(lambda: rxmesh.simplify(v, f, faces=faces)), "ms")
    v, f = (torch.from_numpy(a).cuda() for a in torus(3))
    row("normals of 18 faces, from tensors", timed(lambda: rxmesh.normals(v, f), 200), "ms")
    mesh = rxmesh.Mesh(v, f)
    row("normals of 18 faces, of a Mesh", timed(lambda: rxmesh.normals(mesh), 200), "ms")
    with tempfile.TemporaryDirectory() as folder:
        v, f = torus(800)
        np.save(f"{folder}/v.npy", v)
        np.save(f"{folder}/f.npy", f)
        code = FIRST.format(v=f"{folder}/v.npy", f=f"{folder}/f.npy", faces=128_000)
        for name in ["first process", "process with a warm cache", "process with a warm cache, again"]:
            out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
            imported, simplified = map(float, out.split())
            row(f"import, {name}", 1e3 * imported, "ms")
            row(f"first simplify of 1.28 million faces, {name}", 1e3 * simplified, "ms")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
