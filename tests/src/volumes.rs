//! Volumes by property, made in code.

use crate::engines::suited;
use crate::volume_oracle::VolumeOracle;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::Rng;
use rxmesh_host::patch::{Ribbon, VolumeKinds, VolumeOptions};
use rxmesh_host::store::{RxMesh, Volume};

/// Tetrahedra with a name.
pub struct VolumeFixture {
    /// Name in messages.
    pub name: String,
    /// Number of vertices.
    pub vertices: usize,
    /// Cells.
    pub cells: Vec<[u32; 4]>,
}

impl VolumeFixture {
    /// Makes a fixture of cells.
    pub fn new(name: impl Into<String>, vertices: usize, cells: Vec<[u32; 4]>) -> VolumeFixture {
        VolumeFixture {
            name: name.into(),
            vertices,
            cells,
        }
    }

    /// Returns the expected answers.
    pub fn oracle(&self) -> VolumeOracle {
        VolumeOracle::new(self.vertices, &self.cells)
    }

    /// Uploads the volume to an engine, with all kinds and the ring: every relation.
    pub fn on(&self, engine: &Engine, patch_size: u32) -> RxMesh<Volume> {
        self.on_with(engine, patch_size, VolumeKinds::Faces, Ribbon::Ring)
    }

    /// Uploads the volume to an engine, checked by the patches' own validation.
    pub fn on_with(
        &self,
        engine: &Engine,
        patch_size: u32,
        kinds: VolumeKinds,
        ribbon: Ribbon,
    ) -> RxMesh<Volume> {
        let options = VolumeOptions {
            patch_size: Some(patch_size),
            kinds,
            ribbon,
            ..VolumeOptions::default()
        };
        let rx = RxMesh::from_cells(engine, self.vertices, &self.cells, &options).expect("patches");
        let faults = rx.volume_set().validate(self.vertices, &self.cells);
        assert_eq!(faults, [], "{} at {patch_size}", self.name);
        rx
    }
}

/// Makes the six tetrahedra of each cube of a box (Kuhn), all of positive orientation.
pub fn kuhn([x, y, z]: [u32; 3]) -> VolumeFixture {
    const STEPS: [[usize; 3]; 6] = [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [0, 2, 1],
        [1, 0, 2],
        [2, 1, 0],
    ];
    let id = |[i, j, k]: [u32; 3]| (i * (y + 1) + j) * (z + 1) + k;
    let mut cells = Vec::new();
    for at in (0..x).flat_map(|i| (0..y).flat_map(move |j| (0..z).map(move |k| [i, j, k]))) {
        for (n, steps) in STEPS.iter().enumerate() {
            let (mut corner, mut cell) = (at, [id(at); 4]);
            for (k, &axis) in steps.iter().enumerate() {
                corner[axis] += 1;
                cell[k + 1] = id(corner);
            }
            if n >= 3 {
                cell.swap(2, 3);
            }
            cells.push(cell);
        }
    }
    let vertices = (x + 1) * (y + 1) * (z + 1);
    VolumeFixture::new(format!("box {x} x {y} x {z}"), vertices as usize, cells)
}

/// Puts vertices and cells in random order.
pub fn shuffled(mut volume: VolumeFixture, seed: u64) -> VolumeFixture {
    let mut rng = Rng::new(seed);
    let names = rng.permutation(volume.vertices);
    let order = rng.permutation(volume.cells.len());
    let cells = order
        .iter()
        .map(|&c| volume.cells[c as usize].map(|v| names[v as usize]));
    volume.cells = cells.collect();
    volume.name += ", shuffled";
    volume
}

/// Makes a box of which random edges were cut in two, with all cells around them: valences as those of mesh generators,
/// from a few to about a hundred cells at a vertex.
pub fn irregular(size: [u32; 3], cuts: usize, seed: u64) -> VolumeFixture {
    let mut volume = kuhn(size);
    let mut rng = Rng::new(seed);
    for _ in 0..cuts {
        let cell = volume.cells[rng.below(volume.cells.len() as u64) as usize];
        let [i, j] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]][rng.below(6) as usize];
        let (ends, middle) = ([cell[i], cell[j]], volume.vertices as u32);
        volume.vertices += 1;
        let mut more = Vec::new();
        for cell in &mut volume.cells {
            if ends.iter().all(|v| cell.contains(v)) {
                more.push(cell.map(|v| if v == ends[0] { middle } else { v }));
                *cell = cell.map(|v| if v == ends[1] { middle } else { v });
            }
        }
        volume.cells.append(&mut more);
    }
    volume.name = format!("{}, {cuts} edges cut", volume.name);
    volume
}

/// Makes random cells: faces with many cells, components, vertices without cells, cells that are duplicated or
/// inverted.
pub fn soup(vertices: usize, cells: usize, seed: u64) -> VolumeFixture {
    let mut rng = Rng::new(seed);
    let mut random = || loop {
        let cell = [(); 4].map(|()| rng.below(vertices as u64) as u32);
        if (1..4).all(|k| !cell[..k].contains(&cell[k])) {
            return cell;
        }
    };
    let mut all: Vec<[u32; 4]> = (0..cells).map(|_| random()).collect();
    let again: Vec<[u32; 4]> = all
        .iter()
        .step_by(7)
        .map(|&[a, b, c, d]| [b, a, c, d])
        .collect();
    all.extend(again);
    VolumeFixture::new(format!("soup of {cells}"), vertices, all)
}

/// Returns the volumes that suit an engine.
pub fn volumes(engine: &Engine) -> Vec<VolumeFixture> {
    let side = suited(engine, [6, 3, 2]);
    let around = (0..40).map(|i| [0, 1, 2 + i, 2 + (i + 1) % 40]).collect();
    let book = (0..20).map(|i| [0, 1, 2, 3 + i]).collect();
    let two = vec![[0, 1, 2, 3], [4, 6, 5, 8]];
    vec![
        kuhn([side, side, side]),
        shuffled(kuhn([side, side + 1, side]), 5),
        soup(30, suited(engine, [60, 30, 12]), 1),
        soup(500, suited(engine, [90, 40, 20]), 2),
        VolumeFixture::new("cells around an edge", 42, around),
        VolumeFixture::new("cells around a face", 23, book),
        VolumeFixture::new("two cells and a vertex", 9, two),
        VolumeFixture::new("vertices", 20, Vec::new()),
        VolumeFixture::new("nothing", 0, Vec::new()),
    ]
}
