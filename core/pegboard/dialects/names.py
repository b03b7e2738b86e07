"""What each provider demands of a tool's name."""

from __future__ import annotations

import re

_LETTERS = "letters, digits, _ and -"
_FUNCTION = re.compile(r"[a-zA-Z0-9_-]{1,64}")
#: Dialect -> the names it takes, and the rule in words.
RULES: dict[str, tuple[re.Pattern[str], str]] = {
    "openai_chat": (_FUNCTION, f"1 to 64 {_LETTERS}"),
    "openai_responses": (_FUNCTION, f"1 to 64 {_LETTERS}"),
    "anthropic": (re.compile(r"[a-zA-Z0-9_-]{1,128}"), f"1 to 128 {_LETTERS}"),
    "gemini": (
        re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"),
        "a letter or _, then up to 127 letters, digits, _, ., : and -",
    ),
    "gemini_interactions": (
        re.compile(r"[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}"),
        "a letter or _, then up to 127 letters, digits, _, ., : and -",
    ),
    "bedrock": (_FUNCTION, f"1 to 64 {_LETTERS}"),
    "mistral": (_FUNCTION, f"1 to 64 {_LETTERS}"),
    "mcp": (re.compile(r"[A-Za-z0-9._-]{1,128}"), f"1 to 128 {_LETTERS}, and dots"),
}


def name_problem(name: str, dialect: str) -> str | None:
    """Return why a provider refuses a name, None if it takes it.

    Providers that publish no rule (Cohere, Ollama, LangChain's) are held to OpenAI's.
    """
    pattern, rule = RULES.get(dialect, RULES["openai_chat"])
    if pattern.fullmatch(name):
        return None
    return f"the name is refused: {rule}"
