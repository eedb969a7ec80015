"""The plugin of pytest, which the package registers: the fixture `omnilink_recorder`, and the picture of a violation.

A test that fails with `omnilink.ViolationError` (`recorder.assert_valid(...)`, `omnilink.assert_valid(...)`) gets a section with the path of
the page that shows it: below `--omnilink-pages FOLDER`, or else in pytest's temporary folder.
"""

import pathlib
import re

import pytest

from omnilink._errors import ViolationError
from omnilink._recorder import Recorder


def pytest_addoption(parser):
    group = parser.getgroup("omnilink")
    group.addoption("--omnilink-pages", metavar="FOLDER", help="where the pages of violations go; pytest's temporary folder if not given")


@pytest.fixture
def omnilink_recorder(tmp_path):
    """A recorder whose files are in the folder `omnilink` of `tmp_path`. It is closed after the test."""
    with Recorder(tmp_path / "omnilink") as recorder:
        yield recorder


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    error = call.excinfo.value if call.excinfo is not None else None
    if isinstance(error, ViolationError):
        page = _folder(item.config) / (re.sub(r"[^\w.-]+", "_", item.nodeid) + ".html")
        page.write_text(error.result.report("html"), encoding="utf-8")
        outcome.get_result().sections.append(("omnilink", f"picture: {page}"))


def _folder(config):
    given = config.getoption("--omnilink-pages")
    if given is None:
        return config._tmp_path_factory.mktemp("omnilink-pages", numbered=True)
    folder = pathlib.Path(given)
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()
