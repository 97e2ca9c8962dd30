"""From text to the model's token ids: with SentencePiece, or with the tokenizer inside a GGUF file."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from pathlib import Path
from typing import Any, Literal, Protocol

MAX_CHARACTERS = 1_000_000  # beyond this a text is cut: it bounds what one text can cost

SURROGATE = re.compile("[\ud800-\udfff]")

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


def clean(text: str, form: Form | None = None) -> str:
    """The text as a tokenizer can take it: whole surrogate pairs joined, lone ones replaced, no NUL, in one Unicode form."""
    text = text[:MAX_CHARACTERS].replace("\0", "")
    if SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return unicodedata.normalize(form, text) if form else text


class Tokenizer(Protocol):
    """What the worker needs of a tokenizer."""

    start: int  # id of the token before a text
    end: int  # id of the token after it

    def ids(self, text: str) -> list[int]:
        """The ids of a clean text, without start and end. Spelled-out special tokens are plain text."""


class SentencePieceTokenizer:
    """The tokenizer of the XLM-RoBERTa family."""

    def __init__(self, path: Path) -> None:
        from sentencepiece import SentencePieceProcessor  # 60 MB with the model: only for those who use it

        self._processor = SentencePieceProcessor(model_file=str(path))
        self.start: int = self._processor.bos_id()
        self.end: int = self._processor.eos_id()

    def ids(self, text: str) -> list[int]:
        found: list[int] = self._processor.encode(text)
        return found


class GgufTokenizer:
    """llama.cpp's own tokenizer, with the vocabulary of the GGUF file."""

    def __init__(self, library: Any, model: Any) -> None:
        self._library = library
        self._vocabulary = library.llama_model_get_vocab(model)
        self.start = int(library.llama_vocab_bos(self._vocabulary))
        self.end = int(library.llama_vocab_sep(self._vocabulary))

    def ids(self, text: str) -> list[int]:
        content = text.encode()
        room = len(content) + 8
        out = (ctypes.c_int32 * room)()
        count = self._library.llama_tokenize(self._vocabulary, content, len(content), out, room, False, False)
        if count < 0:  # never seen: no tokenizer makes more tokens than bytes
            raise ValueError("the tokenizer made more tokens than the text has bytes")
        return list(out[:count])
