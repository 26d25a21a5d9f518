"""Programs that stand in string literals of other programs."""
import json
import os
import unittest

from classroom import Class
from command import Case

CONNECT = """
import java.sql.*;

public class %s {
    static void run(Connection connection) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(%s);
        statement.execute();
    }
}
"""


class Strings(Case):
    def pairs(self, *arguments):
        result = self.succeed("scan", "in", "--group", "none", *arguments, "--format", "json")
        return {tuple(sorted(os.path.basename(pair[side]) for side in "ab")): pair
                for pair in json.loads(result.out)["pairs"]}

    def write_class(self):
        """A class whose copies are strings that are executed."""
        made = Class("python", seed=2)
        for name, text in made.files().items():
            if not name.startswith("student"):
                inner = text.replace("\\", "\\\\").replace("'''", "\\'\\'\\'")
                text = f"SOURCE = '''\n{inner}'''\n\nexec(compile(SOURCE, 'marks', 'exec'))\n"
            self.write(f"in/{name}", text)
        return [name for name in made.files() if not name.startswith("student")]

    def test_copies_in_strings_are_listed(self):
        copies = self.write_class()
        found = self.pairs()
        for name in copies:
            self.assertIn((name, "student00.py"), found)
        for pair in found:
            self.assertFalse(all(name.startswith("student") for name in pair), pair)

    def test_passages_are_where_they_are_written(self):
        """The lines of a passage in a string are those of the file."""
        self.write_class()
        pair = self.pairs()["renamed.py", "student00.py"]
        first = "a" if pair["a"].endswith("renamed.py") else "b"
        texts = {}
        for side in "ab":
            with open(self.path(pair[side]), "rb") as file:
                texts[side] = file.read()
        self.assertTrue(pair["passages"])
        for passage in pair["passages"]:
            for side in "ab":
                start, end = passage[side]["bytes"]
                lines = [texts[side][:at].count(b"\n") + 1 for at in (start, end - 1)]
                self.assertEqual(passage[side]["lines"], lines)
            self.assertLess(texts[first].index(b"SOURCE"), passage[first]["bytes"][0])
            self.assertLess(passage[first]["bytes"][1], texts[first].index(b"exec(compile"))

    def test_queries(self):
        """A query is compared by its structure, however its string is divided."""
        whole = ('"SELECT s.name, avg(m.points) FROM students s JOIN marks m ON m.student = s.id '
                 'WHERE m.points > 40 AND s.year = 3 GROUP BY s.name HAVING count(m.id) > 2 '
                 'ORDER BY avg(m.points) DESC"')
        parts = ('"SELECT p.title, avg(r.stars) FROM products p " +\n    '
                 '"JOIN ratings r ON r.product = p.code " +\n    '
                 '"WHERE r.stars > 2 AND p.shop = 7 " +\n    "GROUP BY p.title " +\n    '
                 '"HAVING count(r.code) > 10 ORDER BY avg(r.stars) DESC"')
        self.write("in/Students.java", CONNECT % ("Students", whole))
        self.write("in/Products.java", CONNECT % ("Products", parts))
        pair, = self.pairs("-t", "0", "--view", "normalised").values()
        self.assertGreater(pair["similarity"], 0.95)

    def test_threads(self):
        self.write_class()
        one, four = (self.succeed("scan", "in", "-t", "0", "--format", "json", "-j", threads).json
                     for threads in ("1", "4"))
        self.assertEqual(one["pairs"], four["pairs"])


if __name__ == "__main__":
    unittest.main()
