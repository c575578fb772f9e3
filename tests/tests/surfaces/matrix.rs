//! The mesh matrix as a language, on every engine, against plain code over faces: mapped products, products of pairs
//! inside faces, propagation, stored matrices, normals.

use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::mesh::{PolyMesh, Rng};
use rxmesh_subdivision::Mesh;
use rxmesh_subdivision::kernels::matrix::{
    ByColumn, ByEntry, ByPosition, ByRow, Constant, EdgeUses, FaceOfSides, Multiply, OverOrder,
    OverValence, Power, Product, Rule, Sides,
};
use rxmesh_subdivision::matrix::{
    Csr, Finish, HostCsr, Selection, adjacency, face_normals, multiply, normals_of_faces,
    vertex_normals,
};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;
use rxmesh_tests::surfaces::meshes;
use std::collections::{BTreeMap, BTreeSet};

conformance! {
    maps_are_right, products_add_up, other_lengths_are_refused, pairs_are_right, long_rows_are_right,
    selections_grow, stored_products_are_right, matrices_are_rebuilt, normals_are_right
}

/// Returns meshes of polygons with boundaries, several fans at a vertex and single faces.
fn all(engine: &Engine) -> Vec<PolyMesh> {
    let n = if is_slow(engine) { 3 } else { 7 };
    vec![
        meshes::polygons(n, 1),
        meshes::grid(n, 4, 2),
        meshes::cut(&meshes::grid(n, 5, 3)),
        meshes::fans(),
        meshes::trapezohedron(9),
        PolyMesh::default(),
    ]
}

fn random(n: usize, seed: u64) -> Vec<f32> {
    let mut rng = Rng::new(seed);
    (0..n)
        .map(|_| rng.below(2001) as f32 / 1000.0 - 1.0)
        .collect()
}

/// Returns the entries of a mesh: row, column, position.
fn entries(poly: &PolyMesh) -> Vec<[usize; 3]> {
    let corner = |f: usize| {
        let face = poly.face(f).iter().enumerate();
        face.map(move |(k, &v)| [v as usize, f, k])
            .collect::<Vec<_>>()
    };
    (0..poly.face_count()).flat_map(corner).collect()
}

/// `y[to] += q x[from]` over all entries.
fn naive(
    entries: &[[usize; 3]],
    rows: usize,
    width: usize,
    x: &[f32],
    side: impl Fn(usize) -> [usize; 2],
    q: &dyn Fn(usize) -> f64,
) -> Vec<f64> {
    let mut y = vec![0.0; rows * width];
    for h in 0..entries.len() {
        let [to, from] = side(h);
        for c in 0..width {
            y[to * width + c] += q(h) * f64::from(x[from * width + c]);
        }
    }
    y
}

fn near(got: &[f32], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (i, (&g, &w)) in got.iter().zip(want).enumerate() {
        let error = (f64::from(g) - w).abs();
        assert!(error <= 2e-6 * (1.0 + w.abs()), "value {i}: {g} for {w}");
    }
}

/// Computes a product, twice: the second time over the result of the first one.
fn run<R>(engine: &Engine, rule: R, width: u32, x: &[f32]) -> Vec<f32>
where
    R: Rule<Value = f32> + rxmesh_host::kernels::kernel::EntryOf<Multiply<R>>,
{
    let [rows, _] = rule.shape().unwrap();
    let x = engine.upload(x).unwrap();
    let mut y = engine.zeroed((rows * width) as usize).unwrap();
    multiply(engine, rule, width, &x, &mut y, Finish::default()).unwrap();
    let first = y.read().unwrap();
    multiply(engine, rule, width, &x, &mut y, Finish::default()).unwrap();
    let again = y.read().unwrap();
    let bits = |y: &[f32]| y.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&first), bits(&again));
    first
}

fn maps_are_right(engine: &Engine) {
    for (number, poly) in all(engine).iter().enumerate() {
        let mesh = Mesh::new(engine, poly).unwrap();
        let entries = entries(poly);
        let (v, f, c) = (poly.vertex_count(), poly.face_count(), entries.len());
        let order = |h: usize| poly.face(entries[h][1]).len();
        let mut valence = vec![0usize; v];
        entries.iter().for_each(|e| valence[e[0]] += 1);

        let seed = 10 * number as u64;
        let (rows, columns, each) = (random(v, seed), random(f, seed + 1), random(c, seed + 2));
        let table = [0.1875f32, 0.1875, 0.125];
        let upload = |values: &[f32]| engine.upload(values).unwrap();
        let (rows_on, columns_on, each_on) = (upload(&rows), upload(&columns), upload(&each));
        let table_on = upload(&table);

        let constant = Constant { value: 0.7 };
        let over_order = OverOrder { weight: 2.0 };
        let over_valence = OverValence { weight: 3.0 };
        let by_position = ByPosition {
            table: table_on.global(),
            turn: 1,
        };
        let by_row = ByRow {
            values: rows_on.global(),
        };
        let by_column = ByColumn {
            values: columns_on.global(),
        };
        let by_entry = ByEntry {
            values: each_on.global(),
        };
        for width in [1u32, 2, 3, 4, 7] {
            let w = width as usize;
            let at_vertices = random(v * w, seed + 3);
            let at_faces = random(f * w, seed + 4);
            let at_entries = random(c * w, seed + 5);
            macro_rules! check {
                ($map:expr, $q:expr) => {
                    let q: &dyn Fn(usize) -> f64 = &$q;
                    let direct = |h: usize| [entries[h][0], entries[h][1]];
                    let got = run(engine, mesh.direct($map), width, &at_faces);
                    near(&got, &naive(&entries, v, w, &at_faces, direct, q));
                    let transposed = |h: usize| [entries[h][1], entries[h][0]];
                    let got = run(engine, mesh.transposed($map), width, &at_vertices);
                    near(&got, &naive(&entries, f, w, &at_vertices, transposed, q));
                    let from_entries = |h: usize| [entries[h][0], h];
                    let got = run(engine, mesh.direct_of_entries($map), width, &at_entries);
                    near(&got, &naive(&entries, v, w, &at_entries, from_entries, q));
                    let from_entries = |h: usize| [entries[h][1], h];
                    let got = run(engine, mesh.transposed_of_entries($map), width, &at_entries);
                    near(&got, &naive(&entries, f, w, &at_entries, from_entries, q));
                };
            }
            check!(constant, |_| f64::from(0.7f32));
            check!(over_order, |h| 2.0 / order(h) as f64);
            check!(over_valence, |h| 3.0 / valence[entries[h][0]] as f64);
            check!(by_position, |h| table[(entries[h][2] + 1) % 3].into());
            check!(by_row, |h| rows[entries[h][0]].into());
            check!(by_column, |h| columns[entries[h][1]].into());
            check!(by_entry, |h| each[h].into());
        }
    }
}

fn products_add_up(engine: &Engine) {
    let poly = meshes::polygons(3, 4);
    let mesh = Mesh::new(engine, &poly).unwrap();
    let (v, f) = (poly.vertex_count(), poly.face_count());
    for width in [1u32, 3, 6] {
        let w = width as usize;
        let (x, z, old) = (random(f * w, 1), random(v * w, 2), random(v * w, 3));
        let side = |h: usize| [entries(&poly)[h][0], entries(&poly)[h][1]];
        let product = naive(&entries(&poly), v, w, &x, side, &|_| 1.0);
        let x = engine.upload(&x).unwrap();
        let z_on = engine.upload(&z).unwrap();
        let rule = mesh.direct(Constant { value: 1.0 });
        let with = |z: Option<&Buffer<f32>>, beta: f32| {
            let mut y = engine.upload(&old).unwrap();
            let finish = Finish {
                alpha: 0.25,
                beta,
                z,
            };
            multiply(engine, rule, width, &x, &mut y, finish).unwrap();
            y.read().unwrap()
        };
        let want = |other: &[f32], beta: f64| -> Vec<f64> {
            let both = product.iter().zip(other);
            both.map(|(p, &o)| 0.25 * p + beta * f64::from(o)).collect()
        };
        near(&with(Some(&z_on), -0.5), &want(&z, -0.5));
        near(&with(None, 2.0), &want(&old, 2.0));
        near(&with(Some(&z_on), 0.0), &want(&z, 0.0));
    }
}

fn other_lengths_are_refused(engine: &Engine) {
    let mesh = Mesh::new(engine, &meshes::cube()).unwrap();
    let floats = |n: usize| engine.zeroed::<f32>(n).unwrap();
    let refused = |x: usize, y: usize| {
        let rule = mesh.direct(Constant { value: 1.0 });
        let done = multiply(
            engine,
            rule,
            3,
            &floats(x),
            &mut floats(y),
            Finish::default(),
        );
        matches!(done, Err(Error::Options(_)))
    };
    assert!(refused(17, 24) && refused(18, 23) && !refused(18, 24));
    let short = floats(7);
    let rule = mesh.direct(ByRow {
        values: short.global(),
    });
    let done = multiply(
        engine,
        rule,
        1,
        &floats(6),
        &mut floats(8),
        Finish::default(),
    );
    assert!(matches!(done, Err(Error::Options(_))));
    let square = Csr::new(engine, mesh.pairs(Power { steps: 1 })).unwrap();
    assert_eq!([square.row_count(), square.column_count()], [8, 8]);
    let other = Mesh::new(engine, &meshes::fans()).unwrap();
    let mut matrix = square;
    assert!(matrix.rebuild(other.pairs(Power { steps: 1 })).is_err());
}

/// Returns a matrix by row and column.
fn by_row<T: Clone + Default>(matrix: &HostCsr<T>) -> Vec<BTreeMap<u32, T>> {
    let rows = matrix.starts.windows(2).map(|ends| {
        let range = ends[0] as usize..ends[1] as usize;
        let ids = &matrix.ids[range.clone()];
        assert!(ids.is_sorted_by(|a, b| a < b), "columns ascend");
        ids.iter()
            .copied()
            .zip(matrix.values[range].iter().cloned())
            .collect()
    });
    rows.collect()
}

/// Returns the results of all pairs of corners of all faces, by row and column.
fn naive_pairs<T: Copy>(
    poly: &PolyMesh,
    gamma: impl Fn(usize, usize, usize, usize) -> Option<T>,
    combine: impl Fn(T, T) -> T,
) -> Vec<BTreeMap<u32, T>> {
    let mut rows = vec![BTreeMap::new(); poly.vertex_count()];
    for f in 0..poly.face_count() {
        let (face, first) = (poly.face(f), poly.range(f).start);
        for (a, &i) in face.iter().enumerate() {
            for (b, &j) in face.iter().enumerate() {
                let steps = (b + face.len() - a) % face.len();
                if let Some(value) = gamma(steps, face.len(), first + a, first + b) {
                    let row: &mut BTreeMap<u32, T> = &mut rows[i as usize];
                    let old = row.get(&j).copied();
                    row.insert(j, old.map_or(value, |old| combine(old, value)));
                }
            }
        }
    }
    rows
}

fn compare_pairs(engine: &Engine, poly: &PolyMesh) {
    let mesh = Mesh::new(engine, poly).unwrap();
    let face_of = |h: usize| (0..poly.face_count()).find(|&f| poly.range(f).contains(&h));
    let got = Csr::new(engine, mesh.pairs(FaceOfSides {})).unwrap();
    let want = naive_pairs(
        poly,
        |s, _, h, _| (s == 1).then(|| face_of(h).unwrap() as u32),
        |_, new| new,
    );
    assert_eq!(by_row(&got.to_host().unwrap()), want);

    let got = adjacency(&mesh).unwrap().to_host().unwrap();
    let uses = |s: usize, n: usize| s == 1 || s + 1 == n;
    let want = naive_pairs(poly, |s, n, _, _| uses(s, n).then_some(1u32), |a, b| a + b);
    assert_eq!(by_row(&got), want);
    let again = Csr::new(engine, mesh.pairs(EdgeUses {})).unwrap();
    assert_eq!(again.to_host().unwrap(), got);

    let got = Csr::new(engine, mesh.pairs(Sides {})).unwrap();
    let side = |s: usize, n: usize, h: usize, g: usize| match s {
        1 => Some([h as u32 + 1, 0]),
        _ if s + 1 == n => Some([0, g as u32 + 1]),
        _ => None,
    };
    let want = naive_pairs(poly, side, |a, b| [a[0].max(b[0]), a[1].max(b[1])]);
    assert_eq!(by_row(&got.to_host().unwrap()), want);
    // Twins are its entries.
    let twins = mesh.to_host().unwrap().twins;
    for row in &want {
        for sides in row.values().filter(|s| s[0] != 0) {
            let twin = twins[sides[0] as usize - 1];
            assert_eq!(sides[1], twin.wrapping_add(1));
        }
    }

    for steps in [0, 2, 5] {
        let got = Csr::new(engine, mesh.pairs(Power { steps })).unwrap();
        let same = |s: usize, n: usize| s == steps as usize % n;
        let want = naive_pairs(poly, |s, n, _, _| same(s, n).then_some(1u32), |a, b| a + b);
        assert_eq!(by_row(&got.to_host().unwrap()), want, "{steps} steps");
    }
}

fn pairs_are_right(engine: &Engine) {
    for poly in all(engine) {
        compare_pairs(engine, &poly);
    }
}

/// Vertices with more neighbours than one thread sorts.
fn long_rows_are_right(engine: &Engine) {
    compare_pairs(engine, &meshes::bipyramid(300));
    compare_pairs(engine, &meshes::fan(290, 3));
}

fn selections_grow(engine: &Engine) {
    for poly in all(engine) {
        let mesh = Mesh::new(engine, &poly).unwrap();
        let mut rng = Rng::new(5);
        let n = poly.vertex_count();
        let mut selected: Vec<u32> = (0..n).map(|_| u32::from(rng.below(12) == 0)).collect();
        let mut selection = Selection::new(&mesh, &selected).unwrap();
        for rings in [0u32, 1, 2] {
            selection.grow(&mesh, rings).unwrap();
            let mut faces = vec![0; poly.face_count()];
            for _ in 0..rings {
                for (f, word) in faces.iter_mut().enumerate() {
                    *word = u32::from(poly.face(f).iter().any(|&v| selected[v as usize] != 0));
                }
                for (f, _) in faces.iter().enumerate().filter(|(_, w)| **w != 0) {
                    poly.face(f).iter().for_each(|&v| selected[v as usize] = 1);
                }
            }
            assert_eq!(selection.vertices.read().unwrap(), selected);
            if rings > 0 {
                assert_eq!(selection.faces.read().unwrap(), faces);
                extraction(&mesh, &poly, &selection, &faces);
            }
        }
        assert!(Selection::new(&mesh, &vec![0; n + 1]).is_err());
    }
}

/// The mesh of selected faces is that of plain code.
fn extraction(mesh: &Mesh, poly: &PolyMesh, selection: &Selection, faces: &[u32]) {
    let got = selection.extract(mesh).unwrap();
    let wanted: Vec<u32> = (0..)
        .zip(faces)
        .filter(|(_, w)| **w != 0)
        .map(|(f, _)| f)
        .collect();
    assert_eq!(got.faces.read().unwrap(), wanted);
    let corners: Vec<u32> = (wanted.iter())
        .flat_map(|&f| poly.face(f as usize))
        .copied()
        .collect();
    let vertices: Vec<u32> = corners
        .iter()
        .copied()
        .collect::<BTreeSet<u32>>()
        .into_iter()
        .collect();
    assert_eq!(got.vertices.read().unwrap(), vertices);
    assert_eq!(got.mesh.face_count() as usize, wanted.len());
    assert_eq!(got.mesh.vertex_count() as usize, vertices.len());
    // As plain code makes it, with the same connectivity: entries by vertex have the corners.
    let number = |v: &u32| vertices.binary_search(v).unwrap() as u32;
    let sizes: Vec<u32> = (wanted.iter())
        .map(|&f| poly.face(f as usize).len() as u32)
        .collect();
    let positions = vec![Vec3::ZERO; vertices.len()];
    let plain = PolyMesh::new(positions, &sizes, corners.iter().map(number).collect()).unwrap();
    let plain = Mesh::new(mesh.engine(), &plain).unwrap().to_host().unwrap();
    let host = got.mesh.to_host().unwrap();
    assert_eq!(
        [&host.starts, &host.entries],
        [&plain.starts, &plain.entries]
    );
    assert_eq!([&host.twins, &host.edges], [&plain.twins, &plain.edges]);
    assert_eq!([&host.halves, &host.around], [&plain.halves, &plain.around]);
}

/// Makes a random matrix with an entry at about one in `every` positions.
fn random_matrix(rows: u32, columns: u32, every: u64, seed: u64) -> Vec<BTreeMap<u32, f64>> {
    let mut rng = Rng::new(seed);
    let row = |_| {
        let mut row = BTreeMap::new();
        for j in 0..columns {
            if rng.below(every) == 0 {
                row.insert(j, f64::from(rng.below(100) as u32) / 50.0 - 1.0);
            }
        }
        row
    };
    (0..rows).map(row).collect()
}

/// Rule of the test's own that makes a given matrix, by the view of buffers.
struct GivenMatrix {
    buffers: (Buffer<u32>, Buffer<u32>, Buffer<f32>),
    columns: u32,
}

impl GivenMatrix {
    fn new(engine: &Engine, rows: &[BTreeMap<u32, f64>], columns: u32) -> GivenMatrix {
        let mut starts = vec![0];
        let (mut ids, mut values) = (Vec::new(), Vec::new());
        for row in rows {
            for (&j, &value) in row {
                ids.push(j);
                values.push(value as f32);
            }
            starts.push(ids.len() as u32);
        }
        let starts = engine.upload(&starts).unwrap();
        let ids = engine.upload(&ids).unwrap();
        GivenMatrix {
            buffers: (starts, ids, engine.upload(&values).unwrap()),
            columns,
        }
    }

    fn view(&self) -> rxmesh_subdivision::kernels::matrix::Stored {
        rxmesh_subdivision::kernels::matrix::Stored {
            starts: self.buffers.0.global(),
            ids: self.buffers.1.global(),
            values: self.buffers.2.global(),
            columns: self.columns,
        }
    }
}

fn stored_products_are_right(engine: &Engine) {
    let n = if is_slow(engine) { 40 } else { 150 };
    // Some rows of the second product have more terms than one thread sorts.
    for (every, seed) in [(7, 1), (2, 2)] {
        let a = random_matrix(n, n + 3, every, seed);
        let b = random_matrix(n + 3, n / 2, every, seed + 10);
        let (a_on, b_on) = (
            GivenMatrix::new(engine, &a, n + 3),
            GivenMatrix::new(engine, &b, n / 2),
        );
        let product = Product {
            a: a_on.view(),
            b: b_on.view(),
        };
        let matrix = Csr::new(engine, product).unwrap();
        let got = by_row(&matrix.to_host().unwrap());
        for (row, got) in a.iter().zip(&got) {
            let mut want: BTreeMap<u32, f64> = BTreeMap::new();
            for (&k, &u) in row {
                for (&j, &w) in &b[k as usize] {
                    *want.entry(j).or_default() += u * w;
                }
            }
            assert!(got.keys().eq(want.keys()));
            near(
                &got.values().copied().collect::<Vec<f32>>(),
                &want.into_values().collect::<Vec<f64>>(),
            );
        }
        // The stored product times a vector is both products one after the other.
        let x = random(n as usize / 2 * 3, 9);
        let inner = run(engine, b_on.view(), 3, &x);
        let want = run(engine, a_on.view(), 3, &inner);
        let got = run(engine, matrix.view(), 3, &x);
        for (g, w) in got.iter().zip(&want) {
            assert!((g - w).abs() <= 1e-4 * (1.0 + w.abs()), "{g} for {w}");
        }
        let wrong = Product {
            a: b_on.view(),
            b: b_on.view(),
        };
        assert!(matches!(Csr::new(engine, wrong), Err(Error::Options(_))));
    }
}

fn matrices_are_rebuilt(engine: &Engine) {
    let mesh = Mesh::new(engine, &meshes::polygons(3, 4)).unwrap();
    let mut matrix = Csr::new(engine, mesh.pairs(Power { steps: 0 })).unwrap();
    for steps in [3, 1, 2, 0] {
        matrix.rebuild(mesh.pairs(Power { steps })).unwrap();
        let want = Csr::new(engine, mesh.pairs(Power { steps })).unwrap();
        assert_eq!(matrix.to_host().unwrap(), want.to_host().unwrap());
    }
    let before = matrix.to_host().unwrap();
    matrix.refill(mesh.pairs(Power { steps: 0 })).unwrap();
    assert_eq!(matrix.to_host().unwrap(), before);
}

fn normals_are_right(engine: &Engine) {
    for poly in all(engine) {
        let mesh = Mesh::new(engine, &poly).unwrap();
        let (v, f) = (poly.vertex_count(), poly.face_count());
        let x: Vec<f32> = poly.positions.iter().flat_map(|p| p.to_array()).collect();
        let x = engine.upload(&x).unwrap();
        let mut at_faces = engine.zeroed(3 * f).unwrap();
        let mut at_vertices = engine.zeroed(3 * v).unwrap();
        face_normals(&mesh, &x, &mut at_faces).unwrap();
        vertex_normals(&mesh, &x, &mut at_faces, &mut at_vertices).unwrap();

        let mut sums = vec![glam::DVec3::ZERO; v];
        let got = at_faces.read().unwrap();
        for (k, got) in got.chunks(3).enumerate() {
            let p: Vec<_> = poly
                .face(k)
                .iter()
                .map(|&v| poly.positions[v as usize])
                .collect();
            let p: Vec<_> = p.iter().map(|p| p.as_dvec3()).collect();
            let area: glam::DVec3 = (0..p.len())
                .map(|i| p[i].cross(p[(i + 1) % p.len()]))
                .sum::<glam::DVec3>()
                * 0.5;
            let got = glam::Vec3::from_slice(got).as_dvec3();
            assert!(
                got.distance(area) <= 1e-5 * (1.0 + area.length()),
                "face {k}"
            );
            poly.face(k).iter().for_each(|&v| sums[v as usize] += area);
        }
        let normals = at_vertices.read().unwrap();
        for (k, got) in normals.chunks(3).enumerate() {
            let got = glam::Vec3::from_slice(got).as_dvec3();
            let want = sums[k].normalize_or_zero();
            // If normals cancel each other the sum has no direction.
            if sums[k].length() > 1e-3 || want == glam::DVec3::ZERO {
                assert!(got.distance(want) < 1e-3, "vertex {k}: {got} for {want}");
            }
        }
        normals_of_faces(&mesh, &at_vertices, &mut at_faces).unwrap();
        for (k, got) in at_faces.read().unwrap().chunks(3).enumerate() {
            let corner = |&v: &u32| glam::Vec3::from_slice(&normals[3 * v as usize..][..3]);
            let sum: glam::Vec3 = poly.face(k).iter().map(corner).sum();
            let got = glam::Vec3::from_slice(got);
            if sum.length() > 1e-2 {
                assert!(got.distance(sum.normalize()) < 1e-4, "face {k}");
            }
        }
    }
}
