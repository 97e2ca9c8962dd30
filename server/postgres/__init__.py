"""The embedded Postgres: binaries, first set-up, start, adoption, stop, reaper, doctor. Import from the modules; this file stays empty
because the reaper runs without any installed package."""
