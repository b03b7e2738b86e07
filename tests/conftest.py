"""Every test's surroundings."""

from hypothesis import settings

# A busy machine is no failure, so no example has a deadline.
settings.register_profile("pegboard", deadline=None)
settings.load_profile("pegboard")
