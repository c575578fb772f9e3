//! Rows of the surfaces. Goals and baselines are milliseconds on an H200, or bytes per final face where a row gives
//! only bytes; the baselines were measured there on meshes made in the same way, as `docs/library/surfaces.md` states.

use Scheme::{CatmullClark, Loop, Sqrt3};
use anyhow::Result;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::{Faces, PolyMesh, SharpEdge, SharpVertex};
use rxmesh_subdivision::kernels::matrix::{self, OverOrder, Sides};
use rxmesh_subdivision::matrix::{Csr, Finish, GeneralSubdivision, Listed, multiply};
use rxmesh_subdivision::{Adaptive, DeviceFaces, FaceSizes, Mesh, Options, Scheme, Subdivision};
use serde_json::Map;

use super::Surfaces;
use crate::measure::{self, Effort, Times};
use crate::record::Unit;
use crate::subject::{GoalAndRival, Measured, Relative, Work};

pub(crate) type Row = crate::subject::Row<Surfaces>;

/// Mesh and engine of a row.
#[derive(Clone, Copy)]
pub(crate) struct PolygonBench<'a> {
    pub(crate) engine: &'a Engine,
    pub(crate) mesh: &'a PolyMesh,
    pub(crate) levels: u32,
    /// Number of faces of the result; of the base for rows of patches.
    pub(crate) faces: u64,
    pub(crate) effort: Effort,
}

impl PolygonBench<'_> {
    fn on<'a>(&'a self, mesh: &'a PolyMesh) -> PolygonBench<'a> {
        PolygonBench { mesh, ..*self }
    }

    fn x(&self) -> Result<Buffer<f32>> {
        Ok(self
            .engine
            .upload(bytemuck::cast_slice::<_, f32>(&self.mesh.positions))?)
    }

    /// Makes the smooth surface of a scheme.
    fn surface(&self, scheme: Scheme) -> Result<Subdivision> {
        Ok(Subdivision::new(
            self.engine,
            self.mesh,
            &self.options(scheme),
        )?)
    }

    fn adaptive(&self) -> Result<Adaptive> {
        Ok(Adaptive::new(
            self.engine,
            self.mesh,
            &self.options(CatmullClark),
        )?)
    }

    fn options(&self, scheme: Scheme) -> Options {
        Options {
            scheme,
            levels: self.levels,
            ..Options::default()
        }
    }

    fn measured(&self, times: Times) -> Result<Measured> {
        Ok(Measured::times("face", self.faces, times))
    }

    /// Returns times, and the bytes that are kept on the engine between calls.
    fn with_bytes(&self, times: Times, bytes: u64) -> Result<Measured> {
        Ok(self.measured(times)?.with("bytes", bytes))
    }
}

/// Makes a row with its goal and the best measurement of others.
pub(super) const fn row(
    name: &'static str,
    mesh: &'static str,
    levels: u32,
    faces: u64,
    goal: Option<f64>,
    rival: Option<(f64, &'static str)>,
    work: Work<Surfaces>,
) -> Row {
    const NONE: GoalAndRival = GoalAndRival {
        goal: None,
        rival: None,
    };
    let known = [NONE, GoalAndRival { goal, rival }, NONE];
    Row::new(name, "", levels, work)
        .of_mesh(mesh, faces)
        .known(known)
}

impl Row {
    /// Sets goal and best measurement of others on two threads of a CPU.
    const fn on_two_threads(mut self, goal: f64, rival: (f64, &'static str)) -> Self {
        self.known[2] = GoalAndRival {
            goal: Some(goal),
            rival: Some(rival),
        };
        self
    }

    /// Returns the number of faces of the result on a mesh of `faces` faces; for rows of patches that of the mesh.
    pub(super) fn final_faces(&self, faces: u64) -> u64 {
        let is = |what: &str| self.name.contains(what);
        let triangles = self.mesh.is_some_and(|mesh| mesh.starts_with("triangles"));
        let to_quads = triangles && ["6.1", "6.3", "6.8"].iter().any(|table| is(table));
        match self.own {
            0 => faces,
            _ if ["adaptive", "thesis 6.5", "thesis 6.6"]
                .iter()
                .any(|name| self.name.starts_with(name)) =>
            {
                faces
            }
            levels if is("sqrt3") || is("thesis 6.7") => faces * 3u64.pow(levels),
            levels if to_quads => 3 * faces * 4u64.pow(levels - 1),
            levels if self.name.ends_with("boundaries") => faces / 20 * 19 * 4u64.pow(levels),
            levels => faces * 4u64.pow(levels),
        }
    }

    /// States that the result is bytes a face, which are the same on every engine.
    pub(super) const fn of_bytes(mut self) -> Self {
        self.known[0] = self.known[1];
        self.no_time()
    }
}

const EDGE_FRIEND: &str = "Edge-Friend, ported; without base adjacency and level 1";
const SLAK: &str = "SLAK";
const OSD: &str = "OpenSubdiv's CUDA evaluator; without its stencils";
const HALFEDGE: &str = "halfedge rule, ported; without half-edges";
/// Halfedge rule on a CPU.
const IN_C: &str = "halfedge rule in C; without half-edges";

/// Schemes in the general form.
pub(super) const CATMULL_CLARK: matrix::CatmullClark = matrix::CatmullClark { smooth_corners: 0 };

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    row("adjacency", "sphere:40", 0, 9_600, None, Some((4.0, "Edge-Friend, host")), adjacency),
    row("adjacency", "sphere:160", 0, 153_600, None, None, adjacency),
    row("adjacency", "sphere:640", 0, 2_457_600, None, None, adjacency),
    row("adjacency", "sphere:640S", 0, 2_457_600, None, None, adjacency),
    row("adjacency, new", "sphere:640", 0, 2_457_600, None, None, new_adjacency),
    row("catmull-clark", "sphere:5", 4, 38_400, Some(0.010), Some((0.0118, OSD)), |b| positions(b, CatmullClark)),
    row("catmull-clark", "sphere:40", 3, 614_400, Some(0.015), Some((0.033, EDGE_FRIEND)),
        |b| positions(b, CatmullClark)).on_two_threads(4.0, (8.6, IN_C)),
    row("catmull-clark", "sphere:5", 6, 614_400, Some(0.018), Some((0.0436, OSD)),
        |b| positions(b, CatmullClark)).on_two_threads(4.0, (8.6, IN_C)),
    row("catmull-clark", "sphere:40", 5, 9_830_400, Some(0.06), Some((0.319, EDGE_FRIEND)),
        |b| positions(b, CatmullClark)),
    row("catmull-clark", "sphere:5", 8, 9_830_400, Some(0.09), Some((0.309, EDGE_FRIEND)),
        |b| positions(b, CatmullClark)),
    row("catmull-clark", "irregular:16", 5, 9_437_184, Some(0.11), Some((0.304, EDGE_FRIEND)),
        |b| positions(b, CatmullClark)),
    row("catmull-clark", "polygons:16", 6, 9_437_184, None, Some((0.305, EDGE_FRIEND)), |b| positions(b, CatmullClark)),
    row("catmull-clark", "sphere:160", 3, 9_830_400, None, Some((0.440, EDGE_FRIEND)), |b| positions(b, CatmullClark)),
    row("catmull-clark", "sphere:160S", 3, 9_830_400, None, Some((0.650, SLAK)), |b| positions(b, CatmullClark)),
    row("catmull-clark", "sphere:640", 1, 9_830_400, Some(0.12), Some((0.237, HALFEDGE)),
        |b| positions(b, CatmullClark)),
    row("catmull-clark", "sphere:640S", 1, 9_830_400, None, Some((0.933, SLAK)), |b| positions(b, CatmullClark)),
    row("catmull-clark, creases", "sphere:40", 5, 9_830_400, None, None,
        |b| positions(&b.on(&sharpened(b.mesh)), CatmullClark)).relative(Relative::Row("catmull-clark", 1.1)),
    row("catmull-clark, corners", "sphere:40", 5, 9_830_400, None, None,
        |b| positions(&b.on(&with_corners(b.mesh)), CatmullClark)).relative(Relative::Row("catmull-clark", 1.1)),
    row("catmull-clark, boundaries", "sphere:40", 5, 9_338_880, None, None,
        |b| positions(&b.on(&with_gaps(b.mesh)), CatmullClark)).relative(Relative::Row("catmull-clark", 1.1)),
    row("catmull-clark, bytes a face", "sphere:40", 5, 9_830_400, Some(32.0), Some((50.0, SLAK)),
        |b| bytes(b, CatmullClark)).of_bytes(),
    row("catmull-clark, faces", "sphere:40", 5, 9_830_400, None, None, faces_of_quads),
    row("catmull-clark, all", "sphere:40", 3, 614_400, Some(0.06), Some((0.259, SLAK)), |b| all(b, CatmullClark)),
    row("catmull-clark, all", "sphere:40", 5, 9_830_400, Some(0.18), Some((1.318, SLAK)), |b| all(b, CatmullClark)),
    row("catmull-clark, all", "sphere:640", 1, 9_830_400, Some(0.35), Some((0.784, SLAK)), |b| all(b, CatmullClark)),
    row("catmull-clark, all", "sphere:640S", 1, 9_830_400, Some(1.2), Some((3.077, SLAK)), |b| all(b, CatmullClark)),
    row("catmull-clark, all, new", "sphere:40", 5, 9_830_400, None, None, |b| all_new(b, CatmullClark)),
    row("catmull-clark, all, new", "sphere:640", 1, 9_830_400, None, None, |b| all_new(b, CatmullClark)),
    row("catmull-clark, patches", "sphere:40", 3, 614_400, None, None, patches_of_quads),
    row("adaptive, patches", "irregular:16", 6, 9_216, None, None, adaptive_patches),
    row("adaptive, values", "irregular:16", 6, 9_216, None, None, adaptive_values),
    row("adaptive, values", "sphere:160", 6, 153_600, None, None, adaptive_values),
    row("adaptive, a million places", "irregular:16", 6, 9_216, None, None, adaptive_places),
    row("loop", "triangles:16", 4, 786_432, None, Some((0.0277, OSD)), |b| positions(b, Loop)),
    row("loop", "triangles:16", 6, 12_582_912, Some(0.12), Some((0.293, OSD)), |b| positions(b, Loop)),
    row("loop", "triangles:100", 3, 7_680_000, None, Some((0.396, HALFEDGE)), |b| positions(b, Loop)),
    row("loop, creases", "triangles:16", 6, 12_582_912, None, None,
        |b| positions(&b.on(&sharpened(b.mesh)), Loop)).relative(Relative::Row("loop", 1.1)),
    row("loop, bytes a face", "triangles:16", 6, 12_582_912, None, None, |b| bytes(b, Loop)).of_bytes(),
    row("sqrt3", "triangles:100", 4, 9_720_000, None, Some((0.526, "own port of the rule; without half-edges")),
        |b| positions(b, Sqrt3)),
    row("sqrt3, all", "triangles:100", 4, 9_720_000, Some(0.30), Some((0.94, "own port of the rule")),
        |b| all(b, Sqrt3)),
    row("sqrt3, all, new", "triangles:100", 4, 9_720_000, None, None, |b| all_new(b, Sqrt3)),
    row("mapped SpMV, M^T p", "sphere:640", 0, 2_457_600, Some(0.08), Some((0.219, "cuSPARSE")), mapped_spmv),
    row("mapped SpGEMM", "sphere:640", 0, 2_457_600, Some(0.45), Some((1.50, "cuSPARSE")), mapped_spgemm),
    row("mapped SpMV, M^T p", "sphere:640S", 0, 2_457_600, None, Some((0.473, "cuSPARSE")), mapped_spmv),
    row("mapped SpGEMM", "sphere:640S", 0, 2_457_600, None, Some((1.92, "cuSPARSE")), mapped_spgemm),
    row("catmull-clark, general", "sphere:40", 5, 9_830_400, Some(2.0), Some((196.8, "LAK")),
        |b| general(b, CATMULL_CLARK)),
    row("loop, all", "triangles:16", 6, 12_582_912, Some(0.35), Some((1.55, HALFEDGE)), |b| all(b, Loop)),
    row("loop, all, new", "triangles:16", 6, 12_582_912, None, None, |b| all_new(b, Loop)),
];

/// Measures the positions of the surface of a mesh that stays the same.
fn positions(b: &PolygonBench<'_>, scheme: Scheme) -> Result<Measured> {
    let (surface, x) = (b.surface(scheme)?, b.x()?);
    let mut y = b.engine.zeroed(3 * surface.vertex_count() as usize)?;
    let times = measure::launches(b.engine, b.effort, || Ok(surface.values(3, &x, &mut y)?))?;
    b.with_bytes(times, surface.bytes())
}

/// Measures the cost of a frame of a modelling program, with faces and positions on the engine: adjacency, and faces
/// and positions of the surface, in existing memory, up to the check that the faces are the assumed closed surface
/// (Loop's scheme waits for it earlier). Nothing is transferred or allocated.
pub(super) fn all(b: &PolygonBench<'_>, scheme: Scheme) -> Result<Measured> {
    let (x, given) = (b.x()?, Given::new(b.engine, b.mesh)?);
    let mut surface = b.surface(scheme)?;
    let mut y = b.engine.zeroed(3 * surface.vertex_count() as usize)?;
    let mut faces = b.engine.zeroed(surface.index_count() as usize)?;
    let times = measure::waiting(b.engine, b.effort, || {
        surface.rebuild_ahead(&given.faces())?;
        surface.values(3, &x, &mut y)?;
        surface.faces(&mut faces)?;
        Ok(surface.check()?)
    })?;
    b.with_bytes(times, surface.bytes())
}

/// Measures everything from faces on the host, in new memory: adjacency, faces and positions of the surface.
fn all_new(b: &PolygonBench<'_>, scheme: Scheme) -> Result<Measured> {
    let (x, surface) = (b.x()?, b.surface(scheme)?);
    let mut y = b.engine.zeroed(3 * surface.vertex_count() as usize)?;
    let mut faces = b.engine.zeroed(surface.index_count() as usize)?;
    let times = measure::calls(b.engine, b.effort, || {
        let surface = b.surface(scheme)?;
        surface.values(3, &x, &mut y)?;
        Ok(surface.faces(&mut faces)?)
    })?;
    b.measured(times)
}

/// Faces in an engine's memory.
struct Given {
    vertices: u32,
    count: u32,
    size: u32,
    offsets: Buffer<u32>,
    corners: Buffer<u32>,
}

impl Given {
    fn new(engine: &Engine, mesh: &PolyMesh) -> Result<Given> {
        let (size, offsets) = match &mesh.faces {
            Faces::Same(n) => (*n, &[][..]),
            Faces::Offsets(offsets) => (0, &offsets[..]),
        };
        Ok(Given {
            vertices: mesh.vertex_count() as u32,
            count: mesh.face_count() as u32,
            size,
            offsets: engine.upload(offsets)?,
            corners: engine.upload(&mesh.corners)?,
        })
    }

    fn faces(&self) -> DeviceFaces<'_> {
        DeviceFaces {
            vertices: self.vertices,
            faces: self.count,
            sizes: match self.size {
                0 => FaceSizes::Offsets(&self.offsets),
                n => FaceSizes::Same(n),
            },
            corners: &self.corners,
        }
    }
}

/// Makes every twentieth edge sharp, half of them for two and a half levels, and every hundredth vertex a corner.
fn sharpened(mesh: &PolyMesh) -> PolyMesh {
    let mut mesh = with_corners(mesh);
    for f in (0..mesh.face_count()).step_by(10) {
        let face = mesh.face(f);
        let edge = SharpEdge {
            ends: [face[0], face[1]],
            sharpness: if f % 20 == 0 { PolyMesh::SHARP } else { 2.5 },
        };
        mesh.sharp_edges.push(edge);
    }
    mesh
}

fn with_corners(mesh: &PolyMesh) -> PolyMesh {
    let mut mesh = mesh.clone();
    for vertex in (0..mesh.vertex_count() as u32).step_by(100) {
        mesh.sharp_vertices.push(SharpVertex {
            vertex,
            sharpness: PolyMesh::SHARP,
        });
    }
    mesh
}

/// Omits every twentieth quad: each leaves a boundary of four edges.
fn with_gaps(mesh: &PolyMesh) -> PolyMesh {
    let mut mesh = mesh.clone();
    let quads = mesh.corners.as_chunks::<4>().0.iter().enumerate();
    let left = quads.filter(|(i, _)| i % 20 != 0).flat_map(|(_, q)| *q);
    mesh.corners = left.collect();
    mesh
}

/// Measures the peak memory on the engine from the faces on the host to faces and positions of the surface.
pub(super) fn bytes(b: &PolygonBench<'_>, scheme: Scheme) -> Result<Measured> {
    most_allocated(b, || {
        let (surface, x) = (b.surface(scheme)?, b.x()?);
        let mut y = b.engine.zeroed(3 * surface.vertex_count() as usize)?;
        surface.values(3, &x, &mut y)?;
        let mut faces = b.engine.zeroed(surface.index_count() as usize)?;
        Ok(surface.faces(&mut faces)?)
    })
}

/// Does as [`bytes`] for the general form.
pub(super) fn general_bytes(b: &PolygonBench<'_>, scheme: impl Listed) -> Result<Measured> {
    most_allocated(b, || {
        let base = Mesh::new(b.engine, b.mesh)?;
        let surface = GeneralSubdivision::new(base, scheme, b.levels)?;
        let x = b.x()?;
        let mut y = b.engine.zeroed(3 * surface.vertex_count() as usize)?;
        Ok(surface.values(3, &x, &mut y)?)
    })
}

/// Measures the peak memory of some work on the engine.
fn most_allocated(b: &PolygonBench<'_>, work: impl FnOnce() -> Result<()>) -> Result<Measured> {
    let [before, _] = b.engine.allocated();
    b.engine.forget_most_allocated();
    work()?;
    let [_, most] = b.engine.allocated();
    let bytes = most - before;
    let values = vec![bytes as f64 / b.faces as f64];
    let measured = Measured {
        per: "face",
        elements: b.faces,
        ..Measured::amount(Unit::BytesAFace, values, Map::new())
    };
    Ok(measured.with("bytes", bytes))
}

fn faces_of_quads(b: &PolygonBench<'_>) -> Result<Measured> {
    let surface = b.surface(CatmullClark)?;
    let mut faces = b.engine.zeroed(surface.index_count() as usize)?;
    b.measured(measure::launches(b.engine, b.effort, || {
        Ok(surface.faces(&mut faces)?)
    })?)
}

/// Measures making an `RxMesh` of an existing surface.
fn patches_of_quads(b: &PolygonBench<'_>) -> Result<Measured> {
    let surface = b.surface(CatmullClark)?;
    let times = measure::calls(b.engine, b.effort, || Ok(surface.to_patches().map(drop)?))?;
    b.measured(times)
}

/// Measures making a list of bicubic patches, from faces on the host.
fn adaptive_patches(b: &PolygonBench<'_>) -> Result<Measured> {
    let times = measure::calls(b.engine, b.effort, || b.adaptive().map(drop))?;
    b.with_bytes(times, b.adaptive()?.bytes())
}

/// Measures the control points of existing patches.
fn adaptive_values(b: &PolygonBench<'_>) -> Result<Measured> {
    let (surface, x) = (b.adaptive()?, b.x()?);
    let mut y = b.engine.zeroed(3 * surface.control_count() as usize)?;
    let times = measure::launches(b.engine, b.effort, || Ok(surface.values(3, &x, &mut y)?))?;
    b.with_bytes(times, surface.bytes())
}

/// Measures a list of bicubic patches and their control points, from faces on the host.
pub(super) fn adaptive_all(b: &PolygonBench<'_>) -> Result<Measured> {
    let (x, surface) = (b.x()?, b.adaptive()?);
    let mut y = b.engine.zeroed(3 * surface.control_count() as usize)?;
    let times = measure::calls(b.engine, b.effort, || {
        Ok(b.adaptive()?.values(3, &x, &mut y)?)
    })?;
    b.with_bytes(times, surface.bytes())
}

/// Does as [`bytes`] for the list of bicubic patches and their control points.
pub(super) fn adaptive_bytes(b: &PolygonBench<'_>) -> Result<Measured> {
    most_allocated(b, || {
        let (surface, x) = (b.adaptive()?, b.x()?);
        let mut y = b.engine.zeroed(3 * surface.control_count() as usize)?;
        Ok(surface.values(3, &x, &mut y)?)
    })
}

/// Measures points and normals at a million random places.
fn adaptive_places(b: &PolygonBench<'_>) -> Result<Measured> {
    const PLACES: u32 = 1_000_000;
    let (mut surface, x) = (b.adaptive()?, b.x()?);
    let mut control = b.engine.zeroed(3 * surface.control_count() as usize)?;
    surface.values(3, &x, &mut control)?;
    let random = |i: u32| rxmesh_host::kernels::math::hash(i);
    let unit = |i: u32| (random(i) >> 8) as f32 / (1 << 24) as f32;
    let faces: Vec<u32> = (0..PLACES)
        .map(|i| random(3 * i) % surface.face_count())
        .collect();
    let places: Vec<f32> = (0..PLACES)
        .flat_map(|i| [unit(3 * i + 1), unit(3 * i + 2)])
        .collect();
    let (faces, places) = (b.engine.upload(&faces)?, b.engine.upload(&places)?);
    let mut points = b.engine.zeroed(3 * PLACES as usize)?;
    let mut normals = b.engine.zeroed(3 * PLACES as usize)?;
    let times = measure::launches(b.engine, b.effort, || {
        Ok(surface.evaluate_normals(&control, &faces, &places, &mut points, &mut normals)?)
    })?;
    surface.check()?;
    b.measured(times)
}

/// Measures twins, edges and rows from faces on the engine, in existing memory.
fn adjacency(b: &PolygonBench<'_>) -> Result<Measured> {
    let given = Given::new(b.engine, b.mesh)?;
    let mut made = Mesh::new(b.engine, b.mesh)?;
    let times = measure::waiting(
        b.engine,
        b.effort,
        || Ok(made.rebuild_from(&given.faces())?),
    )?;
    b.measured(times)
}

/// Measures the same from faces on the host, in new memory.
fn new_adjacency(b: &PolygonBench<'_>) -> Result<Measured> {
    let times = measure::calls(b.engine, b.effort, || {
        Ok(Mesh::new(b.engine, b.mesh).map(drop)?)
    })?;
    b.measured(times)
}

/// Measures the mean of each face's corners, as a transposed product with a constant map.
pub(super) fn mapped_spmv(b: &PolygonBench<'_>) -> Result<Measured> {
    let (matrix, x) = (Mesh::new(b.engine, b.mesh)?, b.x()?);
    let mut y = b.engine.zeroed(3 * matrix.face_count() as usize)?;
    let times = measure::launches(b.engine, b.effort, || {
        let mean = matrix.transposed(OverOrder { weight: 1.0 });
        Ok(multiply(b.engine, mean, 3, &x, &mut y, Finish::default())?)
    })?;
    b.measured(times)
}

/// Measures both half-edges of each edge, as a product of pairs.
fn mapped_spgemm(b: &PolygonBench<'_>) -> Result<Measured> {
    let matrix = Mesh::new(b.engine, b.mesh)?;
    let mut sides = Csr::new(b.engine, matrix.pairs(Sides {}))?;
    let rebuild = || Ok(sides.rebuild(matrix.pairs(Sides {}))?);
    b.measured(measure::calls(b.engine, b.effort, rebuild)?)
}

/// Measures the topology of all levels and the positions, by masks over mesh matrices.
pub(super) fn general(b: &PolygonBench<'_>, scheme: impl Listed) -> Result<Measured> {
    let base = Mesh::new(b.engine, b.mesh)?;
    let mut surface = GeneralSubdivision::new(base, scheme, b.levels)?;
    let x = b.x()?;
    let mut y = b.engine.zeroed(3 * surface.vertex_count() as usize)?;
    let times = measure::calls(b.engine, b.effort, || {
        surface.rebuild()?;
        Ok(surface.values(3, &x, &mut y)?)
    })?;
    b.measured(times)
}

/// Measures ordering a mesh on the host.
pub(super) fn ordering(b: &PolygonBench<'_>, order: rxmesh_host::mesh::Order) -> Result<Measured> {
    let times = measure::calls(b.engine, b.effort, || {
        b.mesh.clone().reorder(order);
        Ok(())
    })?;
    b.measured(times)
}
