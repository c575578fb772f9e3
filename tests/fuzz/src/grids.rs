//! Readers of files of grids: an error that names the file, or a valid grid that survives being written and read again.

use std::path::Path;

use glam::DVec3;
use rxmesh_host::grid::{
    Grid, GridFormat, GridReadOptions, GridWriteOptions, read_bytes, write_bytes,
};
use rxmesh_host::io::Encoding;
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, Rng};

use crate::random::Choose;
use crate::readers::{MEMORY, message};
use crate::{Fuzz, Outcome, memory, mutate};

/// Names and encodings in which grids are written.
const FORMS: [(&str, Encoding); 7] = [
    ("case.vti", Encoding::Binary),
    ("case.vti", Encoding::Ascii),
    ("case.vti", Encoding::Base64),
    ("case.npy", Encoding::Binary),
    ("case.nrrd", Encoding::Binary),
    ("case.nrrd", Encoding::Ascii),
    ("case.nrrd.gz", Encoding::Binary),
];

/// File of a grid.
type GridFile = (&'static str, Vec<u8>);

/// Fuzzer of readers of grids, with initial files.
pub(crate) struct GridFuzzer {
    seeds: Vec<GridFile>,
}

impl GridFuzzer {
    /// Starts with a grid in every form, and headers of NRRD that are not written here.
    pub(crate) fn new() -> Result<GridFuzzer, String> {
        let grid = laden()?;
        let mut seeds = Vec::new();
        for form in FORMS {
            seeds.push((form.0, written(&grid, form)?));
        }
        let head = "NRRD0005\n# a comment\ntype: short\ndimension: 4\nsizes: 2 1 2 1\nendian: big\nkinds: \
            vector domain domain domain\naxis mins: nan 0 0 0\nspacings: nan 1 2 1\ncenters: ??? cell node cell\n";
        for (encoding, data) in [("hex", "0001ffFE 00020003\n"), ("txt", "1 2, 3\n4\n")] {
            seeds.push((
                "case.nrrd",
                format!("{head}encoding: {encoding}\n\n{data}").into_bytes(),
            ));
        }
        Ok(GridFuzzer { seeds })
    }

    fn case(&self, seed: u64) -> GridFile {
        let mut rng = Rng::new(seed);
        let other = rng.one_of(&self.seeds).clone();
        let mut case = rng.one_of(&self.seeds).clone();
        for _ in 0..rng.between(1, 6) {
            mutate::mutate(&mut rng, &mut case.1, &other.1);
        }
        case
    }
}

/// Makes a grid with columns of several types and widths.
fn laden() -> Result<Grid, String> {
    let (origin, spacing) = (DVec3::new(-1e-3, 5e6, 0.1), DVec3::new(0.1, 2.0, 1e-6));
    let mut grid = Grid::new([3, 4, 2], origin, spacing).map_err(|e| e.to_string())?;
    let columns = [
        (
            "distance",
            1,
            ColumnData::F32((0..24).map(|i| i as f32 / 7.0 - 1.0).collect()),
        ),
        (
            "label",
            1,
            ColumnData::U16((0..24).map(|i| i * 1000).collect()),
        ),
        (
            "velocity of",
            3,
            ColumnData::F64((0..72).map(f64::from).collect()),
        ),
    ];
    for (name, width, data) in columns {
        let column = Column {
            name: name.into(),
            element: ElementKind::Vertex,
            width,
            data,
        };
        grid.add_column(column).map_err(|e| e.to_string())?;
    }
    Ok(grid)
}

fn written(grid: &Grid, (name, encoding): (&str, Encoding)) -> Result<Vec<u8>, String> {
    let options = GridWriteOptions::default().with(|o| o.encoding = encoding);
    let written = write_bytes(Path::new(name), grid, &options);
    Ok(written.map_err(|e| format!("not written: {e}"))?.0)
}

impl Fuzz for GridFuzzer {
    fn run(&self, seed: u64) -> Outcome {
        let (name, bytes) = self.case(seed);
        let read = |bytes: &[u8]| read_bytes(bytes, Path::new(name), &GridReadOptions::default());
        let (result, peak) = memory::peak(|| read(&bytes));
        let most = MEMORY.0 + MEMORY.1 * bytes.len();
        if peak > most {
            return Err(format!(
                "{} bytes took {peak} bytes of memory, {most} are allowed",
                bytes.len()
            ));
        }
        let grid = match result {
            Err(error) => return message(name, &error.to_string()),
            Ok(loaded) => loaded.grid,
        };
        grid.validate()
            .map_err(|e| format!("what was read is no grid: {e}"))?;
        let Ok(column) = grid.scalar(None) else {
            return Ok(());
        };
        FORMS.into_iter().try_for_each(|form| {
            again(&grid, column, form).map_err(|e| format!("as {form:?}: {e}"))
        })
    }

    fn describe(&self, seed: u64, folder: &Path) -> std::io::Result<()> {
        let (name, bytes) = self.case(seed);
        let path = folder.join(name);
        std::fs::write(&path, bytes)?;
        println!("{}", path.display());
        Ok(())
    }
}

/// Writes a grid and reads its first column again.
fn again(grid: &Grid, column: &Column, form: (&'static str, Encoding)) -> Outcome {
    let bytes = written(grid, form)?;
    let read = read_bytes(&bytes, Path::new(form.0), &GridReadOptions::default());
    let back = read.map_err(|e| format!("not read again: {e}"))?;
    let other = back.grid.scalar(None).map_err(|e| e.to_string())?;
    let values = |c: &Column| {
        (0..c.data.len())
            .map(|i| c.data.get(i).to_bits())
            .collect::<Vec<_>>()
    };
    let is_number = |c: &Column| (0..c.data.len()).all(|i| !c.data.get(i).is_nan());
    if is_number(column) && values(column) != values(other) {
        return Err("other values came back".into());
    }
    let places = |grid: &Grid| (grid.origin, grid.spacing);
    match back.grid.counts == grid.counts
        && (back.format == GridFormat::Npy || places(&back.grid) == places(grid))
    {
        true => Ok(()),
        false => Err("another grid came back".into()),
    }
}
