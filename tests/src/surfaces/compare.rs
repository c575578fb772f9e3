//! Comparison of two surfaces whose ids and orders differ.

use super::naive::NaiveSurface;
use glam::DVec3;
use std::collections::HashMap;

/// Finds differences between two surfaces: each vertex needs its counterpart within `tolerance` times the diagonal of
/// the bounding box, and each face a face of the same parent around the same vertices in the same direction.
///
/// Vertices at one position count as one here: both surfaces must have as many of them.
///
/// # Errors
///
/// Descriptions of the first differences.
pub fn compare(got: &NaiveSurface, want: &NaiveSurface, tolerance: f64) -> Result<(), String> {
    let counts = |s: &NaiveSurface| (s.positions.len(), s.faces.len());
    if counts(got) != counts(want) {
        let ((v, f), (w, g)) = (counts(got), counts(want));
        return Err(format!(
            "{v} vertices and {f} faces, where {w} and {g} are wanted"
        ));
    }
    if let Some(v) = got.positions.iter().position(|p| !p.is_finite()) {
        return Err(format!("vertex {v} is at {}", got.positions[v]));
    }
    let near = tolerance * diagonal(&want.positions);
    let (places, count) = places(&[&got.positions, &want.positions], near);
    let (here, there) = places.split_at(got.positions.len());
    same_vertices(got, want, [here, there], count)?;
    same_faces(got, want, [here, there])
}

/// Returns the diagonal of the bounding box.
pub fn diagonal(positions: &[DVec3]) -> f64 {
    let low = positions.iter().copied().reduce(DVec3::min);
    let high = positions.iter().copied().reduce(DVec3::max);
    low.zip(high).map_or(0.0, |(low, high)| low.distance(high))
}

/// Returns the cluster of each position, lists one after the other, and the number of clusters. Positions nearer than
/// `near` belong to one cluster, also through others.
fn places(lists: &[&[DVec3]], near: f64) -> (Vec<usize>, usize) {
    let all = lists.concat();
    // So much wider than `near` that one cell mostly contains all near positions.
    let cell = |p: DVec3| (p / (64.0 * near)).to_array().map(|x| x.floor() as i64);
    let mut cells: HashMap<_, Vec<usize>> = HashMap::new();
    for (i, &p) in all.iter().enumerate() {
        cells.entry(cell(p)).or_default().push(i);
    }
    let near_ones = |i: usize| {
        let (p, reach) = (all[i], DVec3::splat(near));
        let (low, high) = (cell(p - reach), cell(p + reach));
        let mut found: Vec<usize> = Vec::new();
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let inside = cells.get(&[x, y, z]).into_iter().flatten();
                    found.extend(inside.filter(|&&j| all[j].distance(p) <= near));
                }
            }
        }
        found
    };
    let mut place = vec![usize::MAX; all.len()];
    let mut count = 0;
    for first in 0..all.len() {
        if place[first] != usize::MAX {
            continue;
        }
        let mut reached = vec![first];
        while let Some(i) = reached.pop() {
            if place[i] == usize::MAX {
                place[i] = count;
                reached.extend(near_ones(i));
            }
        }
        count += 1;
    }
    (place, count)
}

fn same_vertices(
    got: &NaiveSurface,
    want: &NaiveSurface,
    places: [&[usize]; 2],
    count: usize,
) -> Result<(), String> {
    let mut members = vec![[0usize; 2]; count];
    for (side, list) in places.iter().enumerate() {
        list.iter().for_each(|&p| members[p][side] += 1);
    }
    let lone = |side: usize| {
        let list = places[side].iter().enumerate();
        list.filter(|(_, p)| members[**p][0] != members[**p][1])
            .map(|(v, _)| v)
            .collect::<Vec<_>>()
    };
    let [ours, theirs] = [lone(0), lone(1)];
    let Some((&first, list)) = ours
        .first()
        .map(|v| (v, "got"))
        .or(theirs.first().map(|v| (v, "wanted")))
    else {
        return Ok(());
    };
    let (p, others) = match list {
        "got" => (got.positions[first], &want.positions),
        _ => (want.positions[first], &got.positions),
    };
    let nearest = others.iter().map(|q| q.distance(p)).enumerate();
    let (other, distance) = nearest
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((usize::MAX, f64::INFINITY));
    Err(format!(
        "{} vertices have no counterpart; the first of them, {first} of those {list}, is at {p}, and the nearest, \
         {other}, is {:.3e} of the bounding box away",
        ours.len().max(theirs.len()),
        distance / diagonal(&want.positions)
    ))
}

/// Returns the least of the rotations of a face.
fn cycle(face: &[u32], places: &[usize]) -> Vec<usize> {
    let n = face.len();
    let turned = |k: usize| (0..n).map(move |i| places[face[(i + k) % n] as usize]);
    let least = (0..n).min_by(|&k, &l| turned(k).cmp(turned(l)));
    least.map_or(Vec::new(), |k| turned(k).collect())
}

fn same_faces(
    got: &NaiveSurface,
    want: &NaiveSurface,
    places: [&[usize]; 2],
) -> Result<(), String> {
    let mut wanted: HashMap<(Vec<usize>, u32), Vec<usize>> = HashMap::new();
    for (f, face) in want.faces.iter().enumerate() {
        let key = (cycle(face, places[1]), want.parents[f]);
        wanted.entry(key).or_default().push(f);
    }
    let mut lone = Vec::new();
    for (f, face) in got.faces.iter().enumerate() {
        let key = (cycle(face, places[0]), got.parents[f]);
        if wanted.get_mut(&key).and_then(Vec::pop).is_none() {
            lone.push(f);
        }
    }
    let Some(&first) = lone.first() else {
        return Ok(());
    };
    let ours = cycle(&got.faces[first], places[0]);
    let mut back = got.faces[first].clone();
    back.reverse();
    let turned = cycle(&back, places[0]);
    let why = want.faces.iter().enumerate().find_map(|(f, face)| {
        let theirs = cycle(face, places[1]);
        match () {
            _ if theirs == ours => {
                Some(format!("face {f} is wanted there, of {}", want.parents[f]))
            }
            _ if theirs == turned => Some(format!("face {f} is wanted there, turned over")),
            _ => None,
        }
    });
    Err(format!(
        "{} faces are not wanted; the first of them, {first}, is {:?}, of {}: {}",
        lone.len(),
        got.faces[first],
        got.parents[first],
        why.unwrap_or("no face is wanted there".into())
    ))
}
