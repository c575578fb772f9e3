"""Triangle and tetrahedral meshes on NVIDIA GPUs and on CPUs.

Every operation is a function of arrays, and a method of `Mesh`:

>>> import rxmesh
>>> small = rxmesh.simplify(v, f, faces=1000)  # doctest: +SKIP
>>> v2, f2 = small  # doctest: +SKIP

`help(rxmesh.simplify)` lists its arguments and the keys of its report. The GPU is started by the first call.
"""

from typing import Any, Callable

from . import _rxmesh
from ._rxmesh import (
    Buffer, ClosestPoints, EdgeReport, Edit, Error, FaceLists, Mesh, NearestVertices, Picture, RayHits, Result,
    Subdivision, SurfaceTree, World, __version__, intersections, neighbours, read, section,
    trim, write,
)

_FUNCTIONS = [*_rxmesh.OPERATIONS, "render"]
_ADAPTERS = ["from_other", "to_meshio", "to_open3d", "to_pyvista", "to_trimesh"]

__all__ = [
    "Buffer", "ClosestPoints", "EdgeReport", "Edit", "Error", "FaceLists", "Mesh", "NearestVertices", "Picture",
    "RayHits", "Result", "Subdivision", "SurfaceTree", "World", "__version__",
    "intersections", "neighbours", "read", "section", "trim", "write",
    *_FUNCTIONS, *_ADAPTERS,
]


def __getattr__(name: str) -> Any:
    """Makes the function of an operation, or imports an adapter, when it is first used."""
    if name in _ADAPTERS:
        from . import adapters

        return getattr(adapters, name)
    if name not in _FUNCTIONS:
        raise AttributeError(f"module 'rxmesh' has no attribute {name!r}")
    function = _rxmesh.operation(name)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted(__all__)


def _method(name: str) -> Callable[..., Any]:
    def method(self: Mesh, /, *positional: Any, **named: Any) -> Any:
        function = globals().get(name) or __getattr__(name)
        return function(self, *positional, **named)

    method.__name__ = name
    method.__qualname__ = f"Mesh.{name}"
    method.__doc__ = f"Calls `rxmesh.{name}` with the mesh. Arguments and results are described there."
    return method


def _tree(self: Mesh) -> SurfaceTree:
    """Prepares the mesh for queries of closest points, rays and winding numbers: `SurfaceTree(mesh)`."""
    return SurfaceTree(self)


def _edit(self: Mesh) -> Edit:
    """Opens the mesh for flips, splits and contractions of chosen edges: `Edit(mesh)`."""
    return Edit(self)


_edit.__name__, _edit.__qualname__ = "edit", "Mesh.edit"
_tree.__name__, _tree.__qualname__ = "tree", "Mesh.tree"
Mesh.edit = _edit
Mesh.tree = _tree

for _name in [*_FUNCTIONS, "intersections", "neighbours", "section"]:
    # These take lists of meshes, scenes, and grids.
    if _name not in ("merge", "simulate", "isosurface"):
        setattr(Mesh, _name, _method(_name))
del _name
