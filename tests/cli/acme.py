"""A pack of two tools and a policy that takes part everywhere, as sources."""

PACK = '''
from pegboard import tool

@tool(read_only=True, timeout=5)
async def look() -> str:
    """Look around."""

@tool
def put(text: str) -> str:
    """Put a text."""

tools = [look, put]
'''
POLICY = """
from pegboard import hookimpl

async def mark(call, call_next):
    return await call_next(call)

class Policy:
    @hookimpl
    def prepare_arguments(self, call):
        pass

    @hookimpl
    def before_tool_call(self, call):
        pass

    @hookimpl
    def tool_middleware(self, tool):
        return mark if tool.read_only else None

    @hookimpl
    def after_tool_call(self, call, result):
        pass

    @hookimpl
    def on_event(self, event):
        pass
"""
