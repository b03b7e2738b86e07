"""A plugin's own table, checked by the plugin's own model."""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr
from typing_extensions import TypedDict

from pegboard._plugin_settings import check_kept, plugin_settings, settings_schema
from pegboard.errors import PluginError, SettingsError
from pegboard.settings import load_settings, make_settings


class Sink(BaseModel):
    path: Path = Path("audit.jsonl")
    tags: tuple[str, ...] = ()


class Audit(BaseModel):
    level: int = 1
    since: date | None = None
    every: timedelta = timedelta(seconds=1)
    sink: Sink = Sink()
    others: list[Sink] = []
    named: dict[str, Sink] = {}
    token: SecretStr | None = None


def test_a_table_becomes_an_instance_of_the_plugins_model(project, own):
    """H3: TOML's values become the types that the model asks for."""
    own(
        """
        [plugins.audit]
        distribution = "pegboard-audit"
        level = 3
        since = 2026-01-02
        every = "PT5S"
        sink = {path = "x", tags = ["a"]}
        others = [{path = "y"}]
        named.one = {path = "z"}
        """
    )

    audit, problems = plugin_settings(load_settings(project), "audit", Audit)

    assert audit == Audit(
        level=3,
        since=date(2026, 1, 2),
        every=timedelta(seconds=5),
        sink=Sink(path=Path("x"), tags=("a",)),
        others=[Sink(path=Path("y"))],
        named={"one": Sink(path=Path("z"))},
    )
    assert problems == ()


def test_dataclasses_and_typed_dicts_are_models_too():
    """H3: `Settings` may be any type that pydantic can check."""

    @dataclass
    class Plain:
        level: int = 1

    class Typed(TypedDict):
        level: int

    settings = make_settings({"plugins": {"audit": {"level": 3}}})

    assert plugin_settings(settings, "audit", Plain) == (Plain(3), ())
    assert plugin_settings(settings, "audit", Typed) == ({"level": 3}, ())


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("levle = 3", "levle", "is unknown; did you mean 'level'?"),
        ("sink.paht = 'x'", "sink.paht", "is unknown; did you mean 'path'?"),
        (
            "others = [{paht = 'x'}]",
            "others.0.paht",
            "is unknown; did you mean 'path'?",
        ),
        ("named.a.paht = 'x'", "named.a.paht", "is unknown; did you mean 'path'?"),
        ("zzz = 3", "zzz", "is unknown; there are every, level"),
        ("level = '3'", "level", "should be a valid integer"),
        ("level = {a = 1}", "level", "should be a valid integer"),
        ("sink = 'x'", "sink", "should be an object"),
        ("sink.tags = 'abc'", "sink.tags", "should be a valid array"),
    ],
)
def test_a_wrong_key_or_value_names_file_key_and_way_out(project, own, text, key, said):
    """D4: a plugin's table is as strict as the rest of the file."""
    path = own(f"[plugins.audit]\n{text}")

    with pytest.raises(SettingsError) as caught:
        plugin_settings(load_settings(project), "audit", Audit)

    start = f"{path}: settings of plugin 'audit': 'plugins.audit.{key}' {said}"
    assert str(caught.value).startswith(start)
    assert (caught.value.file, caught.value.key) == (str(path), f"plugins.audit.{key}")


def test_a_wrong_value_is_never_repeated(project, own):
    """V4: what a plugin takes may be a secret, so errors do not quote it."""
    own("[plugins.audit]\ntoken = 12345678")

    with pytest.raises(SettingsError) as caught:
        plugin_settings(load_settings(project), "audit", Audit)

    assert "12345678" not in str(caught.value)


def test_a_model_that_allows_extras_gets_them():
    """H3: a model may take any key; then none is unknown."""

    class Open(BaseModel):
        model_config = ConfigDict(extra="allow")

    settings = make_settings({"plugins": {"open": {"anything": [1]}}})

    instance, _ = plugin_settings(settings, "open", Open)

    assert instance.model_dump() == {"anything": [1]}


def test_a_model_that_forbids_extras_is_no_different():
    """H3: unknown keys are refused whether or not the model says so."""

    class Closed(BaseModel):
        model_config = ConfigDict(extra="forbid")
        level: int = 1

    settings = make_settings({"plugins": {"closed": {"levle": 1}}})

    with pytest.raises(SettingsError, match="did you mean 'level'"):
        plugin_settings(settings, "closed", Closed)


def test_keys_of_a_union_are_known_if_one_arm_knows_them():
    """H3: of a union of models every arm's keys are right keys."""

    class Left(BaseModel):
        kind: Literal["left"]
        a: int = 1

    class Right(BaseModel):
        kind: Literal["right"]
        b: int = 1

    class Model(BaseModel):
        side: Left | Right = Field(discriminator="kind")

    def read(table):
        settings = make_settings({"plugins": {"x": {"side": table}}})
        return plugin_settings(settings, "x", Model)[0]

    assert read({"kind": "right", "b": 2}).side == Right(kind="right", b=2)
    with pytest.raises(
        SettingsError, match=r"side\.c' is unknown; there are a, b, kind"
    ):
        read({"kind": "right", "c": 2})


def test_variables_are_lenient_where_files_are_not(project, own, monkeypatch):
    """Settings: a variable's text becomes a number; a file's text does not."""
    monkeypatch.setenv("PEGBOARD_PLUGINS__AUDIT__LEVEL", "3")
    monkeypatch.setenv("PEGBOARD_PLUGINS__AUDIT__SINK__TAGS", '["a"]')

    audit, _ = plugin_settings(load_settings(project), "audit", Audit)
    own("[plugins.audit]\nsink.path = 5")

    assert (audit.level, audit.sink.tags) == (3, ("a",))
    with pytest.raises(SettingsError, match=r"sink\.path' is not a valid path|path"):
        plugin_settings(load_settings(project), "audit", Audit)


def test_a_wrong_variable_is_named(project, monkeypatch):
    """Settings: the error's file is the variable."""
    monkeypatch.setenv("PEGBOARD_PLUGINS__AUDIT__LEVEL", "high")

    with pytest.raises(SettingsError, match="valid integer") as caught:
        plugin_settings(load_settings(project), "audit", Audit)

    assert caught.value.file == "PEGBOARD_PLUGINS__AUDIT__LEVEL"


def test_a_missing_key_is_named():
    """Settings: what a plugin cannot do without is asked for by its key."""

    class Needs(BaseModel):
        url: str

    with pytest.raises(SettingsError, match=r"'plugins\.x\.url' is required"):
        plugin_settings(make_settings(), "x", Needs)


def test_a_plugin_without_a_model_takes_no_settings():
    """H3: a table for a plugin that has no `Settings` is a mistake."""
    settings = make_settings({"plugins": {"x": {"level": 1}}})

    assert plugin_settings(make_settings(), "x", None) == (None, ())
    with pytest.raises(SettingsError, match=r"'plugins\.x\.level' is unknown"):
        plugin_settings(settings, "x", None)


def test_a_model_without_a_schema_is_its_authors_mistake():
    """V9: what cannot be described cannot be kept or checked without an import."""

    class Handle:
        pass

    class Odd(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        sink: Handle | None = None

    with pytest.raises(PluginError, match="plugin 'odd' have no JSON Schema") as caught:
        plugin_settings(make_settings(), "odd", Odd)

    assert caught.value.plugin == "odd"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("levle = 3", "'plugins.audit.levle' is unknown; did you mean 'level'?"),
        ("level = '3'", "'plugins.audit.level' does not fit"),
        ("sink.path = 3", "'plugins.audit.sink.path' does not fit"),
    ],
)
def test_a_kept_schema_checks_without_an_import(project, own, text, said):
    """D2: what the manifest keeps of a plugin is enough to check its table."""
    path = own(f"[plugins.audit]\n{text}")
    schema = settings_schema("audit", Audit)

    with pytest.raises(SettingsError) as caught:
        check_kept(load_settings(project), "audit", schema)

    assert str(caught.value) == f"{path}: settings of plugin 'audit': {said}"


def test_a_kept_schema_lets_pass_what_the_model_takes(project, own, monkeypatch):
    """D2: the check without an import refuses nothing that the model takes."""
    own("[plugins.audit]\nlevel = 3\nsince = 2026-01-02\nnamed.one = {path = 'z'}")
    monkeypatch.setenv("PEGBOARD_PLUGINS__AUDIT__LEVEL", "4")

    settings = load_settings(project)
    check_kept(settings, "audit", settings_schema("audit", Audit))

    assert plugin_settings(settings, "audit", Audit)[0].level == 4


def test_a_kept_schema_asks_for_what_is_required():
    """D2: a missing key is found without an import, too."""

    class Needs(BaseModel):
        url: str

    with pytest.raises(SettingsError, match=r"'plugins\.x\.url' is missing"):
        check_kept(make_settings(), "x", settings_schema("x", Needs))
