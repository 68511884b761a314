"""Splits files into sections, independently of the reader."""

HEADER = 12  # magic, version, tag
NAMES = {
    1: "string",
    2: "function",
    3: "debug",
    4: "constant",
    5: "type",
    6: "global",
    7: "producer",
}


def varint_at(data: bytes, position: int) -> tuple[int, int]:
    """The varint at `position` and the position behind it."""
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


def sections(data: bytes) -> dict[str, bytes]:
    """The payloads by name, in the order of the file."""
    found: dict[str, bytes] = {}
    position = HEADER
    while data[position] != 0:
        kind = data[position]
        size, position = varint_at(data, position + 1)
        if kind & 0x80:
            alignment, position = varint_at(data, position)
            position += -position % alignment
        found[NAMES[kind & 0x7F]] = data[position : position + size]
        position += size
    assert position + 1 == len(data)
    return found
