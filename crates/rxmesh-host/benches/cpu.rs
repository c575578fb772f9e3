//! CPU pieces under criterion: `cargo bench -p rxmesh-host`. `cargo xtask bench` measures whole rows on every engine.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use rxmesh_host::engine::Engine;
use rxmesh_host::io::{ReadOptions, WriteOptions, read_bytes, write_bytes};
use rxmesh_host::kernels::query::VV;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::{self, PatchOptions};
use rxmesh_host::store::RxMesh;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn main() -> Outcome {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    let mesh = generate::torus(250, 160, 1.0, 0.4)?;
    patches(&mut criterion, &mesh)?;
    read(&mut criterion, &mesh)?;
    query(&mut criterion, &mesh)?;
    criterion.final_summary();
    Ok(())
}

/// Cuts 80 thousand faces into patches.
fn patches(criterion: &mut Criterion, mesh: &TriMesh) -> Outcome {
    let build = || patch::build(mesh.vertex_count(), &mesh.faces, &PatchOptions::default());
    build()?;
    let mut group = criterion.benchmark_group("patch");
    group.throughput(Throughput::Elements(mesh.face_count() as u64));
    group.bench_function("build", |b| b.iter(|| black_box(build().is_ok())));
    group.finish();
    Ok(())
}

/// Reads the same mesh from the text of an OBJ file.
fn read(criterion: &mut Criterion, mesh: &TriMesh) -> Outcome {
    let name = Path::new("torus.obj");
    let (text, _) = write_bytes(name, mesh, &WriteOptions::default())?;
    let parse = || read_bytes(black_box(&text), name, &ReadOptions::default());
    parse()?;
    let mut group = criterion.benchmark_group("io");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("obj", |b| b.iter(|| black_box(parse().is_ok())));
    group.finish();
    Ok(())
}

/// Writes out the one-rings of the mesh.
fn query(criterion: &mut Criterion, mesh: &TriMesh) -> Outcome {
    let engine = Engine::cpu();
    let rx = RxMesh::new(
        &engine,
        mesh.vertex_count(),
        &mesh.faces,
        &PatchOptions::default(),
    )?;
    let rows = rx.allocate_rows::<VV>()?;
    rx.query_into(&rows)?;
    let mut group = criterion.benchmark_group("query");
    group.throughput(Throughput::Elements(mesh.vertex_count() as u64));
    group.bench_function("vv", |b| b.iter(|| black_box(rx.query_into(&rows).is_ok())));
    group.finish();
    Ok(())
}
