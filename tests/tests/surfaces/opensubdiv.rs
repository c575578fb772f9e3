//! The plain code against OpenSubdiv's results, which `tests/opensubdiv` recorded.

use glam::DVec3;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision::{Creasing, Options, Scheme};
use rxmesh_tests::extent::extent;
use rxmesh_tests::surfaces::cases::{SurfaceCase, cases};
use rxmesh_tests::surfaces::compare::compare;
use rxmesh_tests::surfaces::limit::{has_settled, limits};
use rxmesh_tests::surfaces::naive::{NaiveSurface, refine, refine_net};
use rxmesh_tests::surfaces::net::Net;
use serde_json::Value;

const TABLE: &str = include_str!("../../opensubdiv/table.json");

/// Returns each case with its recorded results.
fn recorded() -> Vec<(SurfaceCase, Value)> {
    let table: Vec<Value> = serde_json::from_str(TABLE).unwrap();
    let cases = cases();
    assert_eq!(table.len(), cases.len(), "the table is of other cases");
    let pairs = cases.into_iter().zip(table);
    let pairs: Vec<_> = pairs.collect();
    for (case, entry) in &pairs {
        assert_eq!(
            entry["name"],
            case.name.as_str(),
            "the table is of other cases"
        );
    }
    pairs
}

fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().unwrap();
    list.iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Returns the tolerance of a case: OpenSubdiv's sharpness is `f32`, so means of it are rounded, and by Chaikin's rule
/// derived values too.
fn tolerance(case: &SurfaceCase) -> f64 {
    let mesh = &case.mesh;
    let edges = mesh.sharp_edges.iter().map(|e| e.sharpness);
    let mut all = edges.chain(mesh.sharp_vertices.iter().map(|v| v.sharpness));
    match case.options.creasing {
        _ if all.all(|s| s >= PolyMesh::SHARP) => 1e-9,
        Creasing::Uniform => 1e-8,
        Creasing::Chaikin => 2e-6,
    }
}

/// Sum of terms in any order.
#[derive(Default, Clone, Copy)]
struct ErrorSum {
    sum: f64,
    size: f64,
}

impl ErrorSum {
    fn add(&mut self, term: f64) {
        self.sum += term;
        self.size += term.abs();
    }
}

/// Returns the sums of p, p^2 and p^4 by component.
fn moments(points: &[DVec3]) -> Vec<ErrorSum> {
    let mut sums = vec![ErrorSum::default(); 9];
    for p in points {
        for (i, x) in p.to_array().into_iter().enumerate() {
            sums[i].add(x);
            sums[3 + i].add(x * x);
            sums[6 + i].add(x.powi(4));
        }
    }
    sums
}

/// Returns sums over faces: of squared area vectors, of volumes under them, and of the first times parents from 1.
fn face_sums(surface: &NaiveSurface) -> Vec<ErrorSum> {
    let mut sums = vec![ErrorSum::default(); 3];
    for (face, parent) in surface.faces.iter().zip(&surface.parents) {
        let n = face.len();
        let p = |k: usize| surface.positions[face[k % n] as usize];
        let area: DVec3 = (0..n).map(|k| p(k).cross(p(k + 1)) / 2.0).sum();
        let center: DVec3 = (0..n).map(|k| p(k) / n as f64).sum();
        sums[0].add(area.length_squared());
        sums[1].add(center.dot(area));
        sums[2].add(f64::from(parent + 1) * area.length_squared());
    }
    sums
}

/// Names values that differ by more than the tolerance of the sum's size.
fn check(got: &[ErrorSum], want: &Value, tolerance: f64, what: &str) -> Result<(), String> {
    let want = numbers(want);
    assert_eq!(got.len(), want.len());
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let off = (got.sum - want).abs() / got.size.max(1e-30);
        if off > tolerance {
            return Err(format!(
                "{what}: sum {i} is {}, not {want}: {off:.2e} off",
                got.sum
            ));
        }
    }
    Ok(())
}

fn of_case(case: &SurfaceCase, entry: &Value) -> Result<(), String> {
    let tolerance = tolerance(case);
    for levels in 1..=case.options.levels {
        let surface = refine(
            &case.mesh,
            &Options {
                levels,
                ..case.options
            },
        );
        let want = &entry["levels"][levels as usize - 1];
        let counts = [surface.positions.len() as f64, surface.faces.len() as f64];
        if numbers(&want["counts"]) != counts {
            return Err(format!(
                "level {levels}: {counts:?}, not {}",
                want["counts"]
            ));
        }
        let level = |what: &str| format!("level {levels}, {what}");
        check(
            &moments(&surface.positions),
            &want["points"],
            tolerance,
            &level("points"),
        )?;
        check(
            &face_sums(&surface),
            &want["faces"],
            tolerance,
            &level("faces"),
        )?;
        if levels == 2 && case.whole {
            compare(&surface, &whole(&entry["second"]), tolerance)?;
        }
    }
    Ok(())
}

fn whole(second: &Value) -> NaiveSurface {
    let points = numbers(&second["points"]);
    let faces: Vec<Vec<u32>> = second["faces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| numbers(f).iter().map(|&v| v as u32).collect())
        .collect();
    NaiveSurface {
        positions: points.chunks(3).map(DVec3::from_slice).collect(),
        parents: faces.iter().map(|f| f[0]).collect(),
        faces: faces.iter().map(|f| f[1..].to_vec()).collect(),
    }
}

/// Panics with all failures, one line per case. Tests every fifth case, or all of them in the long run.
fn all_of(check: impl Fn(&SurfaceCase, &Value) -> Result<(), String>) {
    let mut wrong = Vec::new();
    for (case, entry) in recorded().into_iter().step_by(extent(5, 1)) {
        if let Err(why) = check(&case, &entry) {
            wrong.push(format!("{}: {why}", case.name));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} cases:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn surfaces_are_as_recorded() {
    all_of(of_case);
}

/// Limits of the last level, where OpenSubdiv's are right. They are not
///
/// - at darts, for which it uses the mask of a smooth vertex;
/// - at inner vertices of two faces, which it leaves unchanged;
/// - normals at boundaries with another number of faces than a regular one has: its tangents are those of Biermann et
///   al., whose rules for edges at such a vertex it does not have.
///
/// The test of limits shows the right ones there, by many levels.
#[test]
fn limits_are_as_recorded() {
    all_of(|case, entry| {
        let (net, _) = refine_net(&case.mesh, &case.options);
        if case.uv.is_some() || has_special_limits(&net) {
            return Ok(());
        }
        assert!(has_settled(&net), "{}", case.name);
        let limits = limits(&net, case.options.scheme);
        let points: Vec<DVec3> = limits.iter().map(|l| l.position).collect();
        check(&moments(&points), &entry["limit"], tolerance(case), "limit")?;
        if case.normals && !has_odd_boundaries(&net, case.options.scheme) {
            let normals: Vec<DVec3> = limits.iter().map(|l| l.normals[0]).collect();
            let mut sums = moments(&normals);
            for i in 0..3 {
                let mut sum = ErrorSum::default();
                normals
                    .iter()
                    .zip(&points)
                    .for_each(|(n, p)| sum.add(n[i] * p[i]));
                sums.push(sum);
            }
            check(&sums, &entry["normals"], 1e-9, "normals")?;
        }
        Ok(())
    });
}

fn has_special_limits(net: &Net) -> bool {
    (0..net.positions.len()).any(|v| {
        let edges = net.vertex_edges[v].iter();
        let sharp = edges.filter(|&&e| net.edge_sharpness[e] > 0.0).count();
        let smooth = net.vertex_sharpness[v] == 0.0;
        smooth && (sharp == 1 || sharp == 0 && net.vertex_faces[v].len() == 2)
    })
}

/// Returns `true` if a vertex at a boundary has another number of faces than a regular one, and than a corner.
fn has_odd_boundaries(net: &Net, scheme: Scheme) -> bool {
    let regular = if scheme == Scheme::Loop { 3 } else { 2 };
    (0..net.positions.len()).any(|v| {
        let faces = net.vertex_faces[v].len();
        net.vertex_edges[v].len() > faces && faces != 1 && faces != regular
    })
}

/// Values of corners: the surface over the seams.
#[test]
fn values_of_corners_are_as_recorded() {
    all_of(|case, entry| {
        let Some((uv, linear)) = &case.uv else {
            return Ok(());
        };
        for levels in 1..=case.options.levels {
            let options = Options {
                levels,
                ..case.options
            };
            let surface = refine(&case.mesh, &options);
            let values = uv.refine(&case.mesh, &options, *linear);
            let corners = surface.faces.iter().flatten();
            assert_eq!(values.len(), corners.clone().count());
            let (mut all, mut mixed) = (Vec::new(), vec![ErrorSum::default(); 6]);
            for (value, &v) in values.iter().zip(corners) {
                let p = surface.positions[v as usize];
                all.push(value.extend(0.0));
                (0..6).for_each(|i| mixed[i].add(value[i / 3] * p[i % 3]));
            }
            let sums = [moments(&all), mixed].concat();
            let want = &entry["levels"][levels as usize - 1]["values"];
            check(
                &sums,
                want,
                tolerance(case),
                &format!("level {levels}, values"),
            )?;
        }
        Ok(())
    });
}
