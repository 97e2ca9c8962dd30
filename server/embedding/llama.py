"""The encoder: llama.cpp's C interface, and nothing of the Python package around it.

Importing the package itself brings numpy, jinja2 and diskcache: 20 MB and a tenth of a second that a worker can save.
An assertion inside llama.cpp ends the whole process, so everything here runs in the worker only.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import mmap
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

FLOAT = ctypes.sizeof(ctypes.c_float)
BLOCK_WEIGHTS, BLOCK_BYTES = 32, 18  # ggml's Q4_0
MAX_SEQUENCES = 64  # windows in one batch


class ModelError(Exception):
    """The model's files cannot be used; the message says which and why."""


def load_library() -> Any:
    """The module with llama.cpp's C functions, without running the package's `__init__`. Raises ModelError."""
    name = "llama_cpp"
    if name not in sys.modules:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.submodule_search_locations is None:
            raise ModelError("The package llama-cpp-python is not installed.")
        package = ModuleType(name)
        package.__path__ = list(spec.submodule_search_locations)
        sys.modules[name] = package
    try:
        return importlib.import_module("llama_cpp.llama_cpp")
    except (OSError, RuntimeError, FileNotFoundError) as error:
        raise ModelError(f"The library of llama.cpp cannot be loaded ({error}).") from error


class TokenEmbeddings:
    """Rows of Q4_0 blocks in a mapped file, one per piece: the pages in use take memory, the rest does not."""

    def __init__(self, library: Any, path: Path, width: int) -> None:
        self._row = width // BLOCK_WEIGHTS * BLOCK_BYTES
        self._width = width
        with path.open("rb") as file:
            # Nothing is ever written; but ctypes takes the address of writable memory only.
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        self.rows = len(self._map) // self._row
        if self.rows * self._row != len(self._map):
            raise ModelError(f"{path.name} does not hold rows of {width} weights.")
        self._start = ctypes.addressof((ctypes.c_char * len(self._map)).from_buffer(self._map))
        base = next(Path(library.__file__).parent.joinpath("lib").glob(BASE_LIBRARY[sys.platform]))
        self._decode = ctypes.CDLL(str(base)).dequantize_row_q4_0
        self._decode.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
        self._decode.restype = None

    def copy(self, token: int, address: int) -> None:
        """Write the piece's embedding to `address` as floats. Raises IndexError for an id beyond the vocabulary."""
        if not 0 <= token < self.rows:
            raise IndexError(f"there is no piece {token}")
        self._decode(self._start + token * self._row, address, self._width)


BASE_LIBRARY = {"linux": "libggml-base.so", "darwin": "libggml-base.dylib", "win32": "ggml-base.dll"}


class Encoder:
    """One model in one context. Not safe for more than one thread."""

    def __init__(self, model: Path, embeddings: Path | None, *, pooling: str, context: int, threads: int) -> None:
        self.library = load_library()
        # Kept for as long as the library may call it.
        self._silence = self.library.llama_log_callback(lambda *_: None)
        self.library.llama_log_set(self._silence, None)
        self.library.llama_backend_init()
        self.context_size = context
        self.model = self._load(model)
        self.width = int(self.library.llama_model_n_embd(self.model))
        self._context = self._open(model, pooling, threads)
        self._rows = TokenEmbeddings(self.library, embeddings, self.width) if embeddings else None
        self._batch = self.library.llama_batch_init(context, self.width if self._rows else 0, 1)

    def _load(self, path: Path) -> Any:
        parameters = self.library.llama_model_default_params()
        parameters.n_gpu_layers = 0
        model = self.library.llama_model_load_from_file(str(path).encode(), parameters)
        if not model:
            raise ModelError(f"llama.cpp cannot read the model file {path.name}.")
        return model

    def _open(self, path: Path, pooling: str, threads: int) -> Any:
        parameters = self.library.llama_context_default_params()
        # An encoder takes a batch in one piece, and a batch beyond these sizes ends the process.
        parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = self.context_size
        parameters.n_seq_max = MAX_SEQUENCES
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.embeddings = True
        parameters.pooling_type = getattr(self.library, f"LLAMA_POOLING_TYPE_{pooling.upper()}")
        parameters.flash_attn_type = self.library.LLAMA_FLASH_ATTN_TYPE_ENABLED
        context = self.library.llama_init_from_model(self.model, parameters)
        if not context:
            raise ModelError(f"llama.cpp cannot run the model in {path.name}.")
        return context

    def encode(self, windows: Sequence[Sequence[int]]) -> list[bytes]:
        """The pooled vector of each window as raw float32, not normalised. All windows together fit into the context."""
        if sum(map(len, windows)) > self.context_size or len(windows) > MAX_SEQUENCES or not all(windows):
            raise ValueError("the batch does not fit into the model's context")
        self._fill(windows)
        status = self.library.llama_encode(self._context, self._batch)
        if status != 0:
            raise ModelError(f"llama.cpp could not encode a batch (status {status}).")
        return [
            ctypes.string_at(self.library.llama_get_embeddings_seq(self._context, sequence), self.width * FLOAT)
            for sequence in range(len(windows))
        ]

    def _fill(self, windows: Sequence[Sequence[int]]) -> None:
        batch, place = self._batch, 0
        target = ctypes.addressof(batch.embd.contents) if self._rows else 0
        for sequence, tokens in enumerate(windows):
            for position, token in enumerate(tokens):
                if self._rows:
                    self._rows.copy(token, target + place * self.width * FLOAT)
                else:
                    batch.token[place] = token
                batch.pos[place] = position
                batch.n_seq_id[place] = 1
                batch.seq_id[place][0] = sequence
                batch.logits[place] = 1
                place += 1
        batch.n_tokens = place
