//! Triangles of cells, for every way in which a cell's corners can be connected.
//!
//! Faces part the corners of a cell; along the cuts the surface crosses its edges in loops. A loop is filled with
//! triangles, two that a tunnel connects with a strip of them. No triangle has a side in a face of the cell but those
//! of the loops: so the surfaces of neighbours meet in loops alone, and all of them are manifold.

use super::super::cases::{self, edge_corners};
use rxmesh_kernels::algo::grid::cases::EDGES;
use rxmesh_kernels::algo::grid::isosurface::table::{
    CORNER_SETS, CellTriangles, CornerSet, FIRST_CENTRE, INSIDE_CONNECTED, LISTS,
    OUTSIDE_CONNECTED, pack_triangle,
};
use std::sync::LazyLock;

/// Edges that a piece of surface crosses, in order.
type CellLoop = Vec<u32>;

/// Corners of triangles, as labels of the table.
type Labels = Vec<[u32; 3]>;

/// Edges around each face of a cell, and the corner before each.
static AROUND: LazyLock<[[(usize, usize); 4]; FACES]> =
    LazyLock::new(|| std::array::from_fn(cases::around));

/// Words of the table ([`rxmesh_kernels::algo::grid::isosurface::table::CellTable`]).
pub(super) static WORDS: LazyLock<Vec<u32>> = LazyLock::new(words);

/// Most edges of a loop that is filled without a vertex in the interior.
const LARGEST_FLAT: usize = 7;

/// Faces of a cell.
const FACES: usize = 6;

/// Corners of a cell with the ways in which its faces connect them.
struct CornerParts {
    /// Bit of each corner that is inside.
    inside: usize,
    /// Part of each corner: the least corner that is connected with it.
    parts: [usize; 8],
    /// Loops of edges.
    loops: Vec<CellLoop>,
}

/// Returns the faces of a cell whose corners are inside and outside in turns.
fn faces_in_turns(inside: usize) -> Vec<usize> {
    let is_inside = |corner: usize| inside >> corner & 1 != 0;
    let in_turns = |&face: &usize| {
        let [a, b, c, d] = AROUND[face].map(|(_, corner)| is_inside(corner));
        a == c && b == d && a != b
    };
    (0..FACES).filter(in_turns).collect()
}

impl CornerParts {
    /// Connects the corners over edges, and over those faces in turns that connect their inside corners.
    fn new(inside: usize, connecting: &[usize]) -> CornerParts {
        let is_inside = |corner: usize| inside >> corner & 1 != 0;
        let mut parts: [usize; 8] = std::array::from_fn(|corner| corner);
        let mut connect = |a: usize, b: usize| {
            let (to, from) = (parts[a].min(parts[b]), parts[a].max(parts[b]));
            parts
                .iter_mut()
                .filter(|part| **part == from)
                .for_each(|part| *part = to);
        };
        // The edge that follows each edge of a loop, anticlockwise as seen from the outside part.
        let mut next = [None; EDGES as usize];
        let faces_in_turns = faces_in_turns(inside);
        for face in 0..FACES {
            let mut round = AROUND[face];
            // Anticlockwise as seen from outside of the cell; each edge is the one behind its corner.
            if face % 2 == 0 {
                let [a, b, c, d] = round;
                round = [(c.0, d.1), (b.0, c.1), (a.0, b.1), (d.0, a.1)];
            }
            let in_turns = faces_in_turns.contains(&face);
            let parts_inside = !(in_turns && connecting.contains(&face));
            for k in 0..4 {
                let (edge, corner) = round[k];
                let (before, _) = round[(k + 3) % 4];
                let (_, behind) = round[(k + 1) % 4];
                if is_inside(corner) == is_inside(behind) {
                    connect(corner, behind);
                    continue;
                }
                if in_turns {
                    // The cut goes around this corner.
                    match (is_inside(corner), parts_inside) {
                        (true, true) => next[before] = Some(edge),
                        (false, false) => next[edge] = Some(before),
                        _ => {
                            let (_, opposite) = round[(k + 2) % 4];
                            connect(corner, opposite);
                        }
                    }
                } else if is_inside(corner) {
                    // To here from the edge where the round comes back inside.
                    let back = (1..4).find(|j| is_inside(round[(k + j + 1) % 4].1));
                    let back = back.expect("the round ends inside, where it began");
                    next[round[(k + back) % 4].0] = Some(edge);
                }
            }
        }
        let mut loops = Vec::new();
        let mut seen = [false; EDGES as usize];
        for start in 0..EDGES {
            let mut round = Vec::new();
            let mut edge = start;
            while let Some(after) = next[edge as usize].filter(|_| !seen[edge as usize]) {
                seen[edge as usize] = true;
                round.push(edge);
                edge = after as u32;
            }
            if !round.is_empty() {
                loops.push(round);
            }
        }
        CornerParts {
            inside,
            parts,
            loops,
        }
    }

    /// Returns the parts of one side, by their least corners.
    fn of_side(&self, is_inside: bool) -> Vec<usize> {
        (0..8)
            .filter(|&c| self.parts[c] == c && (self.inside >> c & 1 != 0) == is_inside)
            .collect()
    }

    /// Returns the inside and the outside part that a loop separates.
    fn sides(&self, round: &CellLoop) -> [usize; 2] {
        let [a, b] = edge_corners(round[0] as usize);
        let [a, b] = if self.inside >> a & 1 != 0 {
            [a, b]
        } else {
            [b, a]
        };
        [self.parts[a], self.parts[b]]
    }

    /// Returns the numbers of the two loops around a tunnel that connects the only two parts of one side.
    fn around_tunnel(&self, is_inside: bool) -> Option<[usize; 2]> {
        let [first, second] = self.of_side(is_inside)[..] else {
            return None;
        };
        let (own, other) = if is_inside { (0, 1) } else { (1, 0) };
        let of = |part: usize| {
            let loops = self.loops.iter().enumerate();
            let its = loops.filter(move |(_, round)| self.sides(round)[own] == part);
            its.map(|(i, round)| (i, self.sides(round)[other]))
        };
        // Both loops have the same part on their other side.
        of(first).find_map(|(i, between)| {
            let (j, _) = of(second).find(|&(_, b)| b == between)?;
            Some([i, j])
        })
    }

    /// Returns the triangles, and the number of vertices in the interior.
    fn triangles(&self, tunnel: Option<[usize; 2]>) -> (Labels, u32) {
        let (mut triangles, mut centres) = (Vec::new(), 0);
        for (i, round) in self.loops.iter().enumerate() {
            if tunnel.is_some_and(|pair| pair.contains(&i)) {
                continue;
            }
            match fill(round) {
                Some(filled) => triangles.extend(filled),
                None => {
                    let centre = FIRST_CENTRE + centres;
                    let sides = round.iter().zip(round.iter().cycle().skip(1));
                    triangles.extend(sides.map(|(&a, &b)| [a, b, centre]));
                    centres += 1;
                }
            }
        }
        if let Some([i, j]) = tunnel {
            debug_assert_eq!(centres, 0, "loops beside a tunnel are short");
            let (tube, ring) = tube(&self.loops[i], &self.loops[j]);
            triangles.extend(tube);
            centres += ring;
        }
        (triangles, centres)
    }
}

/// Returns the two faces of a cell in which an edge lies.
fn faces_of(edge: u32) -> [u32; 2] {
    let (axis, s, t) = (edge / 4, edge % 2, edge / 2 % 2);
    [2 * ((axis + 1) % 3) + s, 2 * ((axis + 2) % 3) + t]
}

/// Place in a cell, in twenty-fourths of its side.
type InCell = [i32; 3];

/// Returns the middle of an edge.
fn middle(edge: u32) -> InCell {
    let [a, b] = edge_corners(edge as usize);
    std::array::from_fn(|axis| 12 * ((a >> axis & 1) as i32 + (b >> axis & 1) as i32))
}

fn square(p: InCell, q: InCell) -> i32 {
    (0..3).map(|k| (p[k] - q[k]).pow(2)).sum()
}

/// Vertices of triangles in the interior of a cell, around a tunnel: their places.
#[derive(Clone, Copy)]
struct Ring([InCell; RING]);

/// Vertices of a ring.
const RING: usize = 3;

impl Ring {
    /// Ring of tunnels without one.
    const NONE: Ring = Ring([[0; 3]; RING]);

    /// Makes a ring between two loops that go around a tunnel in opposite directions.
    fn between(first: &CellLoop, second: &CellLoop) -> Ring {
        let mean = |edges: &mut dyn Iterator<Item = u32>| {
            let places: Vec<InCell> = edges.map(middle).collect();
            let n = places.len() as i32;
            std::array::from_fn(|k| places.iter().map(|p| p[k]).sum::<i32>() / n)
        };
        let (n, m) = (first.len(), second.len());
        let arc = |length: usize, k: usize| length * k / RING..length * (k + 1) / RING;
        let of_first: [InCell; RING] =
            std::array::from_fn(|k| mean(&mut arc(n, k).map(|i| first[i])));
        let of_second = |turn: usize| -> [InCell; RING] {
            let at = |j: usize| second[(2 * m - 1 - (turn + j) % m) % m];
            std::array::from_fn(|k| mean(&mut arc(m, k).map(at)))
        };
        let apart = |turn: &usize| -> i32 {
            let pairs = of_first.into_iter().zip(of_second(*turn));
            pairs.map(|(p, q)| square(p, q)).sum()
        };
        let turn = (0..m).min_by_key(apart).unwrap_or(0);
        let other = of_second(turn);
        Ring(std::array::from_fn(|k| {
            std::array::from_fn(|axis| (of_first[k][axis] + other[k][axis]) / 2)
        }))
    }

    /// Returns the place of a vertex.
    fn place(&self, label: u32) -> InCell {
        match label.checked_sub(FIRST_CENTRE) {
            Some(k) => self.0[k as usize],
            None => middle(label),
        }
    }

    /// Returns the cost of a side between two vertices; `None` if it lies in a face of the cell.
    fn cost(&self, e: u32, f: u32) -> Option<i32> {
        let in_one_face = |f: u32| faces_of(e).iter().any(|face| faces_of(f).contains(face));
        if e < FIRST_CENTRE && f < FIRST_CENTRE && in_one_face(f) {
            return None;
        }
        Some(square(self.place(e), self.place(f)))
    }
}

/// Returns triangles that fill a loop at the least cost, without a side in a face of the cell.
fn fill(round: &CellLoop) -> Option<Labels> {
    let n = round.len();
    if n > LARGEST_FLAT {
        return None;
    }
    // Cheapest filling between the corners i and j of the loop, and the corner of its triangle at the side i, j.
    let mut best = vec![vec![Some((0, 0)); n]; n];
    for length in 2..n {
        for i in 0..n - length {
            let j = i + length;
            let side = if length == n - 1 {
                Some(0)
            } else {
                Ring::NONE.cost(round[i], round[j])
            };
            best[i][j] = side.and_then(|side| {
                let through = |k: usize| Some((best[i][k]?.0 + best[k][j]?.0 + side, k));
                (i + 1..j).filter_map(through).min()
            });
        }
    }
    best[0][n - 1]?;
    let (mut triangles, mut open) = (Vec::new(), vec![(0, n - 1)]);
    while let Some((i, j)) = open.pop() {
        if j > i + 1 {
            let (_, k) = best[i][j]?;
            triangles.push([round[i], round[k], round[j]]);
            open.extend([(i, k), (k, j)]);
        }
    }
    Some(triangles)
}

/// Returns triangles between two loops around a tunnel, and the number of vertices in the interior.
fn tube(first: &CellLoop, second: &CellLoop) -> (Labels, u32) {
    if let Some(triangles) = strip(first, second, &Ring::NONE) {
        return (triangles, 0);
    }
    // A ring in the middle, which no face of the cell touches.
    let ring = Ring::between(first, second);
    let middle: CellLoop = (FIRST_CENTRE..FIRST_CENTRE + RING as u32).collect();
    let back: CellLoop = middle.iter().rev().copied().collect();
    let strips = [strip(first, &back, &ring), strip(&middle, second, &ring)];
    let triangles = strips.into_iter().flatten().flatten().collect();
    (triangles, RING as u32)
}

/// Returns the cheapest strip of triangles between two loops, without a side in a face of the cell.
fn strip(first: &CellLoop, second: &CellLoop, ring: &Ring) -> Option<Labels> {
    let (n, m) = (first.len(), second.len());
    // The loops go around a tunnel in opposite directions.
    let a = |i: usize| first[i % n];
    let b = |j: usize| second[(m - j % m) % m];
    let from = |start: usize| {
        // Cheapest way to each pair of edges, and its last step: along the first loop or along the second.
        let mut best = vec![vec![None; m + 1]; n + 1];
        for i in 0..=n {
            for j in 0..=m {
                let before = [
                    (i > 0).then(|| best[i - 1][j]).flatten(),
                    (j > 0).then(|| best[i][j - 1]).flatten(),
                ];
                let before = before.map(|b: Option<(i32, bool)>| b.map(|(total, _)| total));
                let way = match before {
                    _ if i + j == 0 => Some((0, true)),
                    [Some(x), Some(y)] => Some(if x <= y { (x, true) } else { (y, false) }),
                    [Some(x), None] => Some((x, true)),
                    [None, Some(y)] => Some((y, false)),
                    [None, None] => None,
                };
                best[i][j] = way
                    .and_then(|(total, step)| Some((total + ring.cost(a(i), b(start + j))?, step)));
            }
        }
        let (total, _) = best[n][m]?;
        let (mut triangles, mut at) = (Vec::new(), (n, m));
        while at != (0, 0) {
            let (i, j) = at;
            let (_, along_first) = best[i][j]?;
            if along_first {
                triangles.push([a(i - 1), a(i), b(start + j)]);
                at = (i - 1, j);
            } else {
                triangles.push([b(start + j), b(start + j - 1), a(i)]);
                at = (i, j - 1);
            }
        }
        // A vertex that sees a whole loop would have two sides to its first edge.
        let is_cone = |to: usize| {
            let own = |labels: &[u32; 3]| {
                let is_along = |e: &u32| first.contains(e) as usize;
                labels.iter().map(is_along).sum::<usize>() == to
            };
            let mut tips = triangles.iter().filter(|&t| own(t)).map(|t| t[2]);
            let tip = tips.next();
            tips.all(|other| Some(other) == tip)
        };
        (!is_cone(2) && !is_cone(1)).then_some((total, triangles))
    };
    let strips = (0..m).filter_map(from);
    strips.min_by_key(|s| s.0).map(|(_, triangles)| triangles)
}

/// Makes the words of the table.
fn words() -> Vec<u32> {
    let (mut sets, mut lists): (Vec<u32>, Vec<(Labels, u32, u32)>) = (Vec::new(), Vec::new());
    for inside in 0..CORNER_SETS as usize {
        let in_turns = faces_in_turns(inside);
        let mask = in_turns.iter().fold(0, |mask, face| mask | 1 << face);
        sets.push(CornerSet::new(lists.len() as u32, mask).0);
        for ways in 0..1_usize << in_turns.len() {
            let connects = |&(k, _): &(usize, &usize)| ways >> k & 1 != 0;
            let connecting = in_turns.iter().enumerate().filter(connects);
            let connecting: Vec<usize> = connecting.map(|(_, &face)| face).collect();
            let parts = CornerParts::new(inside, &connecting);
            let tunnels = [true, false].map(|side| parts.around_tunnel(side));
            let test = |k: usize| u32::from(tunnels[k].is_some()) << k;
            let (triangles, centres) = parts.triangles(None);
            let first = lists.len();
            for _ in 0..LISTS {
                lists.push((triangles.clone(), centres, test(0) | test(1)));
            }
            for (list, tunnel) in [INSIDE_CONNECTED, OUTSIDE_CONNECTED]
                .into_iter()
                .zip(tunnels)
            {
                if tunnel.is_some() {
                    let (triangles, centres) = parts.triangles(tunnel);
                    lists[first + list as usize] = (triangles, centres, 0);
                }
            }
        }
    }
    let mut at = CORNER_SETS + lists.len() as u32;
    let mut words = sets;
    for (triangles, centres, tests) in &lists {
        let count = triangles.len() as u32;
        words.push(CellTriangles::new(at, count, *centres, *tests).0);
        at += count;
    }
    let all = lists.iter().flat_map(|(triangles, ..)| triangles);
    words.extend(all.map(|&labels| pack_triangle(labels)));
    words
}
