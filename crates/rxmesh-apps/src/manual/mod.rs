//! Generated parts of the documents: the groups of commands in `README.md`, the pages of `docs/use/commands`, the
//! formats in `docs/use/formats.md`.

mod record;

use crate::app::{Entry, PROGRAM};
use crate::apps::ALL;
use clap::{Arg, ArgAction, Command};
use rxmesh_host::io::Format;
use rxmesh_host::units::{FieldUnit, QuantityKind, Units};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Beginning and end of a part of a document.
type Marks = [&'static str; 2];

const APPLICATIONS: Marks = [
    "<!-- applications:begin, written by `cargo xtask docs` -->\n",
    "<!-- applications:end -->\n",
];
const FORMATS: Marks = [
    "<!-- formats:begin, written by `cargo xtask docs` -->\n",
    "<!-- formats:end -->\n",
];

/// A page of `docs/use/commands`, which describes a group of commands.
struct Page {
    /// File name without its extension.
    file: &'static str,
    /// Name of the group.
    title: &'static str,
    /// Purpose of the group, in one line.
    about: &'static str,
    /// Commands beside the operations of the group.
    commands: &'static [&'static str],
}

impl Page {
    /// Returns the commands of the page, in the order of the help.
    fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        let is_here = |app: &&Entry| match app.group {
            Some(group) => group == self.file,
            None => self.commands.contains(&app.name),
        };
        ALL.iter().filter(is_here)
    }
}

/// Every command stands on exactly one page.
const PAGES: [Page; 6] = [
    Page {
        file: "smooth",
        title: "Smooth",
        about: "remove noise and roughness; the connectivity stays",
        commands: &[],
    },
    Page {
        file: "measure",
        title: "Measure",
        about: "compute values of vertices, distances and components",
        commands: &[],
    },
    Page {
        file: "reshape",
        title: "Reshape",
        about: "change the triangles: fewer, better, finer, or moving with the surface",
        commands: &[],
    },
    Page {
        file: "inspect",
        title: "Inspect and repair",
        about: "find and mend defects of a mesh",
        commands: &["info"],
    },
    Page {
        file: "simulate",
        title: "Simulate",
        about: "move cloth, soft bodies and mass-spring systems",
        commands: &[],
    },
    Page {
        file: "files",
        title: "Files",
        about: "convert, place, join, draw and generate meshes",
        commands: &["convert", "render", "view", "generate", "completions"],
    },
];

#[test]
fn the_manual_is_current() {
    compare(
        "docs/use/commands/README.md",
        APPLICATIONS,
        &(table_of_all() + &common_flags()),
    );
    for page in &PAGES {
        let sections: String = page.entries().map(section).collect();
        compare(
            &format!("docs/use/commands/{}.md", page.file),
            APPLICATIONS,
            &(sections + "\n"),
        );
    }
    compare("README.md", APPLICATIONS, &groups());
    record::compare();
    compare("docs/use/formats.md", FORMATS, &table_of_formats());
    let line = format!(
        "\nFormats of surfaces: {}.\nFormats of volumes: {}.\n\n",
        Format::list(Format::holds_surfaces),
        Format::list(Format::holds_volumes)
    );
    for package in ["rxmesh-apps", "rxmesh-host"] {
        compare(&format!("crates/{package}/README.md"), FORMATS, &line);
    }
}

/// Returns the table of formats, with the contents that each holds.
fn table_of_formats() -> String {
    let mut out = String::from(
        "\n| format | `--format` | extensions | surfaces | volumes |\n| --- | --- | --- | --- | --- |\n",
    );
    let yes = |holds: bool| if holds { "yes" } else { "no" };
    for format in Format::ALL {
        let extensions = format.extensions().iter().map(|e| code(&format!(".{e}")));
        out += &row(&[
            &format.to_string(),
            &code(format.word()),
            &extensions.collect::<Vec<_>>().join(", "),
            yes(format.holds_surfaces()),
            yes(format.holds_volumes()),
        ]);
    }
    out + "\n"
}

/// Writes a part of a document with `RXMESH_WRITE_DOCS=1`, else compares it with the text that would be written.
fn compare(document: &str, [begin, end]: Marks, want: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(document);
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(begin).expect("a place for it");
    let (now, after) = rest.split_once(end).expect("an end of it");
    if std::env::var("RXMESH_WRITE_DOCS").as_deref() == Ok("1") {
        std::fs::write(&path, [before, begin, want, end, after].concat()).unwrap();
    } else {
        assert!(now == want, "{document} is not current: cargo xtask docs");
    }
}

/// Every example of every help can be parsed.
#[test]
fn examples_are_right() {
    for app in ALL {
        assert!(!examples(app).is_empty(), "{} has no example", app.name);
        for example in examples(app) {
            let parsed = crate::cli::command().try_get_matches_from(&example);
            assert!(parsed.is_ok(), "{example:?}: {parsed:?}");
        }
    }
}

#[test]
fn every_command_stands_on_one_page() {
    let named = PAGES.iter().flat_map(|page| page.commands).copied();
    let grouped = ALL.iter().filter(|app| app.group.is_some());
    let mut listed: Vec<&str> = named.chain(grouped.map(|app| app.name)).collect();
    let here: usize = PAGES.iter().map(|page| page.entries().count()).sum();
    assert_eq!(here, ALL.len(), "a page for each group");
    let mut all: Vec<&str> = ALL.iter().map(|app| app.name).collect();
    listed.sort_unstable();
    all.sort_unstable();
    assert_eq!(listed, all, "`PAGES` lists each command once");
}

/// Returns one line for each group of commands.
fn groups() -> String {
    let mut out = "\n| group | commands | purpose |\n| --- | --- | --- |\n".to_owned();
    for page in &PAGES {
        let link = format!("[{}](docs/use/commands/{}.md)", page.title, page.file);
        let commands: Vec<String> = page.entries().map(|app| code(app.name)).collect();
        out += &row(&[&link, &commands.join(", "), page.about]);
    }
    out + "\n"
}

/// Returns one line for each command with its arguments and purpose, by page.
fn table_of_all() -> String {
    let mut out = "\n| command | purpose | page |\n| --- | --- | --- |\n".to_owned();
    for page in &PAGES {
        let link = format!("[{}]({}.md)", page.title, page.file);
        for app in page.entries() {
            let mut command = (app.command)();
            let usage = command.render_usage().to_string();
            let usage = usage.replace("Usage: ", "").replace("[OPTIONS] ", "");
            let usage = usage.trim_start_matches(PROGRAM).trim();
            let about = command
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            out += &row(&[&code(usage), &about, &link]);
        }
    }
    out + "\n"
}

/// Returns the flags that commands share.
fn common_flags() -> String {
    let mut out =
        "## Common flags\n\n| flag | of | meaning | default |\n| --- | --- | --- | --- |\n"
            .to_owned();
    for (arg, of) in shared() {
        out += &row(&[&flag(&arg), &of, &meaning(&arg), &default(&arg)]);
    }
    out + "\n"
}

/// Returns the flags of the frames, with the applications that have them.
fn shared() -> Vec<(Arg, String)> {
    let ids = |c: &Command| -> BTreeSet<String> {
        c.get_arguments().map(|a| a.get_id().to_string()).collect()
    };
    let mut of: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    let mut order: Vec<Arg> = Vec::new();
    for app in ALL {
        let own = ids(&(app.own)());
        let command = (app.command)();
        let shown = |a: &&Arg| !a.is_positional() && !a.is_hide_set();
        let frame = command.get_arguments().filter(shown);
        for arg in frame.filter(|a| !own.contains(a.get_id().as_str())) {
            let apps = of.entry(arg.get_id().to_string()).or_default();
            if apps.is_empty() {
                order.push(arg.clone());
            }
            apps.push(app);
        }
    }
    let words = |arg: &Arg| {
        let have: BTreeSet<&str> = of[arg.get_id().as_str()].iter().map(|a| a.name).collect();
        let mut frames: Vec<&str> = Vec::new();
        for app in ALL {
            if !frames.contains(&app.frame) {
                frames.push(app.frame);
            }
        }
        let whole = frames.iter().filter(|frame| {
            let mut members = ALL.iter().filter(|a| a.frame == **frame);
            members.all(|a| have.contains(a.name))
        });
        whole.copied().collect::<Vec<_>>().join(", ")
    };
    order
        .into_iter()
        .map(|arg| {
            let words = words(&arg);
            (arg, words)
        })
        .collect()
}

/// Describes a command: examples, notes, its own flags, keys of its report.
fn section(app: &Entry) -> String {
    let command = (app.own)();
    let help = (app.command)()
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let (examples, rest) = help.split_once("\n\n").unwrap_or((&help, ""));
    let lines = examples.lines().map(example_line);
    let examples: String = lines.map(|l| format!("    {l}\n")).collect();
    let mut out = format!("\n## `{}`\n\n{examples}", app.name);
    if !rest.is_empty() {
        out += &format!("\n{rest}\n");
    }
    let keys: BTreeSet<String> = self::examples(app)
        .iter()
        .flat_map(|example| recorded(app, example))
        .collect();
    let mut shapes: Vec<&Command> = command.get_subcommands().collect();
    shapes.insert(0, &command);
    let everywhere = in_all(command.get_subcommands());
    for part in shapes {
        let args = part.get_arguments();
        let args = args.filter(|a| !a.is_positional() && !a.is_hide_set());
        let inner = part.get_name() != command.get_name();
        let args: Vec<&Arg> = args
            .filter(|a| !(inner && everywhere.contains(a.get_id().as_str())))
            .collect();
        out += &table(if inner { part.get_name() } else { "" }, &args, app, &keys);
    }
    if let Some(first) = command.get_subcommands().next() {
        let args = first.get_arguments();
        let args: Vec<&Arg> = args
            .filter(|a| everywhere.contains(a.get_id().as_str()))
            .collect();
        out += &table("every shape", &args, app, &keys);
    }
    out + &(app.schema)().map_or(String::new(), |schema| report(&schema))
}

/// Returns the table of a report's keys; nothing for a report without keys.
fn report(schema: &Value) -> String {
    let keys = rxmesh::schema::keys(schema);
    if keys.is_empty() {
        return String::new();
    }
    let with_units = keys.iter().any(|key| key.unit.is_some());
    let mut out = if with_units {
        "\n| key of the report | type | unit | holds |\n| --- | --- | --- | --- |\n".to_owned()
    } else {
        "\n| key of the report | type | holds |\n| --- | --- | --- |\n".to_owned()
    };
    for key in &keys {
        let mut holds = key.holds.replace('|', "\\|").replace('<', "\\<");
        if let Some(like) = &key.like {
            holds += &format!("; its keys are those of {}", code(like));
        }
        let (path, unit) = (code(&key.path), key.unit.as_deref().unwrap_or(""));
        out += &if with_units {
            row(&[&path, &key.kind, unit, &holds])
        } else {
            row(&[&path, &key.kind, &holds])
        };
    }
    out
}

/// Returns the unit of an option, which is a field of the options or of a struct in them.
fn unit(units: &[FieldUnit], name: &str) -> Option<QuantityKind> {
    units.iter().find_map(|field| match field.unit {
        Units::One(kind) => (field.field == name).then_some(kind),
        Units::Fields(inner) => unit(inner, name),
    })
}

fn table(of: &str, args: &[&Arg], app: &Entry, keys: &BTreeSet<String>) -> String {
    if args.is_empty() {
        return String::new();
    }
    let mut out = if of.is_empty() {
        String::new()
    } else {
        format!("\n{of}:\n")
    };
    let with_keys = args.iter().any(|a| keys.contains(a.get_id().as_str()));
    out += if with_keys {
        "\n| flag | key in the record | meaning | default |\n| --- | --- | --- | --- |\n"
    } else {
        "\n| flag | meaning | default |\n| --- | --- | --- |\n"
    };
    for arg in args {
        let id = arg.get_id().as_str();
        let mut key = keys.get(id).map_or(String::new(), |key| code(key));
        if matches!(arg.get_action(), ArgAction::SetFalse) {
            key += ": false";
        }
        let mut cells = vec![flag(arg)];
        if with_keys {
            cells.push(key);
        }
        let unit = unit(app.units, id).map(|kind| format!("; unit: {}", kind.name()));
        cells.extend([meaning(arg) + &unit.unwrap_or_default(), default(arg)]);
        out += &row(&cells.iter().map(String::as_str).collect::<Vec<_>>());
    }
    out
}

/// Ids of the arguments that all commands have.
fn in_all<'a>(mut commands: impl Iterator<Item = &'a Command>) -> BTreeSet<String> {
    let ids = |c: &Command| -> BTreeSet<String> {
        c.get_arguments().map(|a| a.get_id().to_string()).collect()
    };
    let first = commands.next().map(ids).unwrap_or_default();
    commands.fold(first, |all, c| &all & &ids(c))
}

/// Returns the keys that the options have in the record of an example.
fn recorded(app: &Entry, example: &[String]) -> Vec<String> {
    let matches = crate::cli::command().try_get_matches_from(example);
    let matches = matches.unwrap_or_else(|e| panic!("{example:?}: {e}"));
    let (_, matches) = matches.subcommand().unwrap();
    let keys = (app.keys)(matches).unwrap();
    keys.into_iter().map(|(key, _)| key).collect()
}

/// Returns the words of each example, redirections left out.
fn examples(app: &Entry) -> Vec<Vec<String>> {
    let help = (app.command)().get_after_help().map(ToString::to_string);
    let lines = help.unwrap_or_default();
    let lines = lines.lines().map(example_line);
    let runs = lines.filter(|l| l.starts_with(PROGRAM));
    let words = |l: &str| l.split(" > ").next().unwrap_or(l).to_owned();
    let words = |l: &str| words(l).split_whitespace().map(str::to_owned).collect();
    runs.map(words)
        // An example may begin with the making of its mesh.
        .filter(|words: &Vec<String>| words.get(1).is_some_and(|name| name == app.name))
        .collect()
}

fn example_line(line: &str) -> &str {
    let line = line.trim();
    let line = line.strip_prefix("Examples:").unwrap_or(line);
    line.strip_prefix("Example:").unwrap_or(line).trim()
}

fn flag(arg: &Arg) -> String {
    let mut out = String::new();
    if let Some(short) = arg.get_short() {
        out += &format!("`-{short}`, ");
    }
    let values = arg.get_possible_values();
    let value = if !arg.get_action().takes_values() {
        String::new()
    } else if values.is_empty() {
        let names = arg.get_value_names().unwrap_or_default();
        let names: Vec<&str> = names.iter().map(|n| n.as_str()).collect();
        format!(" {}", names.join(" "))
    } else {
        let names: Vec<&str> = values.iter().map(|v| v.get_name()).collect();
        format!(" {}", names.join("|"))
    };
    let long = arg.get_long().unwrap_or_default();
    out + &code(&format!("--{long}{value}"))
}

/// Returns the help of an option, followed by that of its possible values.
fn meaning(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut out = split_default(&help).0.replace('<', "\\<");
    for value in arg.get_possible_values() {
        if let Some(help) = value.get_help() {
            out += &format!("; {}: {help}", code(value.get_name()));
        }
    }
    out
}

fn default(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let values = arg.get_default_values();
    if let Some(said) = split_default(&help).1 {
        said.replace('<', "\\<")
    } else if matches!(arg.get_action(), ArgAction::SetTrue | ArgAction::SetFalse) {
        "off".to_owned()
    } else if !values.is_empty() {
        let values: Vec<_> = values.iter().map(|v| v.to_string_lossy()).collect();
        code(&values.join(" "))
    } else if arg.is_required_set() {
        "must be given".to_owned()
    } else {
        "none".to_owned()
    }
}

/// Help without its `[default: ...]`, and that.
fn split_default(help: &str) -> (&str, Option<&str>) {
    match help.split_once("[default: ") {
        Some((help, default)) => (help.trim(), default.strip_suffix(']')),
        None => (help, None),
    }
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

fn row(cells: &[&str]) -> String {
    format!("| {} |\n", cells.join(" | "))
}
