//! Whatever the bytes of a volume file are: an answer, no panic, no memory that the file cannot fill.

use super::elements::{laden_surface, surface_forms};
use super::volumes::{forms, laden_tets};
use super::*;
use proptest::prelude::*;

type Form = (&'static str, Format, Encoding);

/// Returns a mesh in every form.
fn in_forms<'a>(
    mesh: impl Into<Model<'a>> + Copy,
    forms: Vec<Form>,
) -> Vec<(&'static str, Vec<u8>)> {
    let sample = |(name, format, encoding)| {
        let options = WriteOptions {
            format: Some(format),
            encoding,
        };
        (
            name,
            write_bytes(Path::new(name), mesh, &options).unwrap().0,
        )
    };
    forms.into_iter().map(sample).collect()
}

/// Returns small valid files of every form, each with one of everything.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    in_forms(&laden_tets(), forms())
}

/// Returns the same for surfaces.
fn surfaces() -> Vec<(&'static str, Vec<u8>)> {
    in_forms(&laden_surface(false), surface_forms())
}

fn survives(name: &str, bytes: &[u8]) {
    if let Ok(loaded) = read_tets_bytes(bytes, Path::new(name), &ReadOptions::default()) {
        loaded.mesh.validate().unwrap();
    }
    if let Ok(loaded) = read_poly_bytes(bytes, Path::new(name), &ReadOptions::default()) {
        loaded.mesh.validate().unwrap();
    }
}

#[test]
fn every_prefix_is_read_or_refused() {
    for (name, bytes) in samples().into_iter().chain(surfaces()) {
        let step = bytes.len() / 900 + 1;
        (0..bytes.len())
            .step_by(step)
            .for_each(|end| survives(name, &bytes[..end]));
    }
}

/// Cut before their data end, files are refused.
#[test]
fn cut_volumes_are_refused() {
    for (name, bytes) in samples() {
        let step = bytes.len() / 300 + 1;
        for end in (0..bytes.len() * 9 / 10).step_by(step) {
            let read = read_tets_bytes(&bytes[..end], Path::new(name), &ReadOptions::default());
            // A whole array of VTK, or a whole section of MSH, may be followed by another one, but need not be.
            let whole = match &read {
                Ok(loaded) => {
                    loaded.mesh.extras.columns.len() < 10 && ["a.vtk", "a.msh"].contains(&name)
                }
                Err(_) => true,
            };
            assert!(whole, "{name} cut at {end} of {}", bytes.len());
        }
    }
}

#[test]
fn promises_beyond_the_file_are_refused_before_memory_is_taken() {
    let huge = [
        "4294967295",
        "9223372036854775807",
        "18446744073709551615",
        "-1",
    ];
    let head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
    let head4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
    for n in huge {
        for (name, text) in [
            ("a.msh", format!("{head}$Nodes\n{n}\n1 0 0 0\n")),
            (
                "a.msh",
                format!("{head}$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n{n}\n1 4 0 1 1 1 1\n"),
            ),
            (
                "a.msh",
                format!("{head}$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 {n} 1 1 1 1\n"),
            ),
            (
                "a.msh",
                format!("{head4}$Nodes\n{n} 1 1 1\n3 1 0 1\n1\n0 0 0\n"),
            ),
            (
                "a.msh",
                format!("{head4}$Nodes\n1 1 1 1\n3 1 0 {n}\n1\n0 0 0\n"),
            ),
            (
                "a.msh",
                format!("{head4}$Entities\n0 0 0 {n}\n1 0 0 0 1 1 1\n"),
            ),
            (
                "a.mesh",
                format!("MeshVersionFormatted 1\nDimension 3\nVertices\n{n}\n0 0 0 0\n"),
            ),
            (
                "a.mesh",
                format!(
                    "MeshVersionFormatted 1\nDimension 3\nVertices\n1\n0 0 0 0\nTetrahedra {n}\n1 1 1 1 0\n"
                ),
            ),
            (
                "a.vtk",
                format!(
                    "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {n} float\n0 0 0\n"
                ),
            ),
            (
                "a.vtk",
                format!(
                    "# vtk DataFile Version 3.0\n\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS {n} float\n0 0 0\n"
                ),
            ),
            (
                "a.vtk",
                format!(
                    "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 float\n0 0 0\n\
                    CELLS 1 {n}\n4 0 0 0 0\n"
                ),
            ),
            (
                "a.vtk",
                format!(
                    "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD F 1\na {n} {n} int\n0\n"
                ),
            ),
        ] {
            let error = read_tets_bytes(text.as_bytes(), Path::new(name), &ReadOptions::default());
            let error = error.unwrap_err().to_string();
            assert!(
                error.contains("line ") || error.contains("byte "),
                "{text}: {error}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Bytes changed, taken out and put in.
    #[test]
    fn mutated_volumes_do_no_harm(
        which in 0usize..22,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..4), 1..8),
    ) {
        let mut all = samples();
        all.extend(surfaces());
        let (name, mut bytes) = all.swap_remove(which);
        for (at, value, kind) in changes {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = value,
                1 => bytes[at] = b"0123456789-. \n"[value as usize % 14],
                2 => drop(bytes.drain(at..(at + value as usize % 40).min(bytes.len()))),
                _ => bytes.insert(at, value),
            }
            if bytes.is_empty() {
                break;
            }
        }
        survives(name, &bytes);
    }
}
