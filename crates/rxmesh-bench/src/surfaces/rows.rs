//! Rows of the surfaces. Goals and baselines are milliseconds on an H200, or bytes per final face where a row gives
//! only bytes; the baselines were measured there on meshes made in the same way, as `docs/library/surfaces.md` states.

use anyhow::Result;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::{Faces, PolyMesh, SharpEdge, SharpVertex};
use rxmesh_subdivision::kernels::matrix::{CatmullClark, OverOrder, Sides};
use rxmesh_subdivision::matrix::{Csr, Finish, GeneralSubdivision, Listed, multiply};
use rxmesh_subdivision::{Adaptive, DeviceFaces, FaceSizes, Mesh, Options, Scheme, Subdivision};

use crate::measure::{self, Effort, Times};

/// Row of the surfaces' table.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) mesh: &'static str,
    pub(crate) levels: u32,
    /// Number of faces of the result; of the base for rows of patches.
    pub(crate) faces: u64,
    pub(crate) goal: Option<f64>,
    pub(crate) baseline: Option<(f64, &'static str)>,
    /// Row whose time, scaled by the number of faces, is the goal, and the factor on it.
    pub(crate) like: Option<(&'static str, f64)>,
    pub(crate) work: Work,
}

/// Work of a row, on a mesh and with a number of levels.
pub(crate) type Work = fn(&Engine, &PolyMesh, u32, Effort) -> Result<Measured>;

/// Result of a row: times, or only bytes.
pub(crate) struct Measured {
    pub(crate) times: Times,
    /// Bytes kept on the engine; for a row without times the peak, results included.
    pub(crate) bytes: Option<u64>,
}

impl From<Times> for Measured {
    fn from(times: Times) -> Measured {
        Measured { times, bytes: None }
    }
}

impl Row {
    /// Sets a multiple of another row's time as the goal.
    const fn like(self, name: &'static str, times: f64) -> Row {
        Row {
            like: Some((name, times)),
            ..self
        }
    }
}

pub(super) const fn row(
    name: &'static str,
    mesh: &'static str,
    levels: u32,
    faces: u64,
    goal: Option<f64>,
    baseline: Option<(f64, &'static str)>,
    work: Work,
) -> Row {
    Row {
        name,
        mesh,
        levels,
        faces,
        goal,
        baseline,
        like: None,
        work,
    }
}

const EDGE_FRIEND: &str = "Edge-Friend, ported; without base adjacency and level 1";
const SLAK: &str = "SLAK";
const OSD: &str = "OpenSubdiv's CUDA evaluator; without its stencils";
const HALFEDGE: &str = "halfedge rule, ported; without half-edges";

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    row("adjacency", "sphere:40", 0, 9_600, None, Some((4.0, "Edge-Friend, host")), adjacency),
    row("adjacency", "sphere:160", 0, 153_600, None, None, adjacency),
    row("adjacency", "sphere:640", 0, 2_457_600, None, None, adjacency),
    row("adjacency", "sphere:640S", 0, 2_457_600, None, None, adjacency),
    row("adjacency, new", "sphere:640", 0, 2_457_600, None, None, new_adjacency),
    row("catmull-clark", "sphere:5", 4, 38_400, Some(0.010), Some((0.0118, OSD)), catmull_clark),
    row("catmull-clark", "sphere:40", 3, 614_400, Some(0.015), Some((0.033, EDGE_FRIEND)), catmull_clark),
    row("catmull-clark", "sphere:5", 6, 614_400, Some(0.018), Some((0.0436, OSD)), catmull_clark),
    row("catmull-clark", "sphere:40", 5, 9_830_400, Some(0.06), Some((0.319, EDGE_FRIEND)), catmull_clark),
    row("catmull-clark", "sphere:5", 8, 9_830_400, Some(0.09), Some((0.309, EDGE_FRIEND)), catmull_clark),
    row("catmull-clark", "irregular:16", 5, 9_437_184, Some(0.11), Some((0.304, EDGE_FRIEND)), catmull_clark),
    row("catmull-clark", "polygons:16", 6, 9_437_184, None, Some((0.305, EDGE_FRIEND)), catmull_clark),
    row("catmull-clark", "sphere:160", 3, 9_830_400, None, Some((0.440, EDGE_FRIEND)), catmull_clark),
    row("catmull-clark", "sphere:160S", 3, 9_830_400, None, Some((0.650, SLAK)), catmull_clark),
    row("catmull-clark", "sphere:640", 1, 9_830_400, Some(0.12), Some((0.237, HALFEDGE)), catmull_clark),
    row("catmull-clark", "sphere:640S", 1, 9_830_400, None, Some((0.933, SLAK)), catmull_clark),
    row("catmull-clark, creases", "sphere:40", 5, 9_830_400, None, None, creased).like("catmull-clark", 1.1),
    row("catmull-clark, corners", "sphere:40", 5, 9_830_400, None, None, cornered).like("catmull-clark", 1.1),
    row("catmull-clark, boundaries", "sphere:40", 5, 9_338_880, None, None, gaps).like("catmull-clark", 1.1),
    row("catmull-clark, bytes a face", "sphere:40", 5, 9_830_400, Some(32.0), Some((50.0, SLAK)), bytes_of_quads),
    row("catmull-clark, faces", "sphere:40", 5, 9_830_400, None, None, faces_of_quads),
    row("catmull-clark, all", "sphere:40", 3, 614_400, Some(0.06), Some((0.259, SLAK)), all_of_quads),
    row("catmull-clark, all", "sphere:40", 5, 9_830_400, Some(0.18), Some((1.318, SLAK)), all_of_quads),
    row("catmull-clark, all", "sphere:640", 1, 9_830_400, Some(0.35), Some((0.784, SLAK)), all_of_quads),
    row("catmull-clark, all", "sphere:640S", 1, 9_830_400, Some(1.2), Some((3.077, SLAK)), all_of_quads),
    row("catmull-clark, all, new", "sphere:40", 5, 9_830_400, None, None, all_new_of_quads),
    row("catmull-clark, all, new", "sphere:640", 1, 9_830_400, None, None, all_new_of_quads),
    row("catmull-clark, patches", "sphere:40", 3, 614_400, None, None, patches_of_quads),
    row("adaptive, patches", "irregular:16", 6, 9_216, None, None, adaptive_patches),
    row("adaptive, values", "irregular:16", 6, 9_216, None, None, adaptive_values),
    row("adaptive, values", "sphere:160", 6, 153_600, None, None, adaptive_values),
    row("adaptive, a million places", "irregular:16", 6, 9_216, None, None, adaptive_places),
    row("loop", "triangles:16", 4, 786_432, None, Some((0.0277, OSD)), loop_surface),
    row("loop", "triangles:16", 6, 12_582_912, Some(0.12), Some((0.293, OSD)), loop_surface),
    row("loop", "triangles:100", 3, 7_680_000, None, Some((0.396, HALFEDGE)), loop_surface),
    row("loop, creases", "triangles:16", 6, 12_582_912, None, None, creased_triangles).like("loop", 1.1),
    row("loop, bytes a face", "triangles:16", 6, 12_582_912, None, None, bytes_of_triangles),
    row("sqrt3", "triangles:100", 4, 9_720_000, None, Some((0.526, "own port of the rule; without half-edges")), sqrt3),
    row("sqrt3, all", "triangles:100", 4, 9_720_000, Some(0.30), Some((0.94, "own port of the rule")), all_of_sqrt3),
    row("sqrt3, all, new", "triangles:100", 4, 9_720_000, None, None, all_new_of_sqrt3),
    row("mapped SpMV, M^T p", "sphere:640", 0, 2_457_600, Some(0.08), Some((0.219, "cuSPARSE")), mapped_spmv),
    row("mapped SpGEMM", "sphere:640", 0, 2_457_600, Some(0.45), Some((1.50, "cuSPARSE")), mapped_spgemm),
    row("mapped SpMV, M^T p", "sphere:640S", 0, 2_457_600, None, Some((0.473, "cuSPARSE")), mapped_spmv),
    row("mapped SpGEMM", "sphere:640S", 0, 2_457_600, None, Some((1.92, "cuSPARSE")), mapped_spgemm),
    row("catmull-clark, general", "sphere:40", 5, 9_830_400, Some(2.0), Some((196.8, "LAK")), general),
    row("loop, all", "triangles:16", 6, 12_582_912, Some(0.35), Some((1.55, HALFEDGE)), all_of_triangles),
    row("loop, all, new", "triangles:16", 6, 12_582_912, None, None, all_new_of_triangles),
];

/// Measures the positions of the surface of a mesh that stays the same.
fn positions(
    engine: &Engine,
    mesh: &PolyMesh,
    options: &Options,
    effort: Effort,
) -> Result<Measured> {
    let surface = Subdivision::new(engine, mesh, options)?;
    let x = engine.upload(bytemuck::cast_slice::<_, f32>(&mesh.positions))?;
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize)?;
    let times = measure::launches(engine, effort, || Ok(surface.values(3, &x, &mut y)?))?;
    let bytes = Some(surface.bytes());
    Ok(Measured { times, bytes })
}

/// Measures the cost of a frame of a modelling program, with faces and positions on the engine: adjacency, and faces
/// and positions of the surface, in existing memory, up to the check that the faces are the assumed closed surface
/// (Loop's scheme waits for it earlier). Nothing is transferred or allocated.
fn all(engine: &Engine, mesh: &PolyMesh, options: &Options, effort: Effort) -> Result<Measured> {
    let x = engine.upload(bytemuck::cast_slice::<_, f32>(&mesh.positions))?;
    let given = Given::new(engine, mesh)?;
    let mut surface = Subdivision::new(engine, mesh, options)?;
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize)?;
    let mut faces = engine.zeroed(surface.index_count() as usize)?;
    let times = measure::waiting(engine, effort, || {
        surface.rebuild_ahead(&given.faces())?;
        surface.values(3, &x, &mut y)?;
        surface.faces(&mut faces)?;
        Ok(surface.check()?)
    })?;
    let bytes = Some(surface.bytes());
    Ok(Measured { times, bytes })
}

/// Measures everything from faces on the host, in new memory: adjacency, faces and positions of the surface.
fn all_new(
    engine: &Engine,
    mesh: &PolyMesh,
    options: &Options,
    effort: Effort,
) -> Result<Measured> {
    let x = engine.upload(bytemuck::cast_slice::<_, f32>(&mesh.positions))?;
    let surface = Subdivision::new(engine, mesh, options)?;
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize)?;
    let mut faces = engine.zeroed(surface.index_count() as usize)?;
    let times = measure::calls(engine, effort, || {
        let surface = Subdivision::new(engine, mesh, options)?;
        surface.values(3, &x, &mut y)?;
        Ok(surface.faces(&mut faces)?)
    })?;
    Ok(times.into())
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

/// Returns the options of a smooth surface.
fn smooth(scheme: Scheme, levels: u32) -> Options {
    Options {
        scheme,
        levels,
        ..Options::default()
    }
}

fn catmull_clark(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    positions(engine, mesh, &smooth(Scheme::CatmullClark, levels), effort)
}

fn loop_surface(engine: &Engine, mesh: &PolyMesh, levels: u32, effort: Effort) -> Result<Measured> {
    positions(engine, mesh, &smooth(Scheme::Loop, levels), effort)
}

pub(super) fn all_of_quads(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    all(engine, mesh, &smooth(Scheme::CatmullClark, levels), effort)
}

fn all_new_of_quads(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    all_new(engine, mesh, &smooth(Scheme::CatmullClark, levels), effort)
}

fn all_new_of_triangles(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    all_new(engine, mesh, &smooth(Scheme::Loop, levels), effort)
}

fn all_new_of_sqrt3(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    all_new(engine, mesh, &smooth(Scheme::Sqrt3, levels), effort)
}

pub(super) fn all_of_triangles(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    all(engine, mesh, &smooth(Scheme::Loop, levels), effort)
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

fn creased(engine: &Engine, mesh: &PolyMesh, levels: u32, effort: Effort) -> Result<Measured> {
    catmull_clark(engine, &sharpened(mesh), levels, effort)
}

fn creased_triangles(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    loop_surface(engine, &sharpened(mesh), levels, effort)
}

fn cornered(engine: &Engine, mesh: &PolyMesh, levels: u32, effort: Effort) -> Result<Measured> {
    catmull_clark(engine, &with_corners(mesh), levels, effort)
}

/// Omits every twentieth quad: each leaves a boundary of four edges.
fn gaps(engine: &Engine, mesh: &PolyMesh, levels: u32, effort: Effort) -> Result<Measured> {
    let mut mesh = mesh.clone();
    let quads = mesh.corners.as_chunks::<4>().0.iter().enumerate();
    let left = quads.filter(|(i, _)| i % 20 != 0).flat_map(|(_, q)| *q);
    mesh.corners = left.collect();
    catmull_clark(engine, &mesh, levels, effort)
}

/// Measures the peak memory on the engine from the faces on the host to faces and positions of the surface.
fn bytes(engine: &Engine, mesh: &PolyMesh, options: &Options) -> Result<Measured> {
    most_allocated(engine, || {
        let surface = Subdivision::new(engine, mesh, options)?;
        let x = engine.upload(bytemuck::cast_slice::<_, f32>(&mesh.positions))?;
        let mut y = engine.zeroed(3 * surface.vertex_count() as usize)?;
        surface.values(3, &x, &mut y)?;
        let mut faces = engine.zeroed(surface.index_count() as usize)?;
        Ok(surface.faces(&mut faces)?)
    })
}

/// Measures the peak memory of some work on the engine.
pub(super) fn most_allocated(
    engine: &Engine,
    work: impl FnOnce() -> Result<()>,
) -> Result<Measured> {
    let [before, _] = engine.allocated();
    engine.forget_most_allocated();
    work()?;
    let [_, most] = engine.allocated();
    Ok(Measured {
        times: Times::default(),
        bytes: Some(most - before),
    })
}

pub(super) fn bytes_of_quads(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    _: Effort,
) -> Result<Measured> {
    bytes(engine, mesh, &smooth(Scheme::CatmullClark, levels))
}

pub(super) fn bytes_of_triangles(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    _: Effort,
) -> Result<Measured> {
    bytes(engine, mesh, &smooth(Scheme::Loop, levels))
}

fn faces_of_quads(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    let surface = Subdivision::new(engine, mesh, &smooth(Scheme::CatmullClark, levels))?;
    let mut faces = engine.zeroed(surface.index_count() as usize)?;
    Ok(measure::launches(engine, effort, || Ok(surface.faces(&mut faces)?))?.into())
}

/// Measures making an `RxMesh` of an existing surface.
fn patches_of_quads(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    let surface = Subdivision::new(engine, mesh, &smooth(Scheme::CatmullClark, levels))?;
    let times = measure::calls(engine, effort, || {
        surface.to_patches()?;
        Ok(())
    })?;
    Ok(times.into())
}

/// Measures making a list of bicubic patches, from faces on the host.
fn adaptive_patches(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    let options = smooth(Scheme::CatmullClark, levels);
    let times = measure::calls(engine, effort, || {
        Adaptive::new(engine, mesh, &options)?;
        Ok(())
    })?;
    let bytes = Some(Adaptive::new(engine, mesh, &options)?.bytes());
    Ok(Measured { times, bytes })
}

/// Measures the control points of existing patches.
fn adaptive_values(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    let surface = Adaptive::new(engine, mesh, &smooth(Scheme::CatmullClark, levels))?;
    let x = engine.upload(bytemuck::cast_slice::<_, f32>(&mesh.positions))?;
    let mut y = engine.zeroed(3 * surface.control_count() as usize)?;
    let times = measure::launches(engine, effort, || Ok(surface.values(3, &x, &mut y)?))?;
    let bytes = Some(surface.bytes());
    Ok(Measured { times, bytes })
}

/// Measures points and normals at a million random places.
fn adaptive_places(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    const PLACES: u32 = 1_000_000;
    let mut surface = Adaptive::new(engine, mesh, &smooth(Scheme::CatmullClark, levels))?;
    let x = engine.upload(bytemuck::cast_slice::<_, f32>(&mesh.positions))?;
    let mut control = engine.zeroed(3 * surface.control_count() as usize)?;
    surface.values(3, &x, &mut control)?;
    let random = |i: u32| rxmesh_host::kernels::math::hash(i);
    let unit = |i: u32| (random(i) >> 8) as f32 / (1 << 24) as f32;
    let faces: Vec<u32> = (0..PLACES)
        .map(|i| random(3 * i) % surface.face_count())
        .collect();
    let places: Vec<f32> = (0..PLACES)
        .flat_map(|i| [unit(3 * i + 1), unit(3 * i + 2)])
        .collect();
    let (faces, places) = (engine.upload(&faces)?, engine.upload(&places)?);
    let mut points = engine.zeroed(3 * PLACES as usize)?;
    let mut normals = engine.zeroed(3 * PLACES as usize)?;
    let times = measure::launches(engine, effort, || {
        Ok(surface.evaluate_normals(&control, &faces, &places, &mut points, &mut normals)?)
    })?;
    surface.check()?;
    Ok(times.into())
}

/// Measures twins, edges and rows from faces on the engine, in existing memory.
fn adjacency(engine: &Engine, mesh: &PolyMesh, _: u32, effort: Effort) -> Result<Measured> {
    let given = Given::new(engine, mesh)?;
    let mut made = Mesh::new(engine, mesh)?;
    let times = measure::waiting(engine, effort, || Ok(made.rebuild_from(&given.faces())?))?;
    Ok(times.into())
}

/// Measures the same from faces on the host, in new memory.
fn new_adjacency(engine: &Engine, mesh: &PolyMesh, _: u32, effort: Effort) -> Result<Measured> {
    let times = measure::calls(engine, effort, || {
        Mesh::new(engine, mesh)?;
        Ok(())
    })?;
    Ok(times.into())
}

fn sqrt3(engine: &Engine, mesh: &PolyMesh, levels: u32, effort: Effort) -> Result<Measured> {
    positions(engine, mesh, &smooth(Scheme::Sqrt3, levels), effort)
}

pub(super) fn all_of_sqrt3(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    all(engine, mesh, &smooth(Scheme::Sqrt3, levels), effort)
}

/// Measures the mean of each face's corners, as a transposed product with a constant map.
pub(super) fn mapped_spmv(
    engine: &Engine,
    mesh: &PolyMesh,
    _: u32,
    effort: Effort,
) -> Result<Measured> {
    let matrix = Mesh::new(engine, mesh)?;
    let x = engine.upload(bytemuck::cast_slice::<_, f32>(&mesh.positions))?;
    let mut y = engine.zeroed(3 * matrix.face_count() as usize)?;
    let times = measure::launches(engine, effort, || {
        let mean = matrix.transposed(OverOrder { weight: 1.0 });
        Ok(multiply(engine, mean, 3, &x, &mut y, Finish::default())?)
    })?;
    Ok(times.into())
}

/// Measures both half-edges of each edge, as a product of pairs.
fn mapped_spgemm(engine: &Engine, mesh: &PolyMesh, _: u32, effort: Effort) -> Result<Measured> {
    let matrix = Mesh::new(engine, mesh)?;
    let mut sides = Csr::new(engine, matrix.pairs(Sides {}))?;
    let times = measure::calls(
        engine,
        effort,
        || Ok(sides.rebuild(matrix.pairs(Sides {}))?),
    )?;
    Ok(times.into())
}

/// Measures the topology of all levels and the positions, by masks over mesh matrices.
pub(super) fn general(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    general_of(
        CatmullClark { smooth_corners: 0 },
        engine,
        mesh,
        levels,
        effort,
    )
}

/// Does as [`general`], for any scheme.
pub(super) fn general_of<S: Listed>(
    scheme: S,
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    let base = Mesh::new(engine, mesh)?;
    let mut surface = GeneralSubdivision::new(base, scheme, levels)?;
    let x = engine.upload(bytemuck::cast_slice::<_, f32>(&mesh.positions))?;
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize)?;
    let times = measure::calls(engine, effort, || {
        surface.rebuild()?;
        Ok(surface.values(3, &x, &mut y)?)
    })?;
    Ok(times.into())
}
