"""Fit the transform of the default model: the mean of the unit vectors of neutral text in seven languages.

    python -m benchmarks.fit_transform DATA [--out FILE]

DATA is a folder with stsb-LANGUAGE-dev.csv files (STSbenchmark in several languages). The result goes to
resources/models/MODEL/mean.npy; its SHA-256 belongs into the card, and a new one is a new generation of vectors.
What was tried and left out: scaling down the strongest directions of variance (raises STS-B's correlation by up to one
point, lowers the recall of retrieval with every step) and a separate mean for queries. benchmarks/spread.py shows both.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import numpy as np

from benchmarks.embedding_data import embed, embedder, raw_model, stsb, stsb_languages
from server.paths import resource


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Fit the mean that the default model's transform subtracts.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=resource("models", "multilingual-e5-small", "mean.npy"))
    options = parser.parse_args()
    means = []
    with embedder(raw_model()) as running:
        for language in stsb_languages(options.data):
            texts = list(dict.fromkeys(text for pair in stsb(options.data, language) for text in pair[:2]))
            means.append(embed(running, texts, "passage").mean(axis=0, dtype=np.float64))
            print(language, len(texts))
    np.save(options.out, np.mean(means, axis=0).astype(np.float32))
    print(hashlib.sha256(options.out.read_bytes()).hexdigest(), options.out.name)


if __name__ == "__main__":
    main()
