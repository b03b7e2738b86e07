import os
import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from pegboard_audit import AuditSettings


def test_nothing_has_to_be_set():
    """Without settings the log is among the user's state and holds hashes only."""
    settings = AuditSettings()

    assert settings.path.parts[-2:] == ("pegboard", "audit.jsonl")
    assert settings.path.is_absolute()
    assert (settings.arguments, settings.metadata) == ("hash", ())


def test_a_path_may_begin_with_the_home_folder():
    """`~` is the user's home."""
    settings = AuditSettings(path="~/logs/calls.jsonl")

    assert settings.path == Path.home() / "logs" / "calls.jsonl"


@pytest.mark.skipif(os.name != "posix", reason="POSIX only")
def test_a_link_to_something_else_is_refused(tmp_path):
    """A link that is named like a log must lead to one."""
    link = tmp_path / "audit.jsonl"
    link.symlink_to(tmp_path / ".bashrc")

    with pytest.raises(ValidationError, match=r"should end in '\.jsonl'"):
        AuditSettings(path=link)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"path": "logs/audit.jsonl"}, "should be absolute or begin with '~/'"),
        ({"path": "/tmp/.bashrc"}, "should end in '.jsonl'"),
        ({"path": "| mail -s audit me"}, "should be absolute or begin with '~/'"),
        ({"path": "~nobody.at.all/a.jsonl"}, "should be absolute or begin with '~/'"),
        ({"arguments": "all"}, "Input should be 'hash', 'redacted' or 'none'"),
        ({"max_bytes": -1}, "greater than or equal to 0"),
        ({"keep": 0}, "greater than or equal to 1"),
        ({"keep": 201}, "less than or equal to 200"),
        ({"sync": True}, "Input should be 'none' or 'line'"),
        ({"metadata": "user"}, "valid tuple"),
        ({"pth": "/tmp/a.jsonl"}, "Extra inputs are not permitted"),
    ],
)
def test_a_wrong_setting_is_refused(values, message):
    """What is wrong is named, with what would be right."""
    with pytest.raises(ValidationError, match=re.escape(message)):
        AuditSettings(**values)
