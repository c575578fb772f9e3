//! Edits of chosen edges, beside a plain version of each.

use rxmesh::host::mesh::{Column, ColumnData, ElementKind, PolyMesh};
use rxmesh::host::mesh::{generate::cube, quality};
use rxmesh::on::{AnyMesh, Tool};
use rxmesh::subdivision::{Options, Scheme, VertexOptions};
use rxmesh::{
    EdgeChange, Edit, EditElements, Engine, Mesh, Operation, Silent, SubdivideArgs,
    SubdivisionSurface, TriMesh, Vec3, generate, ops,
};
use std::collections::{HashMap, HashSet};

fn bumpy_ball() -> TriMesh {
    let mut mesh = generate::icosphere(3).unwrap();
    for (v, p) in mesh.positions.iter_mut().enumerate() {
        *p *= 3.0 + 0.05 * (v as f32 * 0.7).sin();
    }
    mesh
}

/// Faces on both sides of an edge, each with the corner opposite.
struct EdgeSides {
    ends: [u32; 2],
    faces: [usize; 2],
    apexes: [u32; 2],
}

/// Returns the sides of edges of a closed mesh; the first face has the ends in this direction.
fn sides_of(elements: &EditElements) -> Vec<EdgeSides> {
    let mut half = HashMap::new();
    for (f, &[a, b, c]) in elements.mesh.faces.iter().enumerate() {
        for (from, to, apex) in [(a, b, c), (b, c, a), (c, a, b)] {
            assert!(half.insert((from, to), (f, apex)).is_none());
        }
    }
    let sides = elements.edges.iter().map(|&[a, b]| {
        let ((f, c), (g, d)) = (half[&(a, b)], half[&(b, a)]);
        EdgeSides {
            ends: [a, b],
            faces: [f, g],
            apexes: [c, d],
        }
    });
    sides.collect()
}

/// Returns edges whose changes do not overlap: without a common face; of contractions, without one at their ends.
fn independent(elements: &EditElements, change: EdgeChange) -> Vec<u32> {
    let sides = sides_of(elements);
    let mut at: Vec<Vec<usize>> = vec![Vec::new(); elements.mesh.vertex_count()];
    for (f, face) in elements.mesh.faces.iter().enumerate() {
        face.iter().for_each(|&v| at[v as usize].push(f));
    }
    let mut taken = HashSet::new();
    let mut chosen = Vec::new();
    for (edge, side) in (0..).zip(&sides) {
        let faces: Vec<usize> = match change {
            EdgeChange::Collapse => {
                let of_ends = side.ends.iter().flat_map(|&v| &at[v as usize]);
                of_ends.copied().collect()
            }
            _ => side.faces.to_vec(),
        };
        if faces.iter().all(|f| !taken.contains(f)) {
            taken.extend(faces);
            chosen.push(edge);
        }
    }
    chosen
}

/// Changes edges that do not overlap, one by one.
fn plain(elements: &EditElements, change: EdgeChange, chosen: &[u32]) -> TriMesh {
    let sides = sides_of(elements);
    let mut mesh = elements.mesh.clone();
    let x = |mesh: &TriMesh, v: u32| mesh.positions[v as usize];
    let mut gone = HashSet::new();
    let mut to: Vec<u32> = (0..mesh.vertex_count() as u32).collect();
    for side in chosen.iter().map(|&edge| &sides[edge as usize]) {
        let ([a, b], [c, d], [f, g]) = (side.ends, side.apexes, side.faces);
        let middle = (x(&mesh, a) + x(&mesh, b)) * 0.5;
        match change {
            EdgeChange::Flip => (mesh.faces[f], mesh.faces[g]) = ([a, d, c], [b, c, d]),
            EdgeChange::Split => {
                let m = mesh.positions.len() as u32;
                mesh.positions.push(middle);
                (mesh.faces[f], mesh.faces[g]) = ([a, m, c], [b, m, d]);
                mesh.faces.extend([[m, b, c], [m, a, d]]);
            }
            EdgeChange::Collapse => {
                mesh.positions[a as usize] = middle;
                to[b as usize] = a;
                gone.extend([f, g]);
            }
        }
    }
    let faces = mesh.faces.into_iter().enumerate();
    let faces = faces.filter(|(f, _)| !gone.contains(f));
    // Vertices of splits are no ends.
    let to = |v: u32| to.get(v as usize).copied().unwrap_or(v);
    mesh.faces = faces.map(|(_, f)| f.map(to)).collect();
    mesh
}

/// Returns the faces by the bits of their corners, each from its least corner on, sorted.
fn by_position(mesh: &TriMesh) -> Vec<[[u32; 3]; 3]> {
    let bits = |v: u32| mesh.positions[v as usize].to_array().map(f32::to_bits);
    let turned = |face: &[u32; 3]| {
        let face = face.map(bits);
        let turns = (0..3).map(|k| [0, 1, 2].map(|i| face[(i + k) % 3]));
        turns.min().unwrap()
    };
    let mut all: Vec<_> = mesh.faces.iter().map(turned).collect();
    all.sort_unstable();
    all
}

/// Returns the Euler number.
fn euler(mesh: &TriMesh) -> i64 {
    let sides = |[a, b, c]: [u32; 3]| [[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]);
    let edges: HashSet<[u32; 2]> = mesh.faces.iter().flat_map(|&f| sides(f)).collect();
    let vertices: HashSet<u32> = mesh.faces.iter().flatten().copied().collect();
    vertices.len() as i64 - edges.len() as i64 + mesh.face_count() as i64
}

const ALL: [EdgeChange; 3] = [EdgeChange::Flip, EdgeChange::Split, EdgeChange::Collapse];

#[test]
fn independent_edges_are_changed_as_one_by_one() {
    let mesh = Mesh::on(bumpy_ball(), Engine::cpu());
    for change in ALL {
        let mut edit = Edit::new(&mesh).unwrap();
        let elements = edit.elements().unwrap().clone();
        assert_eq!(elements.mesh, *mesh.to_host().unwrap());
        assert_eq!(elements.edges.len(), mesh.face_count() * 3 / 2);
        let chosen = independent(&elements, change);
        assert!(chosen.len() > 30);
        let report = edit.change(change, &chosen, None).unwrap();
        let all = chosen.len() as u64;
        assert_eq!((report.asked, report.done), (all, all), "{change:?}");
        assert_eq!((report.refused, report.conflicts), (0, 0));
        let changed = (0..).zip(&report.changed).filter(|(_, c)| **c);
        assert_eq!(changed.map(|(edge, _)| edge).collect::<Vec<u32>>(), chosen);
        assert!(edit.validate().unwrap().is_empty());
        let expected = by_position(&plain(&elements, change, &chosen));
        assert_eq!(by_position(&edit.elements().unwrap().mesh), expected);
        let result = edit.finish().unwrap();
        assert_eq!(by_position(result.to_host().unwrap()), expected);
    }
}

#[test]
fn all_edges_are_changed_once_at_most_and_the_topology_stays() {
    let mesh = Mesh::on(bumpy_ball(), Engine::cpu());
    let runs = ALL.map(|change| {
        let run = || {
            let mut edit = Edit::new(&mesh).unwrap();
            let edges = edit.elements().unwrap().edges.len() as u32;
            let chosen: Vec<u32> = (0..edges).collect();
            let report = edit.change(change, &chosen, None).unwrap();
            assert_eq!(
                report.asked,
                report.done + report.refused + report.conflicts
            );
            assert!(edit.validate().unwrap().is_empty());
            (report, edit.finish().unwrap().into_inner().unwrap())
        };
        let (report, result) = run();
        assert_eq!((report.clone(), result.clone()), run(), "{change:?}");
        assert_eq!(euler(&result), 2, "{change:?}");
        (
            report,
            result.face_count() as i64 - mesh.face_count() as i64,
        )
    });
    let [(flips, none), (splits, more), (collapses, less)] = runs;
    assert!(flips.done > 0 && none == 0 && flips.conflicts == 0);
    assert_eq!((splits.done, more), (splits.asked, 2 * splits.asked as i64));
    assert!(collapses.conflicts > 0);
    assert_eq!(less, -2 * collapses.done as i64);
}

#[test]
fn edges_can_be_chosen_again_after_a_change() {
    let mesh = Mesh::on(bumpy_ball(), Engine::cpu());
    let mut edit = Edit::new(&mesh).unwrap();
    let longer = |elements: &EditElements, length: f32| -> Vec<u32> {
        let x = |v: u32| elements.mesh.positions[v as usize];
        let edges = (0..).zip(&elements.edges);
        let long = edges.filter(|(_, [a, b])| x(*a).distance(x(*b)) > length);
        long.map(|(edge, _)| edge).collect()
    };
    let mut rounds = 0;
    loop {
        let long = longer(edit.elements().unwrap(), 0.3);
        if long.is_empty() {
            break;
        }
        let report = edit.change(EdgeChange::Split, &long, None).unwrap();
        assert_eq!(report.done as usize, long.len());
        rounds += 1;
        assert!(rounds < 20);
    }
    let result = edit.finish().unwrap().into_inner().unwrap();
    assert!(rounds > 1 && quality(&result).edge_length.max <= 0.3001);
    assert_eq!(euler(&result), 2);
}

#[test]
fn wrong_edges_change_nothing_and_rounds_are_limited() {
    let mesh = Mesh::on(bumpy_ball(), Engine::cpu());
    let mut edit = Edit::new(&mesh).unwrap();
    let count = edit.elements().unwrap().edges.len() as u32;
    let wrong = edit.change(EdgeChange::Split, &[0, count], None);
    let text = wrong.unwrap_err().to_string();
    assert!(text.contains(&format!("no edge {count}")), "{text}");
    assert_eq!(edit.elements().unwrap().edges.len() as u32, count);
    let none = edit.change(EdgeChange::Flip, &[], None).unwrap();
    assert_eq!((none.asked, none.rounds), (0, 0));
    let all: Vec<u32> = (0..count).collect();
    let report = edit.change(EdgeChange::Split, &all, Some(1)).unwrap();
    assert_eq!(report.rounds, 1);
    assert!(report.done > 0 && report.conflicts == report.asked - report.done);
    assert_eq!(
        edit.finish().unwrap().vertex_count(),
        mesh.vertex_count() + report.done as usize
    );
}

#[test]
fn columns_go_along() {
    let mut mesh = generate::grid(12, 12).unwrap();
    let height: Vec<f32> = mesh.positions.iter().map(|p| p.x).collect();
    mesh.add_column(Column {
        name: "height".into(),
        element: ElementKind::Vertex,
        width: 1,
        data: ColumnData::F32(height),
    })
    .unwrap();
    let mut edit = Edit::new(&Mesh::on(mesh, Engine::cpu())).unwrap();
    let all: Vec<u32> = (0..edit.elements().unwrap().edges.len() as u32).collect();
    edit.change(EdgeChange::Split, &all, None).unwrap();
    let some: Vec<u32> = (0..200).collect();
    edit.change(EdgeChange::Collapse, &some, None).unwrap();
    let result = edit.finish().unwrap().into_inner().unwrap();
    let column = result.extras.column(ElementKind::Vertex, "height").unwrap();
    for (v, p) in result.positions.iter().enumerate() {
        assert!((column.data.get(v) - f64::from(p.x)).abs() < 1e-4, "{p}");
    }
}

/// Returns the surface of `subdivide`.
fn subdivided(base: &PolyMesh, options: &SubdivideArgs) -> PolyMesh {
    let mut on = Tool::new(base.clone(), vec!["mesh".into()]);
    on.set_engine(Engine::cpu());
    ops::Subdivide::run(&mut on, options, &mut Silent::default()).unwrap();
    match on.result {
        Some(AnyMesh::Polygons(mesh)) => mesh,
        other => panic!("{other:?}"),
    }
}

#[test]
fn prepared_surfaces_are_those_of_subdivide() {
    let ball: PolyMesh = bumpy_ball().into();
    for (base, scheme) in [
        (cube(2).unwrap(), Scheme::CatmullClark),
        (ball.clone(), Scheme::Loop),
        (ball, Scheme::Sqrt3),
    ] {
        for limit in [false, true] {
            let wanted = VertexOptions {
                limit,
                ..VertexOptions::default()
            };
            let options = SubdivideArgs {
                options: Options {
                    scheme,
                    ..Options::default()
                },
                places: wanted,
                ..SubdivideArgs::default()
            };
            let log = &mut Silent::default();
            let engine = Engine::cpu();
            let surface = SubdivisionSurface::new(&engine, base.clone(), &options, log).unwrap();
            for frame in 0..2 {
                let mut moved = base.clone();
                for p in &mut moved.positions {
                    *p += 0.1 * frame as f32 * Vec3::new(p.y.sin(), p.z.cos(), p.x);
                }
                let expected = subdivided(&moved, &options);
                let (positions, placement) = (moved.positions, moved.placement);
                let points = surface.evaluate(positions, placement, wanted).unwrap();
                assert_eq!(points.positions, expected.positions);
                assert_eq!(points.placement, expected.placement);
                assert_eq!(surface.corners(), expected.corners);
                assert_eq!(*surface.faces(), expected.faces);
            }
        }
    }
}
