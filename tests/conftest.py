"""Every test's surroundings: apart from this user's settings, no example hurried."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings

from .pages import collector

# A busy machine is no failure, so no example has a deadline.
settings.register_profile("pegboard", deadline=None)
settings.load_profile("pegboard")


class Pages:
    """Collects the examples of README.md, docs/ and plugins, which stand elsewhere."""

    pytest_collect_file = staticmethod(collector(Path(__file__).parents[1]))


def pytest_configure(config):
    """Hide this user's Pegboard: variables, settings file and cache."""
    for name in [name for name in os.environ if name.startswith("PEGBOARD_")]:
        del os.environ[name]
    home = TemporaryDirectory(prefix="pegboard-tests-")
    config.add_cleanup(home.cleanup)
    os.environ["XDG_CONFIG_HOME"] = f"{home.name}/config"
    os.environ["XDG_STATE_HOME"] = f"{home.name}/state"
    os.environ["PEGBOARD_CACHE_DIR"] = f"{home.name}/cache"
    config.pluginmanager.register(Pages(), "pages")
