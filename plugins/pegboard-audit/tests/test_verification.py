import gzip
import json
import threading

import pytest

from pegboard_audit.head import Head, lock_path
from pegboard_audit.journal import Journal
from pegboard_audit.verification import verify


@pytest.fixture
def lines(log, record):
    """Six lines in three files, as they are on the disk."""
    for number in range(6):
        journal = Journal(log, max_bytes=800 if number else 0, keep=9)
        journal.append({**record, "call": f"call_{number + 1}"})
    files = [log.with_name("audit.jsonl.2"), log.with_name("audit.jsonl.1"), log]
    assert [len(path.read_bytes().splitlines()) for path in files] == [2, 2, 2]
    return files


def change(path, number, to):
    """Replace one line of a file; by None, take it out."""
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number - 1] = b"" if to is None else to(lines[number - 1])
    path.write_bytes(b"".join(lines))


def forge(line):
    return line.replace(b'"status":"success"', b'"status":"blocked"')


def test_a_log_in_several_files_is_one_chain(log, lines):
    """A log is whole across the files that it was rotated to."""
    found = verify(log)

    assert (found.files, found.lines, found.first) == (3, 6, 1)
    assert (found.last.seq, found.problems) == (6, [])


def test_the_oldest_files_may_be_gone(log, lines):
    """What was rotated away is no fault: the chain begins later."""
    lines[0].unlink()

    found = verify(log)
    assert (found.first, found.lines, found.problems) == (3, 4, [])


def test_files_that_logrotate_named_and_packed_are_read(log, lines):
    """The order of the files is that of their lines, whatever their names."""
    first = log.with_name("audit.jsonl-20260131.gz")
    first.write_bytes(gzip.compress(lines[0].read_bytes()))
    lines[0].unlink()
    lines[1].rename(log.with_name("audit.jsonl-20260101"))

    found = verify(log)
    assert (found.files, found.lines, found.problems) == (3, 6, [])


def test_a_file_that_is_being_packed_counts_once(log, lines):
    """While a file stands beside its own half-written .gz, the file is read."""
    packed = lines[0].with_name(f"{lines[0].name}.gz")
    packed.write_bytes(gzip.compress(lines[0].read_bytes())[:30])

    assert verify(log).problems == []
    lines[0].unlink()
    assert verify(log).first == 3


@pytest.mark.parametrize(
    ("file", "number", "to", "problem"),
    [
        (0, 1, forge, "audit.jsonl.2:2: line 2 was written after another line 1"),
        (1, 2, forge, "audit.jsonl:1: line 5 was written after another line 4"),
        (2, 2, forge, "audit.jsonl:2: line 6 is not the one that was noted"),
        (1, 1, None, "audit.jsonl.1:1: line 3 should stand here, not line 4"),
        (2, 1, lambda line: line * 2, "audit.jsonl:2: line 6 should stand here"),
        (2, 2, None, "the log ends with line 5, before line 6"),
        (0, 1, lambda line: b"x" + line, "audit.jsonl.2:1: holds no record: it is"),
        (2, 1, lambda line: b"[]\n" + line, "audit.jsonl:1: holds no record: it is"),
        (2, 2, lambda line: line[:-9], "audit.jsonl:2: holds no record: it is torn"),
        (
            0,
            1,
            lambda line: line.replace(b'"prev":null', b'"prev":"0"'),
            "audit.jsonl.2:1: line 1 cannot be the first of a chain",
        ),
    ],
)
def test_whatever_is_changed_shows(log, lines, *, file, number, to, problem):
    """A line that was changed, removed, repeated, inserted or torn is named."""
    change(lines[file], number, to)

    problems = verify(log).problems
    assert [found for found in problems if found.startswith(problem)] != []


def test_a_line_without_its_keys_is_not_complete(log, record):
    """A line that is chained but says too little is a problem."""
    del record["status"]
    Journal(log).append(record)

    assert verify(log).problems == ["audit.jsonl:1: lacks status"]


def test_a_log_that_was_written_anew_misses_its_anchor(log, record, lines):
    """Against somebody who rewrites it all, a head that was noted elsewhere helps."""
    anchor = verify(log).last
    for path in (*lines, lock_path(log)):
        path.unlink()
    for number in range(7):
        Journal(log).append({**record, "call": f"call_{number + 1}"})

    assert verify(log).problems == []
    assert verify(log, [anchor]).problems == [
        "audit.jsonl:6: line 6 is not the one that was noted"
    ]


def test_an_anchor_outside_of_the_log_is_told(log, record, lines):
    """An anchor that the log has lost, or not reached, cannot be compared."""
    lines[0].unlink()

    assert verify(log, [Head(1, "0" * 64), Head(7, "0" * 64)]).problems == [
        "line 1 was rotated away, so it cannot be compared",
        "the log ends with line 6, before line 7",
    ]


def test_a_log_that_is_being_written_is_whole(log, start_writers):
    """Checking while others write and rotate finds no fault."""
    writers = start_writers(2, 100, max_bytes=10_000, keep=1000)
    problems = []
    while any(writer.poll() is None for writer in writers):
        problems += verify(log).problems

    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert problems == []
    assert json.loads(log.read_bytes().splitlines()[-1])["seq"] == 400


def test_a_line_that_is_half_written_is_waited_for(log, record):
    """A reader may see the front of a line before its writer has come to the end."""
    for _ in range(3):
        Journal(log).append(record)
    whole = log.read_bytes()
    log.write_bytes(whole[:-40])

    def finish():
        with log.open("ab") as file:
            file.write(whole[-40:])

    timer = threading.Timer(0.05, finish)
    timer.start()
    found = verify(log)
    timer.join()

    assert (found.lines, found.problems) == (3, [])
