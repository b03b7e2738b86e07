import json
import os
import signal
import subprocess
import sys
from itertools import islice
from threading import Timer

import click
import pytest
from click.testing import CliRunner

from pegboard_audit.follow import Follower
from pegboard_audit.head import lock_path
from pegboard_audit.journal import Journal
from pegboard_audit.options import Program


@pytest.fixture
def write(log, record):
    """Append lines to the log, rotated by itself or not."""

    def append(count=1, **options):
        for _ in range(count):
            Journal(log, **options).append(record)

    return append


@pytest.fixture
def follower(log):
    """A follower that has seen nothing yet."""
    follower = Follower(log, 0)
    yield follower
    follower.close()


def numbers(follower):
    return [record["seq"] for _, record in follower.poll()]


def test_each_line_is_found_once(write, follower):
    """A look finds what was written since the last one."""
    looks = [numbers(follower)]
    for count in (2, 0, 1):
        write(count)
        looks.append(numbers(follower))

    assert looks == [[], [1, 2], [], [3]]


def test_what_was_known_is_not_shown_again(log, write):
    """A follower begins after the line that it was given."""
    write(3)
    follower = Follower(log, 2)

    assert numbers(follower) == [3]
    follower.close()


def test_several_rotations_between_two_looks_lose_nothing(write, follower):
    """Lines are found in whatever file they were moved to."""
    write(2)
    seen = numbers(follower)
    write(5, max_bytes=1, keep=9)

    assert seen == [1, 2]
    assert numbers(follower) == [3, 4, 5, 6, 7]


def test_a_log_that_is_renamed_is_followed(log, write, follower):
    """Lines written before and after a rename are found, and none in between."""
    write()
    seen = [numbers(follower)]
    write()
    log.rename(f"{log}-20260131")
    seen.append(numbers(follower))
    write()
    seen.append(numbers(follower))

    assert seen == [[1], [2], [3]]


@pytest.mark.parametrize("lines_after", [1, 5])
def test_a_truncated_log_is_followed(log, write, follower, lines_after):
    """After copytruncate nothing is lost, even if the log is longer than before."""
    write(2)
    seen = [numbers(follower)]
    write()
    log.with_name("audit.jsonl.1").write_bytes(log.read_bytes())
    os.truncate(log, 0)
    write(lines_after)
    seen.append(numbers(follower))

    assert seen == [[1, 2], list(range(3, 4 + lines_after))]


def test_lines_that_are_really_gone_hold_nobody_up(log, write, follower):
    """A gap in the log is passed, and what follows it is found."""
    write(2)
    seen = [numbers(follower)]
    write(3)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:2] + lines[3:]))
    seen += [numbers(follower), numbers(follower)]

    assert seen == [[1, 2], [4, 5], []]


def test_a_line_that_is_being_written_waits(log, write, follower):
    """Half a line is not shown, and not lost."""
    write(2)
    content = log.read_bytes()
    log.write_bytes(content[:-10])
    seen = [numbers(follower)]
    log.write_bytes(content)
    seen.append(numbers(follower))

    assert seen == [[1], [2]]


def test_a_new_chain_is_shown_from_its_start(log, write, follower):
    """After somebody deleted everything, the first lines are new."""
    write(3)
    seen = [numbers(follower)]
    log.unlink()
    lock_path(log).unlink()
    write()
    seen.append(numbers(follower))

    assert seen == [[1, 2, 3], [1]]


def start_tail(log, *options):
    command = [sys.executable, "-m", "pegboard_audit", "tail", "-f", "--json"]
    return subprocess.Popen(
        [*command, "--file", str(log), *options], stdout=subprocess.PIPE
    )


def test_tail_goes_on_with_what_is_wanted_only(log, record):
    """The filters hold for what comes later too."""
    Journal(log).append({**record, "status": "error", "call": "1"})
    with start_tail(log, "-n", "1", "--status", "error") as tail:
        lines = [tail.stdout.readline()]
        for number, status in enumerate(["success", "error"], 2):
            Journal(log).append({**record, "status": status, "call": str(number)})
        lines.append(tail.stdout.readline())
        tail.send_signal(signal.SIGINT)

    assert [json.loads(line)["call"] for line in lines] == ["1", "3"]


def test_tail_follows_a_log_that_others_write_and_rotate(log, start_writers):
    """`tail -f` shows each line once and in order while four threads rotate the log."""
    with start_tail(log, "-n", "1000") as tail:
        watchdog = Timer(60, tail.kill)
        watchdog.start()
        writers = start_writers(2, 100, max_bytes=10_000, keep=1000)
        lines = list(islice(tail.stdout, 400))
        tail.send_signal(signal.SIGINT)
        watchdog.cancel()

    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 401))
    assert tail.returncode == 130


def test_ctrl_c_ends_any_command_as_a_shell_expects():
    """Wherever it comes: not only while `tail -f` waits."""

    @click.group(cls=Program)
    def program(): ...

    @program.command()
    def early():
        raise KeyboardInterrupt

    result = CliRunner().invoke(program, ["early"])

    assert (result.exit_code, result.output) == (130, "")
