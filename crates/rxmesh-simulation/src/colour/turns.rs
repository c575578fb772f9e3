//! Lists of local elements sorted by colour, for kernels.

use super::{Colouring, Host, greedy};
use rayon::prelude::*;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::store::{RxMesh, Volume};
use rxmesh_kernels::topo::{Kind, PatchHeader};
use rxmesh_simulation_kernels::colour;

/// Lists of local ids sorted by colour for each patch, on an engine.
#[derive(Debug)]
pub(crate) struct Turns {
    starts: Buffer<u32>,
    tables: Buffer<u16>,
    /// Largest number of colours in a patch.
    pub colours: u32,
}

impl Turns {
    /// Makes the lists from the colours of each patch's elements, by local id.
    pub(crate) fn new(engine: &Engine, patches: &[Colouring]) -> Result<Turns, Error> {
        let tables: Vec<Vec<u16>> = patches.par_iter().map(table).collect::<Result<_, _>>()?;
        let mut starts = Vec::with_capacity(tables.len());
        let mut end = 0u64;
        for table in &tables {
            starts.push(end as u32);
            end += table.len() as u64;
        }
        if end > u64::from(u32::MAX) {
            return Err(too_large(
                "entries of lists by colours",
                end,
                u32::MAX.into(),
            ));
        }
        Ok(Turns {
            starts: engine.upload(&starts)?,
            tables: engine.upload(&tables.concat())?,
            colours: patches.iter().map(|c| c.count).max().unwrap_or(0),
        })
    }

    /// Returns the view that kernels take.
    pub(crate) fn view(&self) -> colour::Turns {
        colour::Turns {
            starts: self.starts.global(),
            tables: self.tables.global(),
        }
    }
}

fn too_large(what: &'static str, count: u64, limit: u64) -> Error {
    Error::TooLarge { what, count, limit }
}

/// Makes the table of a patch.
fn table(c: &Colouring) -> Result<Vec<u16>, Error> {
    let (n, most) = (c.colours.len(), usize::from(u16::MAX));
    if n > most || c.count as usize > most {
        return Err(too_large(
            "elements of a patch in lists by colours",
            n as u64,
            most as u64,
        ));
    }
    let head = 1 + c.count as usize;
    let mut table = vec![0; head + n];
    table[0] = c.count as u16;
    let mut at = vec![0u16; c.count as usize];
    let mut end = 0;
    for (colour, size) in c.sizes().into_iter().enumerate() {
        at[colour] = end;
        end += size as u16;
        table[1 + colour] = end;
    }
    for (local, &colour) in c.colours.iter().enumerate() {
        let place = &mut at[colour as usize];
        table[head + usize::from(*place)] = local as u16;
        *place += 1;
    }
    Ok(table)
}

/// Colours small sets of local vertices, patch by patch: no two sets of one colour have a vertex in common. `sets`
/// returns those of a patch; vertices `u16::MAX` are skipped.
pub(crate) fn of_sets<const N: usize>(
    headers: &[PatchHeader],
    sets: impl Fn(usize) -> Vec<[u16; N]> + Sync,
) -> Vec<Colouring> {
    (headers.par_iter().enumerate())
        .map(|(p, h)| {
            let sets = sets(p);
            greedy(sets.len(), h.total_of(Kind::Vertex) as usize, |i, f| {
                let there = sets[i].iter().filter(|&&v| v != u16::MAX);
                there.for_each(|&v| f(v.into()));
            })
        })
        .collect()
}

/// Colours the owned cells of each patch: no two cells of one colour in a patch share a vertex.
pub fn cells_in_patches(rx: &RxMesh<Volume>) -> Vec<Colouring> {
    let host = Host::volume(rx.volume_set());
    of_sets(host.headers, |p| {
        let h = &host.headers[p];
        host.cells(h, h.owned_of(Kind::Cell)).to_vec()
    })
}

/// Returns the colours of all vertices (by linear id) as a colouring of each patch's owned ones.
pub fn vertices_in_patches(rx: &RxMesh<Volume>, all: &Colouring) -> Vec<Colouring> {
    let of = |h: &PatchHeader| {
        let (base, n) = (h.base_of(Kind::Vertex), h.owned_of(Kind::Vertex));
        Colouring {
            colours: all.colours[base as usize..][..n as usize].to_vec(),
            count: all.count,
        }
    };
    rx.headers().iter().map(of).collect()
}
