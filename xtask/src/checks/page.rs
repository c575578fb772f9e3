//! Check of the pages that the program writes, in headless Chromium.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use crate::ci::StepOutcome;
use crate::workspace;

/// Usual names of the browser.
const BROWSERS: [&str; 5] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

/// Flags of the browser: without a display and a GPU, and with time that runs as fast as the page is drawn.
const FLAGS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--window-size=800,600",
    "--virtual-time-budget=60000",
];

/// Commands that write pages: values with a legend, a mesh with its input, labels, a motion, a volume cut open, an
/// image and checkers.
const COMMANDS: [&str; 12] = [
    "generate torus --nu 60 --nv 40 -o torus.obj",
    "generate torus --nu 60 --nv 40 --noise 0.2 -o noisy.obj",
    "generate ball --n 6 -o ball.msh",
    "geodesic torus.obj --source 0 -o far.ply --html values.html",
    "simplify torus.obj --faces 400 -o small.obj --html compare.html",
    "components torus.obj --labels -o labels.ply --html parts.html",
    "render torus.obj noisy.obj --animate 24 --html motion.html",
    "render ball.msh --cut z,0.5 --edges --html volume.html",
    "render torus.obj noisy.obj --patches --flat --html patches.html",
    "info torus.obj --html input.html",
    "render square.obj --html image.html",
    "render square.obj --checker --html checker.html",
];

/// A square whose material has a red image.
const SQUARE: &str = "mtllib square.mtl\nusemtl red\nv -1 0 1\nv 1 0 1\nv 1 1 -1\nv -1 1 -1\nvt 0 0\nvt 1 0\n\
    vt 1 1\nvt 0 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";

/// A page, texts of its document when it is drawn, and the least share of pixels that show a surface.
const PAGES: [(&str, &[&str], f64); 9] = [
    (
        "values.html",
        &["<strong>distance</strong>", "id=\"legend\"><"],
        0.08,
    ),
    ("compare.html", &["Compare with torus (input)"], 0.08),
    ("parts.html", &["id=\"legend\" hidden"], 0.08),
    ("motion.html", &["id=\"frames\"><button"], 0.08),
    ("volume.html", &["id=\"frames\" hidden"], 0.08),
    ("patches.html", &["<option value=\"labels\">"], 0.08),
    ("input.html", &["2,400 vertices, 4,800 triangles"], 0.08),
    ("image.html", &["<option value=\"materials\">"], 0.08),
    ("checker.html", &["<option value=\"checker\">"], 0.08),
];

pub(crate) fn run() -> anyhow::Result<StepOutcome> {
    let Some(browser) = browser() else {
        return Ok(StepOutcome::NotRun(
            "there is no Chromium; RXMESH_CHROMIUM names one",
        ));
    };
    let folder = workspace::target().join("page");
    fs::create_dir_all(&folder)?;
    if !has_webgl(&browser, &folder)? {
        return Ok(StepOutcome::NotRun("Chromium has no WebGL 2 here"));
    }
    write_square(&folder)?;
    let program = workspace::programs(&["rxmesh"])?.join("rxmesh");
    for command in COMMANDS {
        let status = Command::new(&program)
            .args(command.split(' '))
            .arg("--quiet")
            .current_dir(&folder)
            .status()?;
        ensure!(status.success(), "rxmesh {command}: {status}");
    }
    for (page, texts, least) in PAGES {
        check(&browser, &folder.join(page), texts, least).context(page)?;
    }
    let is_red = |p: &[u8]| p[0] > 120 && p[1] < 60 && p[2] < 60;
    let red = share(&folder.join("image.png"), |p, _| is_red(p))?;
    ensure!(
        red > 0.05,
        "{:.1} % of the pixels show the image",
        100.0 * red
    );
    damaged(&browser, &folder)?;
    Ok(StepOutcome::Passed)
}

/// Writes the square with its material and image.
fn write_square(folder: &Path) -> anyhow::Result<()> {
    fs::write(folder.join("square.obj"), SQUARE)?;
    fs::write(folder.join("square.mtl"), "newmtl red\nmap_Kd red.png\n")?;
    let mut image = png::Encoder::new(fs::File::create(folder.join("red.png"))?, 2, 2);
    image.set_color(png::ColorType::Rgb);
    let pixels = [200, 10, 10].repeat(4);
    Ok(image.write_header()?.write_image_data(&pixels)?)
}

/// Returns the browser of `RXMESH_CHROMIUM`, or the first one on the path.
fn browser() -> Option<OsString> {
    let named = env::var_os("RXMESH_CHROMIUM");
    let all = named.into_iter().chain(BROWSERS.map(OsString::from));
    let is_there = |browser: &OsString| {
        let mut asked = Command::new(browser);
        asked
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        asked.status().is_ok_and(|status| status.success())
    };
    all.into_iter().find(is_there)
}

/// Returns `true` if the browser starts, and has what the viewer needs.
fn has_webgl(browser: &OsString, folder: &Path) -> anyhow::Result<bool> {
    let page = folder.join("webgl.html");
    let script =
        "document.body.dataset.gl = !!document.createElement('canvas').getContext('webgl2')";
    fs::write(&page, format!("<body><script>{script}</script>"))?;
    Ok(document(browser, &page).is_ok_and(|document| document.contains("data-gl=\"true\"")))
}

/// Opens a page; it has to be drawn without a fault.
fn check(browser: &OsString, page: &Path, texts: &[&str], least: f64) -> anyhow::Result<()> {
    let document = document(browser, page)?;
    ensure!(
        document.contains("<body data-ready=\"yes\">"),
        "it is not drawn: {}",
        fault(&document)
    );
    ensure!(fault(&document).is_empty(), "{}", fault(&document));
    for text in texts {
        ensure!(document.contains(text), "its document has no {text}");
    }
    let share = shown(browser, page)?;
    ensure!(
        (least..0.9).contains(&share),
        "{:.1} % of its pixels show something",
        100.0 * share
    );
    Ok(())
}

/// Opens pages that are damaged on purpose, whose faults have to be seen.
fn damaged(browser: &OsString, folder: &Path) -> anyhow::Result<()> {
    let whole = fs::read_to_string(folder.join("input.html"))?;
    let (before, rest) = whole
        .split_once("type=\"text/plain\">")
        .context("the page has no arrays")?;
    let (data, after) = rest.split_once('<').context("the arrays have no end")?;
    let half = &data[..data.len() / 8 * 4];
    let damages = [
        (
            "half.html",
            format!("{before}type=\"text/plain\">{half}<{after}"),
        ),
        (
            "shader.html",
            whole.replace("gl_Position = place", "gl_Position = nothing"),
        ),
    ];
    for (name, text) in damages {
        let page = folder.join(name);
        fs::write(&page, text)?;
        let document = document(browser, &page)?;
        ensure!(
            !document.contains("data-ready") && !fault(&document).is_empty(),
            "{name}: the fault of a damaged page is not seen"
        );
    }
    Ok(())
}

/// Returns the document of a page after it was drawn.
fn document(browser: &OsString, page: &Path) -> anyhow::Result<String> {
    Ok(String::from_utf8(open(browser, page, "--dump-dom")?)?)
}

/// Returns the fault that a page shows.
fn fault(document: &str) -> &str {
    let mark = "id=\"fault\"";
    let text = document
        .split_once(mark)
        .and_then(|(_, rest)| rest.split_once('>'));
    let text = text.and_then(|(_, rest)| rest.split_once("</div>"));
    text.map_or("it has no place for faults", |(text, _)| text)
}

/// Returns the share of the pixels of a page that differ from its background, right of its controls.
fn shown(browser: &OsString, page: &Path) -> anyhow::Result<f64> {
    let file: PathBuf = page.with_extension("png");
    let mut flag = OsString::from("--screenshot=");
    flag.push(&file);
    open(browser, page, flag)?;
    share(&file, |pixel, background| pixel != background)
}

/// Returns the share of the pixels of a screenshot, right of the controls, with a property of the pixel and the
/// background's.
fn share(file: &Path, is_counted: impl Fn(&[u8], &[u8]) -> bool) -> anyhow::Result<f64> {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(fs::File::open(file)?)).read_info()?;
    let mut bytes = vec![
        0;
        reader
            .output_buffer_size()
            .context("the picture is too large")?
    ];
    let info = reader.next_frame(&mut bytes)?;
    let samples = info.color_type.samples();
    let width = info.width as usize;
    let pixels: Vec<&[u8]> = bytes[..info.buffer_size()].chunks(samples).collect();
    let background = pixels[width / 2];
    let inside = |i: &usize| i % width > width * 2 / 5 && i % width < width * 9 / 10;
    let all = (0..pixels.len()).filter(inside);
    let counted = all.clone().filter(|&i| is_counted(pixels[i], background));
    Ok(counted.count() as f64 / all.count() as f64)
}

fn open(
    browser: &OsString,
    page: &Path,
    task: impl AsRef<std::ffi::OsStr>,
) -> anyhow::Result<Vec<u8>> {
    let mut url = OsString::from("file://");
    url.push(page);
    let mut command = Command::new(browser);
    command.args(FLAGS).arg(task).arg(url).stderr(Stdio::null());
    let output = command.output()?;
    ensure!(output.status.success(), "the browser: {}", output.status);
    Ok(output.stdout)
}
