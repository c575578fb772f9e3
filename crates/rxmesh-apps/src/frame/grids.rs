//! Grids as inputs of commands.

use super::tool::Reads;
use crate::input;
use crate::record::{InputRecord, Record, shown};
use crate::run::Run;
use crate::text;
use anyhow::{Context, Result};
use clap::{Args, ValueHint};
use rxmesh::DVec3;
use rxmesh::on::AnyGrid;
use rxmesh_host::grid::Grid;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Flags of a grid.
#[derive(Clone, Debug, Args)]
pub(crate) struct GridFlags {
    /// The grid (VTI, NRRD or NPY), or '-' for stdin
    #[arg(value_name = "GRID", value_hint = ValueHint::FilePath)]
    grid: PathBuf,
    /// Place of the first point, in place of the file's; NPY holds none
    #[arg(long, value_name = "X,Y,Z", value_parser = place, allow_hyphen_values = true)]
    origin: Option<DVec3>,
    /// Distance of points, for all axes or for each, in place of the file's; NPY holds none
    #[arg(long, value_name = "D|X,Y,Z", value_parser = distances)]
    spacing: Option<DVec3>,
}

/// Parses three numbers.
fn place(text: &str) -> Result<DVec3, String> {
    match numbers(text)[..] {
        [Some(x), Some(y), Some(z)] => Ok(DVec3::new(x, y, z)),
        _ => Err("three numbers with commas between them are needed".into()),
    }
}

/// Parses three positive numbers, or one for all three.
fn distances(text: &str) -> Result<DVec3, String> {
    let all = match numbers(text)[..] {
        [Some(d)] => DVec3::splat(d),
        [Some(x), Some(y), Some(z)] => DVec3::new(x, y, z),
        _ => return Err("one number, or three with commas between them, are needed".into()),
    };
    match all.min_element() > 0.0 {
        true => Ok(all),
        false => Err("distances must be greater than zero".into()),
    }
}

fn numbers(text: &str) -> Vec<Option<f64>> {
    let number = |word: &str| word.trim().parse().ok().filter(|x: &f64| x.is_finite());
    text.split(',').map(number).collect()
}

impl Run {
    /// Works like [`Run::read`], for a grid. Returns its path, too.
    fn read_grid(&mut self, name: &Path) -> Result<(Grid, PathBuf)> {
        let path = input::find(name)?;
        let ((loaded, bytes), ms) = self.stage("reading", || input::read_grid(&path))?;
        self.record.timings_ms.read = ms;
        self.record.input = Some(InputRecord {
            path: shown(&path),
            format: loaded.format.to_string(),
            bytes,
            vertices: loaded.grid.points()? as u64,
            faces: None,
            edges: None,
            cells: None,
        });
        for warning in &loaded.warnings {
            self.warn_of(&path, warning);
        }
        Ok((loaded.grid, path))
    }
}

impl Reads for AnyGrid {
    type Args = GridFlags;

    const ENGINE: bool = true;

    fn first(args: &GridFlags) -> &Path {
        &args.grid
    }

    fn read(args: &GridFlags, run: &mut Run) -> Result<(AnyGrid, Vec<String>)> {
        let (mut grid, path) = run.read_grid(&args.grid)?;
        grid.origin = args.origin.unwrap_or(grid.origin);
        grid.spacing = args.spacing.unwrap_or(grid.spacing);
        let name = text::named(&shown(&path), "stdin").to_owned();
        grid.validate().with_context(|| name.clone())?;
        Ok((AnyGrid::Memory(grid), vec![name]))
    }

    fn keys(args: &GridFlags) -> Map<String, Value> {
        let vector = |v: Option<DVec3>| v.map_or(Value::Null, |v| json!(v.to_array()));
        let all = [("origin", args.origin), ("spacing", args.spacing)];
        let all = all.map(|(name, v)| (name.to_owned(), vector(v)));
        Map::from_iter(all)
    }

    fn heading(record: &Record) -> String {
        text::input_name(record)
    }
}
