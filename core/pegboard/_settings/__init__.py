"""Behind pegboard.settings: sources, layers, checks, trust."""
