"""A build without network names what will be missing, and continues."""

import os
import re
import subprocess
import tempfile
import unittest

from pages import ROOT


class WithoutNetwork(unittest.TestCase):
    def configure(self):
        """The messages of cmake with an empty cache and without network."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                ["cmake", "-G", "Ninja", "-S", ROOT, "-B", os.path.join(folder, "build")],
                env=dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"),
                         https_proxy="http://127.0.0.1:9",
                         npm_config_registry="http://127.0.0.1:9"),
                capture_output=True, timeout=600)
            self.assertEqual(os.path.exists(os.path.join(folder, "build/build.ninja")), True, done)
        self.assertEqual(done.returncode, 0, done)
        return re.sub(r"\s+", " ", done.stderr.decode())

    def test_names_what_will_be_missing(self):
        said = self.configure()
        self.assertIn("script/fetch: ", said)
        self.assertIn("programs are not parsed", said)
        self.assertIn("Configure again, with a network", said)


if __name__ == "__main__":
    unittest.main()
