//! Surfaces through grids of values, against the Euler number of the trilinear interpolant on a finer grid.

use glam::{DVec3, Vec3};
use rxmesh_host::algo::isosurface::{
    FirstAxis, GridValues, InsideOf, IsosurfaceOptions, isosurface,
};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{TriMesh, check, volume};
use rxmesh_tests::conformance;
use std::collections::HashMap;
use std::sync::LazyLock;

conformance! {
    balls, topology_of_the_interpolant, closed_whatever_the_values, open_at_the_border, tunnels, orders_of_values,
    same_bits_on_all_engines, grids_without_surface, refusals
}

/// Values of a test, x fastest.
#[derive(Clone)]
struct Lattice {
    counts: [u32; 3],
    values: Vec<f32>,
}

impl Lattice {
    fn new(counts: [u32; 3], value: impl Fn([u32; 3]) -> f32) -> Lattice {
        let [nx, ny, nz] = counts;
        let at = |i: u32| value([i % nx, i / nx % ny, i / (nx * ny)]);
        Lattice {
            counts,
            values: (0..nx * ny * nz).map(at).collect(),
        }
    }

    /// Values at random, from -1 to 1.
    fn noise(counts: [u32; 3], seed: u32) -> Lattice {
        Lattice::new(counts, |[x, y, z]| {
            let number = x + 64 * (y + 64 * (z + 64 * seed));
            rxmesh_host::kernels::math::hash(number) as f32 / (u32::MAX / 2) as f32 - 1.0
        })
    }

    fn at(&self, [x, y, z]: [u32; 3]) -> f32 {
        let [nx, ny, _] = self.counts;
        self.values[(x + nx * (y + ny * z)) as usize]
    }

    /// Returns the Euler number of the region below zero of the trilinear interpolant, as cubes of a grid that is finer
    /// by a factor.
    fn euler_of_region(&self, factor: u32) -> i64 {
        let [nx, ny, nz] = self.counts.map(|n| (n - 1) * factor + 1);
        let of = |x: u32, y: u32, z: u32| {
            let low = |k: u32, n: u32| (k / factor).min(n - 2);
            let cell = [
                low(x, self.counts[0]),
                low(y, self.counts[1]),
                low(z, self.counts[2]),
            ];
            let part = |k: u32, c: u32| f64::from(k - c * factor) / f64::from(factor);
            let t = [part(x, cell[0]), part(y, cell[1]), part(z, cell[2])];
            let corner = |c: u32| {
                let bit = |axis: u32| c >> axis & 1;
                let weight: f64 = (0..3)
                    .map(|a| {
                        if bit(a) == 1 {
                            t[a as usize]
                        } else {
                            1.0 - t[a as usize]
                        }
                    })
                    .product();
                let at = [cell[0] + bit(0), cell[1] + bit(1), cell[2] + bit(2)];
                weight * f64::from(self.at(at))
            };
            (0..8).map(corner).sum::<f64>() < 0.0
        };
        let inside: Vec<bool> = (0..nx * ny * nz)
            .map(|i| of(i % nx, i / nx % ny, i / (nx * ny)))
            .collect();
        let is_in = |x: u32, y: u32, z: u32| inside[(x + nx * (y + ny * z)) as usize];
        // Vertices, edges, squares and cubes, by the axes along which they extend.
        let mut euler = 0;
        for axes in 0..8_u32 {
            let [i, j, k] = [axes & 1, axes >> 1 & 1, axes >> 2];
            let sign = if axes.count_ones() % 2 == 0 { 1 } else { -1 };
            for z in 0..nz - k {
                for y in 0..ny - j {
                    for x in 0..nx - i {
                        let all = (0..8_u32)
                            .filter(|c| c & !axes == 0)
                            .all(|c| is_in(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2)));
                        euler += if all { sign } else { 0 };
                    }
                }
            }
        }
        euler
    }
}

fn surface_of(engine: &Engine, lattice: &Lattice, options: &IsosurfaceOptions) -> TriMesh {
    let values = engine.upload(&lattice.values).unwrap();
    let grid = GridValues {
        values: &values,
        counts: lattice.counts,
        origin: DVec3::ZERO,
        spacing: DVec3::ONE,
        first: FirstAxis::X,
    };
    let found = isosurface(engine, grid, options).unwrap();
    TriMesh::new(found.positions.read().unwrap(), found.faces.read().unwrap()).unwrap()
}

fn options() -> IsosurfaceOptions {
    IsosurfaceOptions::default()
}

/// Checks that a surface is closed, manifold and oriented, and that all its vertices have faces.
fn closed(mesh: &TriMesh, what: &str) {
    let report = check(mesh);
    assert!(report.closed && report.manifold, "{what}: {report:?}");
    assert!(report.consistently_oriented, "{what}: {report:?}");
    assert_eq!(report.duplicate_faces.count, 0, "{what}");
    assert_eq!(report.isolated_vertices.count, 0, "{what}");
}

fn euler(mesh: &TriMesh) -> i64 {
    // Of a closed surface: three edges for two faces.
    mesh.positions.len() as i64 - mesh.faces.len() as i64 / 2
}

/// Returns the number of parts without common vertices.
fn components(mesh: &TriMesh) -> usize {
    let mut labels: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    loop {
        let before = labels.clone();
        for f in &mesh.faces {
            let least = f.iter().map(|&v| labels[v as usize]).min().unwrap();
            f.iter().for_each(|&v| labels[v as usize] = least);
        }
        if labels == before {
            let own = labels.iter().enumerate().filter(|&(v, &l)| v == l as usize);
            return own.count();
        }
    }
}

fn ball(counts: [u32; 3], centre: Vec3, radius: f32) -> Lattice {
    Lattice::new(counts, |at| {
        let p = Vec3::from(at.map(|k| k as f32));
        p.distance(centre) - radius
    })
}

/// Vertices of balls lie on them, normals point away from the middle, and densities give the same surface as distances.
fn balls(engine: &Engine) {
    let centre = Vec3::new(10.2, 8.7, 9.9);
    let lattice = ball([21, 19, 20], centre, 6.3);
    let mesh = surface_of(engine, &lattice, &options());
    closed(&mesh, "a ball");
    assert_eq!(euler(&mesh), 2);
    for p in &mesh.positions {
        let off = p.distance(centre) - 6.3;
        assert!(off.abs() < 0.03, "{p} is {off} off");
    }
    let exact = 4.0 / 3.0 * std::f64::consts::PI * 6.3_f64.powi(3);
    let found = volume(&mesh.positions, &mesh.faces);
    assert!((found / exact - 1.0).abs() < 0.02, "{found}, {exact}");

    let mut density = lattice.clone();
    density.values.iter_mut().for_each(|v| *v = 2.0 - *v);
    let other = options().with(|o| {
        o.level = 2.0;
        o.inside = InsideOf::Above;
    });
    let other = surface_of(engine, &density, &other);
    assert_eq!(other.faces, mesh.faces);
    for (p, q) in other.positions.iter().zip(&mesh.positions) {
        assert!(p.distance(*q) < 1e-4);
    }
}

/// Euler numbers of the regions below zero of lattices of noise; `None` where a finer grid gives another number: a neck
/// that is narrower than its cells is not seen there.
static NOISE: LazyLock<Vec<Option<i64>>> = LazyLock::new(|| {
    let number = |seed: u32| {
        let lattice = Lattice::noise([4; 3], seed);
        let finer = lattice.euler_of_region(17);
        (lattice.euler_of_region(10) == finer).then_some(finer)
    };
    (0..40).map(number).collect()
});

/// The surface has twice the Euler number of the region that it bounds. Values at random have every case of cells.
fn topology_of_the_interpolant(engine: &Engine) {
    let mut compared = 0;
    for (seed, region) in (0..).zip(NOISE.iter()) {
        let mesh = surface_of(engine, &Lattice::noise([4; 3], seed), &options());
        closed(&mesh, &format!("noise {seed}"));
        if let Some(region) = region {
            compared += 1;
            assert_eq!(euler(&mesh), 2 * region, "noise {seed}");
        }
    }
    assert!(compared >= 30, "{compared}");
}

/// Surfaces are closed manifolds whatever the values are: equal to the level, infinite, not there.
fn closed_whatever_the_values(engine: &Engine) {
    let odd = [
        0.0,
        -0.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e30,
        -1e-30,
    ];
    for seed in 0..12 {
        let mut lattice = Lattice::noise([11, 9, 17], seed);
        for (i, value) in lattice.values.iter_mut().enumerate() {
            let number = rxmesh_host::kernels::math::hash(i as u32 ^ seed << 20);
            match seed % 4 {
                0 => *value = value.round(),
                1 if number.is_multiple_of(5) => *value = odd[number as usize / 5 % odd.len()],
                2 if !number.is_multiple_of(3) => *value = value.signum(),
                _ => {}
            }
        }
        let mesh = surface_of(engine, &lattice, &options());
        assert!(mesh.positions.iter().all(|p| p.is_finite()), "seed {seed}");
        closed(&mesh, &format!("seed {seed}"));
    }
}

/// Sides with one face lie in the border of the grid, and nothing else is open.
fn open_at_the_border(engine: &Engine) {
    let lattice = Lattice::noise([12, 10, 9], 5);
    let open = options().with(|o| o.open = true);
    let mesh = surface_of(engine, &lattice, &open);
    let mut sides: HashMap<[u32; 2], i32> = HashMap::new();
    for f in &mesh.faces {
        for k in 0..3 {
            *sides.entry([f[k], f[(k + 1) % 3]]).or_default() += 1;
        }
    }
    let mut borders = 0;
    for (&[a, b], &count) in &sides {
        assert_eq!(count, 1);
        if !sides.contains_key(&[b, a]) {
            borders += 1;
            let [p, q] = [a, b].map(|v| mesh.positions[v as usize].to_array());
            let together = (0..3).any(|k| {
                let high = (lattice.counts[k] - 1) as f32;
                p[k] == q[k] && (p[k] == 0.0 || p[k] == high)
            });
            assert!(together, "{p:?}, {q:?}");
        }
    }
    assert!(borders > 100);
    assert!(check(&mesh).manifold);
}

/// Cells whose opposite corners are connected through the middle, from inside and from outside.
fn tunnels(engine: &Engine) {
    let cell = |values: [f32; 8]| Lattice {
        counts: [2; 3],
        values: values.to_vec(),
    };
    let open = options().with(|o| o.open = true);
    // Two opposite corners inside: parted where the others are far outside, else connected.
    for (others, count) in [(1.0, 2), (0.1, 1)] {
        let mut values = [others; 8];
        (values[0], values[7]) = (-1.0, -1.0);
        for sign in [1.0, -1.0] {
            let mesh = surface_of(engine, &cell(values.map(|v| sign * v)), &open);
            let report = check(&mesh);
            assert_eq!(components(&mesh), count, "{others}, {sign}");
            assert!(report.manifold && report.consistently_oriented);
        }
    }
    // Two opposite edges.
    let mut values = [0.1; 8];
    for k in [0, 1, 6, 7] {
        values[k] = -1.0;
    }
    let mesh = surface_of(engine, &cell(values), &open);
    assert_eq!(components(&mesh), 2, "faces connect the corners");
    let lattice = Lattice {
        counts: [2; 3],
        values: vec![-1.0, -1.0, 0.4, 2.5, 2.5, 0.4, -1.0, -1.0],
    };
    let mesh = surface_of(engine, &lattice, &open);
    let report = check(&mesh);
    assert!(report.manifold, "{report:?}");
    let region = lattice.euler_of_region(40);
    let closed_mesh = surface_of(engine, &lattice, &options());
    assert_eq!(euler(&closed_mesh), 2 * region);
}

/// Values that lie z fastest give the same vertices on edges of the grid, and as many others and faces.
fn orders_of_values(engine: &Engine) {
    let lattice = Lattice::noise([9, 12, 7], 3);
    let [nx, ny, nz] = lattice.counts;
    let turned = Lattice::new([nz, ny, nx], |[z, y, x]| lattice.at([x, y, z]));
    let (origin, spacing) = (DVec3::new(5.0, -3.0, 1.0), DVec3::new(0.5, 2.0, 3.0));
    let surface = |values: &[f32], first: FirstAxis| {
        let values = engine.upload(values).unwrap();
        let grid = GridValues {
            values: &values,
            counts: lattice.counts,
            origin,
            spacing,
            first,
        };
        let found = isosurface(engine, grid, &options()).unwrap();
        TriMesh::new(found.positions.read().unwrap(), found.faces.read().unwrap()).unwrap()
    };
    let on_edges = |mesh: &TriMesh| -> Vec<[u32; 3]> {
        let is_on_one = |p: &&Vec3| {
            let cells = (p.as_dvec3() - origin) / spacing;
            let is_whole = |k: &f64| (k - k.round()).abs() < 1e-6;
            cells.to_array().iter().filter(|k| is_whole(k)).count() == 2
        };
        let found = mesh.positions.iter().filter(is_on_one);
        let mut bits: Vec<_> = found.map(|p| p.to_array().map(f32::to_bits)).collect();
        bits.sort_unstable();
        bits
    };
    let (here, there) = (
        surface(&lattice.values, FirstAxis::X),
        surface(&turned.values, FirstAxis::Z),
    );
    assert!(on_edges(&here) == on_edges(&there) && on_edges(&here).len() > 500);
    assert_eq!(here.positions.len(), there.positions.len());
    assert_eq!(here.faces.len(), there.faces.len());
    // Loops may be filled by other triangles.
    let size = |mesh: &TriMesh| volume(&mesh.positions, &mesh.faces);
    let (a, b) = (size(&here), size(&there));
    assert!(a > 0.0 && (a / b - 1.0).abs() < 0.02, "{a}, {b}");
}

fn same_bits_on_all_engines(engine: &Engine) {
    let lattice = Lattice::noise([19, 18, 17], 9);
    let (here, there) = (
        surface_of(engine, &lattice, &options()),
        surface_of(&Engine::cpu(), &lattice, &options()),
    );
    assert_eq!(here.faces, there.faces);
    let bits = |mesh: &TriMesh| -> Vec<[u32; 3]> {
        let of = |p: &Vec3| p.to_array().map(f32::to_bits);
        mesh.positions.iter().map(of).collect()
    };
    assert_eq!(bits(&here), bits(&there));
}

fn grids_without_surface(engine: &Engine) {
    for counts in [[1, 1, 1], [5, 1, 1], [9, 8, 17]] {
        for value in [1.0, 0.0, f32::NAN] {
            let mesh = surface_of(engine, &Lattice::new(counts, |_| value), &options());
            assert!(mesh.faces.is_empty() && mesh.positions.is_empty());
        }
        // All of the grid is inside: its border is the surface, unless that is open.
        let inside = Lattice::new(counts, |_| -1.0);
        let mesh = surface_of(engine, &inside, &options());
        closed(&mesh, "a full grid");
        assert_eq!(euler(&mesh), 2);
        let open = options().with(|o| o.open = true);
        assert!(surface_of(engine, &inside, &open).faces.is_empty());
    }
}

fn refusals(engine: &Engine) {
    let values = engine.upload(&[1.0_f32; 8]).unwrap();
    let refused = |counts: [u32; 3], spacing: DVec3, level: f64| {
        let grid = GridValues {
            values: &values,
            counts,
            origin: DVec3::ZERO,
            spacing,
            first: FirstAxis::X,
        };
        let options = options().with(|o| o.level = level);
        isosurface(engine, grid, &options).unwrap_err().to_string()
    };
    let all = [
        (refused([2, 2, 3], DVec3::ONE, 0.0), "2 x 2 x 3 points"),
        (refused([0, 2, 2], DVec3::ONE, 0.0), "0 x 2 x 2 points"),
        (refused([2; 3], DVec3::ZERO, 0.0), "distances of points"),
        (refused([2; 3], DVec3::splat(f64::NAN), 0.0), "NaN"),
        (
            refused([2; 3], DVec3::ONE, f64::INFINITY),
            "the level is inf",
        ),
        (refused([2; 3], DVec3::ONE, 1e300), "32 bits"),
    ];
    for (message, part) in all {
        assert!(message.contains(part), "{message}");
    }
}
