//! Whole or not at all, wherever the path leads.

use super::{Links, check, check_with, replace_own, write, write_bytes, write_with};
use std::fs;
use std::io::{Error, ErrorKind, Write};
use std::path::Path;

fn names(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = names
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_write_that_fails_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    let broken = |path: &Path| {
        write(path, |file| {
            file.write_all(b"half")?;
            Err(Error::new(ErrorKind::StorageFull, "no more"))
        })
    };
    assert_eq!(broken(&path).unwrap_err().kind(), ErrorKind::StorageFull);
    assert!(names(folder.path()).is_empty());
    write_bytes(&path, b"old").unwrap();
    assert!(broken(&path).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["a.obj"]);
    let panicking = || write(&path, |_| panic!("inside"));
    assert!(std::panic::catch_unwind(panicking).is_err());
    assert_eq!(names(folder.path()), ["a.obj"]);
    write_bytes(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn folders_and_names_that_are_none_are_refused_before_and_while_writing() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no").join("a.obj");
    let nameless = folder.path().join("..").join("..").join("..");
    for (path, why) in [
        (folder.path(), "it is a folder"),
        (&missing, "there is no folder"),
        (&nameless, "it is a folder"),
        (Path::new(""), "it is no name of a file"),
    ] {
        for refused in [check(path), write_bytes(path, b"x")] {
            let message = refused.unwrap_err().to_string();
            assert!(message.contains(why), "{}: {message}", path.display());
        }
    }
    assert!(names(folder.path()).is_empty());
}

#[cfg(unix)]
mod links {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_link_stays_and_its_target_is_written_also_where_it_dangles() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("deep")).unwrap();
        // Relative to the folder that the link is in, over two steps.
        symlink("deep/second", at("first")).unwrap();
        symlink("target", at("deep/second")).unwrap();
        for content in ["made", "made anew"] {
            check(&at("first")).unwrap();
            write_bytes(&at("first"), content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(at("deep/target")).unwrap(), content);
            for link in ["first", "deep/second"] {
                assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink());
            }
        }
        assert_eq!(names(&at("deep")), ["second", "target"]);
        symlink("nowhere/target", at("third")).unwrap();
        let message = write_bytes(&at("third"), b"x").unwrap_err().to_string();
        assert!(message.contains("there is no folder"), "{message}");
        assert!(fs::symlink_metadata(at("third")).unwrap().is_symlink());
    }

    #[test]
    fn links_in_circles_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("b", at("a")).unwrap();
        symlink("a", at("b")).unwrap();
        let message = write_bytes(&at("a"), b"x").unwrap_err().to_string();
        assert!(message.contains("circles"), "{message}");
        assert_eq!(names(folder.path()), ["a", "b"]);
    }

    #[test]
    fn modes_stay_and_read_only_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        for wanted in [0o640, 0o755, 0o600] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            write_bytes(&path, b"new").unwrap();
            assert_eq!(mode(), wanted);
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        for refused in [check(&path), write_bytes(&path, b"newer")] {
            let message = refused.unwrap_err().to_string();
            assert!(message.contains("read-only"), "{message}");
        }
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn a_link_at_a_name_that_nobody_typed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("foreign"), b"rxpatch, and of somebody else").unwrap();
        symlink("foreign", at("link")).unwrap();
        symlink("nowhere", at("dangling")).unwrap();
        for name in ["link", "dangling"] {
            let content = |file: &mut fs::File| file.write_all(b"new");
            for refused in [
                check_with(&at(name), Links::Refuse),
                write_with(&at(name), Links::Refuse, content),
                replace_own(&at(name), b"rxpatch", content),
            ] {
                let message = refused.unwrap_err().to_string();
                assert!(message.contains("symbolic link"), "{message}");
            }
        }
        assert!(fs::read(at("foreign")).unwrap().starts_with(b"rxpatch"));
        assert_eq!(names(folder.path()), ["dangling", "foreign", "link"]);
        write_with(&at("plain"), Links::Refuse, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(at("plain")).unwrap(), b"new");
    }

    #[test]
    fn only_files_of_its_own_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let put = |name: &str| replace_own(&at(name), b"magic", |file| file.write_all(b"magic 2"));
        for foreign in [&b"v 0 0 0"[..], b"magi", b""] {
            fs::write(at("foreign"), foreign).unwrap();
            let message = put("foreign").unwrap_err().to_string();
            assert!(message.contains("another file"), "{message}");
            assert_eq!(fs::read(at("foreign")).unwrap(), foreign);
        }
        fs::write(at("own"), b"magic 1").unwrap();
        for name in ["own", "none"] {
            put(name).unwrap();
            assert_eq!(fs::read(at(name)).unwrap(), b"magic 2");
        }
        assert!(replace_own(Path::new("/dev/null"), b"magic", |_| Ok(())).is_err());
        assert!(put(".").is_err());
    }

    /// A half-written file must not be open to more people than the file that it replaces.
    #[test]
    fn part_files_are_private_until_they_have_the_mode_of_their_target() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let part_mode = || {
            let mut mode = 0;
            write(&path, |file| {
                mode = file.metadata()?.permissions().mode() & 0o777;
                file.write_all(b"new")
            })
            .unwrap();
            mode
        };
        let fresh = part_mode();
        fs::write(folder.path().join("b"), b"").unwrap();
        let usual = fs::metadata(folder.path().join("b")).unwrap();
        assert_eq!(fresh, usual.permissions().mode() & 0o777);
        for wanted in [0o600, 0o644, 0o660] {
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            assert_eq!(part_mode(), 0o600);
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, wanted);
        }
    }

    #[test]
    fn devices_are_written_as_they_are() {
        write_bytes(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
