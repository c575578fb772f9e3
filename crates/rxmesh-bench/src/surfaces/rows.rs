//! What is measured. Goals and baselines are milliseconds on an H200; the baselines were measured there on meshes made
//! alike, as `docs/subdivision.md` says.

use anyhow::Result;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{PolyMesh, SharpEdge, SharpVertex};
use rxmesh_subdivision::kernels::matrix::{CatmullClark, OverOrder, Sides};
use rxmesh_subdivision::matrix::{Csr, Finish, GeneralSubdivision, multiply};
use rxmesh_subdivision::{Adaptive, Mesh, Options, Scheme, Subdivision};

use crate::measure::{self, Effort, Times};

/// A row.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) mesh: &'static str,
    pub(crate) levels: u32,
    /// Faces of the result; of the base where there are patches.
    pub(crate) faces: u64,
    pub(crate) goal: Option<f64>,
    pub(crate) baseline: Option<(f64, &'static str)>,
    pub(crate) work: fn(&Engine, &PolyMesh, u32, Effort) -> Result<Measured>,
}

/// What a row gives.
pub(crate) struct Measured {
    pub(crate) times: Times,
    pub(crate) bytes: Option<u64>,
}

impl From<Times> for Measured {
    fn from(times: Times) -> Measured {
        Measured { times, bytes: None }
    }
}

const fn row(
    name: &'static str,
    mesh: &'static str,
    levels: u32,
    faces: u64,
    goal: Option<f64>,
    baseline: Option<(f64, &'static str)>,
    work: fn(&Engine, &PolyMesh, u32, Effort) -> Result<Measured>,
) -> Row {
    Row {
        name,
        mesh,
        levels,
        faces,
        goal,
        baseline,
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
    row("catmull-clark, creases", "sphere:40", 5, 9_830_400, None, None, creased),
    row("catmull-clark, faces", "sphere:40", 5, 9_830_400, None, None, faces_of_quads),
    row("catmull-clark, all", "sphere:40", 3, 614_400, Some(0.06), Some((0.259, SLAK)), all_of_quads),
    row("catmull-clark, all", "sphere:40", 5, 9_830_400, Some(0.18), Some((1.318, SLAK)), all_of_quads),
    row("catmull-clark, all", "sphere:640", 1, 9_830_400, Some(0.35), Some((0.784, SLAK)), all_of_quads),
    row("catmull-clark, all", "sphere:640S", 1, 9_830_400, Some(1.2), Some((3.077, SLAK)), all_of_quads),
    row("catmull-clark, patches", "sphere:40", 3, 614_400, None, None, patches_of_quads),
    row("adaptive, patches", "irregular:16", 6, 9_216, None, None, adaptive_patches),
    row("adaptive, values", "irregular:16", 6, 9_216, None, None, adaptive_values),
    row("adaptive, values", "sphere:160", 6, 153_600, None, None, adaptive_values),
    row("adaptive, a million places", "irregular:16", 6, 9_216, None, None, adaptive_places),
    row("loop", "triangles:16", 4, 786_432, None, Some((0.0277, OSD)), loop_surface),
    row("loop", "triangles:16", 6, 12_582_912, Some(0.12), Some((0.293, OSD)), loop_surface),
    row("loop", "triangles:100", 3, 7_680_000, None, Some((0.396, HALFEDGE)), loop_surface),
    row("sqrt3", "triangles:100", 4, 9_720_000, None, Some((0.526, "own port of the rule; without half-edges")), sqrt3),
    row("sqrt3, all", "triangles:100", 4, 9_720_000, Some(0.30), Some((0.94, "own port of the rule")), all_of_sqrt3),
    row("mapped SpMV, M^T p", "sphere:640", 0, 2_457_600, Some(0.08), Some((0.219, "cuSPARSE")), mapped_spmv),
    row("mapped SpGEMM", "sphere:640", 0, 2_457_600, Some(0.45), Some((1.50, "cuSPARSE")), mapped_spgemm),
    row("catmull-clark, general", "sphere:40", 5, 9_830_400, Some(2.0), Some((196.8, "LAK")), general),
    row("loop, all", "triangles:16", 6, 12_582_912, Some(0.35), Some((1.55, HALFEDGE)), all_of_triangles),
];

/// Positions of the surface of a mesh that stays.
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

/// Everything from faces that are on the host: adjacency, faces and positions of the surface.
fn all(engine: &Engine, mesh: &PolyMesh, options: &Options, effort: Effort) -> Result<Measured> {
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

/// Options of a smooth surface.
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

fn all_of_quads(engine: &Engine, mesh: &PolyMesh, levels: u32, effort: Effort) -> Result<Measured> {
    all(engine, mesh, &smooth(Scheme::CatmullClark, levels), effort)
}

fn all_of_triangles(
    engine: &Engine,
    mesh: &PolyMesh,
    levels: u32,
    effort: Effort,
) -> Result<Measured> {
    all(engine, mesh, &smooth(Scheme::Loop, levels), effort)
}

/// Every twentieth edge sharp, half of them for two and a half levels, and every hundredth vertex a corner.
fn creased(engine: &Engine, mesh: &PolyMesh, levels: u32, effort: Effort) -> Result<Measured> {
    let mut mesh = mesh.clone();
    for (i, q) in mesh
        .corners
        .as_chunks::<4>()
        .0
        .iter()
        .enumerate()
        .step_by(10)
    {
        let sharpness = if i % 20 == 0 { PolyMesh::SHARP } else { 2.5 };
        mesh.sharp_edges.push(SharpEdge {
            ends: [q[0], q[1]],
            sharpness,
        });
    }
    for vertex in (0..mesh.vertex_count() as u32).step_by(100) {
        mesh.sharp_vertices.push(SharpVertex {
            vertex,
            sharpness: PolyMesh::SHARP,
        });
    }
    catmull_clark(engine, &mesh, levels, effort)
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

/// An `RxMesh` of a surface that is there.
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

/// A list of bicubic patches, from faces that are on the host.
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

/// Control points of patches that are listed.
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

/// Points and normals at a million places that are everywhere, in no order.
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

/// Twins, edges and rows from faces that are on the host.
fn adjacency(engine: &Engine, mesh: &PolyMesh, _: u32, effort: Effort) -> Result<Measured> {
    let times = measure::calls(engine, effort, || {
        Mesh::new(engine, mesh)?;
        Ok(())
    })?;
    Ok(times.into())
}

fn sqrt3(engine: &Engine, mesh: &PolyMesh, levels: u32, effort: Effort) -> Result<Measured> {
    positions(engine, mesh, &smooth(Scheme::Sqrt3, levels), effort)
}

fn all_of_sqrt3(engine: &Engine, mesh: &PolyMesh, levels: u32, effort: Effort) -> Result<Measured> {
    all(engine, mesh, &smooth(Scheme::Sqrt3, levels), effort)
}

/// The mean of each face's corners, as a transposed product with a constant map.
fn mapped_spmv(engine: &Engine, mesh: &PolyMesh, _: u32, effort: Effort) -> Result<Measured> {
    let matrix = Mesh::new(engine, mesh)?;
    let x = engine.upload(bytemuck::cast_slice::<_, f32>(&mesh.positions))?;
    let mut y = engine.zeroed(3 * matrix.face_count() as usize)?;
    let times = measure::launches(engine, effort, || {
        let mean = matrix.transposed(OverOrder { weight: 1.0 });
        Ok(multiply(engine, mean, 3, &x, &mut y, Finish::default())?)
    })?;
    Ok(times.into())
}

/// Both half-edges of each edge, as a product of pairs.
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

/// Topology of all levels and positions, by masks over mesh matrices.
fn general(engine: &Engine, mesh: &PolyMesh, levels: u32, effort: Effort) -> Result<Measured> {
    let base = Mesh::new(engine, mesh)?;
    let scheme = CatmullClark { smooth_corners: 0 };
    let mut surface = GeneralSubdivision::new(base, scheme, levels)?;
    let x = engine.upload(bytemuck::cast_slice::<_, f32>(&mesh.positions))?;
    let mut y = engine.zeroed(3 * surface.vertex_count() as usize)?;
    let times = measure::calls(engine, effort, || {
        surface.rebuild()?;
        Ok(surface.values(3, &x, &mut y)?)
    })?;
    Ok(times.into())
}
