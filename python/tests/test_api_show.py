"""The display of results: text, HTML, a progress bar."""

import html.parser
import io
import re
import sys
import types

import pytest
import twinset
from twinset import progress, show
from twins import FOX, ROOT, TEXTS

EVIL = '<script>alert("x")</script>&\u202e\x1b[31m'


def test_a_scan_as_text(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert repr(twinset.scan("samples/essays", min_passage="off")) == """\
2 similar pairs in 14 documents, 2 clusters

similar  a in b  b in a  longest  a                                       \
b                                    cluster
 100.0%  100.0%  100.0%    1,804  samples/essays/lighthouse-reflowed.txt  \
samples/essays/lighthouse-tidy.txt         2
  62.9%   75.9%   78.5%      214  samples/essays/bridges-original.txt     \
samples/essays/bridges-verbatim.txt        1"""


def test_long_results_as_text():
    found = twinset.scan([FOX] * 30 + ["", None])
    text = repr(found)
    assert text.startswith("435 similar pairs in 30 documents, 1 cluster, 2 skipped\n")
    assert text.endswith("\n... and 425 more")
    assert len(text.splitlines()) == 14
    assert repr(twinset.scan([FOX])) == "0 similar pairs in 1 document, 0 clusters"


def test_a_dedup_as_text():
    done = twinset.dedup([FOX, TEXTS[2], FOX], ["first", "other", "x" * 50])
    assert repr(done) == f"""\
read 3, kept 2, removed 1, skipped 0

similar  removed                                   kept   cluster
 100.0%  …{'x' * 39}  first        1"""
    assert repr(done.removed).startswith("1 removed\n")


def test_names_are_escaped():
    found = twinset.scan([FOX, FOX], [EVIL, "b\n"])
    assert "\\u{202e}\\u{1b}[31m" in repr(found) and "b\\n" in repr(found)
    assert "\x1b" not in repr(found) and "\u202e" not in repr(found)


def test_percentages_are_the_commands():
    """Percentages are cut, not rounded: 100.0% means all."""
    for share, expected in ((0, "0.0%"), (0.07, "7.0%"), (0.0699999, "6.9%"), (1, "100.0%"),
                            (0.9999999999999999, "99.9%"), (0.629, "62.9%")):
        assert show.percent(share) == expected
    for i in range(1001):
        assert show.percent(i / 1000) == f"{i // 10}.{i % 10}%"


class Page(html.parser.HTMLParser):
    """Checks that tags are closed in order, and collects the text between them."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data + "\n"


def test_html():
    found = twinset.scan([FOX] * 30 + [TEXTS[1]])
    page = Page(found._repr_html_())
    assert page.tags.count("tr") == 1 + show.ROWS_OF_HTML
    assert "465 similar pairs in 31 documents" in page.text and "… and 445 more" in page.text
    page = Page(twinset.scan([FOX, FOX], [EVIL, "<b>"])._repr_html_())
    assert '\n<script>alert("x")</script>&\\u{202e}\\u{1b}[31m\n' in page.text
    assert not {"script", "b"} & set(page.tags)
    done = twinset.dedup([FOX, FOX], [EVIL, "<b>"])
    for shown in (done, done.removed):
        page = Page(shown._repr_html_())
        assert page.tags.count("tr") == 2 and "b" not in page.tags
    assert "table" not in Page(twinset.scan([FOX])._repr_html_()).tags


def test_html_takes_the_colours_of_the_page():
    """No colour of text is set, and all others are transparent, so light and dark pages work."""
    style = re.search("<style>(.*?)</style>", twinset.scan(TEXTS)._repr_html_(), re.S)[1]
    assert not re.search(r"(?<![-\w])color:|#[0-9a-f]{3}", style)
    assert set(re.findall(r"background-color: (\w+)", style)) == {"transparent"}


# ---- progress

def test_a_callback():
    seen = []
    twinset.scan([FOX] * 100, progress=lambda *report: seen.append(report))
    assert seen and all(isinstance(stage, str) and done >= 0 for stage, done, _ in seen)
    assert twinset.dedup(TEXTS, progress=lambda *report: seen.append(report)).counts.read == 3


def test_a_callback_that_stops():
    def stop(stage, done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        twinset.scan([FOX] * 100, progress=stop)


class Bar:
    """A tqdm that records its calls."""

    made = []

    def __init__(self, total, desc, leave, delay):
        self.total, self.desc, self.n, self.is_closed = total, desc, 0, False
        Bar.made.append(self)

    def update(self, more):
        self.n += more

    def close(self):
        self.is_closed = True


@pytest.fixture
def bars(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", types.SimpleNamespace(tqdm=Bar))
    Bar.made = []
    return Bar.made


def test_bars(bars):
    with progress.watching(True) as report:
        for stage, done, total in (("reading", 0, 0), ("reading", 5, 10), ("deciding", 3, 4)):
            report(stage, done, total)
    assert [(bar.desc, bar.n, bar.total, bar.is_closed) for bar in bars] == [
        ("reading", 5, 10, True), ("deciding", 3, 4, True)]
    twinset.scan([FOX] * 100, progress=True)
    assert len(bars) > 2 and all(bar.is_closed for bar in bars)


def test_where_bars_are_shown(bars, monkeypatch):
    def is_shown(wanted):
        with progress.watching(wanted) as report:
            return report is not None

    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert (is_shown(None), is_shown(False), is_shown(True)) == (False, False, True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert (is_shown(None), is_shown(False)) == (True, False)
    monkeypatch.setattr(sys, "stderr", None)
    assert not is_shown(None)
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "tqdm.auto", types.SimpleNamespace(tqdm=Bar))
    assert is_shown(None)


def test_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert len(twinset.scan(TEXTS)) == 1
    with pytest.raises(ImportError, match="pip install tqdm"):
        twinset.scan(TEXTS, progress=True)
