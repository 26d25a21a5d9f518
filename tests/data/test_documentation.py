"""The documentation of packages of a Debian machine: compressed files, pages, archives, copies."""

import json
import os
import subprocess
import unittest

TWINSET = os.environ["TWINSET"]
FOLDER = "/usr/share/doc"
LEAST_PACKAGES, MOST_PACKAGES = 100, 300


def packages():
    """The folders of some packages, from all of the alphabet."""
    names = sorted(os.listdir(FOLDER)) if os.path.isdir(FOLDER) else []
    return [os.path.join(FOLDER, name) for name in names[::len(names) // MOST_PACKAGES + 1]]


@unittest.skipIf(len(packages()) < LEAST_PACKAGES, f"too few packages in {FOLDER}")
class Documentation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([TWINSET, *packages(), "--group", "none", "-t", "0.8", "--format",
                               "json", "--quiet"], stdout=subprocess.PIPE, check=True, timeout=600)
        cls.found = json.loads(done.stdout)

    def test_most_can_be_read(self):
        """Files that cannot be read are named with a reason."""
        run = self.found["run"]
        self.assertGreater(run["documents"], 5 * len(run["skipped"]))
        for skip in run["skipped"]:
            self.assertTrue(skip["path"].startswith(FOLDER))
            self.assertTrue(skip["reason"])

    def test_packed_files_are_read(self):
        names = {name for pair in self.found["pairs"] for name in (pair["a"], pair["b"])}
        self.assertTrue(any(name.endswith(".gz") for name in names))

    def test_licence_families(self):
        """Packages of one source have equal or similar copyright files."""
        families = [cluster for cluster in self.found["clusters"]
                    if all(name.endswith("/copyright") for name in cluster["members"])]
        self.assertGreater(len(families), 5)
        self.assertGreater(max(family["size"] for family in families), 3)


if __name__ == "__main__":
    unittest.main()
