#!/usr/bin/env python3
"""Nsight Compute's counters of the kernels behind rows of the bench.

    python3 bench/counters/counters.py PROGRAM RECORD.json [COMMIT]

PROGRAM is `rxmesh-bench`; needs ncu. `cargo xtask bench --docs` shows the newest record in docs/speed/log.md.

Each row is run by itself; the first launches, which prepare things, are skipped. Clocks are free, caches are emptied
before each launch, as ncu does. Medians over the launches that were looked at.
"""

import csv
import json
import statistics
import subprocess
import sys

METRICS = {
    "us": ("gpu__time_duration.sum", 1e-3),
    "dram_mb": ("dram__bytes.sum", 1e-6),
    "l2_mb": ("lts__t_bytes.sum", 1e-6),
    "issue_percent": ("sm__inst_issued.avg.pct_of_peak_sustained_active", 1),
    "warps_percent": ("sm__warps_active.avg.pct_of_peak_sustained_active", 1),
    "registers": ("launch__registers_per_thread", 1),
    "blocks": ("launch__grid_size", 1),
}

# Size, row, launches skipped, launches looked at.
ROWS = [
    ("1.28m", row, 12, 10)
    for row in (
        "vv", "vf", "diamond", "oriented-vv", "ee", "normals", "normals-gather", "spring-gather", "spring-scatter",
        "mcf-iteration", "mcf-iteration-assembled", "filter-iteration",
    )
] + [
    ("1.28m", "spring-implicit", 10, 24),
    ("1.28m", "curvature", 4, 16),
    ("1.28m", "dot-call", 4, 8),
    ("1.28m", "geodesic", 4, 30),
    ("1.28m", "delaunay", 20, 24),
    ("1.28m", "simplify", 30, 42),
    ("1.28m", "remesh", 40, 90),
    ("1.28m", "build-engine", 8, 60),
    ("20k", "mcf", 4, 24),
    ("20k", "spring-implicit", 6, 12),
    ("20k", "normals", 12, 10),
    ("20k", "geodesic", 4, 30),
    ("20k", "delaunay", 12, 24),
    ("20k", "simplify", 30, 42),
    ("20k", "remesh", 40, 90),
    ("20k", "track", 60, 120),
    ("20k", "build-engine", 8, 60),
]


def measure(program, size, row, skip, count):
    command = ["ncu", "--clock-control", "none", "--csv", "--launch-skip", str(skip), "--launch-count", str(count)]
    command += ["--metrics", ",".join(name for name, _ in METRICS.values())]
    command += [program, "--engine", "cuda", "--sizes", size, "--budget", "0.02", "--rows", row]
    printed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60).stdout
    values = {}
    for line in csv.DictReader(x for x in printed.splitlines() if x.startswith('"')):
        of = values.setdefault(line["Kernel Name"], {})
        of.setdefault(line["Metric Name"], []).append(float(line["Metric Value"].replace(",", "")))
    for kernel, of in values.items():
        found = {"size": size, "row": row, "kernel": kernel, "launches": len(of[METRICS["us"][0]])}
        for key, (name, scale) in METRICS.items():
            found[key] = round(statistics.median(of[name]) * scale, 3)
        yield found


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    program, to = sys.argv[1:3]
    device = subprocess.run(
        ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    kernels = [found for row in ROWS for found in measure(program, *row)]
    with open(to, "w") as file:
        json.dump({"commit": "".join(sys.argv[3:]), "device": device, "kernels": kernels}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
