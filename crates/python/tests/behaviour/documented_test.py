"""What docs/python.md and the example say is so."""

import re
import subprocess
import sys
import unittest

from histories import REPOSITORY


class Documentation(unittest.TestCase):
    def test_the_examples_of_the_page_run(self):
        page = (REPOSITORY / "docs/python.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
        self.assertGreater(len(blocks), 4)
        # One after the other, as a reader tries them.
        done = subprocess.run([sys.executable, "-c", "\n".join(blocks)], cwd=REPOSITORY, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("violation\n"), done.stdout)

    def test_the_example_finds_the_bug(self):
        done = subprocess.run([sys.executable, str(REPOSITORY / "examples/python/two_queues.py")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_docstring_of_the_package_is_true(self):
        import doctest

        import omnilink

        self.assertEqual(doctest.testmod(omnilink).failed, 0)

    def test_stubs_name_what_the_package_has(self):
        import omnilink

        stub = (REPOSITORY / "crates/python/python/omnilink/__init__.pyi").read_text()
        declared = set(re.findall(r"^(?:class|def) ([A-Za-z]\w*)", stub, re.M)) - {"Model"}
        declared |= set(re.findall(r"^([A-Z]\w*) = LiveCheck$", stub, re.M))
        self.assertEqual(declared | {"__version__"}, set(omnilink.__all__))
