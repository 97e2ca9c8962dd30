"""The embedded cluster: finds the binaries, makes, starts, adopts and stops one Postgres per home."""
