//! Cases of cells for contours.

use rxmesh_kernels::algo::grid::cases::{CASES, Case, EDGES, NO_FACE};

/// Corners of the edges of a cell, as [`Case`] counts them.
pub(super) fn edge_corners(edge: usize) -> [usize; 2] {
    let (axis, s, t) = (edge / 4, edge % 2, edge / 2 % 2);
    let low = s << ((axis + 1) % 3) | t << ((axis + 2) % 3);
    [low, low | 1 << axis]
}

/// Returns the edges around a face of a cell, and the corner between each and the one before it.
pub(super) fn around(face: usize) -> [(usize, usize); 4] {
    let (axis, high) = (face / 2, face % 2);
    let corner = |u: usize, v: usize| high << axis | u << ((axis + 1) % 3) | v << ((axis + 2) % 3);
    let corners = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
    [0, 1, 2, 3].map(|k| {
        let ends = [corners[k], corners[(k + 1) % 4]];
        let is_it = |&e: &usize| {
            let [a, b] = edge_corners(e);
            ends == [a, b] || ends == [b, a]
        };
        let edge = (0..EDGES as usize).find(is_it);
        (edge.expect("an edge of the cell"), corners[k])
    })
}

/// Pieces of surface in a cell, as sets of edges.
struct Pieces([usize; EDGES as usize]);

impl Pieces {
    fn root(&self, mut edge: usize) -> usize {
        while self.0[edge] != edge {
            edge = self.0[edge];
        }
        edge
    }

    fn join(&mut self, e: usize, f: usize) {
        let (e, f) = (self.root(e), self.root(f));
        self.0[e.max(f)] = e.min(f);
    }
}

/// Returns the pieces of a case, and the faces at which a piece meets itself. At a face whose corners are inside and
/// outside in turns, pieces part the inside corners, at the face `other` the outside ones.
fn pieces(inside: usize, other: Option<usize>) -> (Pieces, Vec<usize>) {
    let is_inside = |corner: usize| inside >> corner & 1 != 0;
    let is_crossed = |edge: usize| {
        let [a, b] = edge_corners(edge);
        is_inside(a) != is_inside(b)
    };
    let mut pieces = Pieces(std::array::from_fn(|e| e));
    let mut in_turns = Vec::new();
    for face in 0..6 {
        let around = around(face);
        let crossed: Vec<usize> = (around.iter().map(|&(e, _)| e))
            .filter(|&e| is_crossed(e))
            .collect();
        match crossed[..] {
            [e, f] => pieces.join(e, f),
            [_, _, _, _] => {
                in_turns.push(face);
                for k in 0..4 {
                    let (edge, corner) = around[k];
                    if is_inside(corner) != (other == Some(face)) {
                        pieces.join(around[(k + 3) % 4].0, edge);
                    }
                }
            }
            _ => {}
        }
    }
    let meets_itself = |&face: &usize| {
        let [first, rest @ ..] = around(face).map(|(e, _)| pieces.root(e));
        rest.iter().all(|&r| r == first)
    };
    let faces = in_turns.into_iter().filter(meets_itself).collect();
    (pieces, faces)
}

/// Returns the words of the table of cases ([`rxmesh_kernels::algo::grid::cases::CaseTable`]).
pub(super) fn case_words() -> Vec<u32> {
    let case = |case: usize| {
        let (inside, swapped) = (case % 256, case >= 256);
        let face = pieces(inside, None).1.first().copied();
        let (pieces, _) = pieces(inside, if swapped { face } else { None });
        let mut roots: Vec<usize> = Vec::new();
        let mut of_edges = [0; EDGES as usize];
        for (edge, piece) in of_edges.iter_mut().enumerate() {
            let [a, b] = edge_corners(edge).map(|corner| inside >> corner & 1);
            if a != b {
                let root = pieces.root(edge);
                let known = roots.iter().position(|&r| r == root);
                *piece = known.unwrap_or_else(|| {
                    roots.push(root);
                    roots.len() - 1
                }) as u32;
            }
        }
        let face = face.map_or(NO_FACE, |f| f as u32);
        Case::new(of_edges, roots.len() as u32, face).0
    };
    (0..CASES as usize).map(case).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No case has two faces at which a piece meets itself, and joined the other way it does so at none: so neighbours
    /// can choose face by face.
    #[test]
    fn pieces_meet_themselves_at_one_face_at_most() {
        let mut seen = 0;
        for inside in 0..256 {
            let (_, faces) = pieces(inside, None);
            assert!(faces.len() <= 1, "{inside:08b}: {faces:?}");
            if let [face] = faces[..] {
                seen += 1;
                let (_, faces) = pieces(inside, Some(face));
                assert!(faces.is_empty(), "{inside:08b}: {faces:?}");
            }
        }
        assert_eq!(seen, 36);
    }

    #[test]
    fn words_hold_pieces() {
        let words = case_words();
        assert_eq!(Case(words[0]).pieces(), 0);
        assert_eq!(Case(words[255]).pieces(), 0);
        // One corner; two opposite corners of the cell.
        assert_eq!(Case(words[1]).pieces(), 1);
        assert_eq!(Case(words[0b1000_0001]).pieces(), 2);
        // Every second corner: all faces have corners in turns, and each inside corner is parted.
        assert_eq!(Case(words[0b0110_1001]).pieces(), 4);
        let most = words.iter().map(|&w| Case(w).pieces()).max();
        assert_eq!(most, Some(4));
    }
}
