"""PEGBOARD_ variables: lenient, nested, never lost."""

import os

import pytest

from pegboard.errors import SettingsError
from pegboard.settings import load_settings


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("timeout", "5", 5.0),
        ("timeout", "2.5", 2.5),
        ("max_calls", "7", 7),
        ("updates", "no", False),
        ("locked", "1", True),
        ("execution", "sequential", "sequential"),
        ("order", "a, b,,c", ("a", "b", "c")),
        ("order", '["a", "b"]', ("a", "b")),
        ("order", "", ()),
        ("order", "[a]*, b", ("[a]*", "b")),
    ],
)
def test_a_variable_is_a_text_that_becomes_its_keys_type(
    project, monkeypatch, key, text, value
):
    """Settings: variables are lenient; lists have commas, or are JSON."""
    monkeypatch.setenv(f"PEGBOARD_{key.upper()}", text)

    settings = load_settings(project)

    assert getattr(settings, key) == value
    assert type(getattr(settings, key)) is type(value)


def test_two_underscores_lead_into_a_table(project, monkeypatch):
    """Settings: PEGBOARD_TOOLS__FORECAST__TIMEOUT is tools.forecast.timeout."""
    monkeypatch.setenv("PEGBOARD_TOOLS__FORECAST__TIMEOUT", "5")
    monkeypatch.setenv("PEGBOARD_TOOLS__FORECAST__RETRY__ATTEMPTS", "2")
    monkeypatch.setenv("PEGBOARD_TOOLS__READ", '{"timeout": 3, "resources": ["a"]}')
    monkeypatch.setenv("PEGBOARD_PLUGINS__AUDIT__SINK__PATH", "x")

    settings = load_settings(project)

    forecast = settings.tool("weather:forecast")
    assert forecast.timeout == 5
    assert forecast.retry is not None
    assert forecast.retry.attempts == 2
    assert settings.tool("files:read").resources == ("a",)
    assert settings.plugin("audit") == {"sink": {"path": "x"}}


def test_a_name_that_a_file_uses_is_found_in_spite_of_case_and_punctuation(
    project, own, monkeypatch
):
    """Settings: a shell cannot spell every name, so a file's spelling is taken."""
    own("[tools.readFile]\ntimeout = 1\n[plugins.my-audit]\nlevel = 1")
    monkeypatch.setenv("PEGBOARD_TOOLS__READFILE__TIMEOUT", "5")
    monkeypatch.setenv("PEGBOARD_PLUGINS__MY_AUDIT__LEVEL", "2")

    settings = load_settings(project)

    assert settings.tool("files:readFile").timeout == 5
    assert settings.plugin("my-audit") == {"level": "2"}
    assert settings.plugin("my_audit") == {}


def test_a_name_not_all_in_capitals_is_taken_as_it_is(project, monkeypatch):
    """Settings: a variable can spell a tool's name itself."""
    monkeypatch.setenv("PEGBOARD_TOOLS__readFile__TIMEOUT", "5")

    assert load_settings(project).tool("files:readFile").timeout == 5


def test_names_of_secrets_keep_their_case(project, monkeypatch):
    """V4: an injected value is named as the plugin names it."""
    place = "PEGBOARD_PLUGINS__WEATHER__SECRETS__WEATHER_KEY"
    monkeypatch.setenv(place, "env:OWM_KEY")

    settings = load_settings(project)

    assert settings.secrets("weather") == {"WEATHER_KEY": "env:OWM_KEY"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "PEGBOARD_TIMOUT",
            "5",
            "there is no setting 'timout'; did you mean 'timeout'",
        ),
        ("PEGBOARD_TIMEOUT", "soon", "'timeout' should be a valid number"),
        (
            "PEGBOARD_TOOLS__FORECAST",
            "5",
            "'tools.forecast' should be a table, not '5'",
        ),
        ("PEGBOARD_TOOLS__X__TIMOUT", "5", "did you mean 'tools.x.timeout'"),
    ],
)
def test_a_variable_that_is_wrong_is_named(project, monkeypatch, name, text, said):
    """Settings: the error's file is the variable."""
    monkeypatch.setenv(name, text)

    with pytest.raises(SettingsError) as caught:
        load_settings(project)

    assert str(caught.value).startswith(f"{name}: ")
    assert said in str(caught.value)
    assert caught.value.file == name


def test_variables_that_are_no_settings_are_left_alone(project, monkeypatch):
    """Settings: the cache's place and the switch for all plugins are not keys."""
    monkeypatch.setenv("PEGBOARD_CACHE_DIR", "/nowhere")
    monkeypatch.setenv("PEGBOARD_NO_PLUGINS", "1")

    assert load_settings(project).problems == ()


@pytest.mark.skipif(os.name == "nt", reason="variables of Windows are text")
def test_a_variable_that_is_no_text_is_named(project, monkeypatch):
    """Settings: bytes that no encoding explains are an error, not a crash."""
    monkeypatch.setenv("PEGBOARD_ORDER", os.fsdecode(b"\xff"))

    with pytest.raises(SettingsError, match="PEGBOARD_ORDER"):
        load_settings(project)
