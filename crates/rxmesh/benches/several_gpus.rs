//! Simplifies many meshes on one GPU, on two, and so on by doubling up to all, and compares the results with those of
//! one.
//!
//! `cargo bench -p rxmesh --features cuda --bench several_gpus -- [meshes] [faces of each] [faces left]`
//!
//! Prints meshes a second for each number of GPUs: first each mesh alone, by [`Engines::run`], then joined in batches
//! of a million faces. Without a GPU, two engines on the same threads of the processor take their place.

use rxmesh::algo::simplify::{SimplifyOptions, Target, simplify_batch};
use rxmesh::host::batch::Batch;
use rxmesh::{Engine, Engines, Error, Result, RxMesh, Session, TriMesh, Vec3, Vertex};
use rxmesh::{batches, generate, ops};
use std::time::Instant;

/// Most faces of a batch.
const BATCH_FACES: usize = 1 << 20;

/// Timed runs of each row; the first of them warms up.
const RUNS: usize = 4;

fn main() -> Result<()> {
    let numbers: Vec<usize> = (std::env::args().skip(1))
        // Cargo's word.
        .filter(|text| text != "--bench")
        .map(|text| {
            text.parse()
                .map_err(|_| format!("{text}: a whole number is needed"))
        })
        .collect::<std::result::Result<_, _>>()
        .map_err(Error::Message)?;
    let number = |place: usize, default| numbers.get(place).copied().unwrap_or(default);
    let (count, faces, left) = (number(0, 1000), number(1, 20_000), number(2, 2000));
    let options = SimplifyOptions::new(Target::Faces(left as u32));
    let meshes: Vec<TriMesh> = (0..count).map(|i| bumpy(faces, i)).collect::<Result<_>>()?;
    let mut engines = Engines::all().engines().to_vec();
    if !engines[0].is_cuda() {
        engines.push(Engine::cpu());
    }
    for engine in &engines {
        println!("{}: {}", engine.name(), engine.info().device);
    }
    let numbers = std::iter::successors(Some(1), |n| Some(2 * n));
    let numbers: Vec<usize> = numbers.take_while(|n| *n <= engines.len()).collect();
    println!(
        "{count} meshes of {} faces to {left}",
        meshes.first().map_or(0, TriMesh::face_count)
    );
    for (name, run) in [("alone", alone as Runner), ("in batches", in_batches)] {
        let mut one: Option<(Vec<TriMesh>, f64)> = None;
        for n in &numbers {
            let engines = Engines::new(engines[..*n].iter().cloned())?;
            let (results, seconds) = best(&meshes, |meshes| run(&engines, meshes, &options))?;
            let (expected, of_one) = one.get_or_insert_with(|| (results.clone(), seconds));
            if results != *expected {
                return Err(Error::Message(format!(
                    "{name}: {n} engines give other bits than one"
                )));
            }
            let rate = count as f64 / seconds;
            let times = *of_one / seconds;
            println!(
                "{name}, {n} engines: {rate:.0} meshes a second, {times:.2} times one engine's, equal bits"
            );
        }
    }
    Ok(())
}

/// Simplifies meshes on engines.
type Runner = fn(&Engines, Vec<TriMesh>, &SimplifyOptions) -> Result<Vec<TriMesh>>;

/// Returns the results of the runs, which must be the same, and the least time of a run after the first, in seconds.
fn best(
    meshes: &[TriMesh],
    run: impl Fn(Vec<TriMesh>) -> Result<Vec<TriMesh>>,
) -> Result<(Vec<TriMesh>, f64)> {
    let mut first: Option<Vec<TriMesh>> = None;
    let mut least = f64::INFINITY;
    for number in 0..RUNS {
        let meshes = meshes.to_vec();
        let start = Instant::now();
        let results = run(meshes)?;
        let seconds = start.elapsed().as_secs_f64();
        if number > 0 {
            least = least.min(seconds);
        }
        match &first {
            Some(first) if *first != results => {
                return Err(Error::Message("two runs give different bits".into()));
            }
            _ => first = Some(results),
        }
    }
    Ok((first.unwrap_or_default(), least))
}

/// Simplifies each mesh alone.
fn alone(
    engines: &Engines,
    meshes: Vec<TriMesh>,
    options: &SimplifyOptions,
) -> Result<Vec<TriMesh>> {
    let results = engines.run::<ops::Simplify>(meshes, options);
    results
        .into_iter()
        .map(|result| result?.0.into_inner())
        .collect()
}

/// Simplifies batches of meshes, each batch on one engine. They depend on the meshes alone, not on the engines.
fn in_batches(
    engines: &Engines,
    meshes: Vec<TriMesh>,
    options: &SimplifyOptions,
) -> Result<Vec<TriMesh>> {
    let batches = batches(meshes, BATCH_FACES, TriMesh::face_count);
    let size = |batch: &Vec<TriMesh>| batch.iter().map(TriMesh::face_count).sum();
    let done = engines.map(batches, size, |engine, batch| {
        simplified(engine, batch, options)
    });
    let done: Vec<Vec<TriMesh>> = done.into_iter().collect::<Result<_>>()?;
    Ok(done.into_iter().flatten().collect())
}

/// Simplifies meshes together. Patches are made on the engine.
fn simplified(
    engine: &Engine,
    meshes: Vec<TriMesh>,
    options: &SimplifyOptions,
) -> Result<Vec<TriMesh>> {
    let (joined, batch) = Batch::join(meshes)?;
    let (positions, faces) = (
        engine.upload(&joined.positions)?,
        engine.upload(&joined.faces)?,
    );
    let (rx, x) = RxMesh::from_engine_arrays::<Vec3>(&positions, &faces, 512)?;
    let labels = rx.attribute_from::<Vertex, u32>(&batch.labels())?;
    let mut session = Session::open(&rx)?;
    let (x, labels) = (session.attach(&x)?, session.attach(&labels)?);
    simplify_batch(&mut session, x, labels, &vec![*options; batch.len()])?;
    let (mut mesh, slots) = session.to_mesh(x)?;
    mesh.placement = joined.placement;
    let labels = session.values(labels)?.read()?;
    let labels: Vec<u32> = slots.iter().map(|&v| labels[v as usize]).collect();
    Ok(batch.part(&mesh, &labels))
}

/// Returns a torus with bumps that differ from mesh to mesh.
fn bumpy(faces: usize, number: usize) -> Result<TriMesh> {
    let n = ((faces / 2) as f64).sqrt().round().max(3.0) as u32;
    let mut mesh = generate::torus(n, n, 1.0, 0.4)?;
    let phase = number as f32 * 0.37;
    for p in &mut mesh.positions {
        *p *= 1.0 + 0.08 * (5.0 * p.x + phase).sin() * (4.0 * p.y - phase).cos();
    }
    Ok(mesh)
}
