"""Line-Up from Python, where the command is installed with the package and there is a C++ compiler."""

import pathlib
import shutil
import tempfile
import unittest

import omnilink

COUNTER = """
#include "lineup.hpp"
#include <atomic>
struct Counter {
    std::atomic<int> total{0};
    void add() { total.store(total.load() + 1); }
    int read() { return total.load(); }
};
int main() {
    return lineup::component<Counter>("counter")
        .op("add()", [](Counter &counter) { counter.add(); })
        .op("read()", [](Counter &counter) { return counter.read(); })
        .run();
}
"""


def is_installed():
    try:
        return bool(omnilink.find_command() and shutil.which("c++"))
    except omnilink.UsageError:
        return False


@unittest.skipUnless(is_installed(), "the command is not installed with the package, or there is no C++ compiler")
class LineUp(unittest.TestCase):
    def test_a_lost_update_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "counter.cpp"
            source.write_text(COUNTER)
            result = omnilink.lineup("--cpp", source, "--matrix", "add(), read() | add(), read()")
        self.assertEqual((result.verdict, result.evidence["command"]), ("violation", "lineup"))

    def test_what_the_command_refuses_is_an_exception(self):
        with self.assertRaisesRegex(omnilink.InputError, "--nonsense"):
            omnilink.lineup("--nonsense")
