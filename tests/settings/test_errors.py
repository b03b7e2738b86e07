"""What is said of a key that does not exist and of a value that does not fit."""

import pytest

from pegboard.errors import SettingsError
from pegboard.settings import load_settings, make_settings


@pytest.mark.parametrize(
    ("text", "key", "nearest"),
    [
        ("timout = 5", "timout", "timeout"),
        ("tools.forecast.timout = 5", "tools.forecast.timout", "timeout"),
        (
            "tools.forecast.retry.attempt = 5",
            "tools.forecast.retry.attempt",
            "attempts",
        ),
        (
            "tools.forecast.annotations.readonly = true",
            "tools.forecast.annotations.readonly",
            "read_only",
        ),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_right_one(
    project, own, text, key, nearest
):
    """W233: a misspelled key is never ignored; the way out is in the message."""
    path = own(text)

    with pytest.raises(SettingsError) as caught:
        load_settings(project)

    right = ".".join([*key.split(".")[:-1], nearest])
    assert str(caught.value) == (
        f"{path}: there is no setting {key!r}; did you mean {right!r}?"
    )
    assert (caught.value.file, caught.value.key) == (str(path), key)


def test_an_unknown_key_that_looks_like_none_is_answered_with_all(project, own):
    """Settings: where nothing is near, the message lists what there is."""
    own("tools.forecast.retry.zzz = 5")

    with pytest.raises(SettingsError, match="there are attempts, max_wait, wait"):
        load_settings(project)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("timeout = '5s'", "'timeout' should be a valid number, not '5s'"),
        ("timeout = true", "'timeout' should be a valid number, not True"),
        ("timeout = -1", "'timeout' should be greater than or equal to 0, not -1"),
        (
            "max_concurrency = 0",
            "'max_concurrency' should be greater than or equal to 1",
        ),
        ("max_calls = 1.5", "'max_calls' should be a valid integer, not 1.5"),
        ("disable = 'a'", "'disable' should be a list, not 'a'"),
        ("disable = [1]", "'disable.0' should be a valid string, not 1"),
        ("execution = 'both'", "'execution' should be 'parallel' or 'sequential'"),
        ("updates = 1", "'updates' should be a valid boolean, not 1"),
        ("updates = 'false'", "'updates' should be a valid boolean, not 'false'"),
        ("tools = 5", "'tools' should be a table, not 5"),
        ("tools.x = 5", "'tools.x' should be a table, not 5"),
        ("plugins.x = 5", "'plugins.x' should be a table, not 5"),
        (
            "plugins.x.distribution = 5",
            "'plugins.x.distribution' should be a valid str",
        ),
        ("plugins.x.secrets = 'env:K'", "'plugins.x.secrets' should be a table"),
    ],
)
def test_a_value_of_a_wrong_type_or_range_is_named(project, own, text, said):
    """W234: files are strict; the message has the key, what was expected, what came."""
    path = own(text)

    with pytest.raises(SettingsError) as caught:
        load_settings(project)

    assert str(caught.value).startswith(f"{path}: {said}")
    assert caught.value.file == str(path)


def test_all_that_is_wrong_in_a_file_is_said_at_once(project, own):
    """Settings: nobody mends a file error by error."""
    own("timout = 5\nmax_calls = 'many'")

    with pytest.raises(SettingsError, match=r"'max_calls'.*; .*'timout'"):
        load_settings(project)


def test_a_whole_number_may_stand_for_a_number(project, own):
    """Settings: strict is not petty."""
    own("timeout = 5")

    assert load_settings(project).timeout == 5.0


@pytest.mark.parametrize("place", ["OWM_KEY", "sk-1234", "env", ""])
def test_a_secret_must_be_a_place_and_is_never_repeated(project, user, place):
    """V4: somebody who wrote the secret itself does not find it in an error."""
    user(f"[plugins.weather.secrets]\nWEATHER_KEY = '{place}'")

    with pytest.raises(
        SettingsError, match="as 'env:VARIABLE' or 'file:PATH'"
    ) as caught:
        load_settings(project)

    assert not place or place == "env" or place not in str(caught.value)
    assert caught.value.key == "plugins.weather.secrets.WEATHER_KEY"


def test_code_is_as_strict_as_a_file():
    """Settings: a host's own mistake is named too, as "code"."""
    with pytest.raises(
        SettingsError, match="'timeout' should be a valid number"
    ) as one:
        make_settings({"timeout": "5"})
    with pytest.raises(SettingsError, match="did you mean 'timeout'") as other:
        make_settings({"timout": 5})

    assert (one.value.file, other.value.file) == ("code", "code")


def test_code_may_use_what_stands_for_json():
    """Settings: tuples, sets and paths are taken as what they are in a file."""
    settings = make_settings({"order": ("a", "b"), "plugins": {"x": {"tags": {"t"}}}})

    assert settings.order == ("a", "b")
    assert settings.plugin("x") == {"tags": ["t"]}


def test_what_is_no_json_is_refused():
    """Settings: an object is passed to the plugin itself, not through settings."""
    with pytest.raises(SettingsError, match="settings are JSON values"):
        make_settings({"plugins": {"x": {"sink": object()}}})
