//! Colours: no two elements of one colour share data that they change, on meshes of all kinds; deterministic.

use rxmesh_host::engine::Engine;
use rxmesh_host::io;
use rxmesh_host::kernels::topo::{Kind, PatchHeader};
use rxmesh_host::patch::{VolumeKinds, VolumeOptions};
use rxmesh_host::store::{RxMesh, Volume};
use rxmesh_simulation::colour::{self, Apart, Colouring};
use rxmesh_tests::volumes::{VolumeFixture, irregular, kuhn, shuffled, soup};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

fn fixtures() -> Vec<VolumeFixture> {
    let around = (0..200).map(|i| [0, 1, 2 + i, 2 + (i + 1) % 200]).collect();
    vec![
        kuhn([7, 6, 5]),
        shuffled(kuhn([6, 7, 6]), 3),
        irregular([4, 4, 4], 400, 7),
        shuffled(irregular([4, 3, 5], 300, 8), 9),
        soup(60, 400, 1),
        VolumeFixture::new("cells around an edge", 202, around),
        VolumeFixture::new(
            "two cells and a vertex",
            9,
            vec![[0, 1, 2, 3], [4, 6, 5, 8]],
        ),
        VolumeFixture::new("nothing", 0, Vec::new()),
    ]
}

fn on_engine(fixture: &VolumeFixture, patch_size: u32) -> RxMesh<Volume> {
    let options = VolumeOptions {
        patch_size: Some(patch_size),
        kinds: VolumeKinds::Cells,
        ..VolumeOptions::default()
    };
    RxMesh::from_cells(&Engine::cpu(), fixture.vertices, &fixture.cells, &options).unwrap()
}

/// Returns the linear ids of the vertices of a patch, up to a local id.
fn held(rx: &RxMesh<Volume>, h: &PatchHeader, end: u32) -> BTreeSet<u32> {
    let (base, owned) = (h.base_of(Kind::Vertex), h.owned_of(Kind::Vertex));
    let ribbon = &rx.volume_set().ribbons[h.ribbon_section(Kind::Vertex) as usize..];
    let ribbon = ribbon[..(end - owned) as usize].iter().copied();
    (base..base + owned).chain(ribbon).collect()
}

/// Asserts that the numbers of colours and items are those of the colouring.
fn whole(what: &str, c: &Colouring, items: usize) {
    assert_eq!(c.colours.len(), items, "{what}");
    let seen: BTreeSet<u32> = c.colours.iter().copied().collect();
    assert_eq!(
        seen,
        (0..c.count).collect(),
        "{what}: colours without a gap"
    );
    assert_eq!(c.sizes().iter().sum::<u32>() as usize, items, "{what}");
}

fn check(fixture: &VolumeFixture, patch_size: u32) {
    let what = format!("{} at {patch_size}", fixture.name);
    let rx = on_engine(fixture, patch_size);
    let vertices = colour::vertices(&rx);
    whole(&what, &vertices, fixture.vertices);
    let linear = &rx.volume_set().vertex_linear;
    for cell in &fixture.cells {
        let colours: HashSet<u32> = (cell.iter())
            .map(|&v| vertices.colours[linear[v as usize] as usize])
            .collect();
        assert_eq!(
            colours.len(),
            4,
            "{what}: two vertices of {cell:?} have one colour"
        );
    }
    // At most one colour more than a vertex has neighbours.
    let mut neighbours: Vec<HashSet<u32>> = vec![HashSet::new(); fixture.vertices];
    for cell in &fixture.cells {
        cell.iter()
            .for_each(|&v| neighbours[v as usize].extend(cell));
    }
    let most = neighbours
        .iter()
        .map(HashSet::len)
        .max()
        .unwrap_or(0)
        .max(1);
    assert!(
        vertices.count as usize <= most || fixture.vertices == 0,
        "{what}"
    );
    cells(&what, &rx);
    patches(&what, &rx);
}

fn cells(what: &str, rx: &RxMesh<Volume>) {
    let set = rx.volume_set();
    for (h, c) in rx.headers().iter().zip(colour::cells_in_patches(rx)) {
        let owned = h.owned_of(Kind::Cell) as usize;
        whole(what, &c, owned);
        let rows = set.topology[h.cv_section() as usize..].as_chunks::<4>().0;
        let mut taken = HashSet::new();
        for (row, colour) in rows[..owned].iter().zip(&c.colours) {
            for v in row {
                assert!(
                    taken.insert((*v, *colour)),
                    "{what}: vertex {v} has colour {colour} twice"
                );
            }
        }
    }
}

fn patches(what: &str, rx: &RxMesh<Volume>) {
    for apart in [Apart::Held, Apart::OfCells, Apart::Owned] {
        let c = colour::patches(rx, apart);
        whole(what, &c, rx.headers().len());
        let sets: Vec<[BTreeSet<u32>; 3]> = (rx.headers().iter())
            .map(|h| {
                let ends = [
                    h.owned_of(Kind::Vertex),
                    h.near_of(Kind::Vertex),
                    h.total_of(Kind::Vertex),
                ];
                ends.map(|end| held(rx, h, end))
            })
            .collect();
        for (p, a) in sets.iter().enumerate() {
            for (q, b) in sets.iter().enumerate().skip(p + 1) {
                let touch = match apart {
                    Apart::Held => !a[2].is_disjoint(&b[2]),
                    Apart::OfCells => !a[1].is_disjoint(&b[1]),
                    Apart::Owned => !a[0].is_disjoint(&b[2]) || !a[2].is_disjoint(&b[0]),
                };
                assert!(
                    !touch || c.colours[p] != c.colours[q],
                    "{what}: patches {p} and {q} touch ({apart:?}) and have colour {}",
                    c.colours[p]
                );
            }
        }
    }
}

#[test]
fn colours_part_what_touches() {
    for fixture in fixtures() {
        for patch_size in [16, 64, 1024] {
            check(&fixture, patch_size);
        }
    }
}

#[test]
fn colours_are_the_same_on_every_run() {
    let fixture = shuffled(irregular([4, 3, 5], 300, 8), 9);
    let make = || {
        let rx = on_engine(&fixture, 32);
        (
            colour::vertices(&rx),
            colour::patches(&rx, Apart::Owned),
            colour::cells_in_patches(&rx),
        )
    };
    assert_eq!(make(), make());
}

/// Meshes of generators: every volume file under `RXMESH_DATA`, when that is set.
#[test]
fn real_volumes_are_coloured() {
    let Some(folder) = std::env::var_os("RXMESH_DATA") else {
        println!("skipped: RXMESH_DATA is not set");
        return;
    };
    for entry in Path::new(&folder).read_dir().unwrap() {
        let path = entry.unwrap().path();
        let Ok(loaded) = io::read_tets(&path, &io::ReadOptions::default()) else {
            continue;
        };
        let mesh = loaded.mesh;
        let fixture =
            VolumeFixture::new(path.display().to_string(), mesh.positions.len(), mesh.cells);
        check(&fixture, 256);
        let rx = on_engine(&fixture, 1024);
        let vertices = colour::vertices(&rx);
        let cells = colour::cells_in_patches(&rx);
        println!(
            "{}: {} cells, {} patches; colours of vertices {:?}, of patches {} {} {}, of cells in a patch {}",
            fixture.name,
            fixture.cells.len(),
            rx.headers().len(),
            vertices.sizes(),
            colour::patches(&rx, Apart::Held).count,
            colour::patches(&rx, Apart::OfCells).count,
            colour::patches(&rx, Apart::Owned).count,
            cells.iter().map(|c| c.count).max().unwrap_or(0),
        );
    }
}
