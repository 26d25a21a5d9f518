"""Row groups of several Parquet files as those of one. pyarrow encodes a file in one thread; with
this, threads encode row groups as files in memory, whose bytes are copied to the file one after the
other. Only the footer is made anew, since it has the offset of each column of each row group.

A footer is a struct of Thrift's compact protocol:
https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md,
https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
"""

from __future__ import annotations

from typing import Any, NamedTuple

MAGIC = b"PAR1"
TAIL = 8  # bytes after the footer: its length, and the magic

# Types of Thrift. A bool is true or false by its type; in a list it takes a byte.
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)

# Fields of the footer, of a row group, and of a column in it.
ROWS, GROUPS = 3, 4
COLUMNS, GROUP_OFFSET, ORDINAL = 1, 5, 7
DESCRIPTION, CHUNK_OFFSETS = 3, (2, 4, 6)
PAGE_OFFSETS = (9, 10, 11, 14)  # in the description of a column
MOST_ORDINALS = 1 << 15


class Field(NamedTuple):
    type: int
    value: Any


Struct = dict[int, Field]


class Joined:
    """The file that is written. It begins with all but the row groups of an empty Parquet file."""

    def __init__(self, target: Any, empty: memoryview) -> None:
        self.target, self.footer = target, _read_footer(empty)
        self.offset = target.write(MAGIC)
        self.rows = 0
        self.groups: list[Struct] = []

    def append(self, file: memoryview) -> None:
        """Appends the row groups of a Parquet file."""
        footer = _read_footer(file)
        shift = self.offset - len(MAGIC)
        for group in footer[GROUPS].value.values:
            _move(group, shift)
            group[ORDINAL] = Field(I16, len(self.groups))
            self.groups.append(group)
        self.rows += footer[ROWS].value
        self.offset += self.target.write(file[len(MAGIC):-TAIL - _footer_bytes(file)])

    def close(self) -> None:
        """Writes the footer."""
        if len(self.groups) > MOST_ORDINALS:  # which are optional
            for group in self.groups:
                del group[ORDINAL]
        self.footer[ROWS] = Field(I64, self.rows)
        self.footer[GROUPS] = Field(LIST, Values(STRUCT, self.groups))
        out = bytearray()
        _write_struct(out, self.footer)
        self.target.write(out + len(out).to_bytes(4, "little") + MAGIC)


def _footer_bytes(file: memoryview) -> int:
    return int.from_bytes(file[-TAIL:-len(MAGIC)], "little")


def _read_footer(file: memoryview) -> Struct:
    return Reader(file[-TAIL - _footer_bytes(file):-TAIL]).struct()


def _move(group: Struct, shift: int) -> None:
    _add(group, (GROUP_OFFSET,), shift)
    for chunk in group[COLUMNS].value.values:
        _add(chunk, CHUNK_OFFSETS, shift)
        _add(chunk[DESCRIPTION].value, PAGE_OFFSETS, shift)


def _add(struct: Struct, fields: tuple[int, ...], shift: int) -> None:
    """Adds to offsets. An offset of 0 says that there is none."""
    for field in fields:
        if field in struct and struct[field].value:
            struct[field] = Field(I64, struct[field].value + shift)


# ---- Thrift

class Values(NamedTuple):
    """A list."""

    type: int
    values: list[Any]


class Reader:
    """Parses values of structs, but maps, which footers do not have."""

    def __init__(self, data: memoryview) -> None:
        self.data, self.position = data, 0

    def struct(self) -> Struct:
        fields: Struct = {}
        number = 0
        while head := self._byte():
            type = head & 15
            number = number + (head >> 4) if head >> 4 else self._signed()
            fields[number] = Field(type, None if type in (TRUE, FALSE) else self._value(type))
        return fields

    def _value(self, type: int) -> Any:
        if type in (I16, I32, I64):
            return self._signed()
        if type == BINARY:
            return self._bytes(self._unsigned())
        if type == STRUCT:
            return self.struct()
        if type in (LIST, SET):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._unsigned()
            return Values(head & 15, [self._value(head & 15) for _ in range(count)])
        if type == DOUBLE:
            return self._bytes(8)
        if type in (TRUE, FALSE, BYTE):
            return self._bytes(1)
        raise ValueError(f"the footer has a field of type {type}")

    def _byte(self) -> int:
        self.position += 1
        return self.data[self.position - 1]

    def _bytes(self, count: int) -> bytes:
        self.position += count
        return bytes(self.data[self.position - count:self.position])

    def _unsigned(self) -> int:
        value = shift = 0
        while (byte := self._byte()) > 127:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _signed(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)


def _write_struct(out: bytearray, struct: Struct) -> None:
    last = 0
    for number, (type, value) in sorted(struct.items()):
        step = number - last
        out.append((step << 4 if step < 16 else 0) | type)
        if step >= 16:
            _write_signed(out, number)
        if type not in (TRUE, FALSE):
            _write_value(out, type, value)
        last = number
    out.append(0)


def _write_value(out: bytearray, type: int, value: Any) -> None:
    if type in (I16, I32, I64):
        _write_signed(out, value)
    elif type == STRUCT:
        _write_struct(out, value)
    elif type in (LIST, SET):
        count = len(value.values)
        out.append(min(count, 15) << 4 | value.type)
        if count >= 15:
            _write_unsigned(out, count)
        for element in value.values:
            _write_value(out, value.type, element)
    else:
        if type == BINARY:
            _write_unsigned(out, len(value))
        out += value


def _write_unsigned(out: bytearray, value: int) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def _write_signed(out: bytearray, value: int) -> None:
    _write_unsigned(out, value << 1 if value >= 0 else ~(value << 1))
