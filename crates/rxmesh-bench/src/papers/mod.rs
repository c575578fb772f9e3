//! `rxmesh-bench paper YEAR`: repeats the tables and figures of one of the four texts that this library began with, and
//! prints ours beside the printed figures. docs/papers.md lists what no command repeats.

mod dynamic_2024;
mod meshtaichi_2022;
mod rxmesh_2021;
mod thesis_2018;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::ValueEnum;

use crate::record::{BenchRecord, Run};
use crate::run::{self, RunArguments};
use crate::solvers::Solvers;
use crate::subject::Subject as _;
use crate::surfaces::Surfaces;
use crate::table::{align, short};
use crate::triangles::Triangles;
use crate::volumes::TetMeshes;

/// One of the four texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Year {
    /// Subdivision by sparse matrices: Mlakar's thesis
    #[value(name = "2018")]
    Thesis2018,
    /// RXMesh: Mahmoud, Porumbescu and Owens
    #[value(name = "2021")]
    RxMesh2021,
    /// MeshTaichi: Yu, Xu, Kuang, Hu and Liu
    #[value(name = "2022")]
    MeshTaichi2022,
    /// Dynamic RXMesh: Mahmoud, Porumbescu and Owens
    #[value(name = "2024")]
    Dynamic2024,
}

#[derive(clap::Args)]
pub(crate) struct PaperArguments {
    /// Year of the text
    #[arg(value_enum)]
    year: Year,
    /// Only the tables and figures whose name begins so, such as "Table 6.5"
    #[arg(long, value_name = "ITEM")]
    item: Option<String>,
    /// Engine to measure
    #[arg(long, default_value = "cuda", value_name = "ENGINE")]
    engine: String,
    /// Measure surfaces on the meshes of these files in place of the generated ones
    #[arg(long, value_name = "FILE", num_args = 1..)]
    mesh: Vec<PathBuf>,
    /// Only rows of at most N million elements
    #[arg(long, value_name = "N")]
    most: Option<f64>,
    /// Seconds after which a row takes no more samples than it must
    #[arg(long, value_name = "S")]
    budget: Option<f64>,
    /// A few samples on the smallest meshes, to see that everything runs
    #[arg(long)]
    quick: bool,
    /// Write the records and the page `paper-YEAR.md` to this folder
    #[arg(long, value_name = "FOLDER")]
    json: Option<PathBuf>,
}

/// A text.
struct Paper {
    title: &'static str,
    /// GPU of the printed figures, and its nominal bandwidth in GB/s.
    gpu: (&'static str, f64),
    /// System of the references that hold printed figures, where rows have them.
    system: &'static str,
    experiments: &'static [Experiment],
}

/// Kind of the meshes of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExperimentOn {
    Surfaces,
    Polygons,
    Volumes,
    Bodies,
}

/// A table, figure or section, and how it is repeated.
struct Experiment {
    item: &'static str,
    /// Result that the text states.
    says: &'static str,
    meshes: ExperimentOn,
    /// Arguments of the bench. `--sizes` and its value come last, where a file's mesh can take their place.
    line: &'static [&'static str],
    printed: &'static [Printed],
    speedups: &'static [Speedup],
}

/// A printed speed-up over another method: the rows of both, and the value.
struct Speedup {
    rival: &'static str,
    row: &'static str,
    printed: f64,
}

/// Creates a printed speed-up.
const fn speedup(rival: &'static str, row: &'static str, printed: f64) -> Speedup {
    Speedup {
        rival,
        row,
        printed,
    }
}

impl Experiment {
    /// Adds the figures that are printed.
    const fn printed(self, printed: &'static [Printed]) -> Experiment {
        Experiment { printed, ..self }
    }

    /// Adds the speed-ups that are printed.
    const fn speedups(self, speedups: &'static [Speedup]) -> Experiment {
        Experiment { speedups, ..self }
    }
}

/// Creates an experiment on surfaces of triangles, of which nothing is printed.
const fn on_surfaces(
    item: &'static str,
    says: &'static str,
    line: &'static [&'static str],
) -> Experiment {
    Experiment {
        item,
        says,
        meshes: ExperimentOn::Surfaces,
        line,
        printed: &[],
        speedups: &[],
    }
}

/// Creates an experiment on surfaces of polygons.
const fn on_polygons(
    item: &'static str,
    says: &'static str,
    line: &'static [&'static str],
) -> Experiment {
    Experiment {
        meshes: ExperimentOn::Polygons,
        ..on_surfaces(item, says, line)
    }
}

/// A printed figure: row, mesh of about the same size, and value in the unit of the row.
type Printed = (&'static str, &'static str, f64);

impl Year {
    fn paper(self) -> &'static Paper {
        match self {
            Year::Thesis2018 => &thesis_2018::PAPER,
            Year::RxMesh2021 => &rxmesh_2021::PAPER,
            Year::MeshTaichi2022 => &meshtaichi_2022::PAPER,
            Year::Dynamic2024 => &dynamic_2024::PAPER,
        }
    }

    fn name(self) -> String {
        self.to_possible_value()
            .map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

pub(crate) fn run(arguments: &PaperArguments) -> Result<()> {
    let paper = arguments.year.paper();
    let wanted = |e: &&Experiment| match &arguments.item {
        Some(item) => e.item.starts_with(item.as_str()),
        None => true,
    };
    let experiments: Vec<&Experiment> = paper.experiments.iter().filter(wanted).collect();
    ensure!(
        !experiments.is_empty(),
        "no table or figure of this text begins so; there are {}",
        (paper.experiments.iter().map(|e| e.item))
            .collect::<Vec<_>>()
            .join("; ")
    );
    if let Some(folder) = &arguments.json {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    let (mut page, mut failed) = (heading(paper), Vec::new());
    for experiment in experiments {
        eprintln!("{}", experiment.item);
        page += &format!("\n## {}\n\n{}\n", experiment.item, experiment.says);
        for line in lines(experiment, arguments) {
            let (records, faults) = measure(experiment.meshes, &line)?;
            failed.extend(faults);
            for record in records {
                page += &part(paper, experiment, &line, &record);
                if let Some(folder) = &arguments.json {
                    let name = file_name(arguments.year, page.matches("\n```").count());
                    record.write(&folder.join(name))?;
                }
            }
        }
    }
    print!("{page}");
    if let Some(folder) = &arguments.json {
        let path = folder.join(format!("paper-{}.md", arguments.year.name()));
        fs::write(&path, &page).with_context(|| path.display().to_string())?;
        eprintln!("wrote {}", path.display());
    }
    match failed.first() {
        Some(first) => anyhow::bail!("{} rows could not be measured; {first}", failed.len()),
        None => Ok(()),
    }
}

/// Returns the name of a record: each part of the page has two fences.
fn file_name(year: Year, fences: usize) -> String {
    format!("paper-{}-{}.json", year.name(), fences / 2)
}

fn heading(paper: &Paper) -> String {
    let (gpu, gb_s) = paper.gpu;
    format!(
        "# {}\n\nPrinted figures are of a {gpu} ({gb_s:.0} GB/s nominally). `times`: printed over here, of speed-ups \
            here over printed; `per GB/s`: the same, divided by the measured bandwidth here over that one. Meshes are \
            of about the same size, not the same.\n",
        paper.title
    )
}

/// Returns the argument lists of an experiment: several where each file's mesh takes the place of generated ones.
fn lines(experiment: &Experiment, arguments: &PaperArguments) -> Vec<Vec<String>> {
    let mut common = vec!["--engine".to_owned(), arguments.engine.clone()];
    if arguments.quick {
        common.push("--quick".to_owned());
    }
    for (flag, value) in [("--most", arguments.most), ("--budget", arguments.budget)] {
        if let Some(value) = value {
            common.extend([flag.to_owned(), value.to_string()]);
        }
    }
    let own: Vec<String> = experiment.line.iter().map(|&a| a.to_owned()).collect();
    let sizes = own.iter().position(|a| a == "--sizes");
    let with = |line: &[String], more: &[String]| [line, more, &common].concat();
    match sizes {
        Some(at) if !arguments.mesh.is_empty() => {
            let file = |path: &PathBuf| ["--mesh".to_owned(), path.display().to_string()];
            (arguments.mesh.iter())
                .map(|path| with(&own[..at], &file(path)))
                .collect()
        }
        Some(at) if arguments.quick => vec![with(&own[..at], &[])],
        _ => vec![with(&own, &[])],
    }
}

fn measure(meshes: ExperimentOn, line: &[String]) -> Result<(Vec<BenchRecord>, Vec<String>)> {
    let arguments = RunArguments::parsed(line)?;
    match meshes {
        ExperimentOn::Surfaces => run::measure::<Triangles>(&arguments),
        ExperimentOn::Polygons => run::measure::<Surfaces>(&arguments),
        ExperimentOn::Volumes => run::measure::<TetMeshes>(&arguments),
        ExperimentOn::Bodies => run::measure::<Solvers>(&arguments),
    }
}

/// Returns the part of the page for a record.
fn part(paper: &Paper, experiment: &Experiment, line: &[String], record: &BenchRecord) -> String {
    let ceiling = record.ceiling.as_ref().map_or(0.0, |c| c.gb_s);
    let kind = match experiment.meshes {
        ExperimentOn::Surfaces => String::new(),
        ExperimentOn::Polygons => format!("{} ", Surfaces::NAME),
        ExperimentOn::Volumes => format!("{} ", TetMeshes::NAME),
        ExperimentOn::Bodies => format!("{} ", Solvers::NAME),
    };
    let words = line.iter().map(|word| match word.contains([' ', ';']) {
        true => format!("\"{word}\""),
        false => word.clone(),
    });
    let mut table = vec![
        [
            "row", "mesh", "unit", "printed", "here", "times", "per GB/s",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    for run in &record.runs {
        let printed = printed(paper, experiment, run);
        let here = run.median();
        let times = printed.map(|p| p / here);
        let fair = times.filter(|_| ceiling > 0.0 && run.is_time());
        let number = |x: Option<f64>| x.map_or_else(|| "-".to_owned(), short);
        table.push(vec![
            run.row.clone(),
            run.mesh.clone(),
            run.unit.to_string(),
            number(printed),
            short(here),
            number(times),
            number(fair.map(|t| t * paper.gpu.1 / ceiling)),
        ]);
    }
    table.extend(speedup_lines(experiment, record));
    format!(
        "\n`cargo xtask bench {kind}{}`, {}, copies {ceiling:.0} GB/s:\n\n```\n{}```\n",
        words.collect::<Vec<_>>().join(" "),
        record.engine.device,
        align(&table)
    )
}

/// Returns a line for each printed speed-up and mesh: the printed one, ours in this run, and ours over it.
fn speedup_lines(experiment: &Experiment, record: &BenchRecord) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for Speedup {
        rival,
        row,
        printed,
    } in experiment.speedups
    {
        for mesh in &record.meshes {
            let ms = |row: &str| record.run(row, &mesh.name).map(Run::median);
            if let (Some(theirs), Some(ours)) = (ms(rival), ms(row)) {
                let here = theirs / ours;
                lines.push(vec![
                    format!("{rival} over {row}"),
                    mesh.name.clone(),
                    "times".to_owned(),
                    short(*printed),
                    short(here),
                    short(here / printed),
                    "-".to_owned(),
                ]);
            }
        }
    }
    lines
}

/// Returns the figure that the text prints for a row on a mesh of about that size.
fn printed(paper: &Paper, experiment: &Experiment, run: &Run) -> Option<f64> {
    let mut own = experiment.printed.iter();
    let own = own.find(|(row, mesh, _)| run.row == *row && run.mesh == *mesh);
    let of_row = || {
        let mut known = run.references.iter();
        let known = known.find(|r| !paper.system.is_empty() && r.system == paper.system)?;
        Some(known.value)
    };
    own.map(|&(_, _, value)| value).or_else(of_row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Line {
        #[command(flatten)]
        arguments: PaperArguments,
    }

    fn arguments(line: &[&str]) -> PaperArguments {
        Line::parse_from(["paper"].iter().chain(line)).arguments
    }

    /// Each experiment's arguments can be read, its rows exist, and printed figures are of rows that it measures.
    #[test]
    fn experiments_name_rows_that_exist() -> Result<()> {
        for year in Year::value_variants() {
            let all = arguments(&[&year.name(), "--engine", "cpu"]);
            for experiment in year.paper().experiments {
                for line in lines(experiment, &all) {
                    let arguments = RunArguments::parsed(&line)?;
                    let names: Vec<&str> = match experiment.meshes {
                        ExperimentOn::Surfaces => names::<Triangles>(&arguments)?,
                        ExperimentOn::Polygons => names::<Surfaces>(&arguments)?,
                        ExperimentOn::Volumes => names::<TetMeshes>(&arguments)?,
                        ExperimentOn::Bodies => names::<Solvers>(&arguments)?,
                    };
                    assert!(!names.is_empty(), "{}", experiment.item);
                    for (row, ..) in experiment.printed {
                        assert!(names.contains(row), "{}: {row}", experiment.item);
                    }
                    for Speedup { rival, row, .. } in experiment.speedups {
                        for row in [rival, row] {
                            assert!(names.contains(row), "{}: {row}", experiment.item);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn names<S: crate::subject::Subject>(arguments: &RunArguments) -> Result<Vec<&'static str>> {
        let rows = arguments.rows::<S>(S::is_default)?;
        Ok(rows.iter().map(|row| row.name).collect())
    }

    #[test]
    fn files_take_the_place_of_sizes() {
        let all = arguments(&["2021", "--engine", "cpu", "--mesh", "a.obj", "b.obj"]);
        let experiment = Year::RxMesh2021.paper().experiments.iter();
        let experiment = experiment.last().expect("one");
        let lines = lines(experiment, &all);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].windows(2).any(|w| w == ["--mesh", "b.obj"]));
        assert!(!lines[1].contains(&"--sizes".to_owned()));
    }

    /// A part has the printed figure, ours, and both ratios.
    #[test]
    fn a_part_has_printed_figures_beside_ours() -> Result<()> {
        let paper = Year::RxMesh2021.paper();
        let all = arguments(&["2021", "--engine", "cpu", "--quick", "--budget", "0"]);
        const SPEEDUPS: &[Speedup] = &[speedup("ef-directed", "ef", 0.64)];
        let experiment = Experiment {
            item: "a test",
            says: "",
            meshes: ExperimentOn::Surfaces,
            line: &["--rows", "bytes;ef;ef-directed", "--sizes", "1.28m"],
            printed: &[("bytes", "20k", 45.4)],
            speedups: SPEEDUPS,
        };
        let line = lines(&experiment, &all).remove(0);
        let (records, failed) = measure(experiment.meshes, &line)?;
        assert_eq!(failed, Vec::<String>::new());
        let text = part(paper, &experiment, &line, &records[0]);
        let row = text
            .lines()
            .find(|l| l.starts_with("bytes"))
            .expect("a row");
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(words[words.len() - 4], "45.40", "{row}");
        let [here, times] = [3, 2].map(|k| words[words.len() - k].parse::<f64>());
        assert!((here? * times? - 45.4).abs() < 0.1, "{row}");
        assert_eq!(words.last(), Some(&"-"), "{row}");
        let speedup = text.lines().find(|l| l.contains("ef-directed over ef"));
        let words: Vec<&str> = speedup.expect("a line").split_whitespace().collect();
        assert_eq!(words[3..6], ["20k", "times", "0.6400"], "{words:?}");
        let [ours, theirs] = ["ef", "ef-directed"].map(|row| records[0].run(row, "20k"));
        let (ours, theirs) = (ours.expect("ours"), theirs.expect("theirs"));
        assert_eq!(words[6], short(theirs.median() / ours.median()));
        Ok(())
    }
}
