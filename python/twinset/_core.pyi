"""twinset's engine, as include/twinset_advanced.h declares it. Programs use the package twinset.

Options are a dict from the long names of the command line to their values as text; a switch is "1"
or "". Results are those of the command: they depend only on input, options and seed. The engine
works without the GIL, and calls of several threads on one object run one after the other.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, Self, TypeAlias, TypedDict, final

from typing_extensions import Buffer

Text: TypeAlias = str | bytes | None
Options: TypeAlias = dict[str, str] | None
Role: TypeAlias = Literal["new", "old", "like", "ignore"]
Format: TypeAlias = Literal["table", "csv", "tsv", "json", "jsonl", "binary", "candidates",
                            "html", "sarif", "codequality"]
Write: TypeAlias = Callable[[bytes], object]

class ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...

class ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

Texts: TypeAlias = Sequence[Text] | ArrowArray | ArrowStream
Names: TypeAlias = Sequence[str | bytes] | ArrowArray | ArrowStream

class HasHashvalues(Protocol):
    @property
    def hashvalues(self) -> Buffer: ...

Pair: TypeAlias = tuple[
    str,  # a
    str,  # b
    float,  # similarity
    float,  # jaccard
    float,  # containment_a
    float,  # containment_b
    int,  # shared
    int,  # union
    float | None,  # estimate
    int,  # longest
    int,  # cluster
    int,  # passages
    int,  # passage_words
    float | None,  # coverage_a
    float | None,  # coverage_b
    float | None,  # false_alarms
    float | None,  # weighted
    int,  # overlap
    int,  # longest_lines
    int,  # lines_a
    int,  # lines_b
    str | None,  # language_a
    str | None,  # language_b
]

class Run(TypedDict):
    documents: int
    pairs: int
    clusters: int
    skipped: int
    flagged: int
    notes: int
    missing: int
    method: Literal["lsh", "exact"]
    bands: int
    rows: int
    candidates: int
    verified: int
    expected_recall: float | None
    records: int
    bytes: int
    shingles: int
    spilled_bytes: int
    sampled: int
    sample_pairs: int
    sample_found: int
    removed: int
    found_pairs: int
    resumed_bytes: int

class Span(TypedDict):
    file: str | None
    number: int
    start: int
    end: int
    first_line: int
    last_line: int

class Passage(TypedDict):
    a: Span
    b: Span
    tokens: int
    kinds: list[Literal["verbatim", "renamed", "edited", "alike", "reordered", "padded",
                        "paraphrased", "summary"]]
    documents: int
    rarity: float
    renames: list[tuple[str, str, int]]

class Tuning(TypedDict):
    hashes: int
    threshold: float
    bands: int
    rows: int
    knee: float
    recall: float
    false_positives: float
    false_negatives: float

version: str
empty_slot: int
PAIR_FIELDS: tuple[str, ...]
SCAN_FORMATS: tuple[str, ...]

class Error(Exception):
    """The base class of errors of twinset."""

class UsageError(Error, ValueError):
    """An option or argument that makes no sense."""

class InputError(Error, OSError):
    """A file that could not be read or written."""

class EmptyError(Error):
    """There are no documents to compare."""

def options() -> list[tuple[str, str, str | None, str, str, str]]:
    """The options: (name, letter, argument, topic, help, commands). letter is '' if there is
    none, argument is None for a switch, and commands are those that take the option."""

def rules() -> dict[str, str]:
    """Defaults, limits and lists that all interfaces of twinset share: name to value. The words of
    a list are separated by bars."""

def use_command_words(wanted: bool, /) -> bool:
    """Sets whether messages name an option as a command line does, --memory, rather than as a
    keyword, memory=. Returns the former setting."""

def write_json_lines(columns: tuple[tuple[str, Texts, bool], ...], fd: int, /) -> None:
    """Writes columns as JSON lines to an open file, without the GIL. A column is a tuple
    (key, values, is_quoted). The key is JSON with its punctuation, such as '{"id":'. Values are
    texts as for add_texts(); values that are not quoted are JSON already."""

def read_json_texts(fd: int, start: int, end: int, key_length: int, removals: bytes, /
                    ) -> tuple[bytes | None, bytes, bytearray, int]:
    """Reads lines that write_json_lines() wrote, from bytes start to end of a file, without the
    GIL. removals has 4 bytes for each line; texts of lines with 0 are read. A text is the first
    field, whose key takes key_length bytes. Returns the buffers of an Arrow array of large strings,
    and its length: (valid or None, offsets, characters, length)."""

def cut_spans(text: str | bytes, spans: Buffer, field: str | None = None, /) -> bytes:
    """A text without its spans; or, with a field, a line of JSON without those of the string in it.
    Spans are as SpanFinder.verify() gives them."""

def compare(a: str | bytes, b: str | bytes, options: Options = None, /) -> Pair:
    """Compares two texts: a pair with the fields of PAIR_FIELDS."""

def normalise(text: str | bytes, options: Options = None, /) -> str:
    """The text as it is compared."""

def shingles(text: str | bytes, options: Options = None, /) -> bytes:
    """The 64-bit hashes of a text's shingles, sorted."""

def merge(a: Buffer, b: Buffer, /) -> bytes:
    """The signature of the union of two sets."""

def estimate(a: Buffer, b: Buffer, /) -> float:
    """The share of slots that agree: the estimated Jaccard similarity."""

def tune(options: Options = None, /) -> Tuning:
    """The choice of bands and rows for these options, and what to expect of it."""

def tune_walk(options: Options = None, /) -> list[Tuning]:
    """All choices of the rule that applies, by ascending bands."""

def probability(bands: int, rows: int, s: float, /) -> float:
    """The probability that two documents of similarity s agree in a band."""

@final
class Collection:
    """A collection of documents.

    progress(stage, done, total) is called from time to time. An exception in it ends the run, and
    so does Ctrl-C. A result never changes, whatever is added or run afterwards.
    """

    def __new__(
        cls, options: Options = None, progress: Callable[[str, int, int], object] | None = None,
        store: Store = ...
    ) -> Self: ...
    def add_texts(self, texts: Texts, names: Names | None = None, role: Role = "new") -> None:
        """Adds texts in memory; None is skipped. They are not copied, but kept alive.

        names: a distinct name for each text. None: their positions, as decimal numbers of equal
        width, which continue from call to call.
        """

    def add_path(self, path: str | bytes | PathLike[str], role: Role = "new") -> None:
        """Adds a file, every document below a folder, or those of '@list'. A path that cannot be
        read is skipped."""

    def cancel(self) -> None:
        """Stops the call in progress, from another thread; or the next one."""

    def scan(self) -> Result:
        """Finds the similar pairs and their clusters."""

    def dedup(self, keep: str = "first") -> Result:
        """Chooses which of similar documents are kept."""

    def compare(self) -> Result:
        """Compares the only two documents of the collection, in the order of adding."""

    def sketch(self, format: Literal["jsonl", "binary"], write: Write, /) -> None:
        """Writes the signatures of all documents."""

    def texts(self, take: Callable[[str, str], object], /) -> None:
        """Calls take(name, text) for each document, in the order of names, with the text as it is
        compared."""

    def inputs(self) -> list[str]:
        """The files and the names of texts added so far."""

    def cuts(self) -> int:
        """How many documents have spans that are cut."""

    def cut(self, index: int, /) -> tuple[str, bytes, list[str]]:
        """A document that spans are cut from: (id, spans, sources), spans as SpanFinder.verify()
        gives them, sources a list of ids."""

    def skipped(self) -> list[tuple[str, str, bool]]:
        """The documents skipped so far: (path, reason, is_empty)."""

    def outputs(self, apart: bool, annotate: bool, /) -> list[str | None]:
        """Prepares for clean(). Returns, for each input, the name of its output, or None if it is
        not written. apart: whether each input has a file of its own."""

    def check_outputs(self, paths: Sequence[str | PathLike[str]], /) -> None:
        """Raises UsageError if an output is a file that is read, or if two outputs are one file,
        whatever their names."""

    def clean(
        self, result: Result, input: int, name: str | None, annotate: bool, write: Write, /
    ) -> tuple[int, int, int, int]:
        """Writes what is kept of an input, compressed as the extension of name says (None: as the
        input is). Returns the numbers of records (read, kept, removed, skipped)."""

@final
class Store:
    """An index of documents in a file. Counts are (added, known, skipped)."""

    def __new__(
        cls, path: str | bytes | PathLike[str], options: Options = None, read_only: bool = False,
        create: bool = False, no_text: bool = False
    ) -> Self: ...
    def add_texts(
        self, texts: Texts, names: Names, groups: Sequence[str | None] | None = None,
        metadata: Sequence[str | None] | None = None
    ) -> tuple[int, int, int]:
        """Adds texts in memory as one batch."""

    def add(self, collection: Collection, /) -> tuple[int, int, int]:
        """Adds the documents of a collection."""

    def add_find(self, collection: Collection, /) -> tuple[Result, tuple[int, int, int]]:
        """Queries the documents of a collection, and adds them."""

    def query(self, collection: Collection, /) -> Result:
        """Finds the documents of the index that resemble those of a collection."""

    def skipped(self) -> list[tuple[str, str, bool]]:
        """The documents that the last call that adds skipped because of what the index has."""

    def get(self, id: str, /) -> tuple[str, str | None, str | None, str | None] | None:
        """A document: (id, text, group, metadata)."""

    def dump(
        self, take: Callable[[str, str | None, str | None, str | None], object],
        pattern: str | None = None, /
    ) -> None:
        """Calls take(id, text, group, metadata) for documents in the order of adding."""

    def clusters(self, take: Callable[[list[str]], object], /) -> None:
        """Calls take(ids) for each cluster."""

    def remove(self, ids: Names, /) -> tuple[int, int]:
        """Removes documents as one batch. Returns (removed, unknown)."""

    def remove_matching(self, pattern: str | None, group: str | None, /) -> tuple[int, int]:
        """Removes the documents whose id matches a pattern and that are of a group; None: any."""

    def stat(self) -> dict[str, Any]:
        """Figures of the index, such as its number of documents."""

    def verify(self, take: Callable[[str], object], /) -> int:
        """Reads all of the index, and calls take(sentence) for each problem. Returns the number of
        documents; InputError if there were problems."""

    def optimize(self) -> None:
        """Rewrites the file, so that it is small and fast."""

    def backup(self, path: str | bytes | PathLike[str], /) -> None:
        """Copies the index to a new file."""

    def merge(self, path: str | bytes | PathLike[str], /) -> tuple[int, int, int]:
        """Adds the documents of another index."""

    def close(self) -> None:
        """Writes the log to the file, and closes it."""

@final
class Result:
    """The result of a run of a Collection. Its length is the number of pairs."""

    def __len__(self) -> int: ...
    def run(self) -> Run:
        """How the run went, in numbers."""

    def pair(self, index: int, /) -> Pair:
        """A pair, with the fields of PAIR_FIELDS."""

    def cluster(self, index: int, /) -> tuple[int, list[str], str, float]:
        """A cluster: (id, members, representative, min_similarity)."""

    def removed(self, index: int, /) -> tuple[str, str, float, int]:
        """A document that was removed: (id, kept, similarity, cluster)."""

    def skipped(self) -> list[tuple[str, str, bool]]:
        """The documents that were skipped: (path, reason, is_empty)."""

    def flagged(self) -> list[tuple[str, int, str | None]]:
        """Documents with flags for users: (path, flags, encoding)."""

    def notes(self) -> list[str]:
        """Sentences for users."""

    def stages(self) -> list[tuple[str, float, int]]:
        """The stages of the run: (name, seconds, bytes)."""

    def column(
        self, kind: Literal["pairs", "removed"], field: str, /
    ) -> tuple[bytes, bytes | None]:
        """A field of all pairs or of all removed documents. For numbers: (data, None), with 8 bytes
        a number; fractions are double, NaN if unknown, and counts are unsigned. For strings:
        (UTF-8, 64-bit offsets), with one more offset than there are strings."""

    def decisions(self, input: int, first: int, count: int, with_clusters: bool = False, /
                  ) -> tuple[bytes, bytes | None]:
        """The decisions on count records of an input of JSON lines, from line first, counted from
        0: (removals, clusters), with 4 bytes a record. A removal is 0 for a kept record, 2**32 - 1
        for a skipped one, and otherwise 1 more than an index for removed(). A cluster is its
        number, or 0. clusters is None unless with_clusters is true."""

    def passages(self, index: int, /) -> list[Passage] | None:
        """The common passages of a pair, in the order of a. None if the documents are too large for
        it."""

    def write(self, format: Format, write: Write, /) -> None:
        """Writes the result as the command does."""

    def write_removed(self, write: Write, /) -> None:
        """Writes the removed documents as JSON lines."""

    def write_report(
        self, write: Write, cleaned: tuple[int, int, int, int] | None = None, /
    ) -> None:
        """Writes how the run went as one JSON object. cleaned: the sums of the
        results of clean()."""

@final
class SpanFinder:
    """Finds spans of texts that earlier ones have, step by step. Numbers are uint64."""

    def __new__(cls, options: Options) -> Self: ...
    def fingerprints(self, texts: Texts, /) -> tuple[bytes, bytes]:
        """The fingerprints of texts, of which those that share a span have one in common:
        (fingerprints, ends), each text's at its end."""

    def runs(self, texts: Texts, fingerprints: Buffer, ends: Buffer, /
             ) -> tuple[bytes, bytes, bytes]:
        """The runs of texts that have one of their fingerprints, which ascend: (hashes, words,
        ends)."""

    def excerpts(self, text: str | bytes, wanted: Buffer, /) -> list[bytes]:
        """Excerpts of a text; `wanted` has the first word of each, and how many it has."""

    def verify(self, text: str | bytes, runs: Buffer, firsts: Buffer, excerpts: Iterable[Buffer], /
               ) -> tuple[bytes, int, int]:
        """The spans of a text that an earlier one has: (spans, covered, words), spans as start,
        end, first_start, first_end, word, words, first. Runs are word, count, first, first_word;
        excerpts are of the texts with the numbers in firsts."""

@final
class Sketcher:
    """Makes signatures: 32-bit slots in the machine's byte order."""

    @property
    def hashes(self) -> int:
        """The number of slots of a signature."""

    def __new__(cls, options: Options = None) -> Self: ...
    def text(self, text: Text, /) -> bytes:
        """The signature of a text."""

    def texts(self, texts: Texts, /) -> bytes:
        """The signatures of texts, one after the other. None, like a text without shingles, has the
        empty signature: every slot is empty_slot."""

    def values(self, values: Buffer, /) -> bytes:
        """The signature of a set of 64-bit numbers that stand for shingles."""

    def items(self, items: Iterable[Buffer], /) -> bytes:
        """The signature of a set of byte strings, each of which is a shingle."""

    def lower(self, items: Iterable[Buffer], hashvalues: HashValues, /) -> None:
        """Adds byte strings to the set of a signature: each of its values, of 4 or 8 bytes, becomes
        the smaller of itself and that of items(items). An array that others hold as well does not
        change; a copy replaces it."""

    def lower_values(self, values: Buffer, hashvalues: HashValues, /) -> None:
        """Adds 64-bit numbers, as values() takes them, to the set of a signature, as lower()
        does."""

    def functions(self) -> tuple[bytes, bytes]:
        """The parameters (a, b) of the slots' functions, as 64-bit numbers."""

    def set_functions(self, a: Buffer, b: Buffer, p: int = 0, /) -> None:
        """Replaces the parameters that were drawn from the seed. p is for the modular scheme."""

class LSH:
    """A growing set of signatures, which finds those that agree with a query in a band: that have
    equal bytes there. A signature is a buffer, or has a buffer as its attribute hashvalues. Its
    first bands * band_bytes bytes count."""

    @property
    def bands(self) -> int: ...
    @property
    def band_bytes(self) -> int: ...
    def __init__(self, bands: int, band_bytes: int) -> None: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: Hashable, /) -> bool: ...
    def insert(self, key: Hashable, signature: Buffer | HasHashvalues, /) -> None:
        """Adds a signature with a hashable key, which must be new."""

    def query(self, signature: Buffer | HasHashvalues, bands: int = 0, /) -> list[Hashable]:
        """The keys of the signatures that agree with a signature in at least one of its first bands
        (0: of all), in the order of insertion."""

    def remove(self, key: Hashable, /) -> None:
        """Removes a key and its signature."""

    def signature(self, key: Hashable, /) -> bytes:
        """The bytes of a key's signature that its bands consist of."""

    def keys(self) -> list[Hashable]:
        """The keys, in the order of insertion."""

class HashValues:
    """A base class of signatures, whose attribute hashvalues an index reads directly."""

    hashvalues: Any

class MinHashIndex(LSH):
    """An LSH of signatures of `length` hash values, with `rows` values in each band. A signature
    has its values as the attribute hashvalues; a buffer holds only the values of the bands."""

    scheme: str | None
    @property
    def rows(self) -> int: ...
    @property
    def length(self) -> int: ...
    @property
    def slot_bytes(self) -> int:
        """Bytes of a hash value; 0 before the first signature."""

    @property
    def changes(self) -> int:
        """A number that grows with each change."""

    def __init__(self, bands: int, rows: int, length: int) -> None: ...
    def insert(
        self, key: Hashable, minhash: Buffer | HasHashvalues, check_duplication: bool = True
    ) -> None:
        """Adds a signature with a hashable key. ValueError if the key exists; without that check,
        the key has one more signature."""

    def query(
        self, minhash: Buffer | HasHashvalues, bands: int = 0
    ) -> list[Hashable]:
        """The keys of the signatures that agree with a signature in at least one of its first bands
        (0: of all), in the order of insertion."""

    def remove(self, key: Hashable) -> None:
        """Removes a key with its signatures. ValueError if it does not exist."""

    def signatures(self, key: Hashable, /) -> list[bytes]:
        """The bytes of a key's signatures that their bands consist of."""
