"""What pydantic refuses is said like every other refusal."""

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    SecretStr,
    TypeAdapter,
    ValidationError,
    field_validator,
)

from pegboard._arguments import ArgumentSchema, explain_binding


class Move(BaseModel):
    kind: Literal["move"]
    steps: int


class Say(BaseModel):
    kind: Literal["say"]
    text: str


def be_even(number: int) -> int:
    if number % 2:
        raise ValueError(f"{number} is odd")
    return number


class Account(BaseModel):
    password: str
    pin: SecretStr = SecretStr("")

    @field_validator("password", "pin", mode="after")
    @classmethod
    def be_long(cls, value: Any) -> Any:
        raise ValueError(f"{value} is too short")


class Arguments(BaseModel):
    when: date = date(2020, 1, 1)
    even: Annotated[int, AfterValidator(be_even)] = 0
    days: list[date] = []
    by_name: dict[str, date] = {}
    action: Annotated[Move | Say, Field(discriminator="kind")] | None = None
    loose: int | date = 0
    account: Account | None = None


adapter = TypeAdapter(Arguments)


def refuse(value: dict[str, Any], schema: ArgumentSchema | None = None) -> Any:
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        return explain_binding(error, value, schema)
    raise AssertionError("pydantic took it")


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        (
            {"when": "soon"},
            ["when: expected a valid date or datetime, input is too short; got string "
             '"soon"'],
        ),
        ({"even": 3}, ["even: 3 is odd; got integer 3"]),
        (
            {"days": ["2020-01-01", "2020-13-01"]},
            ["days[1]: expected a valid date or datetime, month value is outside "
             'expected range of 1-12; got string "2020-13-01"'],
        ),
        (
            {"by_name": {"a b": "?"}},
            ['by_name["a b"]: expected a valid date or datetime, input is too short; '
             'got string "?"'],
        ),
        (
            {"action": {"kind": "move", "steps": "far"}},
            ["action.steps: expected a valid integer, unable to parse string as an "
             'integer; got string "far"'],
        ),
        ({"action": {"kind": "say"}}, ["action.text: required, but missing"]),
        (
            {"loose": "x"},
            ["loose: expected a valid integer, unable to parse string as an integer; "
             'got string "x"',
             "loose: expected a valid date or datetime, input is too short; got string "
             '"x"'],
        ),
    ],
)  # fmt: skip
def test_a_refusal_has_path_wish_and_value(
    value: dict[str, Any], problems: list[str]
) -> None:
    """A8: the path is that of the arguments, without pydantic's own labels."""
    error = refuse(value)

    assert error.code == "invalid_arguments"
    assert list(error.problems) == problems


def test_secrets_are_not_repeated() -> None:
    """A6, A8: neither the value nor a message that may quote it is shown."""
    schema = ArgumentSchema(adapter.json_schema())

    error = refuse({"account": {"password": "hunter2", "pin": "4711"}}, schema)

    assert list(error.problems) == [
        "account.password: the tool does not accept this value; got string (not shown)",
        "account.pin: the tool does not accept this value; got string (not shown)",
    ]


def test_a_thousand_refusals_are_told_by_eight() -> None:
    """A6, A8: the message of a refused binding is bounded like any other."""
    error = refuse({"days": ["x"] * 1_000})

    assert len(error.problems) == 8
    assert len(str(error)) <= 2_000


def test_another_exception_is_told_by_its_type() -> None:
    """A8: a validator that breaks is told, and nothing that it may have quoted."""
    error = explain_binding(RuntimeError("hunter2"), {"a": 1})

    assert list(error.problems) == [
        "arguments: a check of the tool failed on them (RuntimeError)"
    ]
