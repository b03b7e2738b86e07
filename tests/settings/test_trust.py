"""What a stranger's project file may not do before `pegboard trust`."""

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from pegboard._plugin_settings import plugin_settings
from pegboard._settings.trust import distrust, trust
from pegboard.errors import SettingsError, UsageError
from pegboard.settings import NEEDS_TRUST, load_settings, make_settings


class Server(BaseModel):
    url: str = ""
    command: list[str] = Field([], json_schema_extra=NEEDS_TRUST)


class Servers(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    shell: str = Field("/bin/sh", alias="sh", json_schema_extra=NEEDS_TRUST)
    main: Server | None = None
    named: dict[str, Server] = {}
    listed: list[Server] = []
    either: Server | str = ""
    level: int = 1


def read(project, **options):
    return plugin_settings(load_settings(project, **options), "servers", Servers)


HOSTILE = """
[plugins.servers]
sh = "/tmp/evil"
level = 3
main = {url = "https://main", command = ["evil"]}
either = {command = ["evil"]}
listed = [{command = ["evil"]}]
[plugins.servers.named.one]
url = "https://one"
command = ["evil"]
"""


def test_values_that_start_programs_wait_for_trust(project, own):
    """Settings: marked fields of an untrusted file have no effect, and say so."""
    path = own(HOSTILE)

    servers, problems = read(project)

    assert "evil" not in servers.model_dump_json()
    assert servers.shell == "/bin/sh"
    assert servers.level == 3
    assert servers.main == Server(url="https://main")
    assert servers.named == {"one": Server(url="https://one")}
    assert {problem.message for problem in problems} == {
        f"'plugins.servers.{key}' of {path} needs trust, and the file is not "
        "trusted, so it has no effect"
        for key in (
            "sh",
            "main.command",
            "either.command",
            "listed",
            "named.one.command",
        )
    }
    assert {problem.remedy for problem in problems} == {
        "Read the file, then run `pegboard trust`."
    }


def test_trust_lets_them_take_effect(project, own):
    """Settings: `pegboard trust` is the user's word for the file as it is."""
    trust(own(HOSTILE))

    servers, problems = read(project)

    assert servers.shell == "/tmp/evil"
    assert servers.listed == [Server(command=["evil"])]
    assert problems == ()


def test_trust_ends_with_the_next_change(project, own):
    """Settings: what is trusted is the content, by its hash."""
    trust(own(HOSTILE))
    own(HOSTILE + "\n")

    assert read(project)[0].shell == "/bin/sh"


def test_trust_can_be_taken_back(project, own):
    """Settings: a file that is no longer trusted is a stranger's again."""
    path = own(HOSTILE)
    trust(path)
    distrust(path)
    distrust(path)

    assert read(project)[0].shell == "/bin/sh"


def test_trust_is_of_one_file_in_one_place(project, own, tmp_path):
    """Settings: the same content elsewhere is not trusted with it."""
    trust(own(HOSTILE))
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    (other / "pegboard.toml").write_bytes((project / "pegboard.toml").read_bytes())

    assert read(other)[0].shell == "/bin/sh"


def test_what_the_user_says_stands_where_a_project_covered_it(project, own, user):
    """Settings: below what has no effect the layer underneath comes to light."""
    user("[plugins.servers]\nsh = '/bin/bash'\nnamed.one.command = ['good']")
    own(HOSTILE)

    servers, _ = read(project)

    assert servers.shell == "/bin/bash"
    assert servers.named["one"] == Server(url="https://one", command=["good"])


def test_user_variables_and_code_may_start_programs(project, user, monkeypatch):
    """Settings: only the project's file comes from a stranger."""
    user("[plugins.servers]\nmain.command = ['good']")
    monkeypatch.setenv("PEGBOARD_PLUGINS__SERVERS__SH", "/bin/zsh")
    overrides = {"plugins": {"servers": {"listed": [{"command": ["mine"]}]}}}

    servers, problems = read(project, overrides=overrides)

    assert servers.main == Server(command=["good"])
    assert servers.shell == "/bin/zsh"
    assert servers.listed == [Server(command=["mine"])]
    assert problems == ()


@pytest.mark.parametrize("key", ["shell", "shel"])
def test_no_other_spelling_gets_past_the_mark(project, own, key):
    """Settings: a field is set by the name in the schema, by no other alias."""
    own(f"[plugins.servers]\n{key} = '/tmp/evil'")

    with pytest.raises(SettingsError, match=f"'plugins.servers.{key}' is unknown"):
        read(project)


def test_no_choice_of_aliases_gets_past_the_mark(project, own):
    """Settings: of several aliases the first one is the key."""

    class Model(BaseModel):
        command: str = Field(
            "",
            validation_alias=AliasChoices("command", "cmd"),
            json_schema_extra=NEEDS_TRUST,
        )

    own("[plugins.x]\ncmd = '/tmp/evil'")

    with pytest.raises(SettingsError, match=r"'plugins\.x\.cmd' is unknown"):
        plugin_settings(load_settings(project), "x", Model)


def test_a_project_grants_no_secrets_before_trust(project, own, user):
    """V4: an untrusted file cannot hand this user's variables to a plugin."""
    user("[plugins.weather.secrets]\nOTHER = 'env:OTHER'")
    path = own("[plugins.weather.secrets]\nWEATHER_KEY = 'env:AWS_SECRET'")

    before = load_settings(project)
    trust(path)
    after = load_settings(project)

    assert before.secrets("weather") == {"OTHER": "env:OTHER"}
    (problem,) = before.problems
    assert (problem.plugin, problem.severity) == ("weather", "warning")
    assert "not trusted" in problem.message
    assert "pegboard trust" in problem.remedy
    assert after.secrets("weather")["WEATHER_KEY"] == "env:AWS_SECRET"
    assert after.problems == ()


def test_a_project_cannot_trust_itself(project, own, monkeypatch):
    """Settings: what is trusted is kept in the user's own folder."""
    own(HOSTILE)
    (project / "trusted.json").write_text("{}")
    monkeypatch.chdir(project)

    assert read(".")[0].shell == "/bin/sh"


def test_a_broken_memory_of_trust_trusts_nothing(project, own, home):
    """Settings: what cannot be read does not open anything."""
    trust(own(HOSTILE))
    (store,) = (home / "state").rglob("trusted.json")
    store.write_text("[]")

    assert read(project)[0].shell == "/bin/sh"


def test_trust_that_cannot_be_kept_is_an_error(project, own, home):
    """Settings: nobody believes to have trusted what will be asked for again."""
    path = own(HOSTILE)
    home.mkdir()
    (home / "state").write_text("a file where a folder should be")

    with pytest.raises(UsageError, match="cannot be written"):
        trust(path)


def test_only_what_can_be_read_can_be_trusted(project):
    """Settings: trust is given to a content."""
    with pytest.raises(UsageError, match="cannot be read"):
        trust(project / "missing.toml")


def test_code_alone_has_no_project_to_distrust():
    """Settings: what a host passes is trusted."""
    given = make_settings({"plugins": {"servers": {"sh": "/bin/zsh"}}})

    assert plugin_settings(given, "servers", Servers)[0].shell == "/bin/zsh"
