"""What holds for the repository as a whole."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import pegboard

ROOT = Path(__file__).parents[1]
PYPROJECTS = [ROOT / "pyproject.toml", *sorted(ROOT.glob("plugins/*/pyproject.toml"))]
PLUGINS = [path.parent.name for path in PYPROJECTS[1:]]
TOP_LEVEL = {
    ".ci",
    ".editorconfig",
    ".github",
    ".gitignore",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "core",
    "docs",
    "noxfile.py",
    "plugins",
    "pyproject.toml",
    "tests",
}
# One letter of each stands in brackets, so that this file does not name them.
FORBIDDEN = re.compile(
    r"/wor[k]/|/roo[t]/\.|/hom[e]/\w|/User[s]/\w"  # paths of somebody's machine
    r"|pypi\.or[g]|pythonhoste[d]|npmjs\.co[m]"  # hosts of package registries
    r"|\bTOD[O]\b|\bFIXM[E]\b|\bXX[X]\b"  # promises
)


def pyproject(path: Path) -> dict:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """The files of the repository, as git knows them."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, so nobody knows which files are tracked")
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [ROOT / name for name in listing.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def test_versions_are_in_lockstep():
    """Every distribution has the version that the package states."""
    versions = {str(p): pyproject(p)["project"]["version"] for p in PYPROJECTS}

    assert set(versions.values()) == {pegboard.__version__}, versions


def test_the_changelog_starts_with_what_comes_next_or_this_version():
    """The changelog's head is Unreleased, or this version with its date."""
    head = re.search(r"^## (.*)$", read("CHANGELOG.md"), re.MULTILINE)[1]

    version = re.escape(pegboard.__version__)
    assert re.fullmatch(rf"\[Unreleased\]|\[{version}\] - \d{{4}}-\d\d-\d\d", head)


def test_ci_runs_the_command_that_the_readme_gives():
    """The README's test command is what CI runs, to the letter."""
    section = read("README.md").split("## Run the tests", 1)[1]
    command = re.search(r"```sh\n(.*)\n```", section)[1]

    assert command in map(str.strip, read(".ci/run").splitlines())


def test_one_version_of_ruff_is_pinned():
    """pre-commit and nox format with the same ruff."""
    lint = pyproject(PYPROJECTS[0])["project"]["optional-dependencies"]["lint"]
    pin = next(requirement for requirement in lint if requirement.startswith("ruff"))

    assert set(re.findall(r"ruff==[\d.]+", read(".pre-commit-config.yaml"))) == {pin}


def test_the_top_level_holds_what_is_listed(tracked: list[Path]):
    """A new name at the top level is a decision, not an accident."""
    names = {path.relative_to(ROOT).parts[0] for path in tracked}

    assert names <= TOP_LEVEL


def test_no_file_names_a_machine_a_registry_or_a_promise(tracked: list[Path]):
    """No file holds a path of a machine, a registry's host or a promise to do later."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in tracked
        for number, line in enumerate(path.read_bytes().splitlines(), 1)
        if FORBIDDEN.search(line.decode(errors="replace"))
    ]

    assert found == []


def imported(package: Path) -> set[str]:
    """The top-level names of all that a package imports, wherever it does."""
    names = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - {package.name}


@pytest.mark.parametrize("path", PYPROJECTS, ids=["core", *PLUGINS])
def test_what_is_imported_is_declared(path: Path):
    """A distribution depends on all that it imports, and on nothing else."""
    table = pyproject(path)
    [package] = table["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    lines = table["project"]["dependencies"]
    declared = {re.match(r"[\w-]+", line)[0] for line in lines}
    homes = packages_distributions()  # without editable ones, which hold no files
    used = {homes.get(name, [name])[0] for name in imported(path.parent / package)}

    # pydantic brings pydantic-core, and whoever asks for the kit's fixtures has pytest.
    needed = {re.sub("[_.]", "-", name) for name in used} - {"pydantic-core", "pytest"}
    assert needed == declared


def too_large(path: Path) -> Iterator[str]:
    name = path.relative_to(ROOT)
    source = path.read_text(encoding="utf-8")
    lines, limit = source.count("\n"), 400 if "tests" in name.parts else 300
    if lines > limit:
        yield f"{name}: {lines} lines of {limit}"
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        lines = node.end_lineno - node.lineno + 1
        if lines > 40:
            yield f"{name}:{node.lineno}: {node.name} has {lines} lines of 40"
        parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        count = len([name for name in parameters if name not in {"self", "cls"}])
        # Those of a value are its fields, those of a test its fixtures.
        if count > 5 and not node.name.startswith(("__init__", "test_")):
            yield f"{name}:{node.lineno}: {node.name} has {count} parameters of 5"


def test_files_and_functions_stay_small(tracked: list[Path]):
    """A file, a function and a signature fit in a reader's head."""
    sources = [path for path in tracked if path.suffix == ".py"]

    assert [problem for path in sources for problem in too_large(path)] == []
