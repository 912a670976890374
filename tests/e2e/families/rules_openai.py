"""OpenAI's rules, on responses and on chat completions, and Azure's."""
from responses_protocol import items_of
from rules import Refusal, assistant_messages, bearer, openai_error, rule

# Measured field by field: https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter, docs/conformance-matrix.md,
# section 5.5.6; `model` is known, too.
RESPONSES_KEYS = set("""
    model input instructions max_output_tokens max_tool_calls temperature top_p top_logprobs stream stream_options text
    tools tool_choice parallel_tool_calls reasoning include store background previous_response_id conversation
    truncation metadata user safety_identifier prompt_cache_key prompt_cache_retention prompt_cache_options service_tier
    prompt context_management moderation presence_penalty frequency_penalty""".split())
MEASURED = "https://github.com/kangminlee-maker/local-OAuth-CLI-API-adapter/blob/main/docs/conformance-matrix.md"


def bearer_key(key):
    wrong = openai_error("Incorrect API key provided: sk-***. You can find your API key at "
                         "https://platform.openai.com/account/api-keys.", None, "invalid_api_key", 401)
    return bearer(key, "https://github.com/continuedev/continue/issues/9634", wrong)


@rule("refuses parameters that it does not know", MEASURED)
def known_parameters(seen):
    for key in seen.body:
        if key == "messages":
            return openai_error("Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to "
                                "'input'.", None, "unsupported_parameter")
        if key not in RESPONSES_KEYS:
            return openai_error(f"Unknown parameter: '{key}'.", key, "unknown_parameter")
    for key in seen.body.get("stream_options") or {}:
        if key != "include_obfuscation":
            name = f"stream_options.{key}"
            return openai_error(f"Unknown parameter: '{name}'.", name, "unknown_parameter")
    return None


@rule("refuses `temperature` while the model reasons", "https://github.com/OpenHands/software-agent-sdk/issues/1837")
def responses_temperature(seen):
    effort = (seen.body.get("reasoning") or {}).get("effort", "medium")
    if seen.body.get("temperature", 1) == 1 or effort == "none":
        return None
    return openai_error("Unsupported parameter: 'temperature' is not supported with this model.", "temperature")


@rule("has no reasoning effort `none`", "https://github.com/jhd3197/Prompture/releases/tag/v1.15.1")
def effort_of_gpt_6(seen):
    """The sentence is the one of another model's missing effort, measured (see MEASURED)."""
    effort = (seen.body.get("reasoning") or {}).get("effort")
    if effort in ("none", "minimal"):
        return openai_error(f"Unsupported value: '{effort}' is not supported with the '{seen.body['model']}' model. "
                            "Supported values are: 'low', 'medium', 'high', 'xhigh', and 'max'.", "reasoning.effort",
                            "unsupported_value")
    return None


@rule("wants at least 16 as `max_output_tokens`", MEASURED)
def least_output(seen):
    given = seen.body.get("max_output_tokens")
    if given is None or given >= 16:
        return None
    return openai_error("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got "
                        f"{given} instead.", "max_output_tokens", "integer_below_min_value")


@rule("wants the tools flat", MEASURED)
def flat_tools(seen):
    for i, tool in enumerate(seen.body.get("tools") or []):
        if tool.get("type") == "function" and "name" not in tool:
            return openai_error(f"Missing required parameter: 'tools[{i}].name'.", f"tools[{i}].name",
                                "missing_required_parameter")
    return None


@rule("takes `strict` only with closed schemas of required properties",
      "https://github.com/openai/openai-agents-python/issues/1023")
def strict_schemas(seen):
    """And https://github.com/anomalyco/opencode/issues/13737 for `required`. Only the outermost object is looked at."""
    for i, tool in enumerate(seen.body.get("tools") or []):
        inner = tool.get("function", tool)
        schema = inner.get("parameters") or {}
        missing = [name for name in schema.get("properties", {}) if name not in schema.get("required", [])]
        if not inner.get("strict") or (schema.get("additionalProperties") is False and not missing):
            continue
        why = ("'additionalProperties' is required to be supplied and to be false." if not missing else
               "'required' is required to be supplied and to be an array including every key in properties. "
               f"Missing '{missing[0]}'.")
        return openai_error(f"Invalid schema for function '{inner['name']}': In context=(), {why}",
                            f"tools[{i}].parameters", "invalid_function_parameters")
    return None


@rule("knows the items that it stored, and with `store: false` none",
      "https://github.com/can1357/oh-my-pi/issues/41")
def stored_items(seen):
    for item in items_of(seen.body):
        issued = seen.memory.get(item.get("id"))
        stored = issued and issued.body.get("store", True)
        if item.get("type") != "reasoning" or "encrypted_content" in item or stored:
            continue
        return openai_error(f"Item with id '{item.get('id')}' not found. Items are not persisted when `store` is set "
                            "to false. Try again with `store` set to true, or remove this item from your "
                            "input.", "input", None, 404)
    return None


@rule("wants encrypted reasoning as it was", "https://github.com/Wei-Shaw/sub2api/issues/2863")
def encrypted_reasoning(seen):
    for item in items_of(seen.body):
        sent = item.get("encrypted_content")
        if item.get("type") == "reasoning" and sent is not None and not seen.memory.get(sent):
            return openai_error(f"The encrypted content {sent[:4]}...{sent[-4:]} could not be verified. Reason: "
                                "Encrypted content could not be decrypted or parsed.", None,
                                "invalid_encrypted_content")
    return None


def reasoning_before(items, i, issued):
    """Whether the reasoning of this reply stands before item i, with nothing but items of the same reply between."""
    own = {item["id"] for item in issued.kept} | {call.id for call in issued.said.calls}
    for item in reversed(items[:i]):
        if item.get("type") == "reasoning":
            kept = issued.kept[0]
            key = "encrypted_content" if "encrypted_content" in kept else "id"
            return item.get(key) == kept[key]
        if item.get("id") not in own and item.get("call_id") not in own:
            return False
    return False


@rule("wants a call's reasoning before the call", "https://github.com/mastra-ai/mastra/issues/8738")
def reasoning_of_calls(seen):
    """It is the item's id that the service looks up. A call that is sent without its id is taken without its reasoning
    (https://github.com/laravel/ai/pull/1052), and the model reasons anew; `lost` says so."""
    items = items_of(seen.body)
    for i, item in enumerate(items):
        issued = item.get("type") == "function_call" and seen.memory.get(item["call_id"])
        if not issued or reasoning_before(items, i, issued):
            continue
        if item.get("id") is None:
            seen.lost.append(f"input[{i}]: the reasoning of call {item['call_id']} is missing")
            continue
        return openai_error(f"Item '{item['id']}' of type 'function_call' was provided without its required "
                            f"'reasoning' item: '{issued.kept[0]['id']}'.", "input")
    return None


@rule("wants an item after each reasoning", "https://github.com/openai/codex/issues/1240")
def item_after_reasoning(seen):
    items = items_of(seen.body)
    for i, item in enumerate(items):
        following = items[i + 1].get("type", "message") if i + 1 < len(items) else None
        if item.get("type") == "reasoning" and following in (None, "reasoning", "function_call_output"):
            return openai_error(f"Item '{item.get('id')}' of type 'reasoning' was provided without its required "
                                "following item.", "input")
    return None


@rule("wants the output of each call", "https://github.com/github/copilot-cli/issues/4572")
def outputs_of_calls(seen):
    items = items_of(seen.body)
    outputs = {item["call_id"] for item in items if item.get("type") == "function_call_output"}
    for item in items:
        if item.get("type") == "function_call" and item["call_id"] not in outputs:
            return openai_error(f"No tool output found for function call {item['call_id']}.", "input")
    return None


@rule("notes where earlier input is not what it was, and refuses nothing",
      "https://developers.openai.com/api/docs/guides/conversation-state")
def append_only_input(seen):
    """No published rule forbids it. What stood before a reply should stand there again, for the sake of the cache."""
    items = items_of(seen.body)
    for item in items:
        issued = item.get("type") == "function_call" and seen.memory.get(item["call_id"])
        before = items_of(issued.body) if issued else []
        if items[:len(before)] != before:
            seen.lost.append(f"the input before call {item['call_id']} is not what it was")
            return


@rule("refuses `max_tokens`", "https://github.com/fish2018/YPrompt/issues/26")
def chat_max_tokens(seen):
    if "max_tokens" not in seen.body:
        return None
    return openai_error("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                        "'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter")


@rule("takes no `temperature` but 1 while the model reasons", "https://github.com/diffbot/code-gpt-docs/issues/445")
def chat_temperature(seen):
    given = seen.body.get("temperature", 1)
    if given == 1 or seen.body.get("reasoning_effort") == "none":
        return None
    return openai_error(f"Unsupported value: 'temperature' does not support {given} with this model. Only the default "
                        "(1) value is supported.", "temperature", "unsupported_value")


@rule("takes function tools only with reasoning effort `none`", "https://github.com/BerriAI/litellm/pull/34569")
def tools_without_effort(seen):
    """Also where no effort is given, because the model has one by default (the same source)."""
    if not seen.body.get("tools") or seen.body.get("reasoning_effort") == "none":
        return None
    return openai_error(f"Function tools with reasoning_effort are not supported for {seen.body['model']} in "
                        "/v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to "
                        "'none'.",
                        "reasoning_effort")


@rule("wants content in each message without calls", MEASURED)
def chat_content(seen):
    for i, message in assistant_messages(seen.body):
        if message.get("content") is None and not message.get("tool_calls"):
            return openai_error("Invalid value for 'content': expected a string, got null.", f"messages.[{i}].content")
    return None


def azure_key(key):
    @rule("takes the key in the header `api-key`", "https://github.com/SciSharp/BotSharp/issues/386")
    def check(seen):
        if seen.asked.headers.get("api-key") == key:
            return None
        return Refusal(401, {"error": {"code": "401", "message": "Access denied due to invalid subscription key or "
                                                                 "wrong API endpoint. Make sure to provide a valid key "
                                                                 "for an active subscription and use a correct "
                                                                 "regional API endpoint for your resource."}})
    return check


@rule("wants `?api-version=` in the address",
      "https://learn.microsoft.com/en-us/azure/foundry/openai/api-version-lifecycle")
def azure_version(seen):
    """The refusal is the one of an unknown address: https://github.com/Significant-Gravitas/AutoGPT/issues/4023."""
    if seen.asked.query.get("api-version"):
        return None
    return Refusal(404, {"error": {"code": "404", "message": "Resource not found"}})
