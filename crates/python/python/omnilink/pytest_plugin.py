"""The plugin of pytest, which the package registers: the fixture `omnilink_recorder`, and the picture of a violation.

A test that fails with `omnilink.ViolationError` (`recorder.assert_valid(...)`, `omnilink.assert_valid(...)`) gets a section with the path of
the page that shows it: below `--omnilink-pages FOLDER`, or else in pytest's temporary folder.
"""

import hashlib
import pathlib
import re
import tempfile

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
        try:
            page = _folder(item.config) / _name(item.nodeid)
            page.write_text(error.result.report("html"), encoding="utf-8")
            told = f"picture: {page}"
        except OSError as failed:
            told = f"there is no picture, since it could not be written: {failed}"
        outcome.get_result().sections.append(("omnilink", told))


# What file systems allow is 255 bytes.
_NAME_MAX = 80


def _name(test):
    """The file of a test: readable, short, and its own."""
    readable = re.sub(r"[^A-Za-z0-9_.-]+", "_", test)
    own = hashlib.sha256(test.encode("utf-8", "backslashreplace")).hexdigest()[:12]
    return f"{readable[-_NAME_MAX:]}-{own}.html"


def _folder(config):
    given = config.getoption("--omnilink-pages")
    if given is None:
        # The plugin that makes temporary folders can be left out.
        made = getattr(config, "_tmp_path_factory", None)
        if made is None:
            return pathlib.Path(tempfile.mkdtemp(prefix="omnilink-pages-"))
        return made.mktemp("omnilink-pages", numbered=True)
    folder = pathlib.Path(given)
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()
