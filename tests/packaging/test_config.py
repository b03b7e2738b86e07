"""Settings files as people write them: broken, misspelt, from another editor."""

from __future__ import annotations

import json

from .wheels import Wheel, greeter, pack


def refused(machine, text: str) -> str:
    """The one line that a command says of a settings file."""
    machine.configure(text)
    done = machine.run("list")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_broken_toml_is_one_line_with_its_place(machine):
    """Section 10: W232: file, line and column; help, doctor and plugins still work."""
    machine.install(greeter("alpha"))

    said = refused(machine, 'order = ["a"]\n[plugins.alpha}\n')

    assert "pegboard.toml" in said
    assert "line 2, column 15" in said
    assert machine.run("--help").returncode == 0
    assert machine.run("plugins").returncode == 0
    [problem] = machine.problems()
    assert "line 2" in problem["message"]


def test_a_misspelt_key_is_an_error_with_the_right_one(machine):
    """Section 10: W233: a guard list with a typo is no guard list."""
    assert "mean 'timeout'?" in refused(machine, "timout = 5\n")
    assert "mean 'disable'?" in refused(machine, 'dissable = ["alpha"]\n')
    misspelt = '[tools.greet]\nrenmae = "x"\n'
    assert "mean 'tools.greet.rename'?" in refused(machine, misspelt)


def test_a_value_of_the_wrong_type_is_named(machine):
    """Section 10: W234: key and expectation; a text is not a list of its letters."""
    assert "timeout" in refused(machine, 'timeout = "5s"\n')
    assert "max_concurrency" in refused(machine, "max_concurrency = 0\n")
    assert "disable" in refused(machine, 'disable = "alpha"\n')


def test_a_byte_order_mark_is_no_obstacle(machine):
    """Section 10: W235: what an editor of another system puts first is read over."""
    machine.install(greeter("alpha"))
    path = machine.project / "pegboard.toml"
    path.write_bytes(b'\xef\xbb\xbfdisable = ["alpha"]\r\n')

    assert machine.names() == []


def test_output_survives_any_encoding(machine):
    """W236: --json is ASCII, text degrades to question marks, nothing crashes."""
    source = '''
        from pegboard import tool

        @tool
        def echo(text: str) -> str:
            """Wiederholt Überraschendes: 你好."""
            return text
    '''
    machine.install(Wheel("echoing", source, tools={"echoing": "echo"}))
    said = "text=你好 ✅"

    for encoding in ("ascii", "cp1252", "utf-8"):
        result = machine.call("echo", said, PYTHONIOENCODING=encoding)
        assert result["data"] == "你好 ✅"
    shown = machine.run("call", "echo", said, PYTHONIOENCODING="cp1252")
    listed = machine.run("list", PYTHONIOENCODING="cp1252")

    assert (shown.returncode, shown.stdout) == (0, "?? ?\n")
    assert listed.returncode == 0
    assert "Wiederholt" in listed.stdout


def test_a_settings_file_may_name_what_is_not_installed(machine):
    """Section 10: one file serves several environments; a near miss is a warning."""
    machine.install(greeter("alpha"), pack(1))
    machine.configure(
        'order = ["something-else"]\n[plugins.alhpa]\ndistribution = "a"\n'
    )

    problems = machine.problems(status=0)

    assert machine.names() == ["first_1", "greet", "second_1"]
    assert [problem["severity"] for problem in problems] == ["warning"]
    assert "alpha" in json.dumps(problems)
