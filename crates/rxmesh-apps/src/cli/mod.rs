//! The command line, built from the list of applications and from the flags that several of them share.

mod shared;

pub(crate) use shared::{
    CommonArgs, ComputeArgs, EncodingArgs, EngineArgs, InputArgs, OUTPUT, OutputArgs, PatchArgs,
    SeedArgs, TriangulateArgs,
};

use crate::Outcome;
use crate::app::PROGRAM;
use crate::apps::ALL;
use anyhow::{Context, Result};
use clap::{Arg, ArgMatches, Command};
use rxmesh_host::io::Format;
use std::ffi::OsString;

const ABOUT: &str =
    "Mesh processing in patches, on the GPU when there is one and on the CPU otherwise";

/// Returns the text after the list of commands.
fn example() -> String {
    let formats = Format::summary();
    format!(
        "Example: rxmesh mcf bunny.obj -o smooth.obj

A mesh without a folder in its name that is not in the current folder is looked up in data/.
Formats, told by the extension, else by the content: {formats}.

Exit codes: 0 success, 1 error, 2 wrong usage, 3 written but not converged,\n4 out of memory, 130 and 143 interrupted."
    )
}

/// Returns the command line of the program, with every application.
pub(crate) fn command() -> Command {
    Command::new(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .about(ABOUT)
        .after_help(example())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(ALL.iter().map(|app| (app.command)()))
}

/// Returns the words of the command line, with a number after a flag that may have a value made its value: `--weld
/// 0.1%` is `--weld=0.1%`. Without the sign, a word that is not a length is unchanged, such as the name of a mesh.
pub(crate) fn arguments(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut all: Vec<OsString> = words.collect();
    let command = command();
    let named = all.get(1).and_then(|name| command.find_subcommand(name));
    let optional = |arg: &&Arg| {
        let least = arg.get_num_args().map(|n| n.min_values());
        arg.is_require_equals_set() && least == Some(0)
    };
    let flags: Vec<String> = named
        .into_iter()
        .flat_map(|command| command.get_arguments().filter(optional))
        .filter_map(|arg| Some(format!("--{}", arg.get_long()?)))
        .collect();
    let mut at = 2;
    while at + 1 < all.len() && all[at] != "--" {
        let value = all[at + 1].to_str().is_some_and(|word| {
            let number = word.strip_suffix('%').unwrap_or(word);
            number.parse::<f64>().is_ok_and(f64::is_finite)
        });
        if value && flags.iter().any(|flag| all[at] == flag.as_str()) {
            let value = all.remove(at + 1);
            all[at].push("=");
            all[at].push(value);
        }
        at += 1;
    }
    all
}

/// Runs the application that was named.
pub(crate) fn run(matches: &ArgMatches) -> Result<Outcome> {
    let (name, matches) = matches.subcommand().context("no command is named")?;
    let app = ALL.iter().find(|app| app.name == name);
    (app.context("the command is not in the list")?.run)(matches)
}

#[cfg(test)]
mod tests {
    use super::command;
    use clap::{Args, Command};
    use rxmesh_host::algo::{
        delaunay, filter, geodesic, laplacian, mcf, remesh, simplify, spring, track,
    };

    /// Options as they are parsed, in words.
    fn parsed<T: Args + std::fmt::Debug>(flags: &str) -> String {
        let words = std::iter::once("x").chain(flags.split_whitespace());
        let command = T::augment_args(Command::new("x")).mut_args(|arg| {
            let takes_a_value = arg.get_action().takes_values();
            arg.allow_negative_numbers(takes_a_value)
        });
        let matches = command.try_get_matches_from(words).unwrap();
        format!("{:?}", T::from_arg_matches(&matches).unwrap())
    }

    /// Keeps the library's defaults for flags that are not given.
    #[test]
    fn defaults_are_the_librarys() {
        fn same<T: Args + Default + std::fmt::Debug>() {
            assert_eq!(parsed::<T>(""), format!("{:?}", T::default()));
        }
        same::<mcf::McfOptions>();
        same::<filter::FilterOptions>();
        same::<geodesic::GeodesicOptions>();
        same::<laplacian::SmoothOptions>();
        same::<spring::MotionOptions>();
        same::<delaunay::DelaunayOptions>();
        same::<remesh::RemeshOptions>();
        same::<track::TrackOptions>();
        let target = simplify::Target::Faces(7);
        let want = simplify::SimplifyOptions::new(target);
        assert_eq!(
            parsed::<simplify::SimplifyOptions>("--faces 7"),
            format!("{want:?}")
        );
        let want = laplacian::SmoothOptions::taubin(10);
        assert_eq!(
            parsed::<laplacian::SmoothOptions>("--taubin"),
            format!("{want:?}")
        );
        let want = want.with(|o| {
            o.mu = Some(-0.5);
        });
        assert_eq!(
            parsed::<laplacian::SmoothOptions>("--taubin --mu -0.5"),
            format!("{want:?}")
        );
    }

    #[test]
    fn optional_values_may_stand_apart() {
        let joined = |line: &str| {
            let words = line.split(' ').map(std::ffi::OsString::from);
            let words = super::arguments(words).into_iter();
            words
                .map(|w| w.into_string().unwrap())
                .collect::<Vec<_>>()
                .join(" ")
        };
        for (line, want) in [
            (
                "x repair a.obj --weld 0.1% -o b.obj",
                "x repair a.obj --weld=0.1% -o b.obj",
            ),
            ("x repair --weld 1e-3 a.obj", "x repair --weld=1e-3 a.obj"),
            ("x repair --weld a.obj", "x repair --weld a.obj"),
            ("x repair a.obj --weld", "x repair a.obj --weld"),
            ("x repair --weld=2 3", "x repair --weld=2 3"),
            ("x repair -- --weld 3", "x repair -- --weld 3"),
            ("x convert --weld 3", "x convert --weld 3"),
            ("x", "x"),
        ] {
            assert_eq!(joined(line), want);
        }
    }

    #[test]
    fn flags_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_help_has_an_example() {
        fn look(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string);
            let name = command.get_name();
            assert!(
                help.is_some_and(|h| h.contains("Example")),
                "{name} shows no example"
            );
            command.get_subcommands().for_each(look);
        }
        look(&command());
    }
}
