"""Write a SentencePiece unigram model from a list of pieces: the few protobuf fields by hand, no protobuf package.

The normaliser is compiled by SentencePiece itself, from the map of single characters that came with the pieces and the
composed sequences (a letter and its accent, the parts of a Hangul syllable) of SentencePiece's own table "nmt_nfkc".
"""

from __future__ import annotations

import io
import struct
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import sentencepiece

NORMAL, UNKNOWN, CONTROL = 1, 2, 3  # ModelProto.SentencePiece.Type
UNIGRAM = 1  # TrainerSpec.ModelType
TRAINER_SPEC, NORMALIZER_SPEC = 2, 3  # fields of ModelProto


def varint(value: int) -> bytes:
    """A protobuf base-128 integer."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field: int, value: int) -> bytes:
    """A field of wire type 0."""
    return varint(field << 3) + varint(value)


def real(field: int, value: float) -> bytes:
    """A float field (wire type 5)."""
    return varint(field << 3 | 5) + struct.pack("<f", value)


def data(field: int, value: bytes) -> bytes:
    """A field of bytes, a string or a message (wire type 2)."""
    return varint(field << 3 | 2) + varint(len(value)) + value


def read_varint(message: bytes, at: int) -> tuple[int, int]:
    """The integer that starts at `at`, and the place after it."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields_of_bytes(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a message up to the first that is a number: place in the schema and content."""
    at = 0
    while at < len(message):
        key, at = read_varint(message, at)
        if key & 7 != 2:
            return
        length, at = read_varint(message, at)
        yield key >> 3, message[at : at + length]
        at += length


def charsmap_entries(blob: bytes) -> Iterator[tuple[str, str]]:
    """Every key of a precompiled charsmap with its replacement.

    The blob is: size of the trie in bytes, the trie as a double array of 32-bit units, replacements ended by NUL.
    """
    (size,) = struct.unpack_from("<I", blob)
    units = struct.unpack_from(f"<{size // 4}I", blob, 4)
    texts = blob[4 + size :]

    def children(place: int) -> int:
        unit: int = units[place]
        return place ^ (unit >> 10) << ((unit & 1 << 9) >> 6)

    todo = [(0, b"")]
    while todo:
        place, key = todo.pop()
        base = children(place)
        if units[place] & 1 << 8:  # a key ends here; its value stands in the child without a label
            start = units[base] & 0x7FFFFFFF
            yield key.decode(), texts[start : texts.index(b"\0", start)].decode()
        todo += [
            (base ^ label, key + bytes([label]))
            for label in range(1, 256)
            if base ^ label < len(units) and units[base ^ label] & 0x800000FF == label
        ]


def charsmap(single: Mapping[int, Sequence[int]]) -> bytes:
    """A precompiled charsmap: `single` maps code points, longer sequences come from "nmt_nfkc"."""
    table = files("sentencepiece").joinpath("package_data", "nmt_nfkc.bin").read_bytes()
    rules = {key: value for key, value in charsmap_entries(table) if len(key) > 1}
    rules |= {chr(point): "".join(map(chr, to)) for point, to in single.items() if point and not 0xD800 <= point <= 0xDFFF}

    def hexadecimal(text: str) -> str:
        return " ".join(f"{ord(character):X}" for character in text)

    lines = "".join(f"{hexadecimal(key)}\t{hexadecimal(value)}\n" for key, value in sorted(rules.items()))
    return compile_rules(lines)


def compile_rules(lines: str) -> bytes:
    """SentencePiece compiles rules only while it trains a model, so train the smallest one and take the rules out of it."""
    trained = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder, "rules.tsv")
        rules.write_text(lines, encoding="utf-8")
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(["a b c"]),
            model_writer=trained,
            model_type="char",
            vocab_size=7,
            normalization_rule_tsv=str(rules),
            minloglevel=2,
        )
    spec = next(content for field, content in fields_of_bytes(trained.getvalue()) if field == NORMALIZER_SPEC)
    return next(content for field, content in fields_of_bytes(spec) if field == 2)  # precompiled_charsmap


def model_file(pieces: Sequence[bytes], scores: Sequence[float], single: Mapping[int, Sequence[int]]) -> bytes:
    """A serialised ModelProto whose piece at place n has the id n. Places 0 to 3 are <s>, <pad>, </s> and <unk>.

    "<mask>" is a control piece: like the other three it never comes out of a text, so a text that spells it is plain text.
    """
    if pieces[:4] != [b"<s>", b"<pad>", b"</s>", b"<unk>"]:
        raise ValueError("the first four pieces must be <s>, <pad>, </s> and <unk>")
    out = bytearray()
    for piece, score in zip(pieces, scores, strict=True):
        kind = UNKNOWN if piece == b"<unk>" else CONTROL if piece in (b"<s>", b"<pad>", b"</s>", b"<mask>") else NORMAL
        out += data(1, data(1, piece) + real(2, score) + integer(3, kind))
    trainer = integer(3, UNIGRAM) + integer(4, len(pieces))
    for field, value in ((40, 3), (41, 0), (42, 2), (43, 1)):  # unk_id, bos_id, eos_id, pad_id
        trainer += integer(field, value)
    return bytes(out) + data(TRAINER_SPEC, trainer) + data(NORMALIZER_SPEC, data(1, b"nmt_nfkc") + data(2, charsmap(single)))
