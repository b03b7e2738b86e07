"""Instructions of the hot path: steady on a busy machine, so a change shows."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from projects import HERE, Project
from samples import table

KEPT = HERE / "instructions.json"
FEW, MORE = 100, 300  # calls of the two stretches of each row; the difference counts
TOLERANCE = 0.02  # of a count; two runs of one build differ by less
WHERE = "_PyEval_CallTracing"  # the C function behind sys.call_tracing
BUILD = """
import json, platform
from importlib.metadata import version
names = ["jiter", "jsonschema-rs", "pluggy", "pydantic", "pydantic-core"]
print(json.dumps({
    "python": platform.python_version(),
    "machine": platform.machine(),
    **{name: version(name) for name in names},
}))
"""


def count(project: Project) -> dict[str, int] | str:
    """Return instructions a call, by row; or why they cannot be counted."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        return "valgrind is not installed"
    with TemporaryDirectory(prefix="bench-") as folder:
        command = [
            valgrind,
            "--tool=callgrind",
            "--collect-atstart=no",
            f"--toggle-collect={WHERE}",
            f"--dump-after={WHERE}",
            f"--callgrind-out-file={folder}/out",
            str(project.python),
            str(HERE / "hotpath.py"),
            str(FEW),
            str(MORE),
        ]
        done = subprocess.run(
            command,
            env={"PYTHONHASHSEED": "0", "HOME": folder, "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return f"the hot path failed: {done.stderr.strip()[-200:]}"
        return _read(json.loads(done.stdout), Path(folder))


def _read(rows: list[str], folder: Path) -> dict[str, int] | str:
    totals = []
    for place in range(1, 2 * len(rows) + 1):
        try:
            text = (folder / f"out.{place}").read_text(encoding="utf-8")
        except FileNotFoundError:
            return f"this python does not name {WHERE}, where counting begins"
        found = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        assert found is not None
        totals.append(int(found[1]))
    pairs = zip(totals[::2], totals[1::2], strict=True)
    each = [(more - few) // (MORE - FEW) for few, more in pairs]
    return dict(zip(rows, each, strict=True))


def build(project: Project) -> dict[str, str]:
    """Return what the counts depend on besides Pegboard."""
    command = [str(project.python), "-c", BUILD]
    found: dict[str, str] = json.loads(subprocess.check_output(command, text=True))
    return found


def keep(counts: dict[str, int], of: dict[str, str], path: Path = KEPT) -> None:
    """Keep counts, to be compared with those of later runs."""
    text = json.dumps({"build": of, "instructions a call": counts}, indent=2)
    path.write_text(text + "\n", encoding="utf-8")


def compare(counts: dict[str, int], of: dict[str, str], path: Path = KEPT) -> str:
    """Return a table of counts beside those that were kept."""
    try:
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        kept = {"build": None, "instructions a call": {}}
    rows = []
    for name, found in counts.items():
        before = kept["instructions a call"].get(name)
        row = [name, f"{found:,}", f"{found / counts['bare A']:.1f}"]
        rows.append([*row, f"{before:,}" if before else "", _verdict(found, before)])
    lines = [table(["path", "instructions", "over bare A", "kept", "change"], rows)]
    if kept["build"] is None:
        lines.append("Nothing was kept yet; --record keeps these.")
    elif kept["build"] != of:
        lines.append(f"The kept ones are of another build: {kept['build']}, not {of}.")
    lines.append(f"Up to {TOLERANCE:.0%} counts as the same.")
    return "\n\n".join(lines)


def _verdict(found: int, before: int | None) -> str:
    if not before:
        return "new"
    change = found / before - 1
    if abs(change) <= TOLERANCE:
        return "same"
    return f"{change:+.1%} {'**more**' if change > 0 else 'less'}"
