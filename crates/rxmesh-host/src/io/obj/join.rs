//! Chunks of an OBJ file become one soup.

use super::super::error::{Fault, FaultPosition};
use super::super::points::{CoordinateBits, FilePoints};
use super::super::scan::{LeftOut, LineWords, line_of, quote};
use super::super::soup::{Polygon, Soup, head_comments};
use super::marks::Marks;
use super::parse::{Chunk, ChunkCorners, corner, each_line};
use crate::mesh::{
    COLOR, Column, ColumnData, CornerLayer, ElementKind, NO_VALUE, NORMAL, Tag, check_counts,
};
use std::ops::RangeInclusive;

/// Numbers of vertices, texture coordinates and normals.
type Totals = [usize; 3];

pub(super) fn join(
    bytes: &[u8],
    mut chunks: Vec<Chunk>,
    bits: CoordinateBits,
) -> Result<Soup, Fault> {
    let corners: usize = chunks.iter().map(|c| c.vertex.ids.len()).sum();
    let totals = chunks.iter().fold([0; 3], |t, c| add(t, sizes(c)));
    check_counts(
        totals.iter().copied().max().unwrap_or(0) as u64,
        chunks.iter().map(|c| c.faces as u64).sum(),
    )?;
    let flat = chunks.iter().fold(LeftOut::default(), |mut sum, c| {
        sum.append(c.flat);
        sum
    });
    if let Some(at) = flat.first.filter(|_| flat.count < totals[0]) {
        let what =
            "z expected, but the line ends: other vertices of the file have three coordinates";
        return Err(Fault::text(at, what));
    }
    let mut marks = Marks::default();
    chunks.iter_mut().for_each(|c| marks.append(&mut c.marks));
    let short = short_faces(&chunks);
    let all = [
        totals[0],
        short.len() + chunks.iter().map(|c| c.faces).sum::<usize>(),
    ];
    let [vertex, texture, normal] = resolve(&mut chunks, totals);
    if vertex > 0 || (0..2).any(|k| marks.needed[k] > all[k] as u64) {
        return Err(first_out_of_range(bytes, totals, all, 0..=0));
    }
    drop_short(&mut marks.holes, &short);
    let mut soup = Soup {
        points: FilePoints::new(bits),
        corners: Vec::with_capacity(corners),
        comments: head_comments(bytes, 0),
        sharp_edges: marks.edges,
        sharp_vertices: marks.vertices,
        holes: marks.holes,
        ..Soup::default()
    };
    soup.points.reserve(totals[0]);
    let mut faces = 0;
    for c in &mut chunks {
        soup.points.append(&mut c.points);
        soup.corners.append(&mut c.vertex.ids);
        soup.polygons.extend(c.polygons.iter().map(|p| Polygon {
            face: p.face + faces as u32,
            ..*p
        }));
        for (face, kind, text) in c.tags.drain(..) {
            soup.tags.push(Tag {
                face: (faces + face) as u32,
                kind,
                text,
            });
        }
        faces += c.faces;
    }
    colours(&chunks, &mut soup);
    texcoords(&mut chunks, &mut soup);
    normals(&mut chunks, &mut soup);
    for (k, corners) in [(1, texture), (2, normal)] {
        if corners > 0 {
            let first = first_out_of_range(bytes, totals, all, k..=k);
            let line = match first.at {
                FaultPosition::Text(at) => line_of(bytes, at),
                _ => 1,
            };
            let values = ["texture coordinates", "normals"][k - 1];
            soup.warnings.push(format!(
                "{corners} corners of faces name {values} that the file has not: they get none, the first is on line \
                    {line}"
            ));
        }
    }
    notes(bytes, &chunks, &mut soup);
    if let Some(at) = marks.first_skipped {
        soup.warnings.push(format!(
            "{} tags ('t') are neither creases, corners nor holes and are not kept, the first is on line {}",
            marks.skipped,
            line_of(bytes, at)
        ));
    }
    Ok(soup)
}

fn sizes(c: &Chunk) -> Totals {
    [c.points.len(), c.texcoords.len(), c.normals.len()]
}

fn add(a: Totals, b: Totals) -> Totals {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Returns the faces of less than three corners that were left out, ascending, counted among all faces of the file.
fn short_faces(chunks: &[Chunk]) -> Vec<u32> {
    let mut before = 0;
    let mut all = Vec::new();
    for c in chunks {
        all.extend(c.short_faces.iter().map(|f| before + f));
        before += (c.faces + c.short_faces.len()) as u32;
    }
    all
}

/// Drops the `short` faces from a list of faces, and numbers the rest without them.
fn drop_short(faces: &mut Vec<u32>, short: &[u32]) {
    faces.retain_mut(|face| {
        let before = short.partition_point(|s| *s < *face);
        let kept = short.get(before) != Some(face);
        *face -= before as u32;
        kept
    });
}

/// Turns relative indices into absolute ones. Returns how many corners of each layer name nothing: they have no value.
fn resolve(chunks: &mut [Chunk], totals: Totals) -> [usize; 3] {
    let mut base = [0; 3];
    let mut lost = [0; 3];
    for c in chunks {
        let own = sizes(c);
        let layers: [&mut ChunkCorners; 3] = [&mut c.vertex, &mut c.texture, &mut c.normal];
        for (k, layer) in layers.into_iter().enumerate() {
            for &(at, offset) in &layer.relative {
                let index = base[k] as i64 + offset;
                let there = (0..totals[k] as i64).contains(&index);
                lost[k] += usize::from(!there);
                layer.ids[at] = if there { index as u32 } else { NO_VALUE };
            }
            if layer.highest > totals[k] as u64 {
                let before = lost[k];
                for id in layer.ids.iter_mut().filter(|id| **id != NO_VALUE) {
                    if *id as usize >= totals[k] {
                        *id = NO_VALUE;
                        lost[k] += 1;
                    }
                }
                // Numbers beyond 32 bits have no value already.
                lost[k] = lost[k].max(before + 1);
            }
        }
        base = add(base, own);
    }
    lost
}

/// Finds the first index that is out of range by a second pass over the whole file, in order. Slow and simple, since
/// it happens once at most.
fn first_out_of_range(
    bytes: &[u8],
    totals: Totals,
    all: [usize; 2],
    layers: RangeInclusive<usize>,
) -> Fault {
    const NAMES: [&str; 3] = ["vertex", "texture coordinate", "normal"];
    let mut seen = [0usize; 3];
    let found = each_line(bytes, 0, |at, line| {
        let mut words = LineWords::new(line, at);
        match words.next_at().map(|w| w.1) {
            Some(b"v") => seen[0] += 1,
            Some(b"vt") => seen[1] += 1,
            Some(b"vn") => seen[2] += 1,
            // A face of two corners or less is left out.
            Some(b"f" | b"fo") if words.clone().count_up_to(3) == 3 => {
                while let Some((at, word)) = words.next_at() {
                    let numbers = corner(word, at)?;
                    let asked = |(k, n): &(usize, &i64)| layers.contains(k) && **n != 0;
                    for (k, &n) in numbers.iter().enumerate().filter(asked) {
                        let index = if n > 0 { n } else { seen[k] as i64 + n + 1 };
                        if index < 1 || index > totals[k] as i64 {
                            let (name, total) = (NAMES[k], totals[k]);
                            let what = if n > 0 {
                                format!(
                                    "{} names {name} {n}, but the file has {total}",
                                    quote(word)
                                )
                            } else {
                                let before = seen[k];
                                format!(
                                    "{} names {name} {n} from here, but {before} of the file's {total} come before \
                                        this line",
                                    quote(word)
                                )
                            };
                            return Err(Fault::text(at, what));
                        }
                    }
                }
            }
            Some(b"t") if layers.contains(&0) => {
                let mut marks = Marks::default();
                marks.read(at, words)?;
                for (k, name) in ["vertex", "face"].into_iter().enumerate() {
                    let (needed, total) = (marks.needed[k], all[k]);
                    if needed > total as u64 {
                        let named = needed - 1;
                        let what = format!(
                            "a tag names {name} {named} (counted from 0, as tags do), but the file has {total}"
                        );
                        return Err(Fault::text(at, what));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    });
    found
        .err()
        .unwrap_or_else(|| Fault::text(0, "an index is out of range"))
}

fn colours(chunks: &[Chunk], soup: &mut Soup) {
    if chunks.iter().all(|c| c.colours.is_empty()) {
        return;
    }
    let width = if chunks.iter().any(|c| c.has_alpha) {
        4
    } else {
        3
    };
    let mut data = Vec::with_capacity(soup.points.len() * width);
    let mut missing = 0usize;
    let vertex = chunks.iter().flat_map(|c| {
        let without = c.vertex_count - c.colours.len();
        c.colours
            .iter()
            .copied()
            .chain(std::iter::repeat_n([f32::NAN; 4], without))
    });
    for mut colour in vertex {
        if colour[0].is_nan() {
            missing += 1;
            colour = [1.0; 4];
        }
        data.extend_from_slice(&colour[..width]);
    }
    if missing > 0 {
        soup.warnings.push(format!(
            "{missing} vertices have no colour, others do: they became white"
        ));
    }
    soup.columns.push(Column {
        name: COLOR.into(),
        element: ElementKind::Vertex,
        width,
        data: ColumnData::F32(data),
    });
}

/// Joins the corners of one layer, filling up chunks that never mention it. None when no face does.
fn layer(
    chunks: &mut [Chunk],
    total: usize,
    pick: fn(&mut Chunk) -> &mut ChunkCorners,
) -> Option<Vec<u32>> {
    if chunks.iter_mut().all(|c| pick(c).ids.is_empty()) {
        return None;
    }
    let mut all = Vec::with_capacity(total);
    for c in chunks {
        let corners = c.corner_count;
        let ids = &mut pick(c).ids;
        let filled = ids.len();
        all.append(ids);
        all.extend(std::iter::repeat_n(NO_VALUE, corners - filled));
    }
    all.iter().any(|id| *id != NO_VALUE).then_some(all)
}

/// Takes entries that were not numbers out of a layer: their corners have no value. `None` if no corner has one left.
fn without_unread(mut layer: CornerLayer) -> Option<CornerLayer> {
    let entries = layer.values.chunks_exact(layer.width);
    let good: Vec<bool> = entries.map(|e| !e[0].is_nan()).collect();
    if good.iter().all(|g| *g) {
        return Some(layer);
    }
    let numbers = good.iter().scan(0, |next, good| {
        let number = if *good { *next } else { NO_VALUE };
        *next += u32::from(*good);
        Some(number)
    });
    let numbers: Vec<u32> = numbers.collect();
    for id in layer.corners.iter_mut().filter(|id| **id != NO_VALUE) {
        *id = numbers[*id as usize];
    }
    let mut good = good.iter();
    let width = layer.width;
    let values = std::mem::take(&mut layer.values);
    let values = values.chunks_exact(width);
    let kept = values.filter(|_| good.next().is_some_and(|g| *g));
    layer.values = kept.flatten().copied().collect();
    let any = layer.corners.iter().any(|id| *id != NO_VALUE);
    any.then_some(layer)
}

fn texcoords(chunks: &mut [Chunk], soup: &mut Soup) {
    let corners = layer(chunks, soup.corners.len(), |c| &mut c.texture);
    let count: usize = chunks.iter().map(|c| c.texcoords.len()).sum();
    let all = chunks.iter().flat_map(|c| c.texcoords.iter());
    let depth = chunks.iter().any(|c| c.has_depth);
    let whole = chunks.iter().all(|c| c.unread[0].count == 0);
    if !depth && whole && follows_vertices(corners.as_deref(), count, soup) {
        for (k, name) in ["s", "t"].into_iter().enumerate() {
            let data = ColumnData::F32(all.clone().map(|t| t[k]).collect());
            soup.columns.push(Column {
                name: name.into(),
                element: ElementKind::Vertex,
                width: 1,
                data,
            });
        }
        return;
    }
    let width = if depth { 3 } else { 2 };
    match corners {
        Some(corners) => {
            let values = all.flat_map(|t| &t[..width]).copied().collect();
            soup.corner_texcoords = without_unread(CornerLayer {
                width,
                values,
                corners,
            });
        }
        None if count > 0 => soup.warnings.push(format!(
            "{count} texture coordinates (vt) belong to no face: not kept"
        )),
        None => {}
    }
}

fn normals(chunks: &mut [Chunk], soup: &mut Soup) {
    let corners = layer(chunks, soup.corners.len(), |c| &mut c.normal);
    let count: usize = chunks.iter().map(|c| c.normals.len()).sum();
    let values: Vec<f32> = chunks
        .iter()
        .flat_map(|c| c.normals.iter().flatten())
        .copied()
        .collect();
    if follows_vertices(corners.as_deref(), count, soup) {
        // No direction if there is none: a column has a row for each vertex.
        let known = |x: f32| if x.is_nan() { 0.0 } else { x };
        let data = ColumnData::F32(values.into_iter().map(known).collect());
        soup.columns.push(Column {
            name: NORMAL.into(),
            element: ElementKind::Vertex,
            width: 3,
            data,
        });
        return;
    }
    match corners {
        Some(corners) => {
            soup.corner_normals = without_unread(CornerLayer {
                width: 3,
                values,
                corners,
            })
        }
        None if count > 0 => soup
            .warnings
            .push(format!("{count} normals (vn) belong to no face: not kept")),
        None => {}
    }
}

/// Returns `true` if the layer has one value per vertex, in the order of the vertices: then it becomes a column, which
/// other formats hold, too. Files of points have values without faces.
fn follows_vertices(corners: Option<&[u32]>, count: usize, soup: &Soup) -> bool {
    count > 0
        && count == soup.points.len()
        && match corners {
            Some(ids) => ids == soup.corners.as_slice(),
            None => soup.corners.is_empty(),
        }
}

fn notes(bytes: &[u8], chunks: &[Chunk], soup: &mut Soup) {
    let sum = |of: fn(&Chunk) -> LeftOut| {
        chunks.iter().fold(LeftOut::default(), |mut sum, c| {
            sum.append(of(c));
            sum
        })
    };
    let left_out = [
        (
            sum(|c| c.flat),
            "vertices, all of the file, have two coordinates: they are put in the plane z = 0",
        ),
        (
            sum(|c| c.short),
            "faces of less than three corners are left out",
        ),
        (
            sum(|c| c.unread[0]),
            "texture coordinates (vt) are no finite numbers and are left out",
        ),
        (
            sum(|c| c.unread[1]),
            "normals (vn) are no finite numbers and are left out",
        ),
        (
            sum(|c| c.strange),
            "vertices have neither a weight (one number) nor a colour (three or four) behind their position: what \
                is there is left out",
        ),
        (
            sum(|c| c.names),
            "names end in a backslash before a line that is a statement: it is part of the name, and the line of its \
                own",
        ),
    ];
    let warnings = left_out
        .into_iter()
        .filter_map(|(all, what)| all.warning(bytes, what));
    soup.warnings.extend(warnings);
    let skipped: usize = chunks.iter().map(|c| c.skipped).sum();
    if let Some(at) = chunks.iter().find_map(|c| c.first_skipped) {
        let line = line_of(bytes, at);
        soup.warnings.push(format!(
            "{skipped} lines and points ('l', 'p') are not kept, the first is on line {line}"
        ));
    }
    if chunks.iter().any(|c| c.weights) {
        soup.warnings
            .push("weights of vertices (the fourth number) are not kept".into());
    }
}
