"""twinset's engine, as include/twinset_advanced.h has it. Use the package twinset.

Options are a dict of the command line's long names to their values as text; a switch is "1" or "".
Results are those of the command: they depend on input, options and seed alone. The GIL is released
around the work of the engine, and what several threads do with one object goes one after the other.
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
    """What twinset could not do."""

class UsageError(Error, ValueError):
    """An option or argument that makes no sense."""

class InputError(Error, OSError):
    """A file that could not be read or written."""

class EmptyError(Error):
    """There is nothing to work on."""

def options() -> list[tuple[str, str, str | None, str, str, str]]:
    """The options: (name, letter, argument, topic, help, commands). letter is '' where there is
    none, argument None for a switch; commands are those that take it."""

def rules() -> dict[str, str]:
    """Defaults, limits and lists that all ways to use twinset agree on: name to value. The words
    of a list have bars between them."""

def use_command_words(wanted: bool, /) -> bool:
    """Whether sentences name an option as a command line does, --memory, rather than as a
    keyword, memory=. Gives what it was before."""

def write_json_lines(columns: tuple[tuple[str, Texts, bool], ...], fd: int, /) -> None:
    """Writes columns as JSON lines to an open file, without the lock of the interpreter. A column
    is a tuple (key, values, is_quoted). The key is JSON, with what comes before and after it, as
    '{"id":'. Values are texts as for add_texts(); those that are not quoted are JSON as they
    are."""

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
    """All that the rule in force chooses from, fewest bands first."""

def probability(bands: int, rows: int, s: float, /) -> float:
    """The probability that two documents of similarity s agree in a band."""

@final
class Collection:
    """A collection of documents.

    progress(stage, done, total) is called now and then; what it raises ends the run, and so does
    Ctrl-C. A result stays what it is, whatever is added or run afterwards.
    """

    def __new__(
        cls, options: Options = None, progress: Callable[[str, int, int], object] | None = None,
        store: Store = ...
    ) -> Self: ...
    def add_texts(self, texts: Texts, names: Names | None = None, role: Role = "new") -> None:
        """Adds texts in memory; None is skipped. They are not copied, but kept alive.

        names: as many names, none twice; None: the texts' positions, as decimal numbers of one
        width, which go on from call to call.
        """

    def add_path(self, path: str | bytes | PathLike[str], role: Role = "new") -> None:
        """Adds a file, every document below a folder, or those of '@list'. A path that cannot be
        read is skipped."""

    def cancel(self) -> None:
        """Stops the call in progress, from another thread; or the next one."""

    def scan(self) -> Result:
        """Finds the similar pairs and their clusters."""

    def dedup(self, keep: str = "first") -> Result:
        """Chooses what is kept of documents that resemble each other."""

    def compare(self) -> Result:
        """Compares the collection's only two documents, in the order they were added."""

    def sketch(self, format: Literal["jsonl", "binary"], write: Write, /) -> None:
        """Writes the signatures of all documents."""

    def texts(self, take: Callable[[str, str], object], /) -> None:
        """Calls take(name, text) for each document, in the order of their names, with its text as
        it is compared."""

    def inputs(self) -> list[str]:
        """The files and the names of texts added so far."""

    def skipped(self) -> list[tuple[str, str, bool]]:
        """What was skipped so far: (path, reason, whether it was only empty)."""

    def outputs(self, apart: bool, annotate: bool, /) -> list[str | None]:
        """Prepares for clean(): for each input the name of what is left of it, or None where it is
        not to be written. apart: each goes to a file of its own."""

    def check_outputs(self, paths: Sequence[str | PathLike[str]], /) -> None:
        """Raises UsageError where one of the files that are to be written is read, or where two of
        them are one file, whatever they are called."""

    def clean(
        self, result: Result, input: int, name: str | None, annotate: bool, write: Write, /
    ) -> tuple[int, int, int, int]:
        """Writes what is kept of an input, packed as the end of name says (None: as the input is).
        Gives the numbers of records (read, kept, removed, skipped)."""

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
        """Asks and adds."""

    def query(self, collection: Collection, /) -> Result:
        """Finds what resembles the documents of a collection."""

    def skipped(self) -> list[tuple[str, str, bool]]:
        """What the last call that added skipped because of what is there."""

    def get(self, id: str, /) -> tuple[str, str | None, str | None, str | None] | None:
        """A document: (id, text, group, metadata)."""

    def dump(
        self, take: Callable[[str, str | None, str | None, str | None], object],
        pattern: str | None = None, /
    ) -> None:
        """Calls take(id, text, group, metadata) for documents in the order of their coming."""

    def clusters(self, take: Callable[[list[str]], object], /) -> None:
        """Calls take(ids) for each cluster."""

    def remove(self, ids: Names, /) -> tuple[int, int]:
        """Removes documents, as one batch. Gives (removed, unknown)."""

    def remove_matching(self, pattern: str | None, group: str | None, /) -> tuple[int, int]:
        """Removes the documents whose id matches, and that are of a group; None: any."""

    def stat(self) -> dict[str, Any]:
        """Figures."""

    def verify(self, take: Callable[[str], object], /) -> int:
        """Reads all of it, and calls take(sentence) for each problem, after which it fails. Gives
        the number of documents."""

    def optimize(self) -> None:
        """Makes the file small and fast."""

    def backup(self, path: str | bytes | PathLike[str], /) -> None:
        """Copies the index to a new file."""

    def merge(self, path: str | bytes | PathLike[str], /) -> tuple[int, int, int]:
        """Adds the documents of another index."""

    def close(self) -> None:
        """Writes the log to the file, and closes it."""

@final
class Result:
    """What came out of a run of a Collection. Its length is the number of pairs."""

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
        """What was skipped: (path, reason, whether it was only empty)."""

    def flagged(self) -> list[tuple[str, int, str | None]]:
        """Documents with something to know about them: (path, flags, encoding)."""

    def notes(self) -> list[str]:
        """Sentences that a person should read."""

    def stages(self) -> list[tuple[str, float, int]]:
        """What took how long: (name, seconds, bytes)."""

    def column(
        self, kind: Literal["pairs", "removed"], field: str, /
    ) -> tuple[bytes, bytes | None]:
        """A field of all pairs, or of all that was removed, at once: (data, None) with 8 bytes a
        number, or for strings their UTF-8 and the 64-bit offsets in it, one more than there are
        strings. similarity and the like are double, NaN where not known; counts are unsigned."""

    def decisions(self, input: int, first: int, count: int, with_clusters: bool = False, /
                  ) -> tuple[bytes, bytes | None]:
        """What was decided about records of an input of JSON lines, from a line on, counted from
        0: (removals, clusters), 4 bytes for each. A removal is 0 for what is kept, 2**32 - 1 for
        what was skipped, or 1 more than an index for removed(). A cluster is its number, or 0; None
        stands for all where they are not asked for."""

    def passages(self, index: int, /) -> list[Passage] | None:
        """What the documents of a pair have in common, in the order of a. None where they are too
        large for it."""

    def write(self, format: Format, write: Write, /) -> None:
        """Writes the result as the command does."""

    def write_removed(self, write: Write, /) -> None:
        """Writes what was removed as JSON, an object a line."""

    def write_report(
        self, write: Write, cleaned: tuple[int, int, int, int] | None = None, /
    ) -> None:
        """Writes how the run went as one JSON object. cleaned: the sum of what clean() gave."""

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
        """The signatures of texts, one after the other. None, like a text without shingles, has
        the empty one: every slot is empty_slot."""

    def values(self, values: Buffer, /) -> bytes:
        """The signature of a set of 64-bit numbers that stand for shingles."""

    def items(self, items: Iterable[Buffer], /) -> bytes:
        """The signature of a set of byte strings, each a shingle as it is."""

    def lower(self, items: Iterable[Buffer], hashvalues: HashValues, /) -> None:
        """Adds byte strings to the set of a signature: each of its values, of 4 or 8 bytes, becomes
        the smaller of itself and that of items(items). An array that others hold, too, stays as
        it is; a copy takes its place."""

    def lower_values(self, values: Buffer, hashvalues: HashValues, /) -> None:
        """The same for 64-bit numbers, as values() takes them."""

    def functions(self) -> tuple[bytes, bytes]:
        """The parameters (a, b) of the slots' functions, 64 bits each."""

    def set_functions(self, a: Buffer, b: Buffer, p: int = 0, /) -> None:
        """Puts parameters in the place of those that the seed gave. p is for the modular scheme."""

class LSH:
    """A growing set of signatures, to be asked for those that agree in a band: the same bytes at
    the same place. A signature is a buffer, or has one as its attribute hashvalues; its first
    bands * band_bytes bytes count."""

    @property
    def bands(self) -> int: ...
    @property
    def band_bytes(self) -> int: ...
    def __init__(self, bands: int, band_bytes: int) -> None: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: Hashable, /) -> bool: ...
    def insert(self, key: Hashable, signature: Buffer | HasHashvalues, /) -> None:
        """Adds a signature by a hashable key, which must not be there yet."""

    def query(self, signature: Buffer | HasHashvalues, bands: int = 0, /) -> list[Hashable]:
        """The keys of those that agree with a signature in at least one of its first bands (0: of
        all), in the order in which they were inserted."""

    def remove(self, key: Hashable, /) -> None:
        """Removes a key and its signature."""

    def signature(self, key: Hashable, /) -> bytes:
        """The bytes of a key's signature that bands are made of."""

    def keys(self) -> list[Hashable]:
        """The keys, in the order in which they were inserted."""

class HashValues:
    """A signature that an index reads without asking twice."""

    hashvalues: Any

class MinHashIndex(LSH):
    """An LSH of signatures of `length` hash values, of which each band has rows. A signature has
    them as its attribute hashvalues; a buffer is the bands alone."""

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
        """Grows with each change."""

    def __init__(self, bands: int, rows: int, length: int) -> None: ...
    def insert(
        self, key: Hashable, minhash: Buffer | HasHashvalues, check_duplication: bool = True
    ) -> None:
        """Adds a signature by a hashable key. ValueError where the key is there already; without
        that check it has one signature more."""

    def query(
        self, minhash: Buffer | HasHashvalues, bands: int = 0
    ) -> list[Hashable]:
        """The keys of those that agree with a signature in at least one of its first bands (0: of
        all), in the order in which they were inserted."""

    def remove(self, key: Hashable) -> None:
        """Removes a key with its signatures. ValueError where it is not there."""

    def signatures(self, key: Hashable, /) -> list[bytes]:
        """The bytes of a key's signatures that bands are made of."""
