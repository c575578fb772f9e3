//! Fans, boundary loops, components and orientability, by union-find.

use super::super::sets::Sets;
use super::{CheckedMesh, EdgeTable, FaceList, Findings};

/// Returns the corner of half-edge `h`'s face at the half-edge's start and at its end.
fn corners(mesh: &CheckedMesh<'_, impl FaceList>, h: u32) -> [u32; 2] {
    [h, mesh.faces.next(h)]
}

/// Findings of a walk over the fans of faces around vertices.
pub(super) struct FanFindings {
    /// Non-manifold vertices.
    pub(super) bad: Findings<u32>,
    /// Number of boundary loops.
    pub(super) loops: u64,
    /// Vertices without any proper face.
    pub(super) without: u64,
}

/// Finds non-manifold vertices and boundary loops.
///
/// Corners of one vertex are united across edges; each set that remains is a separate fan. A vertex is manifold when
/// its corners are one fan and none of its edges has more than two faces.
pub(super) fn fans_and_loops(
    mesh: &CheckedMesh<'_, impl FaceList>,
    table: &EdgeTable,
) -> FanFindings {
    let mut fans = Sets::new(mesh.faces.corner_count());
    let mut bad = vec![false; mesh.positions.len()];
    for (e, ends) in table.edges.iter().enumerate() {
        let along = table.along(e);
        if along.len() > 2 {
            ends.iter().for_each(|&v| bad[v as usize] = true);
        }
        for pair in along.windows(2) {
            let ([a, b], [c, d]) = (corners(mesh, pair[0]), corners(mesh, pair[1]));
            let same = mesh.faces.vertex(a) == mesh.faces.vertex(c);
            fans.unite(a, if same { c } else { d });
            fans.unite(b, if same { d } else { c });
        }
    }
    const NONE: u32 = u32::MAX;
    let mut fan_of = vec![NONE; mesh.positions.len()];
    for (f, face) in mesh.proper() {
        for (corner, &v) in mesh.faces.range(f).zip(face) {
            let fan = fans.root(corner as u32);
            let first = &mut fan_of[v as usize];
            bad[v as usize] |= *first != NONE && *first != fan;
            *first = fan;
        }
    }
    let offenders = bad.iter().enumerate().filter(|(_, b)| **b);
    FanFindings {
        bad: offenders.map(|(v, _)| v as u32).collect(),
        loops: boundary_loops(mesh, table, &mut fans),
        without: fan_of.iter().filter(|&&f| f == NONE).count() as u64,
    }
}

/// Counts the boundary loops. Two boundary edges follow each other when they bound the same fan, so that holes which
/// touch in a vertex stay two.
fn boundary_loops(
    mesh: &CheckedMesh<'_, impl FaceList>,
    table: &EdgeTable,
    fans: &mut Sets,
) -> u64 {
    let mut ends: Vec<(u32, u32)> = Vec::new();
    let mut count = 0u32;
    for e in 0..table.len() {
        if let [h] = table.along(e) {
            ends.extend(corners(mesh, *h).map(|c| (fans.root(c), count)));
            count += 1;
        }
    }
    ends.sort_unstable();
    let mut rings = Sets::new(count as usize);
    let merged = ends
        .windows(2)
        .filter(|w| w[0].0 == w[1].0 && rings.unite(w[0].1, w[1].1))
        .count();
    u64::from(count) - merged as u64
}

/// Numbers of merges of two sets of faces, or of two sets of vertices.
pub(super) struct MergeCounts {
    pub(super) face_merges: u64,
    pub(super) vertex_merges: u64,
    pub(super) orientable: bool,
}

/// Computes the components through edges and through vertices, and if faces can be turned to agree; if they agree
/// already (`mixed` is `false`) there is nothing to compute for that.
pub(super) fn components(
    mesh: &CheckedMesh<'_, impl FaceList>,
    table: &EdgeTable,
    mixed: bool,
) -> MergeCounts {
    let face = |h: u32| mesh.faces.of_corner(h);
    let mut through_edges = Sets::new(mesh.faces.count());
    let mut through_vertices = Sets::new(mesh.positions.len());
    // Node 2 f is "face f as it is", 2 f + 1 is "face f turned"; agreeing states are united.
    let mut turned = mixed.then(|| Sets::new(2 * mesh.faces.count()));
    let (mut face_merges, mut vertex_merges) = (0, 0);
    for (e, ends) in table.edges.iter().enumerate() {
        let along = table.along(e);
        vertex_merges += u64::from(through_vertices.unite(ends[0], ends[1]));
        for pair in along.windows(2) {
            face_merges += u64::from(through_edges.unite(face(pair[0]), face(pair[1])));
        }
        if let (Some(turned), [g, h]) = (&mut turned, along) {
            let disagree = u32::from(mesh.faces.vertex(*g) == mesh.faces.vertex(*h));
            let (f, k) = (2 * face(*g), 2 * face(*h));
            turned.unite(f, k + disagree);
            turned.unite(f + 1, k + 1 - disagree);
        }
    }
    let orientable = turned.is_none_or(|mut sets| {
        (0..mesh.faces.count() as u32).all(|f| sets.root(2 * f) != sets.root(2 * f + 1))
    });
    MergeCounts {
        face_merges,
        vertex_merges,
        orientable,
    }
}
