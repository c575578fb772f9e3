//! Launches that overlap.

use crate::line;

/// First PTX target and first PTX version that have the instructions.
const LEAST_TARGET: u32 = 90;
const LEAST_PTX: (u32, u32) = (7, 8);

/// Returns the PTX for GPUs whose launches overlap, with entries that wait for the previous launch first;
/// `None` if the text is not in rustc's form. The next launch is admitted when the last block ends, not sooner: its
/// blocks would take the first free slots, several on one multiprocessor, instead of spreading over all of them.
pub fn overlapping(text: &str) -> Option<String> {
    let (mut out, mut heads, mut entries) = (String::with_capacity(text.len() + 256), 0, 0);
    let mut in_head = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with(".version ") {
            let (major, minor) = line::version(line)?.max(LEAST_PTX);
            out.push_str(&format!(".version {major}.{minor}\n"));
            heads += 1;
        } else if line.starts_with(".target sm_") {
            match line::target(line)? {
                (n, _) if n >= LEAST_TARGET => out.push_str(line),
                (_, "") => out.push_str(&format!(".target sm_{LEAST_TARGET}\n")),
                _ => return None,
            }
            heads += 1;
        } else {
            out.push_str(line);
            in_head |= line::entry(line).is_some();
            if in_head && line.trim() == "{" {
                out.push_str("griddepcontrol.wait;\n");
                (in_head, entries) = (false, entries + 1);
            }
        }
    }
    (heads == 2 && entries > 0 && !in_head).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_wait_before_anything_else() {
        let body = ".visible .entry a(\n\t.param .b32 p\n)\n.maxnreg 96\n{\n\t.reg .b32 %r<2>;\n\tret;\n}\n";
        let waits = body.replace("{\n", "{\ngriddepcontrol.wait;\n");
        let head = |version: &str, target: &str| {
            format!(
                ".version {version}\n.target {target}\n.address_size 64\n.func f()\n{{\n\tret;\n}}\n"
            )
        };
        let old = head("6.3", "sm_75");
        let want = head("7.8", "sm_90") + &waits + &waits;
        assert_eq!(overlapping(&(old.clone() + body + body)), Some(want));
        // Newer versions stay; text in another form is left alone.
        let newer = head("8.4", "sm_100a");
        assert_eq!(overlapping(&(newer.clone() + body)), Some(newer + &waits));
        for text in [
            head("6.3", "sm_75, debug") + body,
            old,
            body.to_string(),
            head("6", "sm_75") + body,
            head("6.3", "sm_75") + ".visible .entry a()\n",
        ] {
            assert_eq!(overlapping(&text), None, "{text}");
        }
    }
}
