"""Which layer a value comes from."""

from pegboard.settings import Settings, load_settings, make_settings


def test_nothing_said_means_the_defaults(project):
    """Settings: without files, variables and code every key has its default."""
    settings = load_settings(project)

    assert settings == Settings()
    assert (settings.timeout, settings.grace, settings.hook_timeout) == (120, 5, 30)
    assert (settings.max_calls, settings.max_concurrency) == (128, None)
    assert (settings.max_argument_bytes, settings.max_result_bytes) == (
        1 << 20,
        1 << 18,
    )
    assert settings.origin("timeout") == "default"
    assert settings.problems == ()


def test_each_layer_covers_those_below(
    project,
    organisation,
    user,
    shared,
    monkeypatch,
):
    """Settings: organisation, user, project, variables, code; the later one wins."""
    organisation(
        "grace = 1\ntimeout = 1\nhook_timeout = 1\nmax_calls = 1\nlocked = true"
    )
    user("timeout = 2\nhook_timeout = 2\nmax_calls = 2\nlocked = true")
    shared("[tool.pegboard]\nhook_timeout = 3\nmax_calls = 3\nlocked = true")
    monkeypatch.setenv("PEGBOARD_MAX_CALLS", "4")
    monkeypatch.setenv("PEGBOARD_LOCKED", "true")

    settings = load_settings(project, overrides={"locked": False})

    assert (settings.grace, settings.timeout, settings.hook_timeout) == (1, 2, 3)
    assert (settings.max_calls, settings.locked) == (4, False)


def test_origin_names_the_layer_that_a_value_came_from(
    project,
    organisation,
    user,
    shared,
    monkeypatch,
):
    """Settings: every value knows its file, its variable, or that code gave it."""
    files = [
        organisation("grace = 1"),
        user("timeout = 2"),
        shared("[tool.pegboard]\nhook_timeout = 3\nplugins.audit.sink.path = 'x'"),
    ]
    monkeypatch.setenv("PEGBOARD_TOOLS__FORECAST__TIMEOUT", "4")

    settings = load_settings(project, overrides={"locked": True})

    assert settings.origin("grace") == str(files[0])
    assert settings.origin("timeout") == str(files[1])
    assert settings.origin("hook_timeout") == str(files[2])
    assert settings.origin("plugins.audit.sink.path") == str(files[2])
    name = "PEGBOARD_TOOLS__FORECAST__TIMEOUT"
    assert settings.origin("tools.forecast.timeout") == name
    assert settings.origin("locked") == "code"
    assert settings.origin("updates") == "default"


def test_tables_are_merged_key_by_key(project, user, shared):
    """Settings: a layer adds to a table of the layer below instead of replacing it."""
    user("[tools.forecast]\ntimeout = 1\nretry = {attempts = 2, wait = 1.5}")
    shared("[tool.pegboard.tools.forecast]\nretry.attempts = 5\nrunner = 'thread'")

    forecast = load_settings(project).tool("weather:forecast")

    assert (forecast.timeout, forecast.runner) == (1, "thread")
    assert forecast.retry is not None
    assert (forecast.retry.attempts, forecast.retry.wait) == (5, 1.5)


def test_an_empty_table_takes_nothing_away(project, user, own):
    """Settings: `[plugins.audit]` without keys leaves those of the layer below."""
    user("[plugins.audit]\npath = 'x'")
    own("[plugins.audit]\n[tools.forecast]")

    assert load_settings(project).plugin("audit") == {"path": "x"}


def test_lists_are_replaced(project, user, own):
    """Settings: of a list the topmost layer's is the whole one."""
    user("order = ['a', 'b']\nenable = ['a']")
    own("order = ['c']\nenable = ['*']")

    settings = load_settings(project)

    assert (settings.order, settings.enable) == (("c",), ("*",))


def test_what_one_layer_disables_no_other_brings_back(project, user, own, monkeypatch):
    """D6: every layer adds to `disable`; PEGBOARD_DISABLE does so for one run."""
    user("disable = ['shell']")
    file = own("disable = []")
    monkeypatch.setenv("PEGBOARD_DISABLE", "files, weather:*")

    settings = load_settings(project)

    assert settings.disable == ("shell", "files", "weather:*")
    assert settings.origin("disable").endswith(", PEGBOARD_DISABLE")
    assert str(file) not in settings.origin("disable")


def test_a_timeout_of_zero_is_no_limit(project, own):
    """B9: files say 0 where code says None."""
    own("timeout = 0\nhook_timeout = 0\ntools.forecast.timeout = 0")

    settings = load_settings(project)

    assert (settings.timeout, settings.hook_timeout) == (None, None)
    assert settings.tool("weather:forecast").timeout == 0
    assert make_settings({"timeout": None}).timeout is None


def test_no_project_means_that_none_is_read(project, own, user, monkeypatch):
    """Settings: `project=None` reads the user's file and no project's."""
    user("grace = 1")
    own("timeout = 1")
    monkeypatch.chdir(project)

    settings = load_settings(None)

    assert (settings.grace, settings.timeout) == (1, 120)
    assert settings.project_file is None


def test_code_alone_reads_no_file_and_no_variable(
    project,
    organisation,
    user,
    own,
    monkeypatch,
):
    """Settings: make_settings takes code, and the organisation's file if asked to."""
    organisation("grace = 1\ntimeout = 1")
    user("timeout = 2")
    own("timeout = 3")
    monkeypatch.setenv("PEGBOARD_TIMEOUT", "4")
    monkeypatch.chdir(project)

    alone = make_settings({"timeout": 5})
    ruled = make_settings({"timeout": 5}, with_organisation=True)

    assert (alone.timeout, alone.grace) == (5, 5)
    assert (ruled.timeout, ruled.grace) == (5, 1)


def test_what_code_passes_is_copied():
    """Settings: a list or table changed later changes no settings."""
    given = {"order": ["a"], "plugins": {"audit": {"paths": ["x"]}}}

    settings = make_settings(given)
    given["order"].append("b")
    given["plugins"]["audit"]["paths"].append("y")
    settings.plugin("audit")["paths"].append("z")

    assert settings.order == ("a",)
    assert settings.plugin("audit") == {"paths": ["x"]}
