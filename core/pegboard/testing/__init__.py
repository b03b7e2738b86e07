"""The test kit for tools, packs and policies.

Nothing here needs pytest. In a pytest suite, `pytest_plugins = ["pegboard.testing"]`
adds the fixtures of `pegboard.testing.fixtures`.
"""

from pegboard.testing._boards import call_tool, make_board
from pegboard.testing._contexts import RecordingContext, Update, make_context
from pegboard.testing._distributions import CheckedPlugin, check_distribution
from pegboard.testing._plugins import assert_plugin_contract
from pegboard.testing._promises import Broken, ContractError
from pegboard.testing._recording import RecordingPlugin, Step
from pegboard.testing._snapshots import assert_schema_snapshot
from pegboard.testing._tools import assert_tool_contract

#: What pytest loads with this module; a name only, so that nothing imports pytest.
pytest_plugins = ["pegboard.testing.fixtures"]

__all__ = [
    "Broken",
    "CheckedPlugin",
    "ContractError",
    "RecordingContext",
    "RecordingPlugin",
    "Step",
    "Update",
    "assert_plugin_contract",
    "assert_schema_snapshot",
    "assert_tool_contract",
    "call_tool",
    "check_distribution",
    "make_board",
    "make_context",
]
