//! Keyword arguments as options of a command line, and its errors as errors of arguments.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::error::Error as _;
use std::ffi::OsString;

/// Value of a keyword argument.
#[derive(Clone, Debug, PartialEq)]
pub enum KeywordValue {
    /// Flag.
    Flag(bool),
    /// Number, text or path.
    Word(String),
    /// Numbers or words that belong together: one value, with commas between them.
    Tuple(Vec<String>),
    /// Several values.
    List(Vec<String>),
}

/// Arguments that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentError {
    /// Arguments that are unknown, missing, in conflict, or of a wrong type.
    Type(String),
    /// An argument whose value is not possible.
    Value(String),
}

/// Parses keyword arguments.
///
/// # Errors
///
/// The argument that cannot be used, by name.
pub fn parse(
    command: &mut Command,
    given: &[(String, KeywordValue)],
) -> Result<ArgMatches, ArgumentError> {
    let mut words: Vec<OsString> = vec!["--output=-".into()];
    for (name, value) in given {
        let Some(arg) = find(command, name) else {
            return Err(ArgumentError::Type(unknown(command, name)));
        };
        append(&mut words, arg, name, value)?;
    }
    let parsed = command.try_get_matches_from_mut(words);
    parsed.map_err(|e| argument_error(&e))
}

/// Returns the name of an argument in Python: that of its flag.
pub fn name_of(arg: &Arg) -> Option<String> {
    Some(keyword_name(arg.get_long()?))
}

/// Returns the name of a flag in Python. Words of the language get an underscore.
fn keyword_name(flag: &str) -> String {
    const WORDS: [&str; 8] = ["as", "class", "def", "from", "global", "in", "is", "lambda"];
    match WORDS.contains(&flag) {
        true => format!("{flag}_"),
        false => flag.replace('-', "_"),
    }
}

/// Returns the arguments that are shown, in the order of the help.
pub fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && arg.get_long().is_some())
}

fn find<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let is_named = |arg: &&Arg| name_of(arg).is_some_and(|n| n == name);
    let mut all = command
        .get_arguments()
        .filter(|arg| arg.get_id() != "output");
    all.find(is_named)
}

fn unknown(command: &Command, name: &str) -> String {
    let names: Vec<String> = shown(command).filter_map(name_of).collect();
    let near = names.iter().min_by_key(|n| distance(n, name));
    let near = near.filter(|n| distance(n, name) <= 2);
    let hint = match near {
        Some(near) => format!("; did you mean {near}?"),
        None => format!("; there are {}", names.join(", ")),
    };
    format!(
        "{}() got an unexpected keyword argument '{name}'{hint}",
        command.get_name()
    )
}

/// Returns the number of letters to insert, to delete or to replace between two words (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Appends the words of an argument.
fn append(
    words: &mut Vec<OsString>,
    arg: &Arg,
    name: &str,
    value: &KeywordValue,
) -> Result<(), ArgumentError> {
    let long = arg.get_long().unwrap_or_default();
    let mut push = |value: &str| words.push(format!("--{long}={value}").into());
    let is_list = matches!(arg.get_action(), ArgAction::Append);
    let wrong = |what: &str| Err(ArgumentError::Type(format!("{name}: {what}")));
    match value {
        KeywordValue::Flag(on) => {
            let least = arg.get_num_args().map_or(1, |n| n.min_values());
            if arg.get_action().takes_values() && least > 0 {
                return wrong("a value is needed, not a bool");
            }
            if *on {
                words.push(format!("--{long}").into());
            }
        }
        _ if !arg.get_action().takes_values() => return wrong("True or False is needed"),
        KeywordValue::Word(word) => push(word),
        KeywordValue::Tuple(parts) => push(&parts.join(",")),
        KeywordValue::List(values) if is_list => values.iter().for_each(|v| push(v)),
        KeywordValue::List(values) => push(&values.join(",")),
    }
    Ok(())
}

/// Returns the error of a call that could not be parsed.
pub fn argument_error(e: &clap::Error) -> ArgumentError {
    let text = |kind| match e.get(kind) {
        Some(ContextValue::String(text)) => keyword_names(text),
        Some(ContextValue::Strings(all)) => all
            .iter()
            .map(|text| keyword_names(text))
            .collect::<Vec<_>>()
            .join(", "),
        _ => String::new(),
    };
    let (arg, value) = (
        text(ContextKind::InvalidArg),
        text(ContextKind::InvalidValue),
    );
    match e.kind() {
        ErrorKind::InvalidValue => {
            let possible = text(ContextKind::ValidValue);
            ArgumentError::Value(match value.is_empty() {
                true => format!("{arg}: a value is needed"),
                false => format!("{arg}: '{value}' is none of {possible}"),
            })
        }
        ErrorKind::ValueValidation => {
            let why = e.source().map_or(String::new(), |e| format!(": {e}"));
            ArgumentError::Value(format!("{arg}: '{value}' is not possible{why}"))
        }
        ErrorKind::MissingRequiredArgument => ArgumentError::Type(format!("needed: {arg}")),
        ErrorKind::ArgumentConflict if !arg.is_empty() => {
            let other = text(ContextKind::PriorArg);
            ArgumentError::Type(format!("{arg} cannot be used with {other}"))
        }
        _ => ArgumentError::Type(plain(&e.to_string())),
    }
}

/// Returns the first line of a message, without its prefix, and with names of keyword arguments.
fn plain(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    with_keywords(line.strip_prefix("error: ").unwrap_or(line))
}

/// Returns the names of the flags in `--faces <N>` or `<--faces <N>|--ratio <PART>>`, with "or" between them.
fn keyword_names(text: &str) -> String {
    if !text.contains("--") {
        return text.to_owned();
    }
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '-'));
    let flags = words.filter_map(|word| word.strip_prefix("--"));
    let names: Vec<String> = flags.map(keyword_name).collect();
    names.join(" or ")
}

/// Returns a text that names flags, `--no-keep-seams`, with the names of keyword arguments.
pub fn with_keywords(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let (before, flag) = (&rest[..at], &rest[at + 2..]);
        let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let end = flag.find(|c| !is_part(c)).unwrap_or(flag.len());
        out += before;
        match flag[..end].trim_end_matches('-') {
            "" => out += &rest[at..at + 2 + end],
            name => {
                out += &keyword_name(name);
                out += &flag[name.len()..end];
            }
        }
        rest = &flag[end..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::ALL;

    fn command(name: &str) -> Command {
        let function = ALL.iter().find(|f| f.name == name).unwrap();
        (function.command)()
    }

    fn word(text: &str) -> KeywordValue {
        KeywordValue::Word(text.into())
    }

    fn fails(name: &str, given: &[(&str, KeywordValue)]) -> ArgumentError {
        let given: Vec<_> = given
            .iter()
            .map(|(n, v)| ((*n).to_owned(), v.clone()))
            .collect();
        parse(&mut command(name), &given).unwrap_err()
    }

    #[test]
    fn commands_are_consistent() {
        for function in ALL {
            (function.command)().debug_assert();
            let all = (function.command)();
            let positional: Vec<&Arg> = all.get_positionals().collect();
            assert!(positional.is_empty(), "{}: {positional:?}", function.name);
        }
    }

    #[test]
    fn errors_name_the_argument() {
        let value = |text: &str| ArgumentError::Value(text.into());
        let kind = |text: &str| ArgumentError::Type(text.into());
        assert_eq!(
            fails("simplify", &[("faces", word("x"))]),
            value("faces: 'x' is not possible: invalid digit found in string")
        );
        assert_eq!(
            fails("simplify", &[("faces", word("5")), ("cost", word("x"))]),
            value("cost: 'x' is none of quadric, length")
        );
        assert_eq!(
            fails("simplify", &[]),
            kind("needed: faces or ratio or error")
        );
        let ArgumentError::Type(unknown) = fails("simplify", &[("face", word("5"))]) else {
            panic!("an unknown argument is a wrong type");
        };
        assert!(
            unknown.ends_with("'face'; did you mean faces?"),
            "{unknown}"
        );
        assert_eq!(
            fails("simplify", &[("faces", KeywordValue::Flag(true))]),
            kind("faces: a value is needed, not a bool")
        );
        assert_eq!(
            fails("simplify", &[("map", word("x"))]),
            kind("map: True or False is needed")
        );
        let both = [
            ("map", KeywordValue::Flag(true)),
            ("repair", KeywordValue::Flag(true)),
        ];
        let ArgumentError::Type(both) = fails("delaunay", &both) else {
            panic!("a conflict is a wrong type");
        };
        assert!(both.contains("map") && both.contains("repair"), "{both}");
    }

    #[test]
    fn values_become_options() {
        let list = KeywordValue::List(vec!["3".into(), "5".into()]);
        let matches = parse(&mut command("spring"), &[("pin".into(), list)]).unwrap();
        let pins: Vec<u32> = matches.get_many("pin").unwrap().copied().collect();
        assert_eq!(pins, [3, 5]);
        let tuple = KeywordValue::Tuple(vec!["0".into(), "0".into(), "-1.5".into()]);
        assert!(parse(&mut command("transform"), &[("translate".into(), tuple)]).is_ok());
        let given = [("weld".to_owned(), KeywordValue::Flag(true))];
        assert!(parse(&mut command("repair"), &given).is_ok());
        let given = [("weld".to_owned(), word("0.1%"))];
        assert!(parse(&mut command("repair"), &given).is_ok());
        let given = [("quality".to_owned(), KeywordValue::Flag(true))];
        assert!(parse(&mut command("distance"), &given).is_ok());
    }

    #[test]
    fn flags_in_texts_become_keywords() {
        assert_eq!(
            with_keywords("(--no-keep-seams leaves them apart) -- and --error 0.1%"),
            "(no_keep_seams leaves them apart) -- and error 0.1%"
        );
        assert_eq!(with_keywords("without"), "without");
    }
}
