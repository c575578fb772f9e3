//! Scenes from files: colliders of meshes and grids, bodies of several materials.

use rxmesh_host::engine::Engine;
use rxmesh_host::io::{self, WriteOptions};
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, generate};
use rxmesh_simulation::scene::{RunningScene, Scene, SceneError};
use std::path::PathBuf;

/// Temporary folder that is removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("rxmesh-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn stage(&self, text: &str) -> Result<RunningScene, SceneError> {
        let scene = Scene::parse(text, &self.0.join("scene.toml"))?;
        RunningScene::new(&Engine::cpu(), scene)
    }

    fn refuses(&self, text: &str, place: &str, says: &str) {
        let why = self.stage(text).unwrap_err().to_string();
        assert!(why.contains(place) && why.contains(says), "{text}\n{why}");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn lowest(stage: &mut RunningScene, body: usize) -> f32 {
    let x = stage.world.body_mut(body).unwrap().positions().unwrap();
    x.iter().map(|x| x.z).fold(f32::INFINITY, f32::min)
}

/// A body falls onto a box of a file, as a volume and as a surface, scaled, rotated and moved; and onto the same
/// distances from a file.
#[test]
fn bodies_rest_on_meshes_and_grids() {
    let folder = Folder::new("grids");
    let volume = generate::tet_box([2, 2, 1], [10.0, 10.0, 5.0]).unwrap();
    let surface = volume.boundary().surface;
    let write = |name: &str, mesh: io::Model<'_>| {
        io::write(&folder.0.join(name), mesh, &WriteOptions::default()).unwrap();
    };
    write("table.mesh", (&volume).into());
    write("table.ply", (&surface).into());
    let numbers = |z: i32| (0..16).map(move |_| (0.05 * z as f32).to_le_bytes());
    let bytes: Vec<u8> = (-2..3).flat_map(numbers).flatten().collect();
    std::fs::write(folder.0.join("ground.f32"), bytes).unwrap();
    let table =
        "scale = 0.1\nturn = { axis = [1, 0, 0], degrees = 180 }\nat = [-0.45, 0.55, 0.0]\n";
    for shape in [
        format!("mesh = 'table.mesh'\nspacing = 0.05\n{table}"),
        format!("mesh = 'table.ply'\nresolution = 24\n{table}"),
        "grid = { file = 'ground.f32', points = [4, 4, 5], spacing = 0.05, origin = [-0.02, -0.02, -0.1] }\n".into(),
    ] {
        let mut stage = folder
            .stage(&format!(
                "time = {{ step = 0.01, steps = 1 }}\n[[body]]\nname = 'cube'\n\
                box = {{ divisions = [1, 1, 1], size = [0.1, 0.1, 0.1] }}\nat = [0, 0, 0.02]\n\
                material = {{ young = 1e5 }}\n[[collider]]\n{shape}"
            ))
            .unwrap();
        for _ in 0..60 {
            stage.step().unwrap();
        }
        let z = lowest(&mut stage, 0);
        assert!((-2e-3..1e-3).contains(&z), "{shape}: {z}");
    }
}

#[test]
fn colliders_that_cannot_be_are_named() {
    let folder = Folder::new("colliders");
    let sheet = generate::grid(2, 2).unwrap();
    let options = WriteOptions::default();
    io::write(&folder.0.join("sheet.obj"), &sheet, &options).unwrap();
    std::fs::write(folder.0.join("short.f32"), [0; 30]).unwrap();
    std::fs::write(folder.0.join("nan.f32"), [0xff; 32]).unwrap();
    let scene = |collider: &str| {
        format!(
            "time = {{ step = 0.01, steps = 1 }}\n[[body]]\nname = 'a'\n\
            box = {{ divisions = [1, 1, 1], size = [1, 1, 1] }}\n\
            [[collider]]\nplane = {{ normal = [0, 0, 1] }}\n[[collider]]\n{collider}"
        )
    };
    let grid = |rest: &str| format!("grid = {{ spacing = 1, {rest} }}");
    let cube = "points = [2, 2, 2]";
    for (collider, says) in [
        ("mesh = 'none.obj'".to_owned(), "none.obj"),
        (
            "mesh = 'sheet.obj'".into(),
            "sheet.obj: the surface is not closed",
        ),
        ("mesh = 'sheet.obj'\nspacing = 0".into(), "`spacing` is 0"),
        ("mesh = 'sheet.obj'\nscale = -1".into(), "`scale` is -1"),
        ("mesh = 'sheet.obj'\nresolution = 1".into(), "2 or more"),
        (
            "mesh = 'sheet.obj'\nresolution = 9\nspacing = 1".into(),
            "say the same",
        ),
        (
            "sphere = { radius = 1 }\nscale = 2".into(),
            "are of a `mesh`",
        ),
        ("mesh = 'a'\nsphere = { radius = 1 }".into(), "one of"),
        (grid(&format!("{cube}, file = 'none.f32'")), "none.f32"),
        (
            grid(&format!("{cube}, file = 'short.f32'")),
            "short.f32: it has 30 bytes, and 32 are needed for [2, 2, 2] points",
        ),
        (
            grid(&format!("{cube}, file = 'nan.f32'")),
            "distance 0 of a grid is not finite",
        ),
        (
            grid("points = [1, 2, 4], file = 'nan.f32'"),
            "2 points along each axis",
        ),
    ] {
        folder.refuses(&scene(&collider), "collider 1", says);
    }
}

/// A bar of two regions: the soft half is stretched more, and the heavy one weighs more.
#[test]
fn materials_are_those_of_regions_and_boxes() {
    let folder = Folder::new("materials");
    let mut mesh = generate::tet_box([4, 1, 1], [4.0, 1.0, 1.0]).unwrap();
    let right = |c: &[u32; 4]| {
        let x: f32 = c.iter().map(|&v| mesh.positions[v as usize].x).sum();
        x > 8.0
    };
    let regions = mesh.cells.iter().map(|c| if right(c) { 7 } else { 5 });
    let regions: Vec<i32> = regions.collect();
    mesh.add_column(Column {
        name: "region".into(),
        element: ElementKind::Cell,
        width: 1,
        data: ColumnData::I32(regions.clone()),
    })
    .unwrap();
    let scene = |file: &str, rest: &str| {
        format!(
            "time = {{ step = 0.01, steps = 1 }}\n[[body]]\nname = 'bar'\nmesh = '{file}'\n\
            material = {{ young = 1e6, density = 100 }}\n{rest}"
        )
    };
    for file in ["bar.msh", "bar.mesh", "bar.vtu", "bar.vtk"] {
        let path = folder.0.join(file);
        io::write(&path, &mesh, &WriteOptions::default()).unwrap();
        let stage = folder
            .stage(&scene(
                file,
                "[[body.materials]]\nvalue = 7\nmaterial = { young = 2e4, density = 300 }\n\
                [[body.materials]]\nwithin = [[3, 0, 0], [4, 1, 1]]\nmaterial = { young = 3e4, density = 700 }\n",
            ))
            .unwrap();
        let body = stage.world.body(0).unwrap();
        for (c, cell) in mesh.cells.iter().enumerate() {
            let x: f32 = cell.iter().map(|&v| mesh.positions[v as usize].x).sum();
            let want = match (x > 12.0, regions[c]) {
                (true, _) => 700.0,
                (false, 7) => 300.0,
                (false, _) => 100.0,
            };
            assert_eq!(body.materials().of(c).density, want, "{file}: cell {c}");
        }
        let stage = folder.stage(&scene(file, "")).unwrap();
        assert_eq!(stage.world.body(0).unwrap().materials().table().len(), 1);
    }
    let material = "material = { young = 1e5 }";
    let some = |rest: &str| scene("bar.msh", &format!("[[body.materials]]\n{rest}\n"));
    for (rest, says) in [
        (material.to_owned(), "`value` or `within`"),
        (format!("value = 9\n{material}"), "no cell is of it"),
        (
            format!("value = 7\ncolumn = 'zone'\n{material}"),
            "no column `zone`",
        ),
        (
            "value = 7\nmaterial = { young = -1 }".into(),
            "materials 0: Young",
        ),
    ] {
        folder.refuses(&some(&rest), "body \"bar\"", says);
    }
    let says = "there are: region";
    folder.refuses(
        &some(&format!("value = 7\ncolumn = 'zone'\n{material}")),
        "bar",
        says,
    );
    let cloth = "time = { step = 0.01, steps = 1 }\n[[body]]\nname = 'bar'\nsolver.xpbd = {}\n\
        sheet = { divisions = [1, 1], size = [1, 1] }\n[[body.materials]]\nvalue = 1\nmaterial = {}";
    folder.refuses(cloth, "body \"bar\"", "`materials` are of cells");
}
