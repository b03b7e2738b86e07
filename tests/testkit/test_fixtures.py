"""The fixtures, in a suite of somebody else's."""

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

CONFTEST = 'pytest_plugins = ["pegboard.testing"]\n'


def run_suite(folder: Path, test: str, *options: str, conftest: str = CONFTEST) -> str:
    """What pytest prints of a suite with this test."""
    (folder / "conftest.py").write_text(conftest)
    (folder / "test_it.py").write_text(dedent(test))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    return done.stdout + done.stderr


USE = """
    from pegboard import tool

    def test_it(board, recording):
        made = board([tool(lambda: 1, name="one")], plugins=[recording])
        assert made.call_sync("one").data == 1
        assert "before_tool_call" in recording.names()
"""


def test_one_line_adds_the_fixtures(tmp_path):
    """`pytest_plugins = ["pegboard.testing"]` is all that a suite needs."""
    printed = run_suite(tmp_path, USE, "-Werror")

    assert "1 passed" in printed, printed


def test_fixtures_can_be_imported_by_name(tmp_path):
    """Without the plugin, a conftest takes the fixtures that it wants."""
    conftest = "from pegboard.testing.fixtures import board, recording\n"

    printed = run_suite(tmp_path, USE, conftest=conftest)

    assert "1 passed" in printed, printed


def test_a_board_is_closed_after_its_test(tmp_path):
    """What a plugin opened is closed when the test is over, async tests included."""
    printed = run_suite(
        tmp_path,
        """
        import asyncio

        def test_sync(board, recording):
            board(plugins=[recording]).call_sync("nothing")
            global kept
            kept = recording

        def test_it_was_closed():
            assert kept.names()[-1] == "lifespan closed"

        def test_async(board):
            made = board()
            assert asyncio.run(made.call("nothing")).code == "unknown_tool"
        """,
    )

    assert "3 passed" in printed, printed


SNAPSHOT = """
    from pegboard import tool

    def test_it(schema_snapshot):
        schema_snapshot([tool(lambda: 1, name="one")])
"""


def test_snapshots_are_written_on_request(tmp_path):
    """`--pegboard-update` writes the file that later runs compare with."""
    missing = run_suite(tmp_path, SNAPSHOT)
    written = run_suite(tmp_path, SNAPSHOT, "--pegboard-update")
    kept = run_suite(tmp_path, SNAPSHOT)
    changed = run_suite(tmp_path, SNAPSHOT.replace('"one"', '"two"'))

    assert (tmp_path / "snapshots" / "test_it.json").exists()
    assert "there is no snapshot" in missing
    assert "1 passed" in written
    assert "1 passed" in kept
    assert '"name": "two"' in changed


def test_the_kit_needs_no_pytest():
    """Without its fixtures the kit loads no pytest."""
    code = "import pegboard.testing, sys; print('pytest' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stdout == "False\n"
