"""Fixtures that several files of tests share."""

import pytest


@pytest.fixture
def run(tmp_path):
    """What runs pipelines of Beam."""
    from beam_runs import Run

    return Run(tmp_path)
