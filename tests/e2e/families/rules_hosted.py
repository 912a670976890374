"""The rules of Gemini (by its OpenAI-compatible address), DeepSeek, Mistral and OpenRouter."""
import re

from chat_protocol import details
from rules import Refusal, assistant_messages, bearer, issued_for, openai_error, rule, schemas, walk

SIGNATURES = "https://ai.google.dev/gemini-api/docs/thought-signatures"


def google_error(message, status=400, kind="INVALID_ARGUMENT"):
    """This address sends its errors in a list: https://github.com/0xsline/OpenChatCut/issues/6"""
    return Refusal(status, [{"error": {"code": status, "message": message, "status": kind}}])


def gemini_key(key):
    """The words are not published for this address."""
    return bearer(key, "https://www.developersdigest.tech/reference/api-compatibility/google",
                  google_error("API key not valid. Please pass a valid API key."))


def plain_key(key, source):
    """The status is documented; the words are not those of the service."""
    return bearer(key, source, Refusal(401, {"error": {"message": "Unauthorized", "code": 401}}))


@rule("refuses parameters that it does not know", "https://github.com/FuzzAnything/PromptFuzz/issues/42")
def gemini_parameters(seen):
    """Which it knows is not published. Refused here: the ones that were reported."""
    if "web_search_options" in seen.body:
        return google_error('Invalid JSON payload received. Unknown name "web_search_options": Cannot find field.')
    return None


# Not published for this address: as reported for `parameters` of generateContent, which it fills.
# https://github.com/janhq/jan/issues/5927 ($schema), https://github.com/pizza-bot-app/pizza-bot/issues/62 (exclusive
# bounds, multipleOf, uniqueItems), https://github.com/zed-industries/zed/issues/44875 (const),
# https://github.com/openswarm-ai/openswarm/issues/24 (propertyNames), https://github.com/BerriAI/litellm/issues/14330
# (additionalProperties). This address may be more lenient; a client that passes here passes there.
UNKNOWN_KEYWORDS = ("$schema", "additionalProperties", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
                    "uniqueItems", "const", "propertyNames")


def unknown_keywords(body):
    for i, _, schema in schemas(body):
        for path, inner in walk(schema):
            place = f"tools[0].function_declarations[{i}].parameters{path}"
            for key in UNKNOWN_KEYWORDS:
                if key in inner:
                    yield f"Invalid JSON payload received. Unknown name \"{key}\" at '{place}': Cannot find field."
            if isinstance(inner.get("type"), list):
                yield (f"Invalid JSON payload received. Unknown name \"type\" at '{place}': Proto field is not "
                       "repeating, cannot start list.")


@rule("refuses schemas with keywords that it does not know, or with a list of types",
      "https://github.com/voocel/litellm/issues/9")
def gemini_schemas(seen):
    """All faults come in one message, a line each: https://github.com/genspark-ai/genoffice/issues/186"""
    found = list(unknown_keywords(seen.body))
    return google_error("\n".join(found)) if found else None


def signature_of(call):
    return ((call.get("extra_content") or {}).get("google") or {}).get("thought_signature")


def steps_of_turn(body):
    """The replies with calls since the last words of a person: only these are checked (SIGNATURES, "current turn")."""
    last = max((i for i, m in enumerate(body["messages"]) if m["role"] == "user"), default=0)
    return [(i, m) for i, m in assistant_messages(body) if m.get("tool_calls") and i > last]


@rule("wants the thought signature of each step's first call", SIGNATURES)
def gemini_signatures(seen):
    """The words, at this address: https://github.com/0xsline/OpenChatCut/issues/6. A signature that was changed is
    corrupted: https://docs.apiyi.com/en/faq/gemini-thought-signature-missing.md"""
    for i, message in steps_of_turn(seen.body):
        issued = issued_for(message, seen.memory)
        first = message["tool_calls"][0]
        sent = signature_of(first)
        if sent is None:
            return google_error("Function call is missing a thought_signature in functionCall parts. This is required "
                                "for tools to work correctly, and missing thought_signature may lead to degraded model "
                                "performance. Additional data, function call "
                                f"`default_api:{first['function']['name']}` , position {i + 1}. Please refer to "
                                f"{SIGNATURES} for more details.")
        if not issued or sent != issued.kept.get(first["id"]):
            return google_error("Corrupted thought signature.")
    return None


@rule("wants `reasoning_content` back with each reply that called tools",
      "https://api-docs.deepseek.com/guides/thinking_mode.md")
def deepseek_reasoning(seen):
    """The words: https://github.com/anomalyco/opencode/issues/24083. A text that was changed is not refused."""
    if (seen.body.get("thinking") or {}).get("type") == "disabled":
        return None
    for i, message in assistant_messages(seen.body):
        if message.get("tool_calls") and message.get("reasoning_content") is None:
            return openai_error("The reasoning_content in the thinking mode must be passed back to the API.", None,
                                "invalid_request_error")
        issued = issued_for(message, seen.memory)
        if issued and message["reasoning_content"] != issued.kept:
            seen.lost.append(f"messages[{i}].reasoning_content is changed")
    return None


@rule("wants an answer of a tool for each call", "https://github.com/agno-agi/agno/issues/3105")
def deepseek_answers(seen):
    messages = seen.body["messages"]
    for i, message in assistant_messages(seen.body):
        wanted = {call["id"] for call in message.get("tool_calls") or []}
        found = {m["tool_call_id"] for m in messages[i + 1:i + 1 + len(wanted)] if m["role"] == "tool"}
        if wanted - found:
            return openai_error("An assistant message with 'tool_calls' must be followed by tool messages responding "
                                "to each 'tool_call_id'. (insufficient tool messages following tool_calls "
                                "message)", None,
                                "invalid_request_error")
    return None


def mistral_error(message, kind, code, status=400):
    return Refusal(status, {"object": "error", "message": message, "type": kind, "param": None, "code": code})


def forbidden(place, value):
    """https://github.com/openai/openai-agents-python/issues/442. The list stands in `message`, not at the top."""
    one = {"type": "extra_forbidden", "loc": ["body", *place], "msg": "Extra inputs are not permitted", "input": value}
    return mistral_error({"detail": [one]}, "invalid_request_error", None, 422)


# mistralai 3.7.0 on PyPI, client/models/chatcompletionstreamrequest.py and the messages beside it.
MISTRAL_KEYS = set("""model messages temperature top_p max_tokens stream stop random_seed metadata response_format tools
    tool_choice presence_penalty frequency_penalty min_tokens repetition_penalty top_k logprobs top_logprobs
    prompt_logprobs top_prompt_logprobs n prediction parallel_tool_calls reasoning_effort prompt_mode guardrails
    safe_prompt""".split())
MISTRAL_MESSAGES = {"system": {"role", "content"}, "user": {"role", "content"},
                    "assistant": {"role", "content", "tool_calls", "prefix"},
                    "tool": {"role", "content", "tool_call_id", "name"}}


@rule("refuses unknown parameters, `stream_options` among them",
      "https://github.com/avante-corp/avante.nvim/issues/2347")
def mistral_parameters(seen):
    """`max_completion_tokens`: https://github.com/editor-code-assistant/eca/issues/231"""
    for key, value in seen.body.items():
        if key == "stream_options" and (value or {}).get("include_usage") is not None:
            return forbidden((key, "include_usage"), value["include_usage"])
        if key not in MISTRAL_KEYS:
            return forbidden((key,), value)
    return None


@rule("refuses unknown fields of messages, such as `reasoning_content`",
      "https://github.com/charmbracelet/crush/issues/1590")
def mistral_messages(seen):
    for i, message in enumerate(seen.body["messages"]):
        for key in message:
            if key not in MISTRAL_MESSAGES.get(message["role"], {key}):
                return forbidden(("messages", i, message["role"], key), message[key])
    return None


@rule("wants ids of calls of nine letters and digits", "https://github.com/editor-code-assistant/eca/issues/233")
def mistral_call_ids(seen):
    for message in seen.body["messages"]:
        ids = [call["id"] for call in message.get("tool_calls") or []] + [message.get("tool_call_id", "a" * 9)]
        for one in ids:
            if not re.fullmatch("[a-zA-Z0-9]{9}", one):
                return mistral_error(f"Tool call id was {one} but must be a-z, A-Z, 0-9, with a length of 9.",
                                     "invalid_function_call", "3280")
    return None


@rule("wants a reply between the answers of tools and a person's words",
      "https://github.com/onyx-dot-app/onyx/issues/6458")
def mistral_order(seen):
    roles = [m["role"] for m in seen.body["messages"]]
    for before, role in zip(roles, roles[1:]):
        if before == "tool" and role == "user":
            return mistral_error("Unexpected role 'user' after role 'tool'", "invalid_request_message_order", "3230")
    return None


@rule("notes where thinking did not come back, and refuses nothing", "https://docs.mistral.ai/capabilities/reasoning")
def mistral_thinking(seen):
    for i, message in assistant_messages(seen.body):
        issued = issued_for(message, seen.memory)
        parts = message["content"] if isinstance(message.get("content"), list) else []
        texts = [piece["text"] for part in parts if part["type"] == "thinking" for piece in part["thinking"]]
        if issued and "".join(texts) != issued.said.thoughts[0][0]:
            seen.lost.append(f"messages[{i}].content: the thinking is {'changed' if texts else 'missing'}")


def joined(given):
    """A list of reasoning details with the pieces of a stream put together, as the documentation shows them whole."""
    found = []
    for one in given or []:
        last = found[-1] if found else {}
        if one.get("type") == last.get("type") == "reasoning.text" and one.get("index") == last.get("index"):
            last["text"] += one["text"]
        else:
            found.append(dict(one))
    return found


@rule("wants `reasoning_details` back (of Gemini models)",
      "https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks")
def openrouter_details(seen):
    """The words: https://github.com/massgen/MassGen/issues/624. The words for a signature that was changed are not
    published; it is refused like one that is missing."""
    for i, message in steps_of_turn(seen.body):
        issued = issued_for(message, seen.memory)
        if issued and joined(message.get("reasoning_details")) == details(issued.said):
            continue
        name = message["tool_calls"][0]["function"]["name"]
        raw = ("Gemini models require OpenRouter reasoning details to be preserved in each request. Please refer to "
               "our docs: "
               "https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#preserving-reasoning-blocks. "
               "Upstream error: "
               '{\n  "error": {\n    "code": 400,\n    "message": "Function call is missing a thought_signature in '
               'functionCall '
               "parts. This is required for tools to work correctly, and missing thought_signature may lead to "
               f"degraded model performance. Additional data, function call `default_api:{name}` , position {i + 1}. "
               f"Please refer to {SIGNATURES} "
               'for more details.",\n    "status": "INVALID_ARGUMENT"\n  }\n}\n')
        return Refusal(400, {"error": {"message": "Provider returned error", "code": 400,
                                       "metadata": {"raw": raw, "provider_name": "Google AI Studio"}},
                             "user_id": "user_2sxOYVmS9AcRqi12cDDGyhs8tTa"})
    return None
