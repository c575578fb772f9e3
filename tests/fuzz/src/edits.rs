//! Scripts of edits on meshes with every defect: after each step the session is valid and Euler's number is unchanged.

use std::path::Path;

use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::algo::delaunay::delaunay;
use rxmesh_host::algo::remesh::remesh;
use rxmesh_host::algo::simplify::{SimplifyOptions, simplify};
use rxmesh_host::algo::track::track;
use rxmesh_host::edit::{Claims, Column, Seeds, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::io::{self, WriteOptions};
use rxmesh_host::kernels::topo::{Kind, Vertex};
use rxmesh_host::mesh::{Rng, TriMesh, generate, quality};
use rxmesh_host::patch::{PatchOptions, PatchSet};
use rxmesh_host::repack::{Labels, RepackOptions};
use rxmesh_host::store::RxMesh;
use rxmesh_speculative::{Speculative, SpeculativeOptions};
use rxmesh_tests::edits::Edit;
use rxmesh_tests::engines::TestScheduler;
use rxmesh_tests::fixtures;
use rxmesh_tests::marked::Marked;

use crate::random::Choose;
use crate::{Fuzz, Outcome, options, statics};

/// Fuzzer of edits.
pub(crate) struct Edits;

/// Most faces of an initial mesh.
const MOST: usize = 400;

/// Number of faces at which a script ends, so that a case stays quick.
const LARGE: u32 = 20_000;

impl Fuzz for Edits {
    fn run(&self, seed: u64) -> Outcome {
        let rng = &mut Rng::new(seed);
        let mesh = mesh(rng);
        let engine = match rng.below(10) {
            0 => Engine::shuffled(seed as u32),
            1 => Engine::team(2 + rng.below(3) as u32),
            _ => Engine::cpu(),
        };
        let patches = PatchOptions::default().with(|o| {
            o.patch_size = rng.between(4, 200) as u32;
            o.seed = rng.next_u64();
        });
        let rx = said(RxMesh::new(
            &engine,
            mesh.vertex_count(),
            &mesh.faces,
            &patches,
        ))?;
        valid(said(rx.patch_set())?, &mesh)?;
        if rng.percent(20) {
            return statics::run(rng, &rx, &mesh);
        }
        script(rng, &rx, &mesh)
    }

    fn describe(&self, seed: u64, folder: &Path) -> std::io::Result<()> {
        let path = folder.join("case.ply");
        let mesh = mesh(&mut Rng::new(seed));
        io::write(&path, &mesh, &WriteOptions::default()).map_err(std::io::Error::other)?;
        println!("{}: {} faces", path.display(), mesh.face_count());
        Ok(())
    }
}

fn said<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|e| e.to_string())
}

fn valid(set: &PatchSet, mesh: &TriMesh) -> Outcome {
    let wrong = set.validate(mesh.vertex_count(), &mesh.faces);
    match wrong.first() {
        None => Ok(()),
        Some(first) => Err(format!(
            "{} faults of patches, first {first:?}",
            wrong.len()
        )),
    }
}

/// Makes a fixture or a soup, with damage: faces that are missing, doubled, turned or repeat a vertex, vertices at one
/// position or far away.
fn mesh(rng: &mut Rng) -> TriMesh {
    let mut mesh = if rng.percent(20) {
        let (vertices, faces) = (rng.between(1, 60) as u32, rng.below(200) as usize);
        fixtures::soup(rng.next_u64(), vertices, faces)
    } else {
        let small: Vec<_> = fixtures::all()
            .iter()
            .filter(|f| f.mesh.face_count() <= MOST)
            .collect();
        rng.one_of(&small).mesh.clone()
    };
    if rng.percent(50) {
        for _ in 0..rng.between(1, 8) {
            damage(rng, &mut mesh);
        }
    }
    if rng.percent(20) {
        generate::shuffle(&mut mesh, rng.next_u64());
    }
    if rng.percent(10) {
        let scale = *rng.one_of(&[1e-20f32, 1e-6, 1e6, 1e15, 0.0]);
        mesh.positions.iter_mut().for_each(|p| *p *= scale);
    }
    mesh
}

fn damage(rng: &mut Rng, mesh: &mut TriMesh) {
    let (vertices, faces) = (mesh.vertex_count() as u64, mesh.face_count() as u64);
    if faces == 0 {
        return;
    }
    let f = rng.below(faces) as usize;
    let (v, w) = (rng.below(vertices), rng.below(vertices));
    match rng.below(8) {
        0 => {
            mesh.faces.swap_remove(f);
        }
        1 => mesh.faces.push(mesh.faces[f]),
        2 => mesh.faces[f].swap(0, 1),
        3 => mesh.faces[f][rng.below(3) as usize] = v as u32,
        4 => mesh.positions[v as usize] = mesh.positions[w as usize],
        5 => mesh.positions.push(Vec3::splat(3.0)),
        6 => {
            let [a, b, _] = mesh.faces[f];
            mesh.faces.push([b, a, v as u32]);
        }
        _ => mesh.positions[v as usize] *= 100.0,
    }
}

/// Opens the mesh and edits it with claims, or on the speculative scheduler.
fn script(rng: &mut Rng, rx: &RxMesh, mesh: &TriMesh) -> Outcome {
    if rng.percent(66) {
        let m = said(Marked::<Claims>::open(rx, mesh))?;
        return steps(rng, m, |session, x, options| {
            simplify(session, x, options).map(drop)
        });
    }
    let mut m = match Marked::<Speculative>::open(rx, mesh) {
        Ok(m) => m,
        // The engine reports meshes that it does not support.
        Err(e) if e.to_string().contains("speculative scheduler") => return Ok(()),
        Err(e) => return Err(e.to_string()),
    };
    let options = SpeculativeOptions {
        blocks: rng.percent(50).then(|| rng.between(1, 32) as u32),
        lock_all: rng.percent(20),
    };
    Speculative::set_options(&mut m.session, options);
    steps(rng, m, |_, _, _| Ok(()))
}

/// Edits the mesh of a session, and closes it. Not every scheduler of edits simplifies.
fn steps<C: TestScheduler>(
    rng: &mut Rng,
    mut m: Marked<C>,
    simplify: impl Fn(&mut Session<C>, Column<Vertex, Vec3>, &SimplifyOptions) -> Result<(), Error>,
) -> Outcome {
    sound(&m.session).map_err(|e| format!("opened: {e}"))?;
    for k in 0..rng.between(1, 6) {
        let euler = said(m.session.euler_number())?;
        let what = step(rng, &mut m, &simplify).map_err(|e| format!("step {k}: {e}"))?;
        sound(&m.session).map_err(|e| format!("step {k}, {what}: {e}"))?;
        let after = said(m.session.euler_number())?;
        if after != euler {
            return Err(format!(
                "step {k}, {what}: Euler's number was {euler} and is {after}"
            ));
        }
        if said(m.session.live())?[2] > LARGE {
            break;
        }
    }
    close(rng, m)
}

fn sound<C: TestScheduler>(session: &Session<C>) -> Outcome {
    let wrong = said(session.validate())?;
    match wrong.first() {
        None => Ok(()),
        Some(first) => Err(format!("{} violations, first {first:?}", wrong.len())),
    }
}

/// Runs one operator or one algorithm; returns its name.
fn step<C: TestScheduler>(
    rng: &mut Rng,
    m: &mut Marked<C>,
    simplify: &impl Fn(&mut Session<C>, Column<Vertex, Vec3>, &SimplifyOptions) -> Result<(), Error>,
) -> Result<String, String> {
    if rng.percent(60) {
        return operator(rng, m);
    }
    let (session, x) = (&mut m.session, m.x);
    let current = said(session.to_mesh(x))?.0;
    let mean = quality(&current).edge_length.mean as f32;
    let mean = if mean > 0.0 { mean } else { 1.0 };
    let (what, result) = match rng.below(4) {
        0 => {
            let o = options::delaunay(rng);
            (format!("{o:?}"), delaunay(session, x, &o).map(drop))
        }
        1 => {
            let o = options::simplify(rng, current.face_count() as u32);
            (format!("{o:?}"), simplify(session, x, &o))
        }
        2 => {
            let o = options::remesh(rng, mean);
            (format!("{o:?}"), remesh(session, x, &o).map(drop))
        }
        _ => {
            let o = options::track(rng, mean);
            let each = |_, _: &Session<C>| Ok::<_, Error>(());
            (format!("{o:?}"), track(session, x, &o, each).map(drop))
        }
    };
    match result {
        Ok(()) => Ok(what),
        // Refused before anything was changed.
        Err(Error::Options(_) | Error::NotFinite { .. } | Error::TooManyFaces { .. }) => Ok(what),
        Err(e) => Err(format!("{what}: {e}")),
    }
}

/// Runs an operator on marked seeds; its count of done edits must agree with the mesh.
fn operator<C: TestScheduler>(rng: &mut Rng, m: &mut Marked<C>) -> Result<String, String> {
    let edit = *rng.one_of(&Edit::ALL);
    let (part, priorities) = (rng.between(1, 100), rng.between(1, 9));
    m.mark_some(edit, rng, part, priorities);
    let what = format!("{edit:?} of {part} % with {priorities} priorities");
    let before = said(m.session.live())?;
    let report = m
        .run(edit, Seeds::All)
        .map_err(|e| format!("{what}: {e}"))?;
    let after = said(m.session.live())?;
    if !report.finished {
        return Err(format!("{what}: not finished, {report:?}"));
    }
    let done = report.done as i64;
    let expected = match edit {
        Edit::Flip => 0,
        Edit::Split | Edit::SplitFace => done,
        Edit::Collapse | Edit::Remove => -done,
    };
    let change = i64::from(after[0]) - i64::from(before[0]);
    if change != expected {
        return Err(format!("{what}: {change} vertices more, {report:?}"));
    }
    Ok(what)
}

/// Closes a session: the mesh in patches is the mesh of the session, and its patches are valid.
fn close<C: TestScheduler>(rng: &mut Rng, m: Marked<C>) -> Outcome {
    let x = m.x;
    let live = said(m.session.live())?;
    let (want, _) = said(m.session.to_mesh(x))?;
    let options = RepackOptions::default().with(|o| {
        o.patch_size = rng.between(4, 200) as u32;
        o.labels = *rng.one_of(&[Labels::Resize, Labels::Keep]);
    });
    let what = format!("{options:?}");
    let mut closed = m
        .session
        .close(options)
        .map_err(|e| format!("{what}: {e}"))?;
    let rx = &closed.mesh;
    if [rx.count(Kind::Vertex), rx.count(Kind::Face)] != [live[0], live[2]] {
        return Err(format!("{what}: {live:?} live elements, others in patches"));
    }
    valid(said(rx.patch_set())?, &want).map_err(|e| format!("{what}: {e}"))?;
    let mut x = said(closed.take(x))?;
    let positions = said(x.to_input(&closed.mesh))?;
    if positions != want.positions {
        return Err(format!("{what}: other positions"));
    }
    Ok(())
}
