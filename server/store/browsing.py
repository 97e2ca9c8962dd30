"""The window's list: a query as one SQL condition, all ids in order, and the counts beside the table."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, LiteralString, cast

from psycopg import sql

from server.memory.owner.ports import Count, SavedSearch, Sidebar, Sorting
from server.memory.query import Atom, Being, Importance, Labelled, Numbered, Query, Term, When, Word
from server.store.database import Connection
from server.store.memories import LIVE

SESSIONS_LISTED = 50
TAGS_LISTED = 1000
SORT_MEMORY = "48MB"  # 100 000 ids with a key are sorted without a temporary file

_SORTS: dict[str, LiteralString] = {
    "created": "m.created_at",
    "updated": "m.updated_at",
    "confirmed": "m.last_confirmed_at",
    "importance": "m.importance",
    "salience": "m.salience",
    "text": 'lower(left(m.text, 64)) COLLATE "C"',
    "length": "char_length(m.text)",
}
_STATES: dict[str, LiteralString] = {
    "trash": "m.deleted_at IS NOT NULL AND m.deleted_by <> 'job'",
    "archived": "m.deleted_at IS NOT NULL AND m.deleted_by = 'job'",
    "expired": "m.deleted_at IS NULL AND coalesce(m.expires_at <= now(), false)",
    "locked": "m.keep = 'Y'",
    "untagged": "cardinality(m.tags) = 0",
    "conflict": "m.id = ANY(%(conflicts)s)",
}
_LABELS: dict[str, LiteralString] = {"source": "m.source_provider", "client": "m.source_client", "session": "m.session_id"}
_SPECIAL = re.compile(r"([\\.^$*+?{}\[\]()|])")


class _Condition:
    """A WHERE clause in the making, with its parameters."""

    def __init__(self, owner_id: int, conflicts: Sequence[int]) -> None:
        self.parameters: dict[str, Any] = {"owner": owner_id, "conflicts": list(conflicts)}
        self._parts: dict[type, Callable[[Any], sql.Composable]] = {
            Word: self._word,
            Labelled: self._labelled,
            Being: lambda atom: sql.SQL(_STATES[atom.state]),
            When: self._when,
            Importance: lambda atom: sql.SQL("m.importance {} {}").format(sql.SQL(atom.relation), self._value(atom.value)),
            Numbered: lambda atom: sql.SQL("m.id = {}").format(self._value(atom.id)),
        }

    def of(self, query: Query) -> sql.Composed:
        """The whole clause. What is deleted or expired is left out, unless the query asks for it."""
        parts: list[sql.Composable] = [sql.SQL("m.owner_id = %(owner)s")]
        gone = query.mentions("trash", "archived")
        if not query.names_an_id():
            if not gone:
                parts.append(sql.SQL("m.deleted_at IS NULL"))
            if not gone and not query.mentions("expired"):
                parts.append(sql.SQL("(m.expires_at IS NULL OR m.expires_at > now())"))
        parts += [sql.SQL("({})").format(sql.SQL(" OR ").join(map(self._term, clause))) for clause in query.clauses]
        return sql.SQL(" AND ").join(parts)

    def _term(self, term: Term) -> sql.Composable:
        part = self._atom(term.atom)
        return sql.SQL("NOT coalesce({}, false)").format(part) if term.negated else part

    def _atom(self, atom: Atom) -> sql.Composable:
        return self._parts[type(atom)](atom)

    def _value(self, value: object) -> sql.Placeholder:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return sql.Placeholder(name)

    def _word(self, atom: Word) -> sql.Composable:
        if atom.phrase or not _begins_words(atom.text):
            return sql.SQL("m.text ILIKE {}").format(self._value("%" + re.sub(r"([\\%_])", r"\\\1", atom.text) + "%"))
        return sql.SQL("m.text ~* {}").format(self._value(r"\m" + _SPECIAL.sub(r"\\\1", atom.text)))

    def _labelled(self, atom: Labelled) -> sql.Composable:
        if atom.key == "tag":
            return sql.SQL("m.tags @> {}").format(self._value([atom.value])) if atom.value else sql.SQL(_STATES["untagged"])
        column = sql.SQL(_LABELS[atom.key])
        if not atom.value:
            return sql.SQL("{} IS NULL").format(column)
        return sql.SQL("lower({}) = lower({})").format(column, self._value(atom.value))

    def _when(self, atom: When) -> sql.Composable:
        if atom.key == "confirmed-before":
            return sql.SQL("(m.last_confirmed_at IS NULL OR m.last_confirmed_at < {})").format(self._value(atom.at))
        return sql.SQL("m.created_at {} {}").format(sql.SQL("<" if atom.key == "before" else ">="), self._value(atom.at))


def _begins_words(text: str) -> bool:
    """Whether a text can stand at the beginning of a word, in a script that has spaces between words."""
    return text[0].isalnum() and unicodedata.category(text[0]) != "Lo"


def find(connection: Connection, owner_id: int, query: Query, sorting: Sorting, conflicts: Sequence[int]) -> list[int]:
    """The ids of all memories that a query means, in order. As one text, which is read ten times as fast as rows."""
    condition = _Condition(owner_id, conflicts)
    direction = sql.SQL("DESC" if sorting.descending else "ASC")
    statement = sql.SQL(
        "SELECT string_agg(id::text, ',') AS ids FROM (SELECT m.id FROM memories m WHERE {} ORDER BY {} {}{}, m.id {}) AS found"
    ).format(
        condition.of(query),
        sql.SQL(_SORTS[sorting.key]),
        direction,
        sql.SQL(" NULLS LAST" if sorting.key == "confirmed" else ""),
        direction,
    )
    connection.execute("SELECT set_config('work_mem', %s, true)", [SORT_MEMORY])
    row = connection.execute(statement, condition.parameters).fetchone()
    ids = cast("str | None", row["ids"]) if row else None
    return list(map(int, ids.split(","))) if ids else []


def filtered(connection: Connection, owner_id: int, query: Query, ids: Sequence[int], conflicts: Sequence[int]) -> set[int]:
    """Which of these ids a query means."""
    condition = _Condition(owner_id, conflicts)
    statement = sql.SQL("SELECT m.id FROM memories m WHERE {} AND m.id = ANY(%(among)s)").format(condition.of(query))
    return {row["id"] for row in connection.execute(statement, {**condition.parameters, "among": list(ids)})}


def sidebar(connection: Connection, owner_id: int) -> Sidebar:
    """Everything beside the table."""
    figures = cast(
        dict[str, int],
        connection.execute(
            sql.SQL(
                """SELECT count(*) FILTER (WHERE {trash}) AS trash, count(*) FILTER (WHERE {archived}) AS archived,
                          count(*) FILTER (WHERE {expired}) AS expired,
                          count(*) FILTER (WHERE {live} AND {locked}) AS locked,
                          count(*) FILTER (WHERE {live} AND {untagged}) AS untagged
                     FROM memories m WHERE m.owner_id = %(owner)s"""
            ).format(live=LIVE, **{name: sql.SQL("({})").format(sql.SQL(state)) for name, state in _STATES.items()}),
            {"owner": owner_id, "conflicts": []},
        ).fetchone(),
    )
    return Sidebar(
        tags=tags(connection, owner_id, TAGS_LISTED),
        providers=values(connection, owner_id, "source_provider"),
        clients=values(connection, owner_id, "source_client"),
        sessions=_sessions(connection, owner_id),
        saved=_saved(connection, owner_id),
        **figures,
    )


def tags(connection: Connection, owner_id: int, limit: int) -> list[Count]:
    """The tags of live memories, most used first."""
    statement = sql.SQL(
        "SELECT tag AS name, count(*) AS count FROM memories m, unnest(m.tags) AS tag WHERE m.owner_id = %s AND {}"
        " GROUP BY tag ORDER BY count DESC, tag LIMIT %s"
    ).format(LIVE)
    return [Count(**row) for row in connection.execute(statement, [owner_id, limit])]


def values(connection: Connection, owner_id: int, column: str) -> list[Count]:
    """The values of a column among live memories, most used first."""
    statement = sql.SQL(
        "SELECT m.{column} AS name, count(*) AS count FROM memories m WHERE m.owner_id = %s AND {live}"
        " GROUP BY name ORDER BY count DESC, name NULLS LAST"
    ).format(column=sql.Identifier(column), live=LIVE)
    return [Count(**row) for row in connection.execute(statement, [owner_id])]


def _sessions(connection: Connection, owner_id: int) -> list[Count]:
    statement = sql.SQL(
        "SELECT m.session_id AS name, count(*) AS count FROM memories m WHERE m.owner_id = %s AND m.session_id IS NOT NULL AND {}"
        " GROUP BY name ORDER BY max(m.created_at) DESC, name LIMIT %s"
    ).format(LIVE)
    return [Count(**row) for row in connection.execute(statement, [owner_id, SESSIONS_LISTED])]


def _saved(connection: Connection, owner_id: int) -> list[SavedSearch]:
    rows = connection.execute(
        "SELECT id, name, query FROM saved_searches WHERE owner_id = %s AND query IS NOT NULL ORDER BY lower(name), id", [owner_id]
    )
    return [SavedSearch(**row) for row in rows]
