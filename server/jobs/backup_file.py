"""The file of a backup.

A tar archive with `manifest.json` (version, time, schema, counts), `database.dump` (pg_dump's custom format) and, encrypted only, the
home's private keys under `state/`. With a passphrase everything but the manifest is encrypted in the format of age: the passphrase
opens `key.age`, which holds the identity that opens `database.dump.age` and the rest. So the file can be opened without OwnSona:
`age -d key.age > key; age -d -i key database.dump.age > database.dump; pg_restore …`.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pyrage

from server.jobs.registry import JobError

FORMAT = 1
MANIFEST, DUMP, KEY = "manifest.json", "database.dump", "key.age"
MOST_MANIFEST = 1 << 20
NOT_OURS = "This file is no backup of OwnSona, or it is damaged. Choose another one."
WRONG_PASSPHRASE = "The passphrase does not open this backup. Check it, then try again."  # noqa: S105 - it is a sentence
NEEDS_PASSPHRASE = "This backup is encrypted. Give its passphrase."  # noqa: S105 - it is a sentence


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself without its passphrase."""

    version: str  # of OwnSona
    created_at: datetime
    schema: int
    counts: Mapping[str, int]  # rows of each table
    encrypted: bool
    verified: bool


def pack(target: Path, manifest: Manifest, folder: Path, passphrase: str | None) -> None:
    """Write the files of a folder, in its subfolders too, into one new file. Raises OSError."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    names = {path: path.relative_to(folder).as_posix() for path in files}
    recipient = None
    if passphrase is not None:
        identity = pyrage.x25519.Identity.generate()
        recipient = identity.to_public()
        (folder / KEY).write_bytes(pyrage.passphrase.encrypt(f"{identity}\n".encode(), passphrase))
    with tarfile.open(target, "x") as archive:
        written = folder / MANIFEST
        written.write_text(json.dumps({"format": FORMAT, **asdict(manifest)}, default=datetime.isoformat), encoding="utf-8")
        archive.add(written, MANIFEST)
        if recipient is not None:
            archive.add(folder / KEY, KEY)
        for path, name in names.items():
            if recipient is None:
                archive.add(path, name)
                continue
            sealed = path.with_name(f"{path.name}.age")
            with path.open("rb") as plain, sealed.open("wb") as out:
                pyrage.encrypt_io(plain, out, [recipient])
            path.unlink()
            archive.add(sealed, f"{name}.age")


def read_manifest(source: Path) -> Manifest:
    """What a backup says of itself. Raises JobError."""
    try:
        with tarfile.open(source, "r:") as archive:
            values = json.loads(_member(archive, MANIFEST, MOST_MANIFEST))
        if values.pop("format") != FORMAT:
            raise JobError("This backup was made by a newer OwnSona. Update OwnSona, then restore it.")
        return Manifest(**{**values, "created_at": datetime.fromisoformat(values["created_at"])})
    except OSError as error:
        raise JobError(f"The backup cannot be read ({error.strerror or 'it is no backup'}).") from None
    except (tarfile.TarError, ValueError, KeyError, TypeError, AttributeError):
        raise JobError(NOT_OURS) from None


def unpack(source: Path, folder: Path, passphrase: str | None) -> Manifest:
    """Put what a backup holds into a folder, decrypted. Raises JobError, OSError."""
    manifest = read_manifest(source)
    if manifest.encrypted and passphrase is None:
        raise JobError(NEEDS_PASSPHRASE)
    with tarfile.open(source, "r:") as archive:
        archive.extractall(folder, filter="data")
    if manifest.encrypted:
        _decrypt(folder, passphrase or "")
    if not (folder / DUMP).is_file():
        raise JobError(NOT_OURS)
    return manifest


def _decrypt(folder: Path, passphrase: str) -> None:
    try:
        identity = pyrage.x25519.Identity.from_str(pyrage.passphrase.decrypt((folder / KEY).read_bytes(), passphrase).decode().strip())
    except (pyrage.DecryptError, ValueError):
        raise JobError(WRONG_PASSPHRASE) from None
    except OSError:
        raise JobError(NOT_OURS) from None
    for sealed in [path for path in folder.rglob("*.age") if path.name != KEY]:
        try:
            with sealed.open("rb") as source, sealed.with_suffix("").open("wb") as out:
                pyrage.decrypt_io(source, out, [identity])
        except pyrage.DecryptError:
            raise JobError(NOT_OURS) from None
        sealed.unlink()


def _member(archive: tarfile.TarFile, name: str, most: int) -> Any:
    file = archive.extractfile(name)
    if file is None:
        raise JobError(NOT_OURS)
    with file:
        return file.read(most)
