//! Readers of volume files: an error that names the file, or a valid volume that survives being written and read again.

use std::path::Path;

use rxmesh_host::io::{
    Format, IoError, Loaded, ReadOptions, read_tetgen_bytes, read_tets_bytes, write, write_bytes,
};
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, Rng, TetMesh, check_tets, generate};

use crate::files::{self, Form};
use crate::random::Choose;
use crate::readers::{MEMORY, message};
use crate::{Fuzz, Outcome, memory, mutate};

/// Returns the forms in which volumes are written.
fn volumes() -> Vec<Form> {
    files::forms(Format::holds_volumes)
}

/// File, or the two files of TetGen.
#[derive(Clone)]
struct Seed {
    extension: &'static str,
    bytes: Vec<u8>,
    cells: Vec<u8>,
}

/// Fuzzer of volume readers, with initial files.
pub(crate) struct VolumeFuzzer {
    seeds: Vec<Seed>,
}

impl VolumeFuzzer {
    /// Starts with generated volumes in every format.
    pub(crate) fn new() -> std::io::Result<VolumeFuzzer> {
        let folder = tempfile::tempdir()?;
        let mut seeds = Vec::new();
        for mesh in meshes() {
            for form in volumes() {
                let extension = form.extension();
                let path = folder.path().join("seed").with_extension(extension);
                write(&path, &mesh, &form.options()).map_err(std::io::Error::other)?;
                let cells = match form.format {
                    Format::Tetgen => std::fs::read(path.with_extension("ele"))?,
                    _ => Vec::new(),
                };
                seeds.push(Seed {
                    extension,
                    bytes: std::fs::read(&path)?,
                    cells,
                });
            }
        }
        Ok(VolumeFuzzer { seeds })
    }

    fn case(&self, seed: u64) -> Seed {
        let mut rng = Rng::new(seed);
        let other = rng.one_of(&self.seeds).clone();
        let mut case = rng.one_of(&self.seeds).clone();
        for _ in 0..rng.between(1, 6) {
            let of_cells = !case.cells.is_empty() && rng.percent(50);
            let bytes = match of_cells {
                true => &mut case.cells,
                false => &mut case.bytes,
            };
            mutate::mutate(&mut rng, bytes, &other.bytes);
        }
        case
    }
}

/// Makes volumes with columns of both kinds, far away, and with cells of no volume.
fn meshes() -> Vec<TetMesh> {
    let ball = generate::tet_ball(1).unwrap_or_default();
    let mut laden = generate::tet_box([2, 1, 1], [1.0, 1e-6, 1e6]).unwrap_or_default();
    let (v, c) = (laden.vertex_count(), laden.cell_count());
    let column = |name: &str, element, width, data| Column {
        name: name.into(),
        element,
        width,
        data,
    };
    let columns = [
        column(
            "heat",
            ElementKind::Vertex,
            1,
            ColumnData::F32(vec![0.5; v]),
        ),
        column(
            "marker",
            ElementKind::Vertex,
            1,
            ColumnData::I32((0..v as i32).collect()),
        ),
        column(
            "stress",
            ElementKind::Cell,
            9,
            ColumnData::F64(vec![0.25; 9 * c]),
        ),
        column(
            "region",
            ElementKind::Cell,
            1,
            ColumnData::I32((0..c as i32).map(|i| i / 5).collect()),
        ),
        column(
            "entity",
            ElementKind::Cell,
            1,
            ColumnData::U8((0..c as u8).map(|i| i / 3).collect()),
        ),
    ];
    laden.extras.columns.extend(columns);
    laden.extras.comments.push("made by hand".into());
    let mut flat = ball.clone();
    flat.cells.extend([[0, 0, 1, 2], [3, 2, 1, 0]]);
    for p in &mut flat.positions {
        *p += glam::Vec3::new(5e5, 5.4e6, 0.0);
    }
    vec![ball, laden, flat]
}

fn read(case: &Seed, name: &Path) -> Result<Loaded<TetMesh>, IoError> {
    match case.cells.is_empty() {
        true => read_tets_bytes(&case.bytes, name, &ReadOptions::default()),
        false => read_tetgen_bytes(&case.bytes, &case.cells, name),
    }
}

impl Fuzz for VolumeFuzzer {
    fn run(&self, seed: u64) -> Outcome {
        let case = self.case(seed);
        let name = format!("case.{}", case.extension);
        let (result, peak) = memory::peak(|| read(&case, Path::new(&name)));
        let size = case.bytes.len() + case.cells.len();
        let most = MEMORY.0 + MEMORY.1 * size;
        if peak > most {
            return Err(format!(
                "{size} bytes took {peak} bytes of memory, {most} are allowed"
            ));
        }
        let mesh = match result {
            Err(error) => {
                let text = error.to_string().replacen("case.ele", "case.node", 1);
                return message(&name, &text);
            }
            Ok(loaded) => loaded.mesh,
        };
        mesh.validate()
            .map_err(|e| format!("what was read is no volume: {e}"))?;
        if check_tets(&mesh).inverted_cells.count > 0 {
            return Err("cells are inverted".into());
        }
        let surface = mesh.boundary().surface;
        surface
            .validate()
            .map_err(|e| format!("its boundary is no surface: {e}"))?;
        volumes()
            .into_iter()
            .filter(|form| form.format != Format::Tetgen)
            .try_for_each(|form| again(&mesh, form).map_err(|e| format!("as {form}: {e}")))
    }

    fn describe(&self, seed: u64, folder: &Path) -> std::io::Result<()> {
        let case = self.case(seed);
        let path = folder.join("case").with_extension(case.extension);
        std::fs::write(&path, &case.bytes)?;
        if !case.cells.is_empty() {
            std::fs::write(path.with_extension("ele"), &case.cells)?;
        }
        println!("{}", path.display());
        Ok(())
    }
}

/// Writes a volume and reads it again.
fn again(mesh: &TetMesh, form: Form) -> Outcome {
    let name = format!("again.{}", form.extension());
    let written = write_bytes(Path::new(&name), mesh, &form.options());
    let (bytes, _) = written.map_err(|e| format!("not written: {e}"))?;
    let read = read_tets_bytes(&bytes, Path::new(&name), &ReadOptions::default());
    let back = read.map_err(|e| format!("not read again: {e}"))?.mesh;
    if back.cells != mesh.cells {
        return Err("other cells came back".into());
    }
    let same = |v: usize| match mesh.placement.is_world() {
        true => mesh.world(v).as_vec3() == back.world(v).as_vec3(),
        false => {
            let (a, b) = (mesh.world(v), back.world(v));
            let unit = mesh.placement.scale + a.abs().max_element() * 1e-9;
            (a - b).abs().max_element()
                <= unit * f64::from(mesh.positions[v].abs().max_element().max(1.0)) * 1e-6
        }
    };
    match mesh.vertex_count() == back.vertex_count() && (0..mesh.vertex_count()).all(same) {
        true => Ok(()),
        false => Err("other vertices came back".into()),
    }
}
