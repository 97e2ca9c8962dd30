"""A model of the person's own: a plain GGUF file with its vocabulary inside, and a card beside it."""

from __future__ import annotations

import hashlib
import unicodedata
from pathlib import Path

import gguf
import numpy as np
import pytest

from server.embedding.cards import find_card
from server.embedding.client import LocalEmbedder
from server.memory.ports import EmbeddingError
from tests.integration.embedding.conftest import Start

WIDTH, LAYERS, HEADS, FORWARD, CONTEXT = 32, 2, 2, 64, 128
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = ["anna", "bob", "tea", "drinks", "berlin", ".", *(chr(point) for point in range(0x1100, 0x1200))]  # Hangul's parts

CARD = """
id = "tiny"
licence = "none"
source = "made for a test"
dimension = {width}
context = {context}
pooling = "mean"
passage_prefix = "tea "
tokenizer = "gguf"
unicode_form = "NFD"
[windows]
tokens = 64
overlap = 16
[files.model]
name = "tiny.gguf"
sha256 = "{sha256}"
"""


def write_model(path: Path) -> None:
    """A BERT with random weights and a WordPiece vocabulary."""
    random = np.random.default_rng(1)
    writer = gguf.GGUFWriter(str(path), "bert")
    writer.add_block_count(LAYERS)
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(FORWARD)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_eps(1e-12)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_token_type_count(2)
    write_vocabulary(writer)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.standard_normal(shape).astype(np.float32))

    tensor("token_embd.weight", len(SPECIAL) + len(WORDS), WIDTH)
    tensor("position_embd.weight", CONTEXT, WIDTH)
    tensor("token_types.weight", 2, WIDTH)
    for name in ("token_embd_norm", *(f"blk.{layer}.{part}_norm" for layer in range(LAYERS) for part in ("attn_output", "layer_output"))):
        tensor(f"{name}.weight", WIDTH)
        tensor(f"{name}.bias", WIDTH)
    shapes = {"attn_q": (WIDTH, WIDTH), "attn_k": (WIDTH, WIDTH), "attn_v": (WIDTH, WIDTH), "attn_output": (WIDTH, WIDTH)}
    shapes |= {"ffn_up": (FORWARD, WIDTH), "ffn_down": (WIDTH, FORWARD)}
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            tensor(f"blk.{layer}.{name}.weight", *shape)
            tensor(f"blk.{layer}.{name}.bias", shape[0])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_vocabulary(writer: gguf.GGUFWriter) -> None:
    """llama.cpp's form of WordPiece: U+2581 before what starts a word."""
    inside = [word for word in WORDS if not word.isascii()]  # parts of a syllable follow one another
    starts = [f"\u2581{word}" for word in WORDS if word not in inside]
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([*SPECIAL, *starts, *inside])
    kinds = [gguf.TokenType.UNKNOWN if name == "[UNK]" else gguf.TokenType.CONTROL for name in SPECIAL]
    writer.add_token_types([*kinds, *[gguf.TokenType.NORMAL] * len(WORDS)])
    writer.add_pad_token_id(0)
    writer.add_unk_token_id(1)
    writer.add_bos_token_id(2)
    writer.add_sep_token_id(3)
    writer.add_mask_token_id(4)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    write_model(folder / "tiny.gguf")
    sha256 = hashlib.sha256((folder / "tiny.gguf").read_bytes()).hexdigest()
    (folder / "tiny.toml").write_text(CARD.format(width=WIDTH, context=CONTEXT, sha256=sha256))
    return folder / "tiny.gguf"


def test_it_embeds_with_its_own_tokenizer_prefixes_and_windows(tiny: Path, start: Start) -> None:
    embedder = start(local=find_card(str(tiny)))
    assert embedder.model.dimension == WIDTH
    one, two, long = embedder.embed_passages(["anna drinks tea.", "bob drinks tea.", "anna drinks tea in berlin. " * 40])
    assert one.shape == two.shape == (1, WIDTH)
    assert len(long) > 2
    assert one[0] @ two[0] < 0.9999
    # The query prefix is empty, the passage prefix is a word: the same tokens give the same vector.
    np.testing.assert_allclose(embedder.embed_query("tea anna drinks tea."), one, atol=1e-4)


def test_the_card_s_unicode_form_is_applied(tiny: Path, start: Start) -> None:
    embedder = start(local=find_card(str(tiny)))
    composed = unicodedata.normalize("NFC", "한국")
    decomposed = unicodedata.normalize("NFD", "한국")
    assert composed != decomposed
    one, two = embedder.embed_passages([composed, decomposed])
    np.testing.assert_allclose(one, two, atol=1e-4)


def test_a_dimension_that_the_card_has_wrong_is_named(tiny: Path, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(tiny.read_bytes())
    card = tiny.with_suffix(".toml").read_text()
    (tmp_path / "tiny.toml").write_text(card.replace(f"dimension = {WIDTH}", "dimension = 33"))
    expect_failure(tmp_path / "tiny.gguf", "vectors of 32 numbers, its card says 33")


def test_a_file_that_is_no_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(b"no model")
    sha256 = hashlib.sha256(b"no model").hexdigest()
    (tmp_path / "tiny.toml").write_text(CARD.format(width=WIDTH, context=CONTEXT, sha256=sha256))
    expect_failure(tmp_path / "tiny.gguf", r"cannot read the model file tiny\.gguf.*OWNSONA_EMBEDDING_MODEL")


def expect_failure(model: Path, message: str) -> None:
    """The embedder fails with this advice, at once and without restarts."""
    embedder = LocalEmbedder(find_card(str(model)))
    embedder.start()
    try:
        with pytest.raises(EmbeddingError, match=message):
            embedder.embed_query("anna")
        assert embedder.state == "failed"
        assert not embedder.ready.is_set()
    finally:
        embedder.stop()
