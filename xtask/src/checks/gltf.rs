//! Check of the glTF files that the program writes, by the validator of the Khronos Group (npm `gltf-validator`).

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use crate::ci::StepOutcome;
use crate::workspace;

/// The validator and its version.
const VALIDATOR: &str = "gltf-validator@2.0.0-dev.3.10";

/// Program that validates, and shows that the validator finds faults.
const SCRIPT: &str = include_str!("gltf.js");

/// Mesh with values of corners, groups and materials.
const PARTS: &str = "# a comment\nmtllib none.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nvt 0 0\n\
    vt 1 0\nvt 1 1\n\
    vn 0 0 1\nvn 0 1 0\nvn 0 0 2\no one\nusemtl wood\nf 1/1/1 2/2/1 3/3/1 4/1/3\no two\ng side\nusemtl steel\n\
    f 1/1/2 2/2/2 5/3/2\ns 1\nf 1 5 4\n";

/// Mesh that is far from the origin, with more digits than 32-bit floats hold there.
const FAR: &str = "v 500000.123 4649776.456 10.001\nv 500001.123 4649776.456 10.5\n\
    v 500000.5 4649777.25 10.25\nf 1 2 3\n";

/// Points without faces, with colours.
const POINTS: &str = "v 0 0 0 1 0.5 0\nv 1 0 0 0 0.25 1\nv 0 1 0 1 1 1\n";

/// Square on two joints.
const SKINNED: &str = include_str!("skinned.gltf");

/// Commands that write the files, the first of which has normals and indices of 16 bits.
const COMMANDS: [&[&str]; 15] = [
    &[
        "generate",
        "torus",
        "--nu",
        "24",
        "--nv",
        "16",
        "-o",
        "torus.obj",
    ],
    &["normals", "torus.obj", "-o", "normals.glb"],
    &["convert", "normals.glb", "-o", "normals.gltf"],
    &["curvature", "torus.obj", "-o", "curvature.glb"],
    &["convert", "parts.obj", "-o", "parts.glb"],
    &["convert", "parts.glb", "-o", "parts.gltf"],
    &["convert", "far.obj", "-o", "far.glb"],
    &["convert", "points.obj", "-o", "points.glb"],
    &["subdivide", "parts.glb", "--levels", "1", "-o", "finer.glb"],
    &[
        "convert",
        "normals.glb",
        "--quantise",
        "-o",
        "quantised.glb",
    ],
    &["convert", "normals.glb", "--pack", "-o", "packed.gltf"],
    &["convert", "parts.glb", "--pack", "-o", "packed.glb"],
    &["convert", "skinned.gltf", "-o", "skinned.glb"],
    &["convert", "skinned.glb", "--pack", "-o", "bones.glb"],
    &["smooth", "skinned.glb", "-o", "limb.glb"],
];

pub(crate) fn run() -> anyhow::Result<StepOutcome> {
    let folder = workspace::target().join("gltf");
    fs::create_dir_all(&folder)?;
    if !folder.join("node_modules/gltf-validator").is_dir() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-save", "--no-audit", "--no-fund", VALIDATOR])
            .current_dir(&folder)
            .stdout(Stdio::null());
        if !npm.status().is_ok_and(|status| status.success()) {
            return Ok(StepOutcome::NotRun("npm cannot install gltf-validator"));
        }
    }
    for (name, text) in [
        ("parts.obj", PARTS),
        ("far.obj", FAR),
        ("points.obj", POINTS),
        ("skinned.gltf", SKINNED),
    ] {
        fs::write(folder.join(name), text)?;
    }
    let program = workspace::programs(&["rxmesh"])?.join("rxmesh");
    let mut written = Vec::new();
    for command in COMMANDS {
        rxmesh(&program, &folder, command)?;
        let file = command[command.len() - 1];
        if file != "torus.obj" {
            written.push(file);
        }
    }
    fs::write(folder.join("check.js"), SCRIPT)?;
    let status = Command::new("node")
        .arg("check.js")
        .args(written)
        .current_dir(&folder)
        .status()
        .context("node")?;
    ensure!(status.success(), "gltf-validator: {status}");
    Ok(StepOutcome::Passed)
}

fn rxmesh(program: &Path, folder: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let status = Command::new(program)
        .args(arguments)
        .arg("--quiet")
        .current_dir(folder)
        .status()?;
    ensure!(status.success(), "rxmesh {}: {status}", arguments.join(" "));
    Ok(())
}
