//! The class `Subdivision`.

use super::arrays::{AnyArray, ArrayOrigin, look, shape_text, view, wrong_type, wrong_value};
use super::calls::meshes_of;
use super::element::ElementType;
use super::errors::{of_error, of_failure};
use super::gpu::{self, GpuArray};
use super::memory::ArrayMemory;
use super::mesh::{PyMesh, choice, warn};
use super::output::OutputArray;
use super::read::{Corners, Points, faces, indices};
use super::result::PyResultObject;
use super::work::{PythonLog, run};
use super::write::{corner_array, position_array};
use crate::engines;
use crate::forms::CallMesh;
use clap::ValueEnum;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyFloat, PyInt, PyString, PyTuple};
use rxmesh::host::Error as HostError;
use rxmesh::host::engine::{Buffer, EngineChoice};
use rxmesh::host::mesh::{Faces, Placement, PolyMesh, SharpEdge};
use rxmesh::subdivision::{Options, VertexOptions};
use rxmesh::{Engine, EnginePoints, SubdivideArgs, SubdivisionSurface, Vec3};
use std::process;
use std::sync::Arc;

/// Subdivision surface of a base mesh: prepared once, and computed for any number of positions of the base.
///
/// `Subdivision(f, scheme="loop", levels=3)` takes faces (m, k), a pair `(corners, offsets)` of faces of different
/// sizes, or a `Mesh`; options are those of `subdivide`. `surface(v)` gives the positions of the surface's vertices for
/// positions `v` (n, 3) of the base: those that `subdivide` gives, to the last bit.
///
/// Arguments:
///     f: faces of the base mesh, or a `Mesh`
///     scheme: "catmull-clark", "loop" or "sqrt3"
///     levels: number of levels, 0 to 10
///     boundary: rule at boundaries: "none", "edge-only" or "edge-and-corner"
///     creasing: rule by which sharpness decreases: "uniform" or "chaikin"
///     creases: sharp edges: an array (k, 2) of their ends; a pair of such an array and of their sharpness (k,); the
///         path of a file with lines of two vertices and a sharpness; or, of a `Mesh`, an angle in degrees
///     sharpen_non_manifold: cut edges of three or more faces open and make them sharp
///     vertices: number of vertices of the base, if its last ones belong to no face
///     engine: engine that computes: "auto", "cpu", "cuda", "cuda:N"
#[pyclass(name = "Subdivision", module = "rxmesh", frozen)]
pub(super) struct PySubdivision {
    surface: SubdivisionSurface,
    /// Process that made it.
    process: u32,
    /// Faces of the base mesh.
    base: Corners,
    /// Library and type of the faces.
    corners: ArrayOrigin,
    faces: PyOnceLock<Py<PyAny>>,
    parents: PyOnceLock<Py<PyAny>>,
}

/// Base mesh of a surface.
struct Base {
    mesh: PolyMesh,
    corners: ArrayOrigin,
    /// Engine of a mesh that is on one.
    engine: Option<Engine>,
    has_positions: bool,
}

#[pymethods]
impl PySubdivision {
    #[new]
    #[pyo3(signature = (
        f, *, scheme="catmull-clark", levels=2, boundary="edge-and-corner", creasing="uniform", creases=None,
        sharpen_non_manifold=false, vertices=None, engine=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "they are Python's")]
    fn new(
        f: Bound<'_, PyAny>,
        scheme: &str,
        levels: u32,
        boundary: &str,
        creasing: &str,
        creases: Option<Bound<'_, PyAny>>,
        sharpen_non_manifold: bool,
        vertices: Option<usize>,
        engine: Option<&str>,
    ) -> PyResult<PySubdivision> {
        let py = f.py();
        let mut args = SubdivideArgs {
            options: Options {
                scheme: one_of("scheme", scheme)?,
                levels,
                boundary: one_of("boundary", boundary)?,
                creasing: one_of("creasing", creasing)?,
                ..Options::default()
            },
            sharpen_non_manifold,
            ..SubdivideArgs::default()
        };
        let mut base = base(py, &f, vertices)?;
        if let Some(creases) = creases {
            args.creases = sharpen(&mut base, &creases)?;
        }
        let chosen = choice(engine)?;
        let mut log = PythonLog::new(None);
        let (mesh, own, gpu) = (base.mesh, base.engine, base.corners.gpu);
        let faces_of_base = match &mesh.faces {
            Faces::Same(size) => Corners::Same(*size as usize, mesh.corners.clone()),
            Faces::Offsets(offsets) => Corners::Offsets(mesh.corners.clone(), offsets.clone()),
        };
        if own.is_some() && engine.is_some() {
            let what = "the mesh has its own engine already; `Mesh(…, engine=…)` chooses it";
            return Err(wrong_type("engine", what));
        }
        let made = run(py, Vec::new(), || {
            let engine = match (own, gpu) {
                (Some(engine), _) => engine,
                (None, Some(number)) if engine.is_none() => {
                    engines::engine(EngineChoice::Gpu(number))?
                }
                _ => engines::engine(chosen)?,
            };
            SubdivisionSurface::new(&engine, mesh, &args, &mut log)
        })?;
        if let Some(raised) = log.raised {
            return Err(raised);
        }
        let surface = made.map_err(|e| of_error(&e))?;
        for warning in &log.warnings {
            warn(py, warning)?;
        }
        Ok(PySubdivision {
            surface,
            process: process::id(),
            base: faces_of_base,
            corners: base.corners,
            faces: PyOnceLock::new(),
            parents: PyOnceLock::new(),
        })
    }

    /// Faces of the surface (m, k): 4 corners of Catmull-Clark's, 3 of the others; a pair `(corners, offsets)` of faces
    /// of different sizes, without a level.
    #[getter]
    fn faces(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let faces = self.faces.get_or_try_init(py, || {
            let corners = self.surface.corners().to_vec();
            let array = |values, shape| corner_array(py, values, shape, &self.corners);
            match self.surface.faces() {
                Faces::Same(size) => {
                    let shape = vec![self.surface.face_count(), *size as usize];
                    array(corners, shape)
                }
                Faces::Offsets(offsets) => {
                    let shapes = [vec![corners.len()], vec![offsets.len()]];
                    let [a, b] = shapes;
                    let pair = [array(corners, a)?, array(offsets.clone(), b)?];
                    Ok(PyTuple::new(py, pair)?.into_any().unbind())
                }
            }
        });
        faces.map(|faces: &Py<PyAny>| faces.clone_ref(py))
    }

    /// Face of the base mesh in which each face lies (m,), ascending.
    #[getter]
    fn parents(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let parents = self.parents.get_or_try_init(py, || {
            let parents = self.surface.parents().to_vec();
            let shape = vec![parents.len()];
            corner_array(py, parents, shape, &self.corners)
        });
        parents.map(|parents: &Py<PyAny>| parents.clone_ref(py))
    }

    /// Name of the engine: "cpu" or "cuda".
    #[getter]
    fn engine(&self) -> String {
        self.surface.engine().name()
    }

    /// Number of vertices of the surface.
    fn __len__(&self) -> usize {
        self.surface.vertex_count()
    }

    /// Computes the positions of the surface's vertices, in the library, the type and on the device of `v`.
    ///
    /// Arguments:
    ///     v: positions (n, 3) of the base mesh: float32 or float64
    ///     limit: move the vertices to their limit positions
    ///     normals: give the unit normals of the limit surface, too: the result is a pair `(positions, normals)`
    ///     out: array that the positions are written into, or, with `normals`, a pair of arrays
    #[pyo3(signature = (v, *, limit=false, normals=false, out=None))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        v: Bound<'py, PyAny>,
        limit: bool,
        normals: bool,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        engines::check(self.surface.engine(), self.process).map_err(|e| of_error(&e))?;
        let wanted = VertexOptions {
            limit,
            normals,
            ..VertexOptions::default()
        };
        let v = look("v", &v, Some("float64"))?;
        self.check_positions(&v)?;
        let out = self.outputs(&v, normals, out)?;
        if let AnyArray::Gpu(v) = &v
            && let Some(made) = self.on_gpu(py, v, wanted)?
        {
            let array = |values: Buffer<f32>, at| match output(&out, at) {
                Some(out) => {
                    out.fill_from(py, &values)?;
                    Ok(out.object.clone().unbind())
                }
                None => {
                    let shape = vec![values.len() / 3, 3];
                    let memory = ArrayMemory::of_buffer(Arc::new(values), ElementType::F32, shape);
                    v.origin_ref().export(py, memory)
                }
            };
            let first = array(made.positions, 0)?;
            return match made.normals {
                Some(normals) => {
                    let pair = [first, array(normals, 1)?];
                    Ok(PyTuple::new(py, pair)?.into_any().unbind())
                }
                None => Ok(first),
            };
        }
        let v = v.into_host("v")?;
        let points = Points::of("v", &v)?;
        let made = run(py, Vec::new(), || {
            let (positions, placement) = points.placed(&self.base);
            self.surface.evaluate(positions, placement, wanted)
        })?;
        let made = made.map_err(|e| of_error(&e))?;
        let first = match output(&out, 0) {
            Some(out) => filled(py, out, &made.positions, &made.placement)?,
            None => position_array(py, made.positions, &made.placement, &v.origin)?,
        };
        let Some(normals) = made.normals else {
            return Ok(first);
        };
        let second = match output(&out, 1) {
            Some(out) => filled(py, out, &normals, &Placement::default())?,
            None => {
                let origin = v.origin.with(py, ElementType::F32);
                position_array(py, normals, &Placement::default(), &origin)?
            }
        };
        Ok(PyTuple::new(py, [first, second])?.into_any().unbind())
    }

    fn __repr__(&self) -> String {
        format!(
            "Subdivision({} vertices, {} faces, {})",
            self.surface.vertex_count(),
            self.surface.face_count(),
            self.surface.engine().name()
        )
    }
}

impl PySubdivision {
    /// Refuses positions of another number, or of another shape.
    fn check_positions(&self, v: &AnyArray<'_>) -> PyResult<()> {
        let shape = match v {
            AnyArray::Host(view) => view.shape.clone(),
            AnyArray::Gpu(array) => array.layout().0,
        };
        let count = self.surface.base_vertex_count();
        if shape == [count, 3] {
            return Ok(());
        }
        let what = format!("shape ({count}, 3) is needed, not {}", shape_text(&shape));
        Err(wrong_value("v", what))
    }

    /// Takes the arrays for positions and normals.
    fn outputs<'py>(
        &self,
        v: &AnyArray<'_>,
        normals: bool,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Option<OutputArray<'py>>>> {
        let Some(out) = out else {
            return Ok(Vec::new());
        };
        let named = if normals {
            let pair = out.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
            let Some(pair) = pair else {
                let what = "a pair of arrays is needed, for positions and normals";
                return Err(wrong_type("out", what));
            };
            vec![("out[0]", pair.get_item(0)?), ("out[1]", pair.get_item(1)?)]
        } else {
            vec![("out", out)]
        };
        let take = |(name, array): (&str, Bound<'py, PyAny>)| {
            if array.is_none() {
                return Ok(None);
            }
            let array = OutputArray::new(name, &array)?;
            array.check_shape(&[self.surface.vertex_count(), 3])?;
            array.check_device(v.gpu(), self.surface.engine().gpu())?;
            Ok(Some(array))
        };
        named.into_iter().map(take).collect()
    }

    /// Computes the surface of positions on its engine's GPU; `None` if main memory is needed for it.
    fn on_gpu(
        &self,
        py: Python<'_>,
        v: &GpuArray<'_>,
        wanted: VertexOptions,
    ) -> PyResult<Option<EnginePoints>> {
        let engine = self.surface.engine();
        let is_beside = v.engine().gpu() == engine.gpu();
        if !(is_beside && v.positions().is_some()) {
            return Ok(None);
        }
        let place = v.whole();
        let made = run(py, Vec::new(), || {
            // SAFETY: the owner keeps the array, and its stream orders the copy: the evaluation waits for it.
            let x = unsafe { engine.copy_of::<f32>(place) }.map_err(HostError::from)?;
            self.surface.evaluate_on_engine(&x, wanted)
        })?;
        made.map_err(|e| gpu::named(py, "v", &of_error(&e)))
    }
}

/// Returns the array for a value.
fn output<'a, 'py>(out: &'a [Option<OutputArray<'py>>], at: usize) -> Option<&'a OutputArray<'py>> {
    out.get(at).and_then(Option::as_ref)
}

/// Writes positions in a frame to an array, and returns it.
fn filled(
    py: Python<'_>,
    out: &OutputArray<'_>,
    positions: &[Vec3],
    placement: &Placement,
) -> PyResult<Py<PyAny>> {
    out.fill_points(py, positions, placement)?;
    Ok(out.object.clone().unbind())
}

/// Returns the choice with a name.
fn one_of<T: ValueEnum>(argument: &str, name: &str) -> PyResult<T> {
    T::from_str(name, false).map_err(|_| {
        let all = T::value_variants().iter().filter_map(T::to_possible_value);
        let names: Vec<String> = all.map(|value| value.get_name().to_owned()).collect();
        wrong_value(
            argument,
            format!("'{name}' is none of {}", names.join(", ")),
        )
    })
}

/// Takes the base mesh: faces, or a mesh.
fn base(py: Python<'_>, f: &Bound<'_, PyAny>, vertices: Option<usize>) -> PyResult<Base> {
    let is_mesh = f.is_instance_of::<PyMesh>()
        || f.is_instance_of::<PyResultObject>()
        || f.hasattr("vertices")? && f.hasattr("faces")?;
    if !is_mesh {
        return of_faces(f, vertices);
    }
    if vertices.is_some() {
        return Err(wrong_type("vertices", "the mesh has its own"));
    }
    let (mesh, origin, used) = meshes_of("f", f)?;
    let engine = match &mesh {
        CallMesh::Resident(mesh) => Some(mesh.engine().clone()),
        CallMesh::Memory(_) => None,
    };
    let locks = used.iter().map(|mesh| &mesh.get().lock).collect();
    let polygons = run(py, locks, || mesh.into_polygons())?;
    let home = used.as_ref().and_then(|mesh| mesh.get().origin(py));
    let corners = origin.or(home).map(|origin| origin.corners);
    Ok(Base {
        mesh: polygons.map_err(of_failure)?,
        corners: corners.unwrap_or(ArrayOrigin::numpy(ElementType::I32)),
        engine,
        has_positions: true,
    })
}

fn of_faces(f: &Bound<'_, PyAny>, vertices: Option<usize>) -> PyResult<Base> {
    // More vertices have no numbers.
    let most = i32::MAX as usize;
    let (read, origin) = faces("f", f, vertices.unwrap_or(most).min(most))?;
    let (faces, corners) = match read {
        Corners::Same(size, corners) => (Faces::Same(size as u32), corners),
        Corners::Offsets(corners, offsets) => (Faces::Offsets(offsets), corners),
    };
    let least = corners.iter().max().map_or(0, |&last| last as usize + 1);
    Ok(Base {
        mesh: PolyMesh {
            positions: vec![Vec3::ZERO; vertices.unwrap_or(least)],
            faces,
            corners,
            ..PolyMesh::default()
        },
        corners: origin,
        engine: None,
        has_positions: false,
    })
}

/// Makes edges of the base mesh sharp. Returns a file or an angle, which the surface reads.
fn sharpen(base: &mut Base, creases: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let py = creases.py();
    let is_number = creases.is_instance_of::<PyInt>() || creases.is_instance_of::<PyFloat>();
    let text: Option<String> = if is_number {
        Some(creases.extract::<f64>()?.to_string())
    } else if creases.is_instance_of::<PyString>() {
        Some(creases.extract()?)
    } else if creases.hasattr("__fspath__")? {
        let path = py.import("os")?.call_method1("fspath", (creases,))?;
        Some(path.extract()?)
    } else {
        None
    };
    if let Some(text) = text {
        if !base.has_positions && text.parse::<f32>().is_ok() {
            let what = "an angle needs positions: `Subdivision(mesh, creases=…)`";
            return Err(wrong_type("creases", what));
        }
        return Ok(Some(text));
    }
    let (ends, sharpness) = match creases.cast::<PyTuple>() {
        Ok(pair) if pair.len() == 2 => (pair.get_item(0)?, Some(pair.get_item(1)?)),
        _ => (creases.clone(), None),
    };
    let ends = view("creases", &ends, Some("int64"))?;
    if ends.shape != [0] && !matches!(ends.shape[..], [_, 2]) {
        let what = format!("shape (k, 2) is needed, not {}", shape_text(&ends.shape));
        return Err(wrong_value("creases", what));
    }
    let ends = indices("creases", &ends, base.mesh.vertex_count())?;
    let ends = ends.as_chunks::<2>().0;
    let sharpness = match sharpness {
        Some(sharpness) => sharpness_of(&sharpness, ends.len())?,
        None => vec![PolyMesh::SHARP; ends.len()],
    };
    let edges = ends.iter().zip(sharpness);
    let edges = edges.map(|(&ends, sharpness)| SharpEdge { ends, sharpness });
    base.mesh.sharp_edges.extend(edges);
    Ok(None)
}

/// Reads the sharpness of edges.
fn sharpness_of(sharpness: &Bound<'_, PyAny>, edges: usize) -> PyResult<Vec<f32>> {
    let sharpness = view("creases", sharpness, Some("float64"))?;
    if sharpness.shape != [edges] {
        let found = shape_text(&sharpness.shape);
        let what = format!("a sharpness for each of {edges} edges is needed, not {found}");
        return Err(wrong_value("creases", what));
    }
    let values: Vec<f32> = match sharpness.element {
        ElementType::F32 => sharpness.values(),
        ElementType::F64 => sharpness.read(|x: f64| x as f32),
        other => {
            let what = format!(
                "sharpness of float32 or float64 is needed, not {}",
                other.name()
            );
            return Err(wrong_type("creases", what));
        }
    };
    match values.iter().find(|x| x.is_nan() || **x < 0.0) {
        Some(x) => {
            let what = format!("a sharpness is {x}, but must be 0 or more");
            Err(wrong_value("creases", what))
        }
        None => Ok(values),
    }
}
