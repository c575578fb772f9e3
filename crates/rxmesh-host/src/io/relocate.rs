//! Names of other files, which lead to them from the folder that a mesh is in.

use super::names;
use crate::mesh::{Extras, Tag, TagKind};
use std::path::{Component, Path, PathBuf};

/// Word of a comment that names the texture of a PLY file.
const TEXTURE: &str = "TextureFile ";

/// Makes the material libraries (`mtllib`) and texture files (PLY's comment `TextureFile`) of a mesh lead to their
/// files from the output's folder: a relative name gets the way back to the folder of the input `from` in front. Names
/// that are not relative stay, and so do all where both are in one folder. `to` is the output, `None` for a stream.
///
/// Returns warnings for names that cannot be made to lead back.
pub fn relocate(extras: &mut Extras, from: &Path, to: Option<&Path>) -> Vec<String> {
    let names = extras.tags.iter().filter(|t| t.kind == TagKind::Library);
    let names = names.map(|t| t.text.as_str());
    let textures = extras
        .comments
        .iter()
        .filter_map(|c| c.strip_prefix(TEXTURE));
    let relative: Vec<&str> = names.chain(textures).filter(|n| is_relative(n)).collect();
    let Some(first) = relative.first() else {
        return Vec::new();
    };
    let from = folder(from);
    let Some(back) = to.and_then(|to| way(folder(to), from)) else {
        let why = match to {
            None => "a stream has no folder",
            Some(_) => "there is no relative path between both folders",
        };
        return vec![format!(
            "'{}' and such names lead to their files from the input's folder only: {why}",
            names::shown(first)
        )];
    };
    if back.as_os_str().is_empty() {
        return Vec::new();
    }
    let tags = std::mem::take(&mut extras.tags).into_iter();
    extras.tags = tags
        .flat_map(|tag| match tag.kind {
            TagKind::Library => libraries(tag, from, &back),
            _ => vec![tag],
        })
        .collect();
    for comment in &mut extras.comments {
        if let Some(name) = comment.strip_prefix(TEXTURE) {
            *comment = format!("{TEXTURE}{}", behind(&back, name.trim_ascii()));
        }
    }
    Vec::new()
}

/// Returns the folder that a file is in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns `true` for names of Unix and of Windows that begin neither at a root nor at a drive.
fn is_relative(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':') && name.as_bytes()[0].is_ascii_alphabetic();
    !name.trim_ascii().is_empty() && !name.starts_with(['/', '\\']) && !drive
}

/// Returns the relative path from one folder to another, both with their links resolved; empty if they are the same.
fn way(from: &Path, to: &Path) -> Option<PathBuf> {
    let (from, to) = (from.canonicalize().ok()?, to.canonicalize().ok()?);
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (from.components().collect(), to.components().collect());
    if from.first() != to.first() {
        return None;
    }
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[same..].iter().map(|_| Component::ParentDir);
    Some(up.chain(to[same..].iter().copied()).collect())
}

/// Returns the names of a statement `mtllib`: one, or several that end in `.mtl`, if there is no file of the whole name
/// in the folder.
pub(super) fn library_names<'a>(text: &'a str, folder: &Path) -> Vec<&'a str> {
    let parts: Vec<&str> = text.split([' ', '\t']).filter(|p| !p.is_empty()).collect();
    let ends = |name: &&str| name.to_ascii_lowercase().ends_with(".mtl");
    match parts.len() > 1 && parts.iter().all(ends) && !folder.join(text).exists() {
        true => parts,
        false => vec![text],
    }
}

/// Returns a statement `mtllib` with the path back before its names: one, or several that end in `.mtl`.
fn libraries(tag: Tag, folder: &Path, back: &Path) -> Vec<Tag> {
    let parts = library_names(&tag.text, folder);
    if parts.len() == 1 {
        let text = behind(back, &tag.text);
        return vec![Tag { text, ..tag }];
    }
    let moved: Vec<String> = parts.iter().map(|name| behind(back, name)).collect();
    let with = |text| Tag {
        text,
        ..tag.clone()
    };
    // A folder with a space in its name would end the name of a file.
    match back.as_os_str().as_encoded_bytes().contains(&b' ') {
        true => moved.into_iter().map(with).collect(),
        false => vec![with(moved.join(" "))],
    }
}

/// Returns a relative name with the path back in front. Steps up in it undo steps of the path.
fn behind(back: &Path, name: &str) -> String {
    if !is_relative(name) {
        return name.to_owned();
    }
    let mut back: Vec<Component<'_>> = back.components().collect();
    let mut rest = name;
    loop {
        if let Some(more) = rest.strip_prefix("./") {
            rest = more;
        } else if let Some(more) = rest.strip_prefix("../")
            && matches!(back.last(), Some(Component::Normal(_)))
        {
            back.pop();
            rest = more;
        } else {
            break;
        }
    }
    let mut out = String::new();
    for part in back {
        out += &names::from_bytes(part.as_os_str().as_encoded_bytes());
        out.push('/');
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(name: &str, from: &str, to: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        for name in ["in/deep", "out", "with space"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let mut extras = Extras::default();
        extras.tags.push(Tag {
            face: 0,
            kind: TagKind::Library,
            text: name.into(),
        });
        extras.comments = vec!["by hand".into(), format!("{TEXTURE}{name}")];
        let [from, to] = [from, to].map(|name| folder.path().join(name));
        assert!(relocate(&mut extras, &from, Some(&to)).is_empty());
        assert_eq!(extras.comments[0], "by hand");
        if !name.contains(' ') {
            assert_eq!(
                extras.comments[1],
                format!("{TEXTURE}{}", extras.tags[0].text)
            );
        }
        let names: Vec<&str> = extras.tags.iter().map(|t| t.text.as_str()).collect();
        names.join("|")
    }

    #[test]
    fn names_lead_back() {
        for (name, from, to, want) in [
            ("m.mtl", "a.obj", "b.obj", "m.mtl"),
            ("m.mtl", "a.obj", "out/b.obj", "../m.mtl"),
            ("m.mtl", "in/deep/a.obj", "b.obj", "in/deep/m.mtl"),
            ("m.mtl", "in/deep/a.obj", "out/b.obj", "../in/deep/m.mtl"),
            ("../m.mtl", "in/deep/a.obj", "b.obj", "in/m.mtl"),
            ("./../../m.mtl", "in/deep/a.obj", "b.obj", "m.mtl"),
            ("../m.mtl", "out/a.obj", "in/b.obj", "../m.mtl"),
            ("tex\\m.mtl", "a.obj", "out/b.obj", "../tex\\m.mtl"),
            ("/abs/m.mtl", "a.obj", "out/b.obj", "/abs/m.mtl"),
            ("C:\\m.mtl", "a.obj", "out/b.obj", "C:\\m.mtl"),
            ("a.mtl b.MTL", "a.obj", "out/b.obj", "../a.mtl ../b.MTL"),
            ("my things.mtl", "a.obj", "out/b.obj", "../my things.mtl"),
            (
                "a.mtl b.mtl",
                "with space/a.obj",
                "b.obj",
                "with space/a.mtl|with space/b.mtl",
            ),
        ] {
            assert_eq!(moved(name, from, to), want, "{name}: {from} to {to}");
        }
        let latin1 = names::from_bytes(b"K\xfcche.mtl");
        let back = moved(&latin1, "a.obj", "out/b.obj");
        assert_eq!(&*names::to_bytes(&back), b"../K\xfcche.mtl");
    }

    #[test]
    fn a_stream_has_no_folder() {
        let mut extras = Extras::default();
        assert!(relocate(&mut extras, Path::new("a.obj"), None).is_empty());
        extras.comments = vec![format!("{TEXTURE}skin.png")];
        let told = relocate(&mut extras, Path::new("a.obj"), None);
        assert!(told[0].contains("'skin.png'"), "{told:?}");
        assert_eq!(extras.comments, ["TextureFile skin.png"]);
    }
}
