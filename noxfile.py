"""The repository's tasks. `nox` alone runs what CI runs."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nox

ROOT = Path(__file__).parent
PROJECT = nox.project.load_toml("pyproject.toml")
PLUGINS = sorted(
    f"./{path.parent.relative_to(ROOT)}"
    for path in ROOT.glob("plugins/*/pyproject.toml")
)
CURRENT = f"{sys.version_info.major}.{sys.version_info.minor}"
# Those that the classifiers name, where found; the one that runs nox is always found.
PYTHONS = sorted({*nox.project.python_versions(PROJECT), CURRENT})

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "venv"
nox.options.error_on_missing_interpreters = False
nox.options.reuse_venv = "yes"
nox.options.sessions = [
    "tests",
    "sdk",
    "lint",
    "types",
    "layers",
    "docs",
    "demo",
    "build",
]


def install(session: nox.Session, extras: str) -> None:
    """Install the core with these extras, and the plugins, as editable checkouts."""
    plugins = [option for path in PLUGINS for option in ("-e", path)]
    session.install("-e", f".[{extras}]", *plugins)


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run every test and every example."""
    install(session, "test,lint")  # the projects that `pegboard new` writes are linted
    session.run("pytest", *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Run every test once, and show the branches that none takes."""
    install(session, "test,lint")
    session.run("pytest", "--cov", *session.posargs)


@nox.session
def sdk(session: nox.Session) -> None:
    """Let the providers' own SDKs judge what the dialects write."""
    install(session, "test")
    session.install("-r", "tests/sdk/requirements.txt")
    session.run("pytest", "tests/sdk", *session.posargs)


@nox.session
def packaging(session: nox.Session) -> None:
    """Install packs by the hundred, broken ones among them; about four minutes."""
    install(session, "test")
    session.run("pytest", "tests/packaging", *session.posargs)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Look for arguments that break a promise: a minute, or as long as asked."""
    install(session, "test")
    session.run("python", "tests/fuzz/arguments.py", *session.posargs)


@nox.session
def soak(session: nox.Session) -> None:
    """Make very many calls and batches of every kind; no promise may break."""
    install(session, "test")
    session.run("python", "tests/soak/soak.py", *session.posargs)
    many = {"MACHINE_EXAMPLES": "2000"}
    session.run("pytest", "-q", "tests/executor/test_machine.py", env=many)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format."""
    session.install(*PROJECT["project"]["optional-dependencies"]["lint"])
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def types(session: nox.Session) -> None:
    """Check types, as strictly as mypy can."""
    install(session, "lint,test")  # pegboard.testing imports pytest
    session.run("mypy")


@nox.session
def layers(session: nox.Session) -> None:
    """Check that imports point down only."""
    install(session, "lint")
    session.run("lint-imports", "--no-cache")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation; a warning is an error."""
    install(session, "docs")
    html = f"{session.create_tmp()}/html"
    session.run("sphinx-build", "-nWq", "--keep-going", "docs", html)
    session.log(f"the first page is {html}/index.html")


@nox.session(venv_backend="none")
def demo(session: nox.Session) -> None:
    """Run a model's recorded answer on this repository, in a fresh environment."""
    session.run(sys.executable, "tests/demo/run.py")


@nox.session(venv_backend="none")
def bench(session: nox.Session) -> None:
    """Measure Pegboard and its peers (about 15 minutes); `-- --quick` takes one."""
    session.run(sys.executable, "tests/bench", *session.posargs)


@nox.session(reuse_venv=False)
def build(session: nox.Session) -> None:
    """Build every wheel, install them together in a clean venv, run the command."""
    with TemporaryDirectory() as wheels:
        session.run("pip", "wheel", "--no-deps", "-qw", wheels, ".", *PLUGINS)
        session.install(*(str(wheel) for wheel in Path(wheels).glob("*.whl")))
    session.run("pegboard", "--version")
    session.run("pegboard", "list")
