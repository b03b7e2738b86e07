import errno
import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pegboard_audit.head import lock_path
from pegboard_audit.journal import Journal
from pegboard_audit.lock import is_current, locked
from pegboard_audit.verification import verify

needs_posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")


def finish(processes):
    assert [process.wait(60) for process in processes] == [0] * len(processes)


def calls_of(processes, lines):
    return sorted(
        f"{process}-{thread}-{number}"
        for process in range(processes)
        for thread in range(2)
        for number in range(lines)
    )


def test_the_first_line_makes_folder_log_and_lock_for_this_user_only(tmp_path, record):
    """The folder is made, and nobody else can read the log."""
    path = tmp_path / "state" / "pegboard" / "audit.jsonl"
    Journal(path).append(record)

    modes = [stat.S_IMODE(p.stat().st_mode) for p in (path, lock_path(path))]
    assert modes == [0o600, 0o600]
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_lines_are_numbered_and_chained(log, record):
    """Each line holds its number and the SHA-256 of the line before it."""
    journal = Journal(log)
    for _ in range(3):
        journal.append(record)

    lines = log.read_bytes().splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["seq"] for record in records] == [1, 2, 3]
    assert [record["prev"] for record in records] == [
        None,
        hashlib.sha256(lines[0]).hexdigest(),
        hashlib.sha256(lines[1]).hexdigest(),
    ]


@needs_posix
def test_a_link_to_a_log_is_the_log(log, record):
    """Who writes by another name takes the same lock and rotates the same file."""
    link = log.with_name("link.jsonl")
    link.symlink_to(log)
    Journal(link).append(record)
    Journal(log).append(record)
    Journal(link, max_bytes=1).append(record)

    found = verify(log)
    assert (found.files, found.lines, found.problems) == (2, 3, [])
    assert link.is_symlink()
    assert not lock_path(link).exists()


@needs_posix
@pytest.mark.parametrize("name", ["audit.jsonl", "audit.jsonl.lock"])
def test_a_link_that_comes_later_is_not_followed(log, record, name):
    """Neither log nor lock file is written through a link to something else."""
    journal = Journal(log)
    other = log.with_name("other")
    other.write_text("untouched")
    log.with_name(name).symlink_to(other)

    for write in (journal.check, lambda: journal.append(record)):
        with pytest.raises(OSError, match=re.escape(name)):
            write()
    assert other.read_text() == "untouched"


def test_no_text_can_begin_a_line(log, record):
    """Whatever a model sends as id or name, a record is one line of printable ASCII."""
    Journal(log).append(
        {**record, "call": "a\n{}\r\u2028\x85\x1b[2J\ud800", "name": "é"}
    )

    content = log.read_bytes()
    assert content.count(b"\n") == 1
    assert all(32 <= byte < 127 for byte in content[:-1])
    assert json.loads(content)["name"] == "é"


def test_many_processes_and_threads_lose_and_tear_no_line(log, start_writers, read_log):
    """Six threads in three processes append to one log: every line is there, whole."""
    finish(start_writers(3, 100))

    records = read_log()
    assert sorted(record["call"] for record in records) == calls_of(3, 100)
    assert [record["seq"] for record in records] == list(range(1, 601))
    assert verify(log).problems == []


def test_rotation_under_load_loses_and_tears_no_line(log, start_writers, read_log):
    """The log is rotated while six threads write: every line is there, in order."""
    finish(start_writers(3, 100, max_bytes=4_000, keep=1000))

    records = read_log()
    assert sorted(record["call"] for record in records) == calls_of(3, 100)
    assert [record["seq"] for record in records] == list(range(1, 601))
    assert verify(log).problems == []
    sizes = [path.stat().st_size for path in log.parent.glob("audit.jsonl*")]
    assert len(sizes) > 50
    assert max(sizes) <= 4_000


def test_renaming_by_others_under_load_loses_no_line(log, start_writers):
    """logrotate renames the log while six threads write: every line is there."""
    writers = start_writers(3, 100)
    number = 0
    while any(writer.poll() is None for writer in writers):
        if log.exists() and log.stat().st_size > 4_000:
            number += 1
            log.rename(f"{log}-20260131-{number}")
    finish(writers)

    assert number > 2
    found = verify(log)
    assert (found.lines, found.last.seq, found.problems) == (600, 600, [])


def test_a_truncated_log_is_written_on_from_its_start(log, record):
    """After logrotate's copytruncate the next line follows, without a hole of zeros."""
    journal = Journal(log)
    journal.append(record)
    copy = log.with_name("audit.jsonl.1")
    copy.write_bytes(log.read_bytes())
    os.truncate(log, 0)
    journal.append(record)

    assert json.loads(log.read_bytes())["seq"] == 2
    assert verify(log).problems == []


def test_only_so_many_rotated_files_are_kept(log, record):
    """`keep` files stay, the newest ones, also after it was lowered."""
    for _ in range(8):
        Journal(log, max_bytes=1, keep=5).append(record)
    for _ in range(2):
        Journal(log, max_bytes=1, keep=2).append(record)

    kept = {
        path.name: json.loads(path.read_bytes())["seq"]
        for path in log.parent.glob("audit.jsonl*")
        if path != lock_path(log)
    }
    assert kept == {"audit.jsonl": 10, "audit.jsonl.1": 9, "audit.jsonl.2": 8}


def test_a_rotation_that_was_cut_short_costs_no_file(log, record):
    """Files are moved up to the first gap only."""
    journal = Journal(log, max_bytes=1, keep=3)
    for _ in range(4):
        journal.append(record)
    log.with_name("audit.jsonl.1").unlink()
    journal.append(record)

    sequence = [
        json.loads(log.with_name(f"audit.jsonl.{number}").read_bytes())["seq"]
        for number in (1, 2, 3)
    ]
    assert sequence == [4, 2, 1]


def test_a_log_that_cannot_be_renamed_now_is_written_on(log, record, monkeypatch):
    """Windows renames nothing that somebody reads: the next line tries again."""

    def refuse(self, target):
        raise PermissionError

    journal = Journal(log, max_bytes=1, keep=3)
    journal.append(record)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", refuse)
        journal.append(record)
    journal.append(record)

    found = verify(log)
    assert (found.files, found.lines, found.problems) == (2, 3, [])
    assert len(log.read_bytes().splitlines()) == 1


@needs_posix
def test_a_line_that_does_not_fit_leaves_nothing_behind(log, record):
    """A full disk raises with the log's name; what stands in the log stays whole."""
    code = f"""
import json, resource
from pathlib import Path
from pegboard_audit.journal import Journal

journal = Journal(Path({str(log)!r}))
unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, unlimited[1]))
written = 0
try:
    while True:
        journal.append({record!r})
        written += 1
except OSError as error:
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    print(written, error.errno, error.filename)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    written, number, name = done.stdout.split()
    assert (int(number), name) == (errno.EFBIG, str(log))
    assert (verify(log).lines, verify(log).problems) == (int(written), [])
    Journal(log).append(record)
    assert (verify(log).lines, verify(log).problems) == (int(written) + 1, [])


def test_a_torn_line_spoils_no_other(log, record):
    """After a writer died within a line the next one begins on a line of its own."""
    journal = Journal(log)
    journal.append(record)
    with log.open("ab") as file:
        file.write(b'{"v":1,"seq":2,"pre')
    journal.append(record)
    journal.append(record)

    lines = log.read_bytes().splitlines()
    assert [json.loads(lines[n])["seq"] for n in (0, 2, 3)] == [1, 2, 3]
    assert verify(log).problems == [
        "audit.jsonl:2: holds no record: it is torn, still being written, or not ours"
    ]


def test_a_head_that_lags_behind_catches_up(log, record):
    """A writer that died between line and head breaks no chain."""
    journal = Journal(log)
    journal.append(record)
    head = lock_path(log).read_bytes()
    journal.append(record)
    lock_path(log).write_bytes(head)
    journal.append(record)

    found = verify(log)
    assert (found.last.seq, found.problems) == (3, [])


@pytest.mark.parametrize("content", [None, b"", b"garbage\n"])
def test_a_lost_head_is_found_again(log, record, content):
    """Without its lock file, or with a broken one, the log tells where it stands."""
    journal = Journal(log)
    journal.append(record)
    journal.append(record)
    lock_path(log).unlink()
    if content is not None:
        lock_path(log).write_bytes(content)
    journal.append(record)

    found = verify(log)
    assert (found.last.seq, found.problems) == (3, [])


def test_a_file_that_holds_no_record_is_no_chain(log, record):
    """Behind whatever stands in the file already, line 1 begins the chain."""
    log.write_text("not ours\n" * 3)
    Journal(log).append(record)

    assert json.loads(log.read_bytes().splitlines()[3])["seq"] == 1


def test_a_log_can_vanish_with_its_folder(log, record):
    """A log that somebody deletes is made again by the next line."""
    path = log.parent / "logs" / log.name
    journal = Journal(path)
    journal.append(record)
    path.unlink()
    lock_path(path).unlink()
    path.parent.rmdir()
    journal.append(record)

    assert verify(path).lines == 1


def test_a_lock_excludes_other_threads(log):
    """Whoever cannot get the lock in time is told so instead of waiting for ever."""
    path = lock_path(log)
    with locked(path):
        with pytest.raises(
            TimeoutError, match=r"audit\.jsonl\.lock has been locked for"
        ):
            with locked(path, patience=0):
                pytest.fail("two hold one lock")

    with locked(path, patience=0) as descriptor:
        assert os.read(descriptor, 1) == b""


def test_a_deleted_lock_file_locks_nobody(log):
    """Who waited for a lock file that was deleted meanwhile locks the new one."""
    path = lock_path(log)
    with locked(path):
        path.unlink()
        with locked(path, patience=0) as descriptor:
            path.unlink()
            is_current_without = is_current(descriptor, path)
            with locked(path, patience=0):
                is_current_beside = is_current(descriptor, path)

    assert (is_current_without, is_current_beside) == (False, False)


@needs_posix
def test_a_forked_child_keeps_no_lock(log, record):
    """A process that is forked while a line is written does not hold up the others."""
    code = f"""
import os, sys
from pathlib import Path
from pegboard_audit.lock import is_current, locked

with locked(Path({str(lock_path(log))!r})):
    if os.fork() == 0:
        sys.stdin.read()
        os._exit(0)
print("free", flush=True)
os.wait()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout.readline() == b"free\n"
        with locked(lock_path(log), patience=0):
            parent.stdin.close()

    assert parent.returncode == 0


def test_sync_writes_the_same_log(log, record, start_writers, read_log):
    """With `sync` several writers and a rotation still lose nothing."""
    finish(start_writers(2, 10, sync=True, max_bytes=4_000, keep=100))

    assert sorted(record["call"] for record in read_log()) == calls_of(2, 10)


def test_a_log_that_cannot_be_written_raises(log, record):
    """An error names the log."""
    log.mkdir()
    with pytest.raises(IsADirectoryError, match=r"audit\.jsonl"):
        Journal(log).append(record)
