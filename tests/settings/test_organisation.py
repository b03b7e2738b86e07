"""What the organisation's file holds against everybody below."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pegboard._settings.loading import Reading
from pegboard._settings.sources import Layer
from pegboard.errors import SettingsError
from pegboard.settings import build, load_settings, make_settings


def test_required_and_optional_cannot_be_overridden(project, organisation, own):
    """H2: `required` and `optional` of the organisation's file are the last word."""
    holder = organisation("required = ['approval', 'audit']\noptional = []")
    file = own("required = []\noptional = ['approval']")

    settings = load_settings(project, overrides={"required": ["other"]})

    assert settings.required == ("approval", "audit")
    assert settings.optional == ()
    assert [problem.message for problem in settings.problems] == [
        f"'required' of {file} has no effect: {holder} holds it",
        f"'optional' of {file} has no effect: {holder} holds it",
        f"'required' of code has no effect: {holder} holds it",
    ]
    assert {problem.severity for problem in settings.problems} == {"warning"}


def test_a_project_may_require_where_the_organisation_does_not(project, own):
    """Settings: without a word of the organisation a project names what it needs."""
    own("required = ['audit']")

    assert load_settings(project).required == ("audit",)


def test_a_final_key_holds_against_every_file(project, organisation, user, own):
    """Settings: a key in `final` is the organisation's, or its default."""
    organisation("final = ['timeout', 'updates']\ntimeout = 60")
    files = [user("timeout = 1\nupdates = false"), own("timeout = 2\nupdates = false")]

    settings = load_settings(project)

    assert (settings.timeout, settings.updates) == (60, True)
    said = [
        problem.message.partition(" has no effect")[0] for problem in settings.problems
    ]
    assert said == [
        f"'{key}' of {file}" for file in files for key in ("timeout", "updates")
    ]


def test_a_final_key_holds_against_variables_and_code(
    project, organisation, monkeypatch
):
    """Settings: what is final for files is final for a run and for a host."""
    organisation("final = ['timeout', 'updates']\ntimeout = 60")
    monkeypatch.setenv("PEGBOARD_TIMEOUT", "1")
    monkeypatch.setenv("PEGBOARD_UPDATES", "0")

    settings = load_settings(project, overrides={"timeout": 1, "updates": False})

    assert (settings.timeout, settings.updates) == (60, True)
    assert len(settings.problems) == 4


def test_saying_the_same_as_a_final_key_is_no_problem(project, organisation, own):
    """Settings: a layer that agrees with the organisation is not complained of."""
    organisation("final = ['timeout']\ntimeout = 60")
    own("timeout = 60")

    assert load_settings(project).problems == ()


def test_a_final_key_of_the_board_holds_against_single_tools(
    project, organisation, own
):
    """B5: `updates = false` made final is not brought back tool by tool."""
    organisation("final = ['updates']\nupdates = false\ntools.forecast.updates = false")
    own("[tools.'*']\nupdates = true\n[tools.'weather:forecast']\nupdates = true")

    settings = load_settings(project)

    assert settings.updates is False
    assert settings.tool("weather:forecast").updates is False
    assert settings.tool("files:read").updates is None


@pytest.mark.parametrize("name", ["forecast", "weather:forecast", "fore*", "weather:*"])
def test_a_final_key_of_a_tool_holds_against_more_specific_names(
    name, project, organisation, own
):
    """D5: no other name for the same tool gets around what is final."""
    organisation(f"final = ['tools.{name}.timeout']\n[tools.'{name}']\ntimeout = 60")
    own("[tools.forecast]\ntimeout = 1\n[tools.'weather:forecast']\ntimeout = 2")

    settings = load_settings(project)

    assert settings.tool("weather:forecast").timeout == 60


def test_a_final_tool_is_the_organisations_alone(project, organisation, own):
    """Settings: `tools.NAME` in `final` holds every key, said or not."""
    organisation("final = ['tools.forecast']\n[tools.forecast]\ntimeout = 60")
    own(
        "[tools.'weather:forecast']\nrunner = 'inline'\n[tools.read]\nrunner = 'inline'"
    )

    settings = load_settings(project)

    assert settings.tool("weather:forecast").runner is None
    assert settings.tool("weather:forecast").timeout == 60
    assert settings.tool("files:read").runner == "inline"


def test_a_final_key_inside_a_table_holds_against_the_whole_table(
    project, organisation, own
):
    """Settings: what is final cannot be taken away with the table it stands in."""
    organisation("final = ['plugins.audit.sink.path']\nplugins.audit.sink.path = 'x'")
    own("[plugins.audit]\nsink = 'stdout'\nlevel = 3")

    settings = load_settings(project)

    assert settings.plugin("audit") == {"sink": {"path": "x"}, "level": 3}
    assert len(settings.problems) == 1


NAMES = st.text("weathrfocs:*?", min_size=1, max_size=18) | st.sampled_from(
    ["forecast", "weather:forecast", "*", "weather:*", "*cast", "????????"]
)


@given(st.dictionaries(NAMES, st.fixed_dictionaries({"timeout": st.integers(0, 9)})))
def test_no_name_at_all_gets_around_a_final_tool(tools):
    """D5: whatever a lower layer calls the tool, what is final stays."""
    organisation = Layer(
        "organisation",
        {"final": ["tools.fore*.timeout"], "tools": {"fore*": {"timeout": 60}}},
        "organisation",
    )
    resolved = Reading().fold(
        [organisation, Layer("project", {"tools": tools}, "project")]
    )

    assert build(resolved).tool("weather:forecast").timeout == 60


def test_a_final_list_of_disabled_plugins_is_not_added_to(project, organisation, own):
    """D6: `disable` too can be final."""
    organisation("final = ['disable']\ndisable = ['shell']")
    own("disable = ['audit']")

    assert load_settings(project).disable == ("shell",)


@pytest.mark.parametrize("where", ["user", "own"])
def test_final_counts_in_the_organisations_file_only(where, project, request):
    """Settings: a layer that cannot hold anything is told so."""
    file = request.getfixturevalue(where)("final = ['timeout']")

    with pytest.raises(SettingsError, match="organisation's file only") as caught:
        load_settings(project)

    assert (caught.value.file, caught.value.key) == (str(file), "final")


def test_a_final_key_that_does_not_exist_is_an_error(project, organisation):
    """Settings: a misspelled key in `final` would hold nothing, so it is named."""
    organisation("final = ['timout']")

    with pytest.raises(SettingsError, match="did you mean 'timeout'"):
        load_settings(project)


def test_an_unreadable_organisations_file_is_an_error(project, organisation):
    """Settings: what the organisation says must not get lost."""
    path = organisation("")
    path.unlink()
    path.mkdir()

    with pytest.raises(SettingsError, match="cannot be read") as caught:
        make_settings({}, with_organisation=True)

    assert caught.value.file == str(path)


def test_no_variable_moves_the_organisations_file(project, organisation, monkeypatch):
    """Settings: the place of the organisation's file is a constant."""
    organisation("timeout = 60")
    monkeypatch.setenv("PEGBOARD_ORGANISATION_FILE", "/dev/null")

    with pytest.raises(SettingsError, match="PEGBOARD_ORGANISATION_FILE"):
        load_settings(project)
