//! Volumes: counts against naive ones, measures against other formulas, recipes.

use super::*;
use crate::mesh::{Rng, TetMesh, generate};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Returns cells at random over few vertices: repeated, degenerate, crowded.
fn random(seed: u64, cells: usize) -> TetMesh {
    let mut rng = Rng::new(seed);
    let n = 5 + rng.below(8) as u32;
    let positions = (0..n)
        .map(|_| Vec3::from_array([(); 3].map(|()| rng.signed_unit() as f32)))
        .collect();
    let mut vertex = || rng.below(u64::from(n)) as u32;
    let cells = (0..cells)
        .map(|_| [vertex(), vertex(), vertex(), vertex()])
        .collect();
    TetMesh::new(positions, cells).unwrap()
}

fn sorted<const N: usize>(mut of: [u32; N]) -> [u32; N] {
    of.sort_unstable();
    of
}

/// Sets of cells joined if `joined` returns true, cell by cell.
fn sets(cells: &[[u32; 4]], joined: impl Fn(&[u32; 4], &[u32; 4]) -> bool) -> u64 {
    let mut left: Vec<&[u32; 4]> = cells.iter().collect();
    let mut n = 0;
    while let Some(first) = left.pop() {
        n += 1;
        let mut found = vec![first];
        while let Some(cell) = found.pop() {
            let (with, without) = left.into_iter().partition(|c| joined(cell, c));
            left = without;
            found.extend::<Vec<_>>(with);
        }
    }
    n
}

#[test]
fn counts_are_those_of_the_definitions() {
    for seed in 0..300 {
        let mesh = random(seed, 1 + seed as usize % 25);
        let r = check_tets(&mesh);
        let sets_of = |c: &[u32; 4]| c.iter().copied().collect::<BTreeSet<u32>>();
        let proper: Vec<[u32; 4]> = mesh
            .cells
            .iter()
            .copied()
            .filter(|c| sets_of(c).len() == 4)
            .collect();
        let mut faces = BTreeMap::<[u32; 3], u32>::new();
        let mut edges = BTreeSet::new();
        for [a, b, c, d] in &proper {
            for face in [[b, c, d], [a, c, d], [a, b, d], [a, b, c]] {
                *faces.entry(sorted(face.map(|v| *v))).or_default() += 1;
            }
            for edge in [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]] {
                edges.insert(sorted(edge.map(|v| *v)));
            }
        }
        assert_eq!(
            (r.edges, r.faces),
            (edges.len() as u64, faces.len() as u64),
            "{seed}"
        );
        let of_cells = |n: fn(u32) -> bool| faces.values().filter(|c| n(**c)).count() as u64;
        assert_eq!(r.boundary_faces, of_cells(|n| n == 1));
        assert_eq!(r.crowded_faces.count, of_cells(|n| n > 2));
        assert_eq!(
            r.degenerate_cells.count as usize,
            mesh.cells.len() - proper.len()
        );
        let different: BTreeSet<_> = proper.iter().map(|c| sorted(*c)).collect();
        assert_eq!(
            r.repeated_cells.count as usize,
            proper.len() - different.len()
        );
        let shared = |c: &[u32; 4], d: &[u32; 4]| sets_of(c).intersection(&sets_of(d)).count();
        assert_eq!(
            r.face_components,
            sets(&proper, |c, d| shared(c, d) >= 3),
            "{seed}"
        );
        assert_eq!(
            r.vertex_components,
            sets(&proper, |c, d| shared(c, d) >= 1),
            "{seed}"
        );
        let used: BTreeSet<_> = mesh.cells.iter().flatten().collect();
        assert_eq!(
            r.unused_vertices.count as usize,
            mesh.vertex_count() - used.len()
        );
        assert_eq!(r.edges as usize, mesh.edges().len());
        let surface = mesh.boundary();
        assert_eq!(surface.surface.face_count() as u64, r.boundary_faces);
    }
}

/// Measures angles from the faces' planes, and spheres from their equations.
fn measured(p: [DVec3; 4]) -> (f64, f64) {
    let mut angle = f64::INFINITY;
    for (i, j, k, l) in [
        (0, 1, 2, 3),
        (0, 2, 1, 3),
        (0, 3, 1, 2),
        (1, 2, 0, 3),
        (1, 3, 0, 2),
        (2, 3, 0, 1),
    ] {
        let axis = (p[j] - p[i]).normalize();
        let away = |q: DVec3| (q - p[i]) - axis * (q - p[i]).dot(axis);
        angle = angle.min(away(p[k]).angle_between(away(p[l])).to_degrees());
    }
    let rows = [1, 2, 3].map(|i| p[i] - p[0]);
    let matrix = glam::DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
    let squares = DVec3::from_array(rows.map(|r| 0.5 * r.length_squared()));
    let outer = (matrix.inverse() * squares).length();
    let area = |a: usize, b: usize, c: usize| 0.5 * (p[b] - p[a]).cross(p[c] - p[a]).length();
    let surface = area(0, 1, 2) + area(0, 1, 3) + area(0, 2, 3) + area(1, 2, 3);
    let inner = 3.0 * (matrix.determinant() / 6.0).abs() / surface;
    (angle, 3.0 * inner / outer)
}

#[test]
fn measures_are_those_of_other_formulas() {
    for seed in 0..200 {
        let mesh = random(seed, 1);
        let r = check_tets(&mesh);
        let Some(angle) = r.dihedral_angle else {
            continue;
        };
        let p = mesh.cells[0].map(|v| mesh.positions[v as usize].as_dvec3());
        let (want_angle, want_ratio) = measured(p);
        assert!(
            (angle.min - want_angle).abs() < 1e-6,
            "{seed}: {angle:?} {want_angle}"
        );
        let ratio = r.radius_ratio.unwrap().min;
        assert!(
            (ratio - want_ratio).abs() < 1e-9,
            "{seed}: {ratio} {want_ratio}"
        );
        assert_eq!(r.slivers.count > 0, want_angle < SLIVER_DEGREES);
    }
    let s = 1.0;
    let corners = [[s, s, s], [s, -s, -s], [-s, s, -s], [-s, -s, s]].map(Vec3::from_array);
    let mut regular = TetMesh::new(corners.to_vec(), vec![[0, 1, 2, 3]]).unwrap();
    regular.orient();
    let r = check_tets(&regular);
    assert!((r.dihedral_angle.unwrap().min - (1.0f64 / 3.0).acos().to_degrees()).abs() < 1e-9);
    assert!((r.radius_ratio.unwrap().min - 1.0).abs() < 1e-12);
    assert!((r.volume - 8.0 / 3.0).abs() < 1e-12);
}

#[test]
fn defects_of_volumes_are_named() {
    let mut mesh = generate::tet_box([1, 1, 1], [1.0; 3]).unwrap();
    let cells = mesh.cells.clone();
    mesh.cells[2].swap(0, 1);
    mesh.cells.push(cells[4]);
    mesh.cells.push([0, 1, 2, 2]);
    // Four corners of a square.
    mesh.cells.push([0, 1, 2, 3]);
    mesh.positions.push(Vec3::ZERO);
    let r = check_tets(&mesh);
    assert_eq!(r.inverted_cells.first, [2]);
    assert_eq!(r.repeated_cells.first, [6]);
    assert_eq!(r.degenerate_cells.first, [7]);
    assert_eq!(r.flat_cells.first, [7, 8]);
    assert_eq!(r.unused_vertices.first, [8]);
    assert_eq!(r.duplicate_vertices.first, [8]);
    assert!(!r.manifold);
    let text = r.to_text();
    assert!(
        text.contains("inverted cells: 1 (2; counted from 0)"),
        "{text}"
    );
    // Two boxes that share an edge only.
    let mut pair = generate::tet_box([1, 1, 1], [1.0; 3]).unwrap();
    let other = |v: u32| [3, 8, 9, 10, 7, 11, 12, 13][v as usize];
    let more: Vec<[u32; 4]> = pair.cells.iter().map(|c| c.map(other)).collect();
    pair.cells.extend(more);
    pair.positions
        .extend((8..14).map(|v| Vec3::splat(v as f32)));
    let r = check_tets(&pair);
    assert_eq!((r.face_components, r.vertex_components), (2, 1));
    assert_eq!(r.pinched_edges.first, [[3, 7]]);
}

/// Recipes fill their shapes, with positive cells that fit together.
#[test]
fn recipes_are_sound() {
    for (mesh, cells, volume, angle) in [
        (
            generate::tet_box([3, 2, 4], [3.0, 1.0, 2.0]).unwrap(),
            144,
            6.0,
            20.0,
        ),
        (generate::tet_ball(1).unwrap(), 48, 3.2, 40.0),
        (generate::tet_ball(4).unwrap(), 48 * 64, 3.9, 22.0),
        (generate::tet_ball(12).unwrap(), 48 * 1728, 4.1, 22.0),
    ] {
        let r = check_tets(&mesh);
        assert_eq!(r.cells, cells);
        assert_eq!((r.face_components, r.unused_vertices.count), (1, 0));
        assert!(r.manifold && r.inverted_cells.count == 0 && r.flat_cells.count == 0);
        assert_eq!(r.pinched_edges.count, 0);
        let euler = r.vertices as i64 - r.edges as i64 + r.faces as i64 - r.cells as i64;
        assert_eq!(euler, 1);
        let least = r.dihedral_angle.unwrap().min;
        assert!(least > angle, "{cells}: {least}");
        let within = (volume..1.1 * volume).contains(&(r.volume + 1e-6));
        assert!(within, "{cells}: {} of {volume}", r.volume);
        let surface = check(&mesh.boundary().surface);
        assert!(surface.closed && surface.manifold && surface.consistently_oriented);
        assert_eq!(surface.euler_characteristic, 2);
    }
    let ball = generate::tet_ball(6).unwrap();
    let surface = ball.boundary().surface;
    let off = surface.positions.iter().map(|p| (p.length() - 1.0).abs());
    assert!(off.fold(0.0, f32::max) < 1e-6);
    assert!(generate::tet_box([0, 1, 1], [1.0; 3]).is_err());
    assert!(generate::tet_box([1; 3], [1.0, -1.0, 1.0]).is_err());
    assert!(generate::tet_box([u32::MAX; 3], [1.0; 3]).is_err());
    assert!(generate::tet_ball(u32::MAX).is_err());
}

#[test]
fn a_refined_volume_is_the_same_in_smaller_cells() {
    let mut mesh = generate::tet_ball(2).unwrap();
    generate::noise_tets(&mut mesh, 0.05, 3).unwrap();
    generate::shuffle_tets(&mut mesh, 4);
    let (before, fine) = (check_tets(&mesh), generate::refine_tets(&mesh, 2).unwrap());
    let after = check_tets(&fine);
    assert_eq!(after.cells, 64 * before.cells);
    assert!((after.volume / before.volume - 1.0).abs() < 1e-5);
    assert_eq!((after.inverted_cells.count, after.flat_cells.count), (0, 0));
    assert!(after.manifold);
    assert_eq!(after.boundary_faces, 16 * before.boundary_faces);
    assert!(generate::refine_tets(&mesh, 30).is_err());
    mesh.cells[5] = [0, 0, 1, 2];
    assert!(
        generate::refine_tets(&mesh, 1)
            .unwrap_err()
            .to_string()
            .starts_with("cell 5")
    );
}

proptest! {
    /// Turning round makes every cell positive but flat ones, whatever they were, and changes no set of vertices.
    #[test]
    fn oriented_cells_are_not_negative(seed in any::<u64>(), cells in 1usize..30) {
        let mut mesh = random(seed, cells);
        let before = mesh.cells.clone();
        let inverted = check_tets(&mesh).inverted_cells.count;
        let turned = mesh.orient();
        let after = check_tets(&mesh);
        prop_assert_eq!(turned, inverted);
        prop_assert_eq!(after.inverted_cells.count, 0);
        for (a, b) in before.iter().zip(&mesh.cells) {
            prop_assert_eq!(sorted(*a), sorted(*b));
        }
    }

    /// The boundary of proper cells that fit together is closed, and bounds their volume.
    #[test]
    fn boundaries_are_closed(seed in any::<u64>(), n in 1u32..4, drop in 0usize..4) {
        let mut mesh = generate::tet_box([n, 2, 1], [1.0; 3]).unwrap();
        generate::noise_tets(&mut mesh, 0.1, seed).unwrap();
        generate::shuffle_tets(&mut mesh, seed);
        mesh.cells.truncate(mesh.cells.len() - drop);
        let boundary = mesh.boundary();
        let surface = &boundary.surface;
        surface.validate().unwrap();
        let volume = crate::mesh::volume(&surface.positions, &surface.faces);
        prop_assert!((volume - mesh.volume()).abs() < 1e-9);
        for (face, &cell) in surface.faces.iter().zip(&boundary.cells) {
            let of_cell = mesh.cells[cell as usize];
            for v in face {
                prop_assert!(of_cell.contains(&boundary.vertices[*v as usize]));
            }
        }
    }
}
