//! Mutations of a mesh before a command reads it. The connectivity is unchanged, except for `duplicates`.

use glam::DVec3;

use crate::mesh::RawMesh;

/// Change of a mesh.
pub(crate) struct Mutation {
    pub(crate) name: &'static str,
    pub(crate) change: Option<fn(&mut RawMesh)>,
    /// Shift and scale: results are those of the original mesh, moved.
    pub(crate) moves: Option<(DVec3, f64)>,
}

/// Typical origin of survey meshes (UTM, in metres).
const FAR: DVec3 = DVec3::new(500_000.25, 5_400_000.5, 100.0);

const fn scale(name: &'static str, by: f64, change: fn(&mut RawMesh)) -> Mutation {
    Mutation {
        name,
        change: Some(change),
        moves: Some((DVec3::ZERO, by)),
    }
}

const fn other(name: &'static str, change: fn(&mut RawMesh)) -> Mutation {
    Mutation {
        name,
        change: Some(change),
        moves: None,
    }
}

/// Unchanged mesh, written like the other mutations: the reference for their results.
pub(crate) const COPY: Mutation = Mutation {
    name: "copy",
    change: Some(|_| {}),
    moves: None,
};

/// All mutations; the first changes nothing.
pub(crate) const MUTATIONS: [Mutation; 12] = [
    Mutation {
        name: "plain",
        change: None,
        moves: None,
    },
    Mutation {
        name: "offset",
        change: Some(|mesh| mesh.each(|p| p + FAR)),
        moves: Some((FAR, 1.0)),
    },
    scale("scale-1e-15", 1e-15, |mesh| mesh.each(|p| p * 1e-15)),
    scale("scale-1e-5", 1e-5, |mesh| mesh.each(|p| p * 1e-5)),
    scale("scale-1e6", 1e6, |mesh| mesh.each(|p| p * 1e6)),
    scale("scale-1e15", 1e15, |mesh| mesh.each(|p| p * 1e15)),
    other("one-far", |mesh| {
        let far = mesh.diagonal() * 1e4;
        if let Some(first) = mesh.positions.first_mut() {
            first.x += far;
        }
    }),
    other("flat", |mesh| {
        let size = mesh.size();
        let axis = (0..3).fold(0, |a, k| if size[k] < size[a] { k } else { a });
        mesh.each(|mut p| {
            p[axis] = 0.0;
            p
        });
    }),
    other("one-flat", |mesh| {
        // The faces around one vertex become needles: it moves onto a neighbour.
        if let Some(&[a, b, _]) = mesh.faces.get(mesh.faces.len() / 2) {
            mesh.positions[a as usize] = mesh.positions[b as usize];
        }
    }),
    other("needles", |mesh| {
        let faces: Vec<_> = mesh.faces.iter().copied().step_by(10).collect();
        for [a, b, _] in faces {
            let (p, q) = (mesh.positions[a as usize], mesh.positions[b as usize]);
            mesh.positions[a as usize] = q + (p - q) * 1e-6;
        }
    }),
    other("stretched", |mesh| {
        mesh.each(|p| DVec3::new(p.x * 1000.0, p.y, p.z))
    }),
    other("duplicates", |mesh| {
        let repeated: Vec<_> = mesh.faces.iter().copied().step_by(10).collect();
        mesh.faces.extend(repeated);
    }),
];

/// Returns the `n`th of `count` numbers in an order that is spread over all of them.
pub(crate) fn spread(n: usize, count: usize) -> usize {
    let coprime = |step: &usize| {
        let (mut a, mut b) = (*step, count);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    // Near the golden section of them, which leaves no large gap.
    let begin = (count as f64 * 0.618) as usize;
    let step = (begin.max(1)..).find(coprime).unwrap_or(1);
    (n * step) % count
}
