"""Reads the data of a report, as its script does."""
import base64
import hashlib
import html.parser
import json
import zlib


class Page(html.parser.HTMLParser):
    """The data blocks of a page by id, its scripts, and the policy that allows them."""

    def __init__(self, text):
        super().__init__()
        self.blocks, self.scripts, self.styles, self.policy = {}, [], [], None
        self.current = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag in ("script", "style"):
            self.current = (tag, attributes, [])

    def handle_data(self, data):
        if self.current:
            self.current[2].append(data)

    def handle_endtag(self, tag):
        if not self.current or tag != self.current[0]:
            return
        _, attributes, chunks = self.current
        text = "".join(chunks)
        self.current = None
        if "id" in attributes:
            self.blocks[attributes["id"]] = text
        else:
            (self.scripts if tag == "script" else self.styles).append(text)

    def block(self, name):
        return json.loads(self.blocks[name]) if name in self.blocks else None

    def unpacked(self, name):
        packed = self.blocks.get(name)
        return None if packed is None else zlib.decompress(base64.b64decode(packed))

    def text(self, document, file=0):
        return self.unpacked(f"text-{document}-{file}")

    def passages(self, index):
        return json.loads(self.unpacked(f"passages-{index // 8}"))[index % 8]

    @staticmethod
    def spans(passage):
        """The spans of equal text of a passage: from and to in a, then in b."""
        numbers = passage["spans"]
        a, b = passage["a"]["bytes"][0], passage["b"]["bytes"][0]
        for i in range(0, len(numbers), 4):
            before_a, length_a, before_b, length_b = numbers[i:i + 4]
            span = (a + before_a, a + before_a + length_a, b + before_b, b + before_b + length_b)
            _, a, _, b = span
            yield span

    @property
    def pairs(self):
        pairs = self.block("pairs")
        return [dict(zip(pairs["columns"], row)) for row in pairs["rows"]]


def allowed(kind, text):
    """The entry of the policy that allows a script or style."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"{kind}-src 'sha256-{digest}'"
