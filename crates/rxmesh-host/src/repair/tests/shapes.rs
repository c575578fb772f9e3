//! Shapes with known answers.

use super::super::*;
use super::{all, cube, inverted, repaired, soup, volume};
use crate::mesh::{TriMesh, check, generate};
use glam::Vec3;

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-5 * b.abs().max(1.0), "{a} is not {b}");
}

#[test]
fn a_sound_mesh_stays_as_it_is() {
    for mesh in [
        generate::icosphere(3).unwrap(),
        generate::torus(20, 10, 2.0, 0.5).unwrap(),
        generate::grid(5, 7).unwrap(),
    ] {
        let (after, report) = repaired(&mesh);
        assert_eq!(
            (&after.positions, &after.faces),
            (&mesh.positions, &mesh.faces)
        );
        assert_eq!(report.before, report.after);
    }
}

#[test]
fn cubes_that_touch_come_apart() {
    let one = cube(Vec3::ZERO, 1.0);
    // Along an edge, and at a vertex.
    for (at, shared) in [(Vec3::new(1.0, 1.0, 0.0), 2), (Vec3::ONE, 1)] {
        let (mesh, report) = repaired(&all(&[one.clone(), cube(at, 1.0)]));
        let c = check(&mesh);
        assert_eq!((mesh.vertex_count(), mesh.face_count()), (16, 24));
        assert!(c.closed && c.face_components == 2, "{c}");
        assert_eq!(report.weld.unwrap().vertices, shared);
        assert_eq!(report.split.unwrap().copies, shared);
        near(volume(&mesh), 2.0);
    }
}

#[test]
fn a_wall_between_two_cubes_goes() {
    let (mesh, report) = repaired(&all(&[cube(Vec3::ZERO, 1.0), cube(Vec3::X, 1.0)]));
    let c = check(&mesh);
    assert_eq!((mesh.vertex_count(), mesh.face_count()), (12, 20));
    assert!(
        c.closed && c.face_components == 1 && c.genus == Some(0),
        "{c}"
    );
    assert_eq!(report.weld.unwrap().duplicates.walls, 4);
    near(volume(&mesh), 2.0);
}

#[test]
fn a_single_wall_inside_stays_as_a_sheet() {
    // A box of two cubes with the wall between them once.
    let mut mesh = all(&[cube(Vec3::ZERO, 1.0), cube(Vec3::X, 1.0)]);
    weld(&mut mesh, Length::default());
    let wall = mesh
        .positions
        .iter()
        .map(|p| p.x == 1.0)
        .collect::<Vec<bool>>();
    let box_faces = mesh.faces.clone();
    mesh.faces.extend([[1, 3, 7], [1, 7, 5]]);
    assert_eq!(box_faces.len(), 20);
    assert!(mesh.faces[20..].iter().flatten().all(|&v| wall[v as usize]));
    let (mesh, report) = repaired(&mesh);
    let c = check(&mesh);
    assert_eq!((c.face_components, c.boundary_loops), (2, 1));
    assert_eq!(report.split.unwrap().copies, 4);
    // The sheet is no part of the solid.
    let outside: Vec<bool> = (0..22).map(|f| f < 20).collect();
    near(volume(&mesh.with_faces(&outside)), 2.0);
}

#[test]
fn a_sheet_with_two_sides_keeps_one() {
    let grid = generate::grid(4, 4).unwrap();
    let (mesh, report) = repaired(&all(&[grid.clone(), inverted(grid.clone())]));
    assert_eq!(
        (&mesh.positions, &mesh.faces),
        (&grid.positions, &grid.faces)
    );
    assert_eq!(
        report.duplicates.unwrap().faces + report.weld.unwrap().duplicates.faces,
        32
    );
    // A closed one as well.
    let sphere = generate::icosphere(2).unwrap();
    let (mesh, _) = repaired(&all(&[inverted(sphere.clone()), sphere.clone()]));
    assert_eq!(mesh.face_count(), sphere.face_count());
    near(volume(&mesh), volume(&sphere));
}

#[test]
fn fins_go_and_flags_stay() {
    // A face back to back on an edge of a sphere.
    let mut mesh = generate::icosphere(2).unwrap();
    let [a, b, _] = mesh.faces[0];
    let tip = mesh.positions.len() as u32;
    mesh.positions.push(Vec3::splat(2.0));
    let sphere = mesh.faces.clone();
    mesh.faces.extend([[a, b, tip], [b, a, tip]]);
    let (after, report) = repaired(&mesh);
    assert_eq!(after.faces, sphere);
    assert_eq!(report.duplicates.unwrap().walls, 2);
    // A larger sheet with two sides that hangs on an edge of a cube.
    let mut flag = generate::grid(2, 2).unwrap();
    flag.positions
        .iter_mut()
        .for_each(|p| *p = Vec3::new(0.0, p.y, 1.0 + p.x));
    let mut pole = all(&[cube(Vec3::ZERO, 1.0), flag.clone(), inverted(flag)]);
    // The cube's edge in two halves, as the flag has it.
    pole.positions.push(Vec3::new(0.0, 0.5, 1.0));
    let middle = pole.positions.len() as u32 - 1;
    pole.faces
        .retain(|f| !(f.contains(&4) && f.contains(&6) && f.iter().all(|&v| v < 8)));
    pole.faces.extend([
        [4, 7, middle],
        [middle, 7, 6],
        [0, 4, middle],
        [0, middle, 6],
    ]);
    let (after, _) = repaired(&pole);
    let c = check(&after);
    assert_eq!((c.face_components, c.boundary_loops), (2, 1), "{c}");
    assert_eq!(c.faces, 14 + 8);
}

/// Places rounded to a coarse lattice make vertices one and faces flat.
#[test]
fn closed_surfaces_stay_closed_when_vertices_become_one() {
    for steps in [2.0f32, 3.0, 5.0, 8.0] {
        for mesh in [
            generate::icosphere(3).unwrap(),
            generate::torus(40, 20, 2.0, 0.7).unwrap(),
        ] {
            let mut mesh = mesh;
            mesh.positions
                .iter_mut()
                .for_each(|p| *p = (*p * steps).round() / steps);
            let (after, report) = repaired(&mesh);
            assert!(check(&after).closed, "{steps}: {report:#?}");
        }
    }
}

#[test]
fn soups_become_closed_surfaces_that_look_outwards() {
    for (mesh, genus) in [
        (generate::icosphere(3).unwrap(), 0),
        (generate::torus(24, 12, 2.0, 0.7).unwrap(), 1),
    ] {
        let (after, _) = repaired(&soup(&mesh, 3));
        let c = check(&after);
        assert_eq!(
            (after.vertex_count(), after.face_count()),
            (mesh.vertex_count(), mesh.face_count())
        );
        assert!(c.closed && c.genus == Some(genus), "{c}");
        near(volume(&after), volume(&mesh).abs());
    }
}

#[test]
fn a_soup_with_a_hole_looks_outwards() {
    let mut sphere = generate::icosphere(3).unwrap();
    sphere.faces.truncate(sphere.face_count() - 40);
    for seed in 0..8 {
        let (after, _) = repaired(&soup(&sphere, seed));
        assert!(volume(&after) > 3.0, "{}", volume(&after));
    }
}

#[test]
fn components_look_outwards_and_cavities_inwards() {
    let shell = |size: f32| cube(Vec3::splat(-size / 2.0), size);
    let (mesh, report) = repaired(&all(&[
        inverted(shell(4.0)),
        shell(2.0),
        inverted(shell(1.0)),
        inverted(cube(Vec3::splat(9.0), 1.0)),
    ]));
    let outward = report.outward.unwrap();
    assert_eq!(
        (outward.closed, outward.cavities, outward.turned),
        (4, 1, 4)
    );
    near(volume(&mesh), 64.0 - 8.0 + 1.0 + 1.0);
}

/// Returns a Klein bottle of n by m squares, or (`open`) a Moebius strip.
fn klein(n: u32, m: u32, open: bool) -> TriMesh {
    let rows = if open { m + 1 } else { m };
    let id = |i: u32, j: u32| {
        // Once around i the rows come in reverse.
        let (i, j) = if i == n {
            (0, if open { m - j } else { (m - j) % m })
        } else {
            (i, j % rows)
        };
        i * rows + j
    };
    let at = |i: u32, j: u32| {
        let (u, v) = (i as f32 / n as f32 * 6.2831855, j as f32 / m as f32);
        let (half, w) = (u / 2.0, if open { v - 0.5 } else { v * 6.2831855 });
        if open {
            Vec3::new(
                (2.0 + w * half.cos()) * u.cos(),
                (2.0 + w * half.cos()) * u.sin(),
                w * half.sin(),
            )
        } else {
            let r = 2.0 + half.cos() * w.sin() - half.sin() * (2.0 * w).sin();
            Vec3::new(
                r * u.cos(),
                r * u.sin(),
                half.sin() * w.sin() + half.cos() * (2.0 * w).sin(),
            )
        }
    };
    let places = (0..n).flat_map(|i| (0..rows).map(move |j| (i, j)));
    let positions = places.map(|(i, j)| at(i, j)).collect();
    let squares = (0..n).flat_map(|i| (0..m).map(move |j| (i, j)));
    let faces = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    TriMesh::new(positions, faces.collect()).unwrap()
}

#[test]
fn surfaces_with_one_side_are_cut_open() {
    let strip = klein(30, 4, true);
    assert!(!check(&strip).orientable);
    let (mesh, report) = repaired(&strip);
    let c = check(&mesh);
    assert!(
        c.orientable && c.face_components == 1 && c.boundary_loops == 1,
        "{c}"
    );
    assert_eq!(report.split.unwrap().cuts, 4);
    // Turned at random it is cut at a place at most a few edges long.
    let (mesh, report) = repaired(&soup(&strip, 5));
    assert_eq!((mesh.face_count(), check(&mesh).face_components), (240, 1));
    assert!(report.split.unwrap().cuts <= 10, "{report:?}");
    let bottle = klein(24, 12, false);
    assert!(!check(&bottle).orientable && check(&bottle).closed);
    let (mesh, report) = repaired(&bottle);
    assert_eq!((mesh.face_count(), check(&mesh).face_components), (576, 1));
    assert_eq!(report.split.unwrap().cuts, 12);
}

/// The cut must not depend on how faces are turned: repair turns them, and would cut elsewhere the next time.
#[test]
fn a_surface_with_one_side_is_cut_at_the_same_place_again() {
    // No three places on a line.
    let place = |i: u8| Vec3::new(1.0, i.into(), (i * i).into()) * f32::from(i);
    let faces = vec![
        [1, 0, 4],
        [0, 1, 5],
        [0, 3, 2],
        [0, 4, 3],
        [1, 5, 2],
        [2, 5, 3],
        [3, 4, 5],
    ];
    let mesh = TriMesh::new((0..6).map(place).collect(), faces).unwrap();
    let before = check(&mesh);
    assert!(!before.orientable && before.non_manifold_edges.count == 0);
    let (after, report) = repaired(&mesh);
    assert!(check(&after).orientable && report.split.unwrap().cuts > 0);
}

#[test]
fn a_book_comes_apart_into_pairs_of_pages() {
    for pages in [3u32, 4, 5_000] {
        let turn = |i: u32| (i as f32 / pages as f32 * 6.2831855).sin_cos();
        let mut positions = vec![Vec3::ZERO, Vec3::Z];
        positions.extend((0..pages).map(|i| Vec3::new(turn(i).1, turn(i).0, 0.5)));
        let page = |i: u32| {
            if i.is_multiple_of(3) {
                [0, 1, 2 + i]
            } else {
                [1, 0, 2 + i]
            }
        };
        let mesh = TriMesh::new(positions, (0..pages).map(page).collect()).unwrap();
        let (after, _) = repaired(&mesh);
        let c = check(&after);
        assert_eq!(c.faces, u64::from(pages));
        assert_eq!(
            c.face_components,
            u64::from(pages.div_ceil(2)),
            "{pages} pages"
        );
    }
}

#[test]
fn crossing_planes_stay_planes() {
    let plane = |f: fn(f32, f32) -> Vec3| {
        let mut grid = generate::grid(4, 4).unwrap();
        grid.positions
            .iter_mut()
            .for_each(|p| *p = f(p.x - 0.5, p.y - 0.5));
        grid
    };
    let (mesh, _) = repaired(&all(&[
        plane(|x, y| Vec3::new(x, y, 0.0)),
        plane(|x, y| Vec3::new(0.0, y, x)),
    ]));
    let c = check(&mesh);
    assert_eq!((c.face_components, c.faces), (2, 64));
    let flat = |f: &[u32; 3]| {
        let x = f.map(|v| mesh.positions[v as usize]);
        x.iter().all(|p| p.z == 0.0) || x.iter().all(|p| p.x == 0.0)
    };
    assert!(mesh.faces.iter().all(flat));
}

#[test]
fn faces_without_area_go_and_leave_no_hole() {
    // A square with a vertex in the middle of an inner edge that only a face without area has.
    let positions = [[0., 0.], [1., 0.], [1., 1.], [0., 1.], [0.5, 0.5]];
    let positions = positions.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
    let faces = vec![
        [0, 1, 2],
        [0, 2, 4],
        [0, 4, 3],
        [4, 2, 3],
        [1, 1, 2],
        [3, 3, 3],
    ];
    let (mesh, report) = repaired(&TriMesh::new(positions, faces).unwrap());
    let (c, d) = (check(&mesh), report.degenerate.unwrap());
    assert_eq!((d.repeated, d.caps), (2, 1));
    assert_eq!(
        (c.faces, c.boundary_edges.count, c.boundary_loops),
        (4, 4, 1)
    );
    // On the boundary such a face just goes.
    let positions = [[0., 0.], [1., 0.], [0.5, 1.], [0.5, 0.]].map(|[x, y]| Vec3::new(x, y, 0.0));
    let mesh = TriMesh::new(positions.to_vec(), vec![[0, 3, 2], [3, 1, 2], [0, 1, 3]]).unwrap();
    assert_eq!(repaired(&mesh).0.faces, [[0, 3, 2], [3, 1, 2]]);
}

/// A side of a thousand collinear corners, triangulated as a fan from its first one.
#[test]
fn rows_of_faces_without_area_go() {
    let n = 1000u32;
    let mut positions: Vec<Vec3> = (0..=n).map(|i| Vec3::new(i as f32, 0.0, 0.0)).collect();
    positions.push(Vec3::new(0.0, 1.0, 0.0));
    positions.push(Vec3::new(0.0, -1.0, 0.0));
    let mut faces: Vec<[u32; 3]> = (1..n).map(|i| [0, i, i + 1]).collect();
    faces.push([0, n, n + 1]);
    faces.extend((0..n).map(|i| [i + 1, i, n + 2]));
    let (mesh, report) = repaired(&TriMesh::new(positions, faces).unwrap());
    let c = check(&mesh);
    assert_eq!(report.degenerate.unwrap().caps, u64::from(n) - 1);
    assert_eq!(
        (c.faces, c.boundary_loops, c.boundary_edges.count),
        (2 * u64::from(n), 1, 4)
    );
}

#[test]
fn near_vertices_are_united_and_rows_of_them_are_not() {
    let mut mesh = generate::icosphere(3).unwrap();
    let clean = mesh.clone();
    mesh = soup(&mesh, 1);
    let mut rng = crate::mesh::Rng::new(4);
    let mut move_a_little = || (rng.next_u64() % 1000) as f32 * 1e-8;
    for p in &mut mesh.positions {
        *p += Vec3::new(move_a_little(), move_a_little(), move_a_little());
    }
    let options = RepairOptions::default().with(|o| o.weld = Some("0.01%".parse().unwrap()));
    let report = repair(&mut mesh, &options).unwrap();
    assert_eq!(
        (mesh.vertex_count(), mesh.face_count()),
        (clean.vertex_count(), clean.face_count())
    );
    assert!(check(&mesh).closed && report.after.is_sound());
    // A row of vertices, each nearer to the next one than the tolerance, becomes shorter and no point.
    let row: Vec<Vec3> = (0..100)
        .map(|i| Vec3::new(i as f32 * 0.6, 0.0, 0.0))
        .collect();
    let mut row = TriMesh::new(row, Vec::new()).unwrap();
    assert_eq!(weld(&mut row, Length::Absolute(1.0)).vertices, 50);
}

#[test]
fn an_edge_that_two_pairs_of_faces_share_gets_a_vertex() {
    // Two tetrahedra that share an edge, and are joined around both of its ends by a common tube: a ring of eight
    // faces that passes the edge twice.
    let mesh = pinched();
    let before = check(&mesh);
    assert_eq!(before.non_manifold_edges.count, 1);
    let (after, report) = repaired(&mesh);
    assert!(report.split.unwrap().on_edges + report.split.unwrap().copies > 0);
    assert!(check(&after).closed);
}

/// Returns a torus of 3 by n squares whose inner ring is drawn together until two of its edges are one.
fn pinched() -> TriMesh {
    let mut torus = generate::torus(12, 6, 2.0, 0.8).unwrap();
    // Two parallel edges on opposite sides of the hole become one: their ends are united.
    let c = check(&torus);
    assert!(c.closed);
    let [a, b] = torus.faces[0].map(|v| v)[..2] else {
        unreachable!()
    };
    let far = |v: u32| {
        let x = torus.positions[v as usize];
        (0..torus.positions.len() as u32).max_by(|&p, &q| {
            let d = |w: u32| torus.positions[w as usize].distance(x);
            d(p).total_cmp(&d(q))
        })
    };
    let (fa, fb) = (far(a).unwrap(), far(b).unwrap());
    for v in torus.faces.iter_mut().flatten() {
        *v = match *v {
            v if v == fa => a,
            v if v == fb => b,
            v => v,
        };
    }
    torus
}

#[test]
fn small_components_go() {
    let mut mesh = all(&[
        cube(Vec3::ZERO, 1.0),
        generate::icosphere(2).unwrap(),
        cube(Vec3::splat(9.0), 0.01),
    ]);
    let mut options = RepairOptions::default().with(|o| o.min_component = Some(13));
    let small = repair(&mut mesh.clone(), &options).unwrap().small.unwrap();
    assert_eq!((small.components, small.dropped, small.faces), (3, 2, 24));
    options.min_component = None;
    options.min_size = Some(0.01);
    let small = repair(&mut mesh, &options).unwrap().small.unwrap();
    assert_eq!((small.dropped, mesh.face_count()), (1, 12 + 320));
}
