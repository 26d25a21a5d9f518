"""A lack of descriptors or processes is an error of the run, never of a document: the result is
that of an unlimited run, or there is none."""
import gzip
import resource
import shutil
import tarfile
import unittest
import zipfile

from command import Case


def limit_files(count):
    """Limits the number of open files of a child, including the standard streams."""
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


class Descriptors(Case):
    def setUp(self):
        super().setUp()
        for i in range(6):
            text = f"the text number {i // 2} goes on for a while, as texts do that are compared"
            self.write(f"folder/deep{i}/{i}.txt", text)
            self.write(f"packed/{i}.txt.gz", gzip.compress(text.encode()))
            self.write(f"odd/{i}.txt", f"Ein größerer {text}".encode("latin-1"))
            self.write(f"code/{i}.py", f"def f{i // 2}(a, b):\n    return a + b * {i // 2}\n" * 9)
        self.write("records.jsonl", "".join(
            f'{{"id": "{i}", "text": "a record of which there are several, number {i // 2}"}}\n'
            for i in range(6)))
        self.write("records.jsonl.gz", gzip.compress(self.read("records.jsonl")))
        with tarfile.open(self.path("texts.tar.gz"), "w:gz") as tar:
            tar.add(self.path("folder"), "folder")
        with zipfile.ZipFile(self.path("texts.zip"), "w") as archive:
            for i in range(6):
                archive.write(self.path(f"folder/deep{i}/{i}.txt"), f"{i}.txt")

    def check(self, *arguments):
        """Runs with too few up to enough descriptors: the output is the usual, or the run fails."""
        usual = self.succeed(*arguments)
        for count in range(4, 24):
            result = self.run_command(*arguments, preexec_fn=limit_files(count))
            if result.status == 0:
                self.assertEqual((result.out, result.err), (usual.out, usual.err),
                                 (arguments, count))
            else:
                self.assertEqual(result.status, 2, result)
        self.assertEqual(result.status, 0, (arguments, "with 23 descriptors"))

    def test_few_descriptors_give_the_usual_result_or_an_error(self):
        for name in ("folder", "packed", "odd", "code", "records.jsonl", "records.jsonl.gz",
                     "texts.tar.gz", "texts.zip", "fold*"):
            with self.subTest(name):
                self.check(name, "--format", "json", "-j", "3")

    def test_other_commands_give_the_usual_result_or_an_error(self):
        self.check("dedup", "records.jsonl", "records.jsonl.gz", "-o", "-", "-j", "2")
        self.check("compare", "folder/deep0/0.txt", "packed/1.txt.gz", "--format", "json")
        self.check("folder", "--ignore", "texts.zip", "--method", "lsh", "--format", "csv")

    def test_the_message_names_the_limit(self):
        self.fail_with(2, "texts.tar.gz", preexec_fn=limit_files(4),
                       says=["no more open files", "ulimit"])

    @unittest.skipUnless(shutil.which("pdftotext"), "needs pdftotext")
    def test_pdf_files_give_the_usual_result_or_an_error(self):
        page = b"BT /F1 12 Tf 72 700 Td (the text number 0 goes on for a while) Tj ET"
        self.write("pdf/page.pdf", b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                   b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
                   b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R"
                   b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>"
                   b"endobj\n4 0 obj<</Length " + str(len(page)).encode() + b">>stream\n" + page +
                   b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n")
        self.check("pdf", "folder", "-t", "0.1", "--format", "csv")


if __name__ == "__main__":
    unittest.main()
