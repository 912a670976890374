"""Anthropic's rules on messages: for models with a thinking budget (4.6), and for those whose thinking is bound to what
stands before it (5.5)."""
from rules import Refusal, rule
from wire import text_of, without

ERRORS = "https://platform.claude.com/llms-full.txt#common-validation-errors"
BOUND = "https://platform.claude.com/docs/en/build-with-claude/preserved-thinking"
# Measured key by key, section 5.5.4.
MEASURED = "https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/main/docs/conformance-matrix.md"
KEYS = set("""model messages max_tokens cache_control container inference_geo metadata output_config service_tier
    stop_sequences stream system temperature thinking tool_choice tools top_k top_p""".split())
SAMPLING = ("temperature", "top_p", "top_k")


def claude_error(message, status=400, kind="invalid_request_error"):
    error = {"type": kind, "message": message}
    return Refusal(status, {"type": "error", "error": error, "request_id": "req_011CSHoEeqs5"})


def key_of(headers):
    """Both ways are taken; `x-api-key` wins. https://qiita.com/Synthorai/items/01a0067e88747257a4e6"""
    return headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")


def claude_key(key):
    @rule("takes the key as `x-api-key` or as a bearer token", "https://github.com/cline/cline/issues/12")
    def check(seen):
        good = key_of(seen.asked.headers) == key
        return None if good else claude_error("invalid x-api-key", 401, "authentication_error")
    return check


@rule("wants the header `anthropic-version`", "https://platform.claude.com/docs/en/api/versioning")
def version(seen):
    """The words: MEASURED, P-6."""
    given = seen.asked.headers.get("anthropic-version")
    return None if given else claude_error("anthropic-version: header is required")


@rule("refuses parameters that it does not know", MEASURED)
def known_parameters(seen):
    """From API version 2026-10-21 on, sampling parameters are unknown, too:
    https://platform.claude.com/docs/en/api/versioning and
    https://github.com/ttlequals0/MinusPod/releases/tag/v2.101.10"""
    known = KEYS - set(SAMPLING if seen.asked.headers.get("anthropic-version", "") >= "2026" else ())
    for key in seen.body:
        if key not in known:
            return claude_error(f"{key}: Extra inputs are not permitted")
    return None


def thinks(seen):
    return (seen.body.get("thinking") or {}).get("type") in ("enabled", "adaptive")


@rule("takes no `temperature` but 1 with thinking", "https://github.com/dotCipher/opencode-claude-bridge/pull/1")
def temperature_with_thinking(seen):
    if not thinks(seen) or seen.body.get("temperature", 1) == 1:
        return None
    return claude_error("`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please "
                        "consult our documentation at "
                        "https://docs.claude.com/en/docs/build-with-claude/extended-thinking")


@rule("refuses `temperature`", "https://github.com/TestPlanIt/testplanit/issues/220")
def no_temperature(seen):
    """Claude 4.7 and later, at any value: https://github.com/HKUDS/nanobot/pull/3418."""
    found = next((key for key in SAMPLING if key in seen.body), None)
    return claude_error(f"`{found}` is deprecated for this model.") if found else None


@rule("takes no forced tool with thinking", "https://github.com/run-llama/llama_index/issues/19641")
def forced_tool_with_thinking(seen):
    if not thinks(seen) or (seen.body.get("tool_choice") or {}).get("type") not in ("any", "tool"):
        return None
    return claude_error("Thinking may not be enabled when tool_choice forces tool use.")


@rule("refuses a forced tool", ERRORS)
def no_forced_tool(seen):
    if (seen.body.get("tool_choice") or {}).get("type") not in ("any", "tool"):
        return None
    return claude_error('tool_choice: type "tool" and "any" are not supported for this model.')


@rule("wants a thinking budget of 1,024 to `max_tokens`",
      "https://platform.claude.com/docs/en/build-with-claude/extended-thinking")
def budget(seen):
    """Both limits: https://dev.to/multigrid/extended-thinking-in-claude-budgettokens-and-what-replaced-it-3i6p. The
    words are not in the documentation: as quoted in public error handlers."""
    thinking = seen.body.get("thinking") or {}
    if thinking.get("type") != "enabled":
        return None
    if thinking.get("budget_tokens", 0) < 1024:
        return claude_error("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
    if thinking["budget_tokens"] >= seen.body["max_tokens"]:
        return claude_error("`max_tokens` must be greater than `thinking.budget_tokens`.")
    return None


@rule("refuses a thinking budget and thinking that is switched off", ERRORS)
def adaptive_only(seen):
    kind = (seen.body.get("thinking") or {}).get("type", "adaptive")
    if kind == "enabled":
        return claude_error('"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and '
                            '"output_config.effort" to control thinking behavior.')
    if kind == "disabled":
        return claude_error('"thinking.type.disabled" is not supported for this model. Thinking defaults to adaptive '
                            'mode when not specified; use "thinking.type.enabled" with "budget_tokens" for extended '
                            'thinking.')
    return None


def blocks(message):
    content = message["content"]
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


@rule("refuses empty texts", "https://git.drupalcode.org/project/ai_provider_anthropic/-/work_items/3607963")
def empty_texts(seen):
    for message in seen.body["messages"]:
        if any(b["type"] == "text" and not b["text"] for b in blocks(message)):
            return claude_error("messages: text content blocks must be non-empty")
    return None


@rule("wants the answers of tools at once and first",
      "https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use")
def results_follow(seen):
    """The words are not in the documentation: as quoted in public error handlers."""
    messages = seen.body["messages"]
    for i, message in enumerate(messages):
        wanted = [b["id"] for b in blocks(message) if b["type"] == "tool_use"]
        later = blocks(messages[i + 1]) if i + 1 < len(messages) else []
        found = [b.get("tool_use_id") for b in later[:len(wanted)]]
        missing = [one for one in wanted if one not in found]
        if missing:
            return claude_error(f"messages.{i + 1}: `tool_use` ids were found without `tool_result` blocks immediately "
                                f"after: {', '.join(missing)}. Each `tool_use` block must have a corresponding "
                                "`tool_result` block in the next message.")
    return None


def is_thinking(block):
    return block["type"] in ("thinking", "redacted_thinking")


def issued_for(message, memory):
    """The reply that this message repeats, by its calls or by a signature."""
    for block in blocks(message):
        issued = memory.get(block.get("id") or block.get("signature"))
        if issued:
            return issued
    return None


def answers(seen):
    """(place, message, reply that it repeats) of each message of the assistant that has one."""
    for i, message in enumerate(seen.body["messages"]):
        issued = issued_for(message, seen.memory) if message["role"] == "assistant" else None
        if issued:
            yield i, message, issued


def first_change(message, issued):
    """The place of the first block of the message that is not where it was, if it has any thinking at all. The text of
    a thinking block counts, as does where it stands between the calls."""
    kept = without(blocks(message), "cache_control")
    if not any(is_thinking(b) for b in kept):
        return None
    for j, block in enumerate(kept):
        if j >= len(issued.kept) or ((is_thinking(block) or is_thinking(issued.kept[j])) and block != issued.kept[j]):
            return j
    return len(kept) if len(kept) < len(issued.kept) else None


@rule("wants the last thinking unchanged", ERRORS)
def last_thinking_unchanged(seen):
    """Of earlier messages a changed block fails by its signature:
    https://github.com/badrisnarayanan/antigravity-claude-proxy/pull/298"""
    found = list(answers(seen))
    for i, message, issued in found:
        j = first_change(message, issued)
        if j is None:
            continue
        if i == found[-1][0]:
            return claude_error(f"messages.{i}.content.{j}: `thinking` or `redacted_thinking` blocks in the latest "
                                "assistant message cannot be modified. These blocks must remain as they were in the "
                                "original response.")
        return claude_error(f"messages.{i}.content.{j}: Invalid `signature` in `thinking` block")
    return None


@rule("wants thinking before the last calls", "https://github.com/anomalyco/opencode/issues/3077")
def thinking_before_calls(seen):
    """With a budget only. In adaptive mode nothing is refused, and `lost` says what is missing. Earlier turns: "we
    recommend you include thinking blocks from previous turns" (the same source)."""
    found = list(answers(seen))
    for i, message, _ in found:
        first = blocks(message)[0]["type"]
        if any(is_thinking(b) for b in blocks(message)):
            continue
        if i == found[-1][0] and (seen.body.get("thinking") or {}).get("type") == "enabled":
            return claude_error(f"messages.{i}.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
                                f"`{first}`. When `thinking` is enabled, a final `assistant` message must start with a "
                                "thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). "
                                "We recommend you include thinking blocks from previous turns. To avoid this "
                                "requirement, disable `thinking`. Please consult our documentation at "
                                "https://docs.claude.com/en/docs/build-with-claude/extended-thinking")
        seen.lost.append(f"messages[{i}]: the thinking is missing")
    return None


def without_thinking(message):
    return {**message, "content": [b for b in blocks(message) if not is_thinking(b)]}


def same_messages(now, then):
    """Thinking may be left out from the oldest on, but not in between."""
    if len(now) != len(then):
        return False
    left_out = True
    for one, other in zip(now, then):
        if one["role"] == "assistant":
            left_out = left_out and not any(is_thinking(b) for b in blocks(one))
            other = without_thinking(other) if left_out else other
        if (one["role"], blocks(one)) != (other["role"], blocks(other)):
            return False
    return True


def difference(body, issued, i):
    """What before message i is not what it was when its thinking was made. cache_control does not count."""
    now, then = without(body, "cache_control"), issued.body
    if text_of(now.get("system")) != text_of(then.get("system")):
        return "The `system` prompt differs from the one this block was created with."
    if now.get("tools") != then.get("tools"):
        return "tools"
    return None if same_messages(now["messages"][:i], then["messages"]) else "messages"


@rule("refuses thinking whose prefix was changed", BOUND)
def bound_to_prefix(seen):
    """The words: https://github.com/anomalyco/opencode/issues/48637. Of the sentences that name the change, only the
    one on `system` is published."""
    missing = None
    for i, message, issued in answers(seen):
        if not any(is_thinking(b) for b in blocks(message)):
            missing = i
            continue
        changed = difference(seen.body, issued, i)
        if not changed:
            continue
        named = f" {changed}" if changed.startswith("The") else ""
        return claude_error(f"messages.{i}.content.0: Invalid `signature` in `thinking` block. The block is bound to a "
                            "different conversation. Remove the block, or set "
                            "`thinking.block_binding.prefix_mismatch_behavior` to "
                            '"drop_block". That setting requires the `thinking-binding-controls-2026-08-01` value in '
                            'the '
                            f"`anthropic-beta` header.{named}")
    if missing is not None:
        seen.lost.append(f"messages[{missing}]: the thinking is missing")
    return None
