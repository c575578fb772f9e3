//! Times the patcher on generated meshes, in input order and shuffled.
//!
//! `cargo run --release -p rxmesh-host --example patch_timing -- [faces in thousands ...]`

use rxmesh_host::patch::{PatchOptions, build};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sizes: Vec<usize> = Vec::new();
    for argument in std::env::args().skip(1) {
        sizes.push(argument.parse()?);
    }
    if sizes.is_empty() {
        sizes = vec![20, 320, 1280, 5120];
    }
    println!(
        "{:>14} | {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>8} {:>8} | {:>6} {:>4} {:>6} {:>4} | ribbon V E F % | bytes \
            a face: FE EV masks ribbons headers",
        "mesh",
        "adjac",
        "region",
        "patch",
        "elem",
        "ribbon",
        "pack",
        "total",
        "fastest",
        "count",
        "min",
        "mean",
        "max"
    );
    for thousands in sizes {
        for (name, sphere) in [("sphere", true), ("torus", false)] {
            let (vertices, mut faces) = if sphere {
                icosphere(thousands * 1000)
            } else {
                torus(thousands * 1000)
            };
            report(name, "", vertices, &faces)?;
            shuffle(vertices, &mut faces);
            report(name, "*", vertices, &faces)?;
        }
    }
    println!("* vertices and faces shuffled; times are the medians of the runs, in ms");
    Ok(())
}

fn report(
    name: &str,
    mark: &str,
    vertices: usize,
    faces: &[[u32; 3]],
) -> Result<(), Box<dyn std::error::Error>> {
    let runs = (10_000_000 / faces.len()).clamp(5, 51);
    let mut stats = Vec::new();
    for _ in 0..runs {
        stats.push(build(vertices, faces, &PatchOptions::default())?.stats);
    }
    stats.sort_by(|a, b| a.times.total.total_cmp(&b.times.total));
    let s = &stats[runs / 2];
    let t = &s.times;
    println!(
        "{name:>6}{mark:1} {:>6}k | {:7.2} {:7.2} {:7.2} {:7.2} {:7.2} {:7.2} {:8.2} {:8.2} | {:6} {:4} {:6.1} {:4} | \
            {:4.1} {:4.1} {:4.1} | {:5.2}: {:.2} {:.2} {:.2} {:.2} {:.2}",
        faces.len() / 1000,
        t.adjacency,
        t.regions,
        t.patches,
        t.elements,
        t.ribbons,
        t.pack,
        t.total,
        stats[0].times.total,
        s.patches,
        s.size_min,
        s.size_mean,
        s.size_max,
        s.ribbon_percent[0],
        s.ribbon_percent[1],
        s.ribbon_percent[2],
        s.bytes.total,
        s.bytes.fe,
        s.bytes.ev,
        s.bytes.masks,
        s.bytes.ribbons,
        s.bytes.headers,
    );
    Ok(())
}

/// A torus of about `faces` faces, in rows.
fn torus(faces: usize) -> (usize, Vec<[u32; 3]>) {
    let rows = ((faces / 4) as f64).sqrt() as usize;
    let columns = 2 * rows;
    let id = |r: usize, c: usize| ((r % rows) * columns + c % columns) as u32;
    let mut out = Vec::with_capacity(2 * rows * columns);
    for r in 0..rows {
        for c in 0..columns {
            out.push([id(r, c), id(r, c + 1), id(r + 1, c + 1)]);
            out.push([id(r, c), id(r + 1, c + 1), id(r + 1, c)]);
        }
    }
    (rows * columns, out)
}

/// An icosahedron, each face cut into n by n, n such that there are about `faces` of them.
fn icosphere(faces: usize) -> (usize, Vec<[u32; 3]>) {
    const BASE: [[u32; 3]; 20] = [
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    let n = (faces as f64 / 20.0).sqrt().round() as u32;
    let mut ids = std::collections::HashMap::new();
    let mut out = Vec::with_capacity((20 * n * n) as usize);
    for corners in BASE {
        // A point is named by its weights on the base vertices.
        let mut id = |i: u32, j: u32| {
            let mut name = [(corners[0], n - i - j), (corners[1], i), (corners[2], j)];
            name.iter_mut()
                .filter(|w| w.1 == 0)
                .for_each(|w| w.0 = u32::MAX);
            name.sort_unstable();
            let next = ids.len() as u32;
            *ids.entry(name).or_insert(next)
        };
        for i in 0..n {
            for j in 0..n - i {
                out.push([id(i, j), id(i + 1, j), id(i, j + 1)]);
                if i + j + 1 < n {
                    out.push([id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)]);
                }
            }
        }
    }
    (ids.len(), out)
}

fn shuffle(vertices: usize, faces: &mut [[u32; 3]]) {
    let mut state = 7u64;
    let mut random = |n: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((state >> 33) as usize) % n
    };
    let mut names: Vec<u32> = (0..vertices as u32).collect();
    for i in (1..vertices).rev() {
        names.swap(i, random(i + 1));
    }
    for i in (1..faces.len()).rev() {
        faces.swap(i, random(i + 1));
    }
    faces
        .iter_mut()
        .flatten()
        .for_each(|v| *v = names[*v as usize]);
}
