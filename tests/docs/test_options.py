"""The help and the manual have the same options, and pages name no others."""

import re
import subprocess
import unittest

from pages import PAGES, TWINSET, blocks, environment, name, prose


def printed(*arguments):
    return subprocess.run([TWINSET, *arguments], env=environment(), check=True,
                          capture_output=True).stdout.decode()


def commands():
    section = printed("--help").split("\nCommands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in section.splitlines()]


def options_of_help(text):
    """The options at the start of lines: `-t, --threshold X`, `-k N`."""
    found = set()
    for line in text.splitlines():
        if match := re.match(r"\s+(-\w)?(?:, )?\s*(--[a-z-]+)?(?= |$)", line):
            found.update(option for option in match.groups() if option)
    return found


def options_of_manual(text):
    found = set()
    for line in text.splitlines():
        if line.startswith(".It Fl"):
            found.update("--" + option for option in re.findall(r"Fl Fl ([a-z-]+)", line))
            found.update("-" + option for option in re.findall(r"Fl (\w)\b", line))
    return found


class Options(unittest.TestCase):
    def setUp(self):
        helps = [printed("--help"), *(printed(command, "--help") for command in commands())]
        self.help = set().union(*map(options_of_help, helps))
        self.manual = options_of_manual(printed("--man").replace("\\-", "-"))

    def test_commands(self):
        self.assertEqual(commands(),
                         ["scan", "compare", "dedup", "tune", "sketch", "cat", "index",
                          "serve"])

    def test_help_is_in_manual(self):
        self.assertGreater(len(self.help), 30)
        self.assertEqual(self.help - self.manual, set())

    def test_manual_is_in_help(self):
        self.assertEqual(self.manual - self.help, set())

    def test_help_has_no_names_of_the_source(self):
        for command in commands():
            self.assertNotRegex(printed(command, "--help"), r"\b(?:TW|TWINSET)_|\btw_")

    def test_pages_name_real_options(self):
        foreign = {"--preset", "--build", "--install", "--prefix", "--cflags", "--libs", "--tidy",
                   "--repeat", "--quick", "--no-peers", "--normalize", "--py-files", "--runner",
                   "--direct_running_mode", "--direct_num_workers", "--sdk_container_image",
                   "--extra_package", "--checkpoint", "--retry", "--retry-connrefused",
                   "--enable-experimental", "--twice"}  # of other commands
        for page in PAGES:
            text = prose(page) + "".join(
                line for _, lines in blocks(page, "sh") for line in lines if line.startswith("$ "))
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z_-]*", text))
            with self.subTest(name(page)):
                self.assertEqual(named - self.manual - foreign, set())


if __name__ == "__main__":
    unittest.main()
