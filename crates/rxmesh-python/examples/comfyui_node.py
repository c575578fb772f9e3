"""Nodes for ComfyUI: clean and simplify a generated mesh on the GPU that made it, and write it as GLB.

Put this file into `custom_nodes`, and install rxmesh in ComfyUI's environment. A mesh of ComfyUI has batches of
tensors: `vertices` (batch, n, 3) and `faces` (batch, m, 3). Tensors on a GPU are worked on there. Run as a script, the
file shows the nodes on an array of numpy.
"""

import copy
import os

import numpy as np

import rxmesh


def stack(arrays):
    """Returns arrays of numpy or torch as a batch."""
    if isinstance(arrays[0], np.ndarray):
        return np.stack(arrays)
    import torch

    return torch.stack(arrays)


def each(mesh, work):
    """Returns the mesh with some work done on each one of its batch. The work gives a `Result`."""
    results = [work(v, f) for v, f in zip(mesh.vertices, mesh.faces)]
    if len({len(r.vertices) for r in results}) > 1 or len({len(r.faces) for r in results}) > 1:
        raise ValueError("the meshes of the batch have different sizes now: process them one by one")
    done = copy.copy(mesh)
    done.vertices = stack([r.vertices for r in results])
    done.faces = stack([r.faces for r in results])
    return done


class RxmeshClean:
    """Keeps the largest connected part, and smooths it."""

    @classmethod
    def INPUT_TYPES(cls):
        return {"required": {"mesh": ("MESH",), "smoothing": ("INT", {"default": 10, "min": 0, "max": 100})}}

    RETURN_TYPES = ("MESH",)
    FUNCTION = "run"
    CATEGORY = "rxmesh"

    def run(self, mesh, smoothing):
        def work(v, f):
            largest = rxmesh.components(v, f, largest=True)
            if smoothing == 0:
                return largest
            return rxmesh.smooth(largest.vertices, largest.faces, taubin=True, iterations=smoothing)

        return (each(mesh, work),)


class RxmeshSimplify:
    """Simplifies a mesh to a number of faces."""

    @classmethod
    def INPUT_TYPES(cls):
        return {"required": {"mesh": ("MESH",), "faces": ("INT", {"default": 20000, "min": 4, "max": 100_000_000})}}

    RETURN_TYPES = ("MESH",)
    FUNCTION = "run"
    CATEGORY = "rxmesh"

    def run(self, mesh, faces):
        return (each(mesh, lambda v, f: rxmesh.simplify(v, f, faces=faces)),)


class RxmeshSave:
    """Writes a mesh with normals as GLB, and a picture beside it."""

    @classmethod
    def INPUT_TYPES(cls):
        return {"required": {"mesh": ("MESH",), "path": ("STRING", {"default": "mesh.glb"})}}

    RETURN_TYPES = ()
    FUNCTION = "run"
    OUTPUT_NODE = True
    CATEGORY = "rxmesh"

    def run(self, mesh, path):
        stem, extension = os.path.splitext(path)
        for number, (v, f) in enumerate(zip(mesh.vertices, mesh.faces)):
            name = stem if number == 0 else f"{stem}_{number}"
            shaded = rxmesh.normals(v, f)
            shaded.write(name + (extension or ".glb"))
            rxmesh.render(shaded, size="800x600").write(name + ".png")
        return ()


NODE_CLASS_MAPPINGS = {"RxmeshClean": RxmeshClean, "RxmeshSimplify": RxmeshSimplify, "RxmeshSave": RxmeshSave}
NODE_DISPLAY_NAME_MAPPINGS = {
    "RxmeshClean": "Clean mesh (rxmesh)",
    "RxmeshSimplify": "Simplify mesh (rxmesh)",
    "RxmeshSave": "Save mesh as GLB (rxmesh)",
}


def main():
    class Mesh:
        vertices = np.array([[[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]], np.float32)
        faces = np.array([[[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]])

    mesh = Mesh()
    fine = rxmesh.subdivide(mesh.vertices[0], mesh.faces[0], levels=4, scheme="loop", triangles=True)
    mesh.vertices, mesh.faces = fine.vertices[None], fine.faces[None]
    (mesh,) = RxmeshClean().run(mesh, smoothing=5)
    (mesh,) = RxmeshSimplify().run(mesh, faces=500)
    RxmeshSave().run(mesh, "octahedron.glb")
    print(f"{mesh.faces.shape[1]} faces in octahedron.glb")
    assert mesh.faces.shape == (1, 500, 3) and len(rxmesh.read("octahedron.glb").faces) == 500


if __name__ == "__main__":
    main()
