"""A FlatBuffer writer, just enough for TFLite models: a tree of tables, vectors and
strings is laid out front to back, each table behind its own vtable, children behind their
parents (offsets are unsigned)."""
import struct


class Scalar:
    """A number in a table: struct format ('b', 'B', 'i', 'I', 'q', 'Q', 'f')."""

    def __init__(self, fmt, value):
        self.fmt, self.value = fmt, value


class Table:
    """Fields by slot number: Scalar, or a child (Table, Vector, Text)."""

    def __init__(self, **fields):
        self.fields = {int(slot[1:]): value for slot, value in fields.items()
                       if value is not None}


class Vector:
    """Numbers of one struct format, or (fmt None) children."""

    def __init__(self, fmt, items, align=0):
        self.fmt, self.items, self.align = fmt, list(items), align


class Text:
    def __init__(self, text):
        self.data = text if isinstance(text, bytes) else text.encode()


class Writer:
    def __init__(self):
        self.out = bytearray()
        self.todo = []  # (position of the offset, child)

    def pad(self, align, ahead=0):
        """So that the position `ahead` bytes from here is aligned."""
        while (len(self.out) + ahead) % align:
            self.out.append(0)

    def put_table(self, table):
        sizes = {s: struct.calcsize('<' + f.fmt) if isinstance(f, Scalar) else 4
                 for s, f in table.fields.items()}
        slots = max(table.fields, default=-1) + 1
        place, at = {}, 4
        for slot in sorted(table.fields, key=lambda s: (-sizes[s], s)):
            at += -at % sizes[slot] if sizes[slot] < 8 else -at % 8
            place[slot] = at
            at += sizes[slot]
        vtable = struct.pack('<HH', 4 + 2 * slots, at)
        for slot in range(slots):
            vtable += struct.pack('<H', place.get(slot, 0))
        self.pad(8, len(vtable))
        vtable_at = len(self.out)
        self.out += vtable
        start = len(self.out)
        self.out += struct.pack('<i', start - vtable_at) + bytes(at - 4)
        for slot, field in table.fields.items():
            where = start + place[slot]
            if isinstance(field, Scalar):
                struct.pack_into('<' + field.fmt, self.out, where, field.value)
            else:
                self.todo.append((where, field))
        return start

    def put_vector(self, vector):
        width = 4 if vector.fmt is None else struct.calcsize(vector.fmt)
        self.pad(max(4, width, vector.align), 4)
        start = len(self.out)
        self.out += struct.pack('<I', len(vector.items))
        for item in vector.items:
            if vector.fmt is None:
                self.todo.append((len(self.out), item))
                self.out += bytes(4)
            else:
                self.out += struct.pack('<' + vector.fmt, item)
        return start

    def put_text(self, text):
        self.pad(4)
        start = len(self.out)
        self.out += struct.pack('<I', len(text.data)) + text.data + b'\0'
        return start

    def finish(self, root, identifier):
        self.out += bytes(4) + identifier
        self.todo.append((0, root))
        while self.todo:
            where, child = self.todo.pop(0)
            if isinstance(child, Table):
                start = self.put_table(child)
            elif isinstance(child, Vector):
                start = self.put_vector(child)
            else:
                start = self.put_text(child)
            struct.pack_into('<I', self.out, where, start - where)
        self.pad(16)
        return self.out
