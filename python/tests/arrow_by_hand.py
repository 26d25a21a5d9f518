"""Arrow data made from its plain structs, to test how the module handles each of them.

Every array, schema and stream counts its releases.
"""

import ctypes
import errno
from ctypes import POINTER, c_char_p, c_int, c_int64, c_void_p, py_object

new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = py_object
new_capsule.argtypes = [c_void_p, c_char_p, c_void_p]
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype = c_void_p
get_pointer.argtypes = [c_void_p, c_char_p]


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


release_schema_type = ctypes.CFUNCTYPE(None, POINTER(Schema))
release_array_type = ctypes.CFUNCTYPE(None, POINTER(Array))
release_stream_type = ctypes.CFUNCTYPE(None, POINTER(Stream))
get_schema_type = ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))
get_next_type = ctypes.CFUNCTYPE(c_int, POINTER(Stream), POINTER(Array))
get_error_type = ctypes.CFUNCTYPE(c_void_p, POINTER(Stream))
destructor_type = ctypes.CFUNCTYPE(None, c_void_p)

Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64),
    ("n_children", c_int64), ("children", c_void_p), ("dictionary", POINTER(Schema)),
    ("release", release_schema_type), ("private_data", c_void_p),
]
Array._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)), ("children", c_void_p),
    ("dictionary", POINTER(Array)), ("release", release_array_type), ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", get_schema_type), ("get_next", get_next_type),
    ("get_last_error", get_error_type), ("release", release_stream_type),
    ("private_data", c_void_p),
]

made = []  # keeps the memory that C points to as long as the tests
released = {"schema": 0, "array": 0, "stream": 0}
handed_out = {"schema": 0, "array": 0, "stream": 0}


def releaser(kind, function_type, empty):
    def release(pointer):
        assert pointer.contents.release, f"a {kind} was released twice"
        released[kind] += 1
        pointer.contents.release = empty
    return function_type(release)


release_schema = releaser("schema", release_schema_type, release_schema_type())
release_array = releaser("array", release_array_type, release_array_type())
release_stream = releaser("stream", release_stream_type, release_stream_type())


def destructor(name, struct):
    def destroy(capsule):
        content = ctypes.cast(get_pointer(capsule, name), POINTER(struct))
        if content.contents.release:
            content.contents.release(content)
    return destructor_type(destroy)


destructors = {
    b"arrow_schema": destructor(b"arrow_schema", Schema),
    b"arrow_array": destructor(b"arrow_array", Array),
    b"arrow_array_stream": destructor(b"arrow_array_stream", Stream),
}


def capsule(struct, name):
    made.append((struct, name))
    destroy = ctypes.cast(destructors[name], c_void_p)
    return new_capsule(ctypes.addressof(struct), name, destroy)


def schema(text_format, dictionary=None):
    struct = Schema(format=text_format, release=release_schema)
    if dictionary:
        struct.dictionary = ctypes.pointer(dictionary)
    handed_out["schema"] += 1
    made.append(struct)
    return struct


def array(length, buffers, offset=0, null_count=-1, dictionary=None):
    """An array. Buffers are bytes, or None for a missing buffer."""
    kept = [None if buffer is None else ctypes.create_string_buffer(buffer, len(buffer) + 1)
            for buffer in buffers]
    pointers = (c_void_p * len(buffers))(
        *[None if buffer is None else ctypes.addressof(buffer) for buffer in kept])
    struct = Array(length=length, null_count=null_count, offset=offset, n_buffers=len(buffers),
                   buffers=ctypes.cast(pointers, POINTER(c_void_p)), release=release_array)
    if dictionary:
        struct.dictionary = ctypes.pointer(dictionary)
    handed_out["array"] += 1
    made.append((struct, kept, pointers))
    return struct


class Column:
    """An object that exports an array."""

    def __init__(self, given_schema, given_array):
        self.schema, self.array = given_schema, given_array

    def __arrow_c_array__(self, requested_schema=None):
        return capsule(self.schema, b"arrow_schema"), capsule(self.array, b"arrow_array")


class Chunks:
    """An object that exports a stream of arrays, which may fail after the last of them."""

    def __init__(self, given_schema, arrays, fails=None):
        self.schema, self.arrays, self.fails = given_schema, list(arrays), fails
        self.message = ctypes.create_string_buffer(fails or b"")

    def __arrow_c_stream__(self, requested_schema=None):
        handed_out["stream"] += 1
        struct = Stream(get_schema=get_schema_type(self.get_schema),
                        get_next=get_next_type(self.get_next),
                        get_last_error=get_error_type(
                            lambda _: ctypes.addressof(self.message)),
                        release=release_stream)
        return capsule(struct, b"arrow_array_stream")

    def get_schema(self, _, out):
        ctypes.memmove(out, ctypes.byref(self.schema), ctypes.sizeof(Schema))
        return 0

    def get_next(self, _, out):
        if self.arrays:
            ctypes.memmove(out, ctypes.byref(self.arrays.pop(0)), ctypes.sizeof(Array))
        elif self.fails is not None:
            return errno.EIO
        else:
            ctypes.memset(out, 0, ctypes.sizeof(Array))
        return 0
