//! Comparison of directed edges with this library: the same rows of all eight relations.

use std::collections::HashMap;

use anyhow::{Context as _, Result};
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::query::rows::{CountRows, WriteRows};
use rxmesh_kernels::query::{EF, EV, FE, FF, FV, Relation, VE, VF, VV};
use rxmesh_kernels::topo::{Element, Kind};

use super::DirectedEdges;
use super::layout::{DirectedQuery, DirectedRows, HalfEdgeArrays, PairedArrays, TripleArrays};

/// Returns the relations in which a layout of directed edges differs from this library, and the number that were
/// compared.
pub(crate) fn queries(rx: &RxMesh, mesh: &TriMesh) -> Result<(Vec<String>, usize)> {
    let directed = DirectedEdges::new(mesh.vertex_count(), &mesh.faces)?;
    let wanted = OwnRows::new(rx, &directed)?.all()?;
    let mut faults = differences::<PairedArrays>(rx, &directed, &wanted)?;
    faults.extend(differences::<TripleArrays>(rx, &directed, &wanted)?);
    Ok((faults, 2 * wanted.len()))
}

fn differences<L: HalfEdgeArrays>(
    rx: &RxMesh,
    mesh: &DirectedEdges,
    wanted: &[Vec<Vec<u32>>],
) -> Result<Vec<String>> {
    let engine = rx.engine();
    let layout = L::upload(engine, mesh)?;
    let mut faults = Vec::new();
    for (query, wanted) in DirectedQuery::ALL.into_iter().zip(wanted) {
        let rows = DirectedRows::new(engine, mesh, query)?;
        rows.launch(engine, &layout)?;
        let mut found = rows.read()?;
        found.iter_mut().for_each(|row| row.sort_unstable());
        if found != *wanted {
            faults.push(format!("{query:?} of directed edges, {}", L::NAME));
        }
    }
    Ok(faults)
}

/// This library's rows in the numbers of directed edges: the input's for vertices and faces.
struct OwnRows<'a> {
    rx: &'a RxMesh,
    /// Number of each linear id of vertices, edges and faces; `u32::MAX` of free slots.
    numbers: [Vec<u32>; 3],
    counts: [u32; 3],
}

impl<'a> OwnRows<'a> {
    fn new(rx: &'a RxMesh, mesh: &DirectedEdges) -> Result<Self> {
        let of_input = |kind| -> Result<Vec<u32>> {
            Ok(rx.linear_to_input(kind)?.context("no order")?.to_vec())
        };
        let (vertices, faces) = (of_input(Kind::Vertex)?, of_input(Kind::Face)?);
        let by_ends: HashMap<[u32; 2], u32> =
            (0..mesh.edge_count()).map(|e| (mesh.ends(e), e)).collect();
        let ends = rx.query::<EV>()?.read()?;
        let number = |e: usize| match *ends.row(e) {
            [a, b] if a != b => {
                let [a, b] = [a, b].map(|v| vertices[v as usize]);
                let known = by_ends.get(&[a.min(b), a.max(b)]);
                known.copied().unwrap_or(u32::MAX)
            }
            _ => u32::MAX,
        };
        let edges = (0..rx.linear_len(Kind::Edge) as usize)
            .map(number)
            .collect();
        Ok(Self {
            rx,
            numbers: [vertices, edges, faces],
            counts: [mesh.vertex_count(), mesh.edge_count(), mesh.face_count()],
        })
    }

    /// Returns the rows of all relations, in the order of [`DirectedQuery::ALL`].
    fn all(&self) -> Result<[Vec<Vec<u32>>; 8]> {
        Ok([
            self.rows::<VV>()?,
            self.rows::<VE>()?,
            self.rows::<VF>()?,
            self.rows::<FV>()?,
            self.rows::<FE>()?,
            self.rows::<FF>()?,
            self.rows::<EV>()?,
            self.rows::<EF>()?,
        ])
    }

    fn rows<R: Relation>(&self) -> Result<Vec<Vec<u32>>>
    where
        CountRows<R>: Entry,
        WriteRows<R>: Entry,
    {
        let found = self.rx.query::<R>()?.read()?;
        let (from, to) = (R::Source::KIND as usize, R::Target::KIND as usize);
        let mut rows = vec![Vec::new(); self.counts[from] as usize];
        for (linear, &source) in self.numbers[from].iter().enumerate() {
            if source != u32::MAX {
                let targets = found.row(linear).iter();
                let mut row: Vec<u32> = targets.map(|&i| self.numbers[to][i as usize]).collect();
                row.sort_unstable();
                rows[source as usize] = row;
            }
        }
        Ok(rows)
    }
}
