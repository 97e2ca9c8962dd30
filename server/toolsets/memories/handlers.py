"""What each tool does: parameters in, the contract's payload out. Faults travel as exceptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from server.memory.correcting import FIELDS
from server.memory.forgetting import Forgotten
from server.memory.memories import Memories
from server.memory.model import Actor, Draft, Filter, InvalidInput, Refusal
from server.memory.ports import EmbeddingError
from server.memory.reviewing import MAX_TAGS_LISTED, Group, LimitExceeded
from server.memory.storing import DedupPolicy, Remembered
from server.toolsets.base import Caller
from server.toolsets.memories import parameters as p
from server.toolsets.memories.rows import full_row, iso, match_row, row
from server.toolsets.parameters import parse

Payload = dict[str, Any]


class Handlers:
    """The tools of the memories contract over the domain."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories
        self._limits = memories.limits

    # ---- storing

    def remember(self, given: p.Remember, caller: Caller) -> Payload:
        draft = self._draft(given, caller, given.source_provider)
        done = self._memories.remember(_actor(caller), draft, given.dedup_policy, given.supersedes or (), given.downweights or ())
        return _remembered(done, given.dedup_policy)

    def remember_batch(self, given: p.RememberBatch, caller: Caller) -> Payload:
        self._check_size("items", given.items, InvalidInput)
        outcomes: list[Remembered | Refusal] = [Remembered()] * len(given.items)
        drafts: dict[int, tuple[Draft, DedupPolicy]] = {}
        for number, item in enumerate(given.items):
            try:
                one = parse(p.RememberItem, item)
                draft = self._draft(one, caller, (one.source_provider or "").strip() or given.source_provider)
                drafts[number] = draft, one.dedup_policy or given.dedup_policy
            except Refusal as refusal:
                outcomes[number] = refusal
        for number, outcome in zip(drafts, self._memories.remember_batch(_actor(caller), list(drafts.values())), strict=True):
            outcomes[number] = outcome
        results = []
        for number, done in enumerate(outcomes):
            if isinstance(done, Remembered):
                results.append({"input_index": number, "ok": True, **_remembered(done, drafts[number][1])})
            else:
                results.append(_failed(number, done))
        failed = sum(not result["ok"] for result in results)
        inserted = sum(isinstance(done, Remembered) and done.stored for done in outcomes)
        return {
            "results": results,
            "summary": {
                "total": len(results),
                "succeeded": len(results) - failed,
                "failed": failed,
                "inserted": inserted,
                "duplicates": len(results) - failed - inserted,
                "errors": failed,
            },
        }

    def _draft(self, given: p.Remember | p.RememberItem, caller: Caller, provider: str | None) -> Draft:
        return self._memories.draft(
            given.text,
            given.tags or (),
            source_provider=(provider or "").strip() or None,
            source_client=caller.client,
            importance=given.importance,
            capture_mode=given.capture_mode,
            session_id=given.session_id,
            expires_at=given.expires_at,
            last_confirmed_at=given.last_confirmed_at,
        )

    # ---- finding

    def recall(self, given: p.Recall, caller: Caller) -> Payload:
        limit = given.limit or self._limits.default_recall_limit
        found = self._memories.recall(caller.owner_id, given.query, limit, given.min_score, given.tags or ())
        return {"query": given.query, "matches": [match_row(match) for match in found]}

    def text_search(self, given: p.TextSearch, caller: Caller) -> Payload:
        return {"memories": [row(memory) for memory in self._memories.text_search(caller.owner_id, given.text, given.limit)]}

    def build_context_prompt(self, given: p.BuildContextPrompt, caller: Caller) -> Payload:
        limit = given.limit or self._limits.default_recall_limit
        prompt = self._memories.build_prompt(caller.owner_id, given.user_prompt, limit, given.max_chars, given.min_score, given.tags or ())
        return {"prompt": prompt}

    # ---- correcting

    def update_memory(self, given: p.UpdateMemory, caller: Caller) -> Payload:
        changes = _changes(given)
        self._memories.update(_actor(caller), given.id, changes, dry_run=given.dry_run)
        message = "Would update" if given.dry_run else "Ok"
        return {"memory_id": given.id, "dry_run": given.dry_run, "changed_fields": list(changes), "message": message}

    def update_memory_batch(self, given: p.UpdateMemoryBatch, caller: Caller) -> Payload:
        self._check_size("items", given.items, InvalidInput)
        outcomes: list[Refusal | EmbeddingError | None] = [None] * len(given.items)
        edits: dict[int, tuple[int, dict[str, Any]]] = {}
        for number, item in enumerate(given.items):
            try:
                one = parse(p.UpdateItem, item)
                edits[number] = one.id, _changes(one)
            except Refusal as refusal:
                outcomes[number] = refusal
        done = self._memories.update_batch(_actor(caller), list(edits.values()), dry_run=given.dry_run)
        for number, outcome in zip(edits, done, strict=True):
            outcomes[number] = outcome
        message = "Would update" if given.dry_run else "Ok"
        results = []
        for number, fault in enumerate(outcomes):
            memory_id = edits[number][0] if number in edits else None
            if fault is None:
                results.append(
                    {"input_index": number, "id": memory_id, "ok": True, "changed_fields": list(edits[number][1]), "message": message}
                )
            else:
                results.append(_failed(number, fault, id=memory_id))
        errors = sum(fault is not None for fault in outcomes)
        return {
            "dry_run": given.dry_run,
            "results": results,
            "summary": {"total": len(results), "updated": len(results) - errors, "errors": errors},
        }

    def confirm(self, given: p.OneMemory, caller: Caller) -> Payload:
        return {"memory_id": given.id, "last_confirmed_at": iso(self._memories.confirm(_actor(caller), given.id))}

    def reinforce(self, given: p.Reinforce, caller: Caller) -> Payload:
        self._check_size("memory_ids", given.memory_ids, LimitExceeded)
        done = self._memories.reinforce(_actor(caller), given.memory_ids, given.delta, given.query)
        reinforced = [
            {"id": memory.id, "salience": memory.salience, "use_count": memory.use_count, "context_count": memory.context_count}
            for memory in done.reinforced
        ]
        skipped = {"skipped": done.skipped} if done.skipped else {}
        return {"reinforced": reinforced, **skipped, "message": "Ok"}

    # ---- forgetting

    def forget(self, given: p.Forget, caller: Caller) -> Payload:
        done = self._memories.forget(
            _actor(caller),
            given.id,
            hard=given.hard_delete,
            reason=given.reason,
            replaced_by_id=given.replaced_by_id,
            dry_run=given.dry_run,
        )
        message = _forgotten_message(done, given.dry_run)
        if given.hard_delete:
            message = "Would hard-delete" if given.dry_run else "Hard deleted"
        return {"memory_id": given.id, "dry_run": given.dry_run, "already_deleted": done.already_deleted, "message": message}

    def forget_batch(self, given: p.ForgetBatch, caller: Caller) -> Payload:
        self._check_size("ids", given.ids, LimitExceeded)
        outcomes = self._memories.forget_batch(_actor(caller), given.ids, reason=given.reason, dry_run=given.dry_run)
        results = [
            {
                "input_index": number,
                "id": memory_id,
                "ok": True,
                "already_deleted": one.already_deleted,
                "message": _forgotten_message(one, given.dry_run),
            }
            if isinstance(one, Forgotten)
            else _failed(number, one, id=memory_id)
            for number, (memory_id, one) in enumerate(zip(given.ids, outcomes, strict=True))
        ]
        already = sum(isinstance(one, Forgotten) and one.already_deleted for one in outcomes)
        errors = sum(not isinstance(one, Forgotten) for one in outcomes)
        return {
            "dry_run": given.dry_run,
            "results": results,
            "summary": {"total": len(results), "deleted": len(results) - already - errors, "already_deleted": already, "errors": errors},
        }

    # ---- reviewing

    def list_memories(self, given: p.ListMemories, caller: Caller) -> Payload:
        found = self._memories.listing(caller.owner_id, _filter(given), given.limit, given.offset)
        return {"memories": [row(memory) for memory in found]}

    def get_memory(self, given: p.OneMemory, caller: Caller) -> Payload:
        return {"memory": full_row(self._memories.get(caller.owner_id, given.id))}

    def count_memories(self, given: p.CountMemories, caller: Caller) -> Payload:
        wanted = _filter(given, source_provider=given.source_provider)
        return {"count": self._memories.count(caller.owner_id, wanted, given.tags or ())}

    def memory_stats(self, _: p.Nothing, caller: Caller) -> Payload:
        stats = self._memories.stats(caller.owner_id)
        return {
            "total": stats.total,
            "active": stats.active,
            "soft_deleted": stats.soft_deleted,
            "expired": stats.expired,
            "avg_importance": stats.avg_importance,
            "oldest_created_at": iso(stats.oldest_created_at),
            "newest_created_at": iso(stats.newest_created_at),
            "top_tags": [{"tag": tag, "count": count} for tag, count in stats.top_tags],
            "by_provider": [{"provider": provider or "(none)", "count": count} for provider, count in stats.by_provider],
        }

    def list_tags(self, given: p.ListTags, caller: Caller) -> Payload:
        found = self._memories.tags(caller.owner_id, given.limit or MAX_TAGS_LISTED, include_deleted=given.include_deleted)
        return {"tags": [{"tag": tag, "count": count} for tag, count in found]}

    def find_near_duplicates(self, given: p.FindNearDuplicates, caller: Caller) -> Payload:
        return _groups(given.threshold, self._memories.similar_groups(caller.owner_id, given.threshold, given.max_groups, shared_tag=False))

    def find_conflicts(self, given: p.FindConflicts, caller: Caller) -> Payload:
        return _groups(given.threshold, self._memories.similar_groups(caller.owner_id, given.threshold, given.max_groups, shared_tag=True))

    def query_relations(self, given: p.QueryRelations, caller: Caller) -> Payload:
        found = self._memories.relations(caller.owner_id, given.entity, given.max_hops)
        return {"entity": given.entity, "relations": [asdict(relation) for relation in found], "summary": {"count": len(found)}}

    def export_memories(self, given: p.ExportMemories, caller: Caller) -> Payload:
        exported = [full_row(memory) for memory in self._memories.export(caller.owner_id, include_deleted=given.include_deleted)]
        return {"count": len(exported), "memories": exported}

    def _check_size(self, field: str, values: Sequence[object], refusal: Callable[[str], Refusal]) -> None:
        if len(values) > self._limits.max_batch_size:
            raise refusal(f"{field} may hold at most {self._limits.max_batch_size} in one call; {len(values)} were given.")


def _actor(caller: Caller) -> Actor:
    return Actor(caller.owner_id, "client", caller.client)


def _changes(given: p.UpdateItem) -> dict[str, Any]:
    return {name: getattr(given, name) for name in FIELDS if getattr(given, name) is not None}


def _filter(given: p.ListMemories | p.CountMemories, **more: Any) -> Filter:
    return Filter(
        include_deleted=given.include_deleted,
        untagged_only=given.untagged_only,
        min_chars=given.min_chars,
        max_chars=given.max_chars,
        not_confirmed_since=given.not_confirmed_since,
        **more,
    )


def _remembered(done: Remembered, policy: str) -> Payload:
    out: Payload = {"memory_id": done.memory_id, "message": "Ok" if done.stored else "Already remembered"}
    if policy == "ask" or done.near_duplicates:
        out["near_duplicates"] = [match_row(match) for match in done.near_duplicates]
    for name in ("previously_corrected", "potential_conflicts"):
        if getattr(done, name):
            out[name] = [match_row(match) for match in getattr(done, name)]
    for name in ("superseded", "downweighted"):
        if getattr(done, name):
            out[name] = [asdict(link) for link in getattr(done, name)]
    return out


def _forgotten_message(done: Forgotten, dry_run: bool) -> str:
    if done.already_deleted:
        return "Would update tombstone (already soft-deleted)" if dry_run else "Already soft-deleted (tombstone updated)"
    return "Would soft-delete" if dry_run else "Forgotten"


def _groups(threshold: float, groups: Sequence[Group]) -> Payload:
    shown = []
    for group in groups:
        one: Payload = {
            "ids": [memory.id for memory in group.memories],
            "max_similarity": round(group.max_similarity, 4),
            "pair_count": group.pair_count,
            "memories": [row(memory) for memory in group.memories],
        }
        shown.append(one | ({"differing_words": group.differing_words} if group.differing_words else {}))
    pairs = sum(group.pair_count for group in groups)
    return {"threshold": threshold, "groups": shown, "summary": {"groups": len(groups), "pairs": pairs}}


def error_of(fault: Refusal | EmbeddingError) -> Payload:
    """The contract's error object for a fault of one call or one item."""
    if isinstance(fault, Refusal):
        return {"code": fault.code, "message": fault.message}
    return {"code": "EMBEDDING_ERROR", "message": str(fault), **({"detail": fault.detail} if fault.detail else {})}


def _failed(number: int, fault: Refusal | EmbeddingError, **more: Any) -> Payload:
    return {"input_index": number, **more, "ok": False, "error": error_of(fault)}
