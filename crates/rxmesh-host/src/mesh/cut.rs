//! Polygon meshes become triangle meshes, and marks of sharpness that triangles hold come back.

use super::cutter::{Cutter, TAKEN};
use super::{
    Column, ColumnData, ElementKind, Faces, MeshError, PolyMesh, SharpVertex, TriMesh, check_counts,
};
use crate::par::IntoLean;
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// Name of the vertex column that holds how sharp vertices are.
pub const SHARPNESS: &str = "sharpness";
/// Name of the face column that marks holes: faces whose value is not 0.
pub const HOLE: &str = "hole";
/// Another name under which files hold sharpness.
pub(crate) const CREASE: &str = "crease";

/// Most times that a polygon is cut again because its diagonals are edges elsewhere.
const MOST_TURNS: u64 = 16;

/// 2^64 over the golden ratio, odd.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the corners of triangles by face, in place unless the list has a capacity between two faces.
fn triples(corners: Vec<u32>) -> Vec<[u32; 3]> {
    bytemuck::allocation::try_cast_vec(corners)
        .unwrap_or_else(|(_, corners)| corners.as_chunks::<3>().0.to_vec())
}

impl PolyMesh {
    /// Cuts the polygons of the mesh into triangles. Returns messages about changes and losses, too.
    ///
    /// A quad gets the diagonal of the larger least angle. Larger polygons are cut along their Newell normal by ear
    /// clipping, best ears first, and their diagonals are flipped as Delaunay's are (constrained to the polygon): there
    /// is no triangle without area where one with area exists. A diagonal that is an edge of the mesh already, or a
    /// diagonal of another polygon, gives way to another one if there is one. The triangles do not depend on the
    /// corner that a face names first. A corner that repeats the one before it counts once.
    ///
    /// Face columns repeat their row, corner layers and tags follow. Vertex sharpness becomes the column [`SHARPNESS`],
    /// holes become the column [`HOLE`]; sharp edges are lost, with a warning.
    ///
    /// # Errors
    ///
    /// More triangles than ids.
    ///
    /// # Panics
    ///
    /// When the mesh is not [valid](Self::validate).
    pub fn triangulate(mut self) -> Result<(TriMesh, Vec<String>), MeshError> {
        let mut warnings = Vec::new();
        if self.face_size() != Some(3) {
            warnings.extend(self.cut_faces()?);
        }
        warnings.extend(self.give_marks());
        let mesh = TriMesh {
            positions: self.positions,
            faces: triples(self.corners),
            extras: self.extras,
            placement: self.placement,
        };
        Ok((mesh, warnings))
    }

    /// Replaces every polygon by triangles. Says how many there were.
    fn cut_faces(&mut self) -> Result<Option<String>, MeshError> {
        let faces = self.face_count();
        check_counts(0, self.corners.len() as u64)?;
        let mut cuts = self.cut_alone();
        self.part_diagonals(&mut cuts);
        let triangles = cuts.iter().map(|c| c.picked.len() / 3).sum();
        let mut picked: Vec<u32> = Vec::with_capacity(3 * triangles);
        let mut source: Vec<u32> = Vec::with_capacity(triangles);
        let mut first_child: Vec<u32> = Vec::with_capacity(faces + 1);
        let mut polygons = 0;
        for piece in &cuts {
            picked.extend_from_slice(&piece.picked);
            for i in 0..piece.len() {
                let face = piece.first + i;
                first_child.push(source.len() as u32);
                source.extend(std::iter::repeat_n(
                    face as u32,
                    piece.triangles_of(i).len(),
                ));
                polygons += usize::from(self.range(face).len() > 3);
            }
        }
        first_child.push(source.len() as u32);
        self.renumber(&picked, &source, &first_child);
        Ok((polygons > 0).then(|| {
            format!(
                "{polygons} of {faces} faces were polygons and are now triangles: {triangles} faces"
            )
        }))
    }

    /// Cuts every polygon without regard to others.
    fn cut_alone(&self) -> Vec<Cuts> {
        let faces = self.face_count();
        let firsts = (0..faces.div_ceil(Cuts::FACES)).into_par_iter().lean();
        let cut = |piece: usize| {
            let first = piece * Cuts::FACES;
            let all = first..(first + Cuts::FACES).min(faces);
            let mut cuts = Cuts::with_room(
                first,
                self.range(all.start).start..self.range(all.end - 1).end,
            );
            let mut cutter = Cutter::default();
            for face in all {
                cuts.add(self, face, &mut cutter);
            }
            cuts
        };
        firsts.map(cut).collect()
    }

    /// Cuts polygons again whose diagonals are edges of the mesh, or diagonals of other polygons: an edge would have
    /// more than two faces, or two faces the same three vertices.
    fn part_diagonals(&self, cuts: &mut [Cuts]) {
        let suspects = self.suspects(cuts);
        if suspects.is_empty() {
            return;
        }
        // Every polygon with a suspected diagonal, and all edges between vertices of these polygons.
        let suspected =
            |cuts: &Cuts, i: usize| cuts.diagonals_of(i).iter().any(|d| suspects.contains(d));
        let mut faces: Vec<(usize, usize)> = Vec::new();
        for (p, piece) in cuts.iter().enumerate() {
            faces.extend(
                (0..piece.len())
                    .filter(|&i| suspected(piece, i))
                    .map(|i| (p, i)),
            );
        }
        let mut is_near = vec![false; self.positions.len()];
        for &(p, i) in &faces {
            let face = self.face(cuts[p].first + i).iter();
            face.for_each(|&v| is_near[v as usize] = true);
        }
        let mut uses: HashMap<[u32; 2], u32> = HashMap::new();
        let mut add = |e: [u32; 2]| {
            if e.iter().all(|&v| is_near[v as usize]) {
                *uses.entry(e).or_default() += 1;
            }
        };
        (0..self.face_count()).for_each(|f| self.sides(f).for_each(&mut add));
        cuts.iter().flat_map(|c| &c.diagonals).for_each(|&d| add(d));
        let mut cutter = Cutter::default();
        // The possible cuts of a polygon may depend on those of its neighbours, so each has several turns.
        for turn in 0..MOST_TURNS {
            let mut is_done = true;
            for &(p, i) in &faces {
                let face = cuts[p].first + i;
                for d in cuts[p].diagonals_of(i) {
                    uses.entry(*d).and_modify(|n| *n -= 1);
                }
                let is_taken = |d: [u32; 2]| uses.get(&d).is_some_and(|&n| n > 0);
                if cuts[p].diagonals_of(i).iter().any(|&d| is_taken(d)) {
                    // From the second turn on diagonals at random, which another polygon may give way to.
                    let cost = |[a, b]: [u32; 2]| {
                        let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_add(turn);
                        let chance = (mixed.wrapping_mul(MIX) >> 60) as u32;
                        if is_taken([a, b]) {
                            TAKEN
                        } else if turn > 0 {
                            chance
                        } else {
                            0
                        }
                    };
                    cutter.cut(self.face(face), &self.positions, Some(&cost));
                    cuts[p].replace(i, self.range(face).start as u32, &cutter);
                    is_done = false;
                }
                for d in cuts[p].diagonals_of(i) {
                    *uses.entry(*d).or_default() += 1;
                }
            }
            if is_done {
                break;
            }
        }
    }

    /// Returns the diagonals that occur more than once, or are sides of faces as well.
    fn suspects(&self, cuts: &[Cuts]) -> HashSet<[u32; 2]> {
        let count: usize = cuts.iter().map(|c| c.diagonals.len()).sum();
        if count == 0 {
            return HashSet::new();
        }
        // Few of many edges fall on a bit that is set for another one: only these are compared.
        let mut bits = EdgeFilter::with_room(count);
        let mut found: Vec<[u32; 2]> = Vec::new();
        for &d in cuts.iter().flat_map(|c| &c.diagonals) {
            if bits.set(d) {
                found.push(d);
            }
        }
        let of_sides = |cuts: &Cuts| {
            let faces = cuts.first..cuts.first + cuts.len();
            let sides = faces.flat_map(|f| self.sides(f));
            sides.filter(|&e| bits.has(e)).collect::<Vec<_>>()
        };
        let sides: Vec<Vec<[u32; 2]>> = cuts.par_iter().lean().map(of_sides).collect();
        found.extend(sides.iter().flatten());
        if found.is_empty() {
            return HashSet::new();
        }
        let found: HashSet<[u32; 2]> = found.into_iter().collect();
        let is_side: HashSet<[u32; 2]> = sides.into_iter().flatten().collect();
        let mut seen: HashSet<[u32; 2]> = HashSet::new();
        let diagonals = cuts.iter().flat_map(|c| &c.diagonals);
        diagonals
            .filter(|&d| found.contains(d) && (is_side.contains(d) || !seen.insert(*d)))
            .copied()
            .collect()
    }

    /// Returns the sides of a face, the smaller vertex first.
    fn sides(&self, face: usize) -> impl Iterator<Item = [u32; 2]> {
        let face = self.face(face);
        let next = face.iter().skip(1).chain(face.first());
        face.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)])
    }

    /// Leaves out corners that repeat the one before them in their face, or the last the first; returns the number of
    /// faces that had such. Faces that would keep fewer than three corners stay as they are.
    ///
    /// # Panics
    ///
    /// When the mesh is not [valid](Self::validate).
    pub fn drop_repeated_corners(&mut self) -> usize {
        let mut changed = 0;
        let mut sizes = Vec::with_capacity(self.face_count());
        let mut kept: Vec<u32> = Vec::with_capacity(self.corners.len());
        for f in 0..self.face_count() {
            let (range, before) = (self.range(f), kept.len());
            for c in range.clone() {
                if c == range.start || self.corners[c] != self.corners[c - 1] {
                    kept.push(c as u32);
                }
            }
            let first = self.corners[range.start];
            while kept.len() > before + 1 && self.corners[kept[kept.len() - 1] as usize] == first {
                kept.pop();
            }
            let left = kept.len() - before;
            if left < 3 {
                kept.truncate(before);
                kept.extend(range.clone().map(|c| c as u32));
            } else if left < range.len() {
                changed += 1;
            }
            sizes.push((kept.len() - before) as u32);
        }
        if changed > 0 {
            self.pick_corners(&kept);
            self.faces = Faces::of_sizes(&sizes);
        }
        changed
    }

    /// Replaces the corners by those of these numbers, with their values.
    fn pick_corners(&mut self, picked: &[u32]) {
        let pick = |v: &mut Vec<u32>| *v = picked.iter().map(|&c| v[c as usize]).collect();
        pick(&mut self.corners);
        let extras = &mut self.extras;
        let layers = [&mut extras.corner_texcoords, &mut extras.corner_normals];
        layers
            .into_iter()
            .flatten()
            .for_each(|l| pick(&mut l.corners));
    }

    /// Replaces the corners by `picked`, three for each triangle; triangle `i` is a part of face `source[i]`.
    fn renumber(&mut self, picked: &[u32], source: &[u32], first_child: &[u32]) {
        self.pick_corners(picked);
        let extras = &mut self.extras;
        for c in extras.columns.iter_mut() {
            if c.element == ElementKind::Face {
                *c = c.gather(source);
            }
        }
        for t in &mut extras.tags {
            t.face = first_child[t.face as usize];
        }
        let children = |&f: &u32| first_child[f as usize]..first_child[f as usize + 1];
        self.holes = self.holes.iter().flat_map(children).collect();
        self.faces = Faces::Same(3);
    }

    /// Returns columns of the marks of vertices and faces, for surfaces made of them.
    pub(crate) fn mark_columns(&self) -> Vec<Column> {
        let mut columns = Vec::new();
        if !self.sharp_vertices.is_empty() {
            let mut sharpness = vec![0.0; self.vertex_count()];
            for v in &self.sharp_vertices {
                sharpness[v.vertex as usize] = v.sharpness;
            }
            columns.push(column(
                ElementKind::Vertex,
                SHARPNESS,
                ColumnData::F32(sharpness),
            ));
        }
        if !self.holes.is_empty() {
            let mut holes = vec![0; self.face_count()];
            self.holes.iter().for_each(|&f| holes[f as usize] = 1);
            columns.push(column(ElementKind::Face, HOLE, ColumnData::U8(holes)));
        }
        columns
    }

    /// Turns sharpness and holes into columns. Returns a message about losses.
    fn give_marks(&mut self) -> Option<String> {
        let columns = self.mark_columns();
        columns.into_iter().for_each(|c| self.extras.put(c));
        let edges = self.sharp_edges.len();
        (edges > 0).then(|| format!("a triangle mesh holds no sharp edges: {edges} are not kept"))
    }

    /// Turns columns of sharpness and holes into marks.
    ///
    /// # Errors
    ///
    /// A sharpness that is negative or not a number.
    pub(crate) fn take_marks(&mut self) -> Result<(), MeshError> {
        let names = [SHARPNESS, CREASE];
        if let Some(c) = self.take_column(ElementKind::Vertex, &names) {
            for vertex in 0..c.data.len() as u32 {
                let sharpness = c.data.get(vertex as usize) as f32;
                if sharpness.is_nan() || sharpness < 0.0 {
                    let name = &c.name;
                    let what = format!(
                        "property '{name}' of vertex {vertex} (counted from 0) is {sharpness}, but must be 0 or more"
                    );
                    return Err(MeshError::Extras { what });
                }
                if sharpness > 0.0 {
                    self.sharp_vertices.push(SharpVertex { vertex, sharpness });
                }
            }
        }
        if let Some(c) = self.take_column(ElementKind::Face, &[HOLE]) {
            let faces = 0..c.data.len() as u32;
            self.holes
                .extend(faces.filter(|&f| c.data.get(f as usize) != 0.0));
            self.holes.sort_unstable();
            self.holes.dedup();
        }
        Ok(())
    }

    /// Removes the first of these columns that exists with one value per row, and returns it.
    fn take_column(&mut self, element: ElementKind, names: &[&str]) -> Option<Column> {
        let columns = &mut self.extras.columns;
        let place = |name: &&str| {
            let known = |c: &Column| c.element == element && c.name == *name && c.width == 1;
            columns.iter().position(known)
        };
        names.iter().find_map(place).map(|at| columns.remove(at))
    }
}

fn column(element: ElementKind, name: &str, data: ColumnData) -> Column {
    Column {
        name: name.into(),
        element,
        width: 1,
        data,
    }
}

/// Triangles of faces that follow each other.
struct Cuts {
    /// First of the faces.
    first: usize,
    /// Corners of the mesh, three for each triangle.
    picked: Vec<u32>,
    /// First triangle of each face, and the number of all at the end.
    triangles: Vec<u32>,
    /// Diagonals of all faces, the smaller vertex first.
    diagonals: Vec<[u32; 2]>,
    /// First diagonal of each face, and the number of all at the end.
    offsets: Vec<u32>,
}

impl Cuts {
    /// Most faces of one piece of work.
    const FACES: usize = 4096;

    /// Creates an empty list; `corners` are those of all faces that will be added.
    fn with_room(first: usize, corners: std::ops::Range<usize>) -> Cuts {
        let mut offsets = Vec::with_capacity(Self::FACES + 1);
        offsets.push(0);
        let triangles = offsets.clone();
        Cuts {
            first,
            picked: Vec::with_capacity(2 * corners.len()),
            triangles,
            diagonals: Vec::with_capacity(corners.len() / 4),
            offsets,
        }
    }

    fn add(&mut self, mesh: &PolyMesh, face: usize, cutter: &mut Cutter) {
        let range = mesh.range(face);
        let start = range.start as u32;
        if range.len() == 3 {
            self.picked.extend([start, start + 1, start + 2]);
        } else {
            cutter.cut(mesh.face(face), &mesh.positions, None);
            let triangles = cutter.triangles();
            self.picked.extend(triangles.flatten().map(|k| start + k));
            self.diagonals.extend(cutter.diagonals());
        }
        self.triangles.push((self.picked.len() / 3) as u32);
        self.offsets.push(self.diagonals.len() as u32);
    }

    /// Returns the number of faces.
    fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn triangles_of(&self, i: usize) -> std::ops::Range<usize> {
        self.triangles[i] as usize..self.triangles[i + 1] as usize
    }

    fn diagonals_of(&self, i: usize) -> &[[u32; 2]] {
        &self.diagonals[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    /// Replaces the triangles of face `i`, whose first corner is `start`.
    fn replace(&mut self, i: usize, start: u32, cutter: &Cutter) {
        let old = self.triangles_of(i);
        let triangles = cutter.triangles();
        shift(&mut self.triangles[i + 1..], old.len(), triangles.len());
        self.picked.splice(
            3 * old.start..3 * old.end,
            triangles.flatten().map(|k| start + k),
        );
        let old = self.offsets[i] as usize..self.offsets[i + 1] as usize;
        shift(
            &mut self.offsets[i + 1..],
            old.len(),
            cutter.diagonals().len(),
        );
        self.diagonals.splice(old, cutter.diagonals());
    }
}

/// Moves ends behind a part whose length changes: as a rule it stays.
fn shift(ends: &mut [u32], old: usize, new: usize) {
    if old != new {
        ends.iter_mut()
            .for_each(|end| *end = *end + new as u32 - old as u32);
    }
}

/// A set of edges that may say yes for others.
struct EdgeFilter {
    words: Vec<u64>,
    shift: u32,
}

impl EdgeFilter {
    /// Creates a table with at least 16 bits for each of `edges` edges.
    fn with_room(edges: usize) -> EdgeFilter {
        let bits = (16 * edges).next_power_of_two().max(64);
        EdgeFilter {
            words: vec![0; bits / 64],
            shift: 64 - bits.trailing_zeros(),
        }
    }

    fn place(&self, [a, b]: [u32; 2]) -> (usize, u64) {
        let key = u64::from(a) << 32 | u64::from(b);
        let mixed = (key ^ key >> 29).wrapping_mul(MIX);
        let bit = (mixed ^ mixed >> 32).wrapping_mul(MIX) >> self.shift;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    /// Inserts an edge. Returns `true` if it may have been in the set.
    fn set(&mut self, edge: [u32; 2]) -> bool {
        let (word, bit) = self.place(edge);
        let was = self.words[word] & bit != 0;
        self.words[word] |= bit;
        was
    }

    /// Returns `true` if the edge may be there.
    fn has(&self, edge: [u32; 2]) -> bool {
        let (word, bit) = self.place(edge);
        self.words[word] & bit != 0
    }
}
