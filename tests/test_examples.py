"""The examples of the documentation are held to what they say."""

import shutil
import subprocess
import sys
from pathlib import Path

PAGES = Path(__file__).with_name("pages.py")
CONFTEST = """\
from pathlib import Path

from pages import collector

pytest_collect_file = collector(Path(__file__).parent)
"""


def run_page(folder: Path, *blocks: str) -> str:
    """What pytest prints of a page with these blocks, one word an outcome."""
    shutil.copy(PAGES, folder)
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "README.md").write_text("# A page\n\n" + "\n\n".join(blocks) + "\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "README.md"], cwd=folder, capture_output=True, text=True
    )
    return done.stdout


def test_blocks_of_a_page_share_names_a_loop_and_a_folder(tmp_path: Path):
    """What one block makes, the next blocks of the page can use, `await` included."""
    printed = run_page(
        tmp_path,
        "```python\nimport asyncio\n```",
        "```python\nasync def now():\n    return asyncio.get_running_loop()\n```",
        "```python\nfirst = await now()\n```",
        "```python\nassert first is await now()\nopen('made', 'x').close()\n```",
        "```console\n$ ls; false\nmade\n$ echo a b\na ...\n```",
        "```python\n>>> 1 + 1\n2\n```",
    )

    assert "6 passed" in printed, printed


def test_an_example_that_lies_fails(tmp_path: Path):
    """What a block shows and what it prints must agree, in Python and in the shell."""
    printed = run_page(
        tmp_path,
        "```console\n$ echo one\ntwo\n```",
        "```python\n>>> 1 + 1\n3\n```",
        "```python\nraise RuntimeError('no')\n```",
    )

    assert "3 failed" in printed, printed


def test_a_skipped_example_says_why(tmp_path: Path):
    """A block is shown without being run only with a reason, which pytest prints."""
    printed = run_page(
        tmp_path,
        '<!-- skip: next "needs a key" -->\n```python\nraise RuntimeError\n```',
        "```sh\nexit 1\n```",
    )

    assert "1 skipped" in printed, printed
