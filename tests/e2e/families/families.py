"""The families of models, each with its rules, the look of its replies, and the configuration to use it with."""
import dataclasses
import typing

import chat_protocol
import messages_protocol
import responses_protocol
import rules
import rules_claude as claude
import rules_hosted as hosted
import rules_local as local
import rules_openai as openai
from chat_protocol import Style
from messages_protocol import Look
from script import KEY
from wire import letters

ROOM = 32768
CHAT = "/v1/chat/completions"
HERE = 'api: openai, base_url: "http://127.0.0.1:PORT/v1"'
CLAUDE = 'api: anthropic, base_url: "http://127.0.0.1:PORT"'


@dataclasses.dataclass(frozen=True)
class Protocol:
    """How requests are read and replies are written. `names`: what a reply is known by besides its calls."""
    read: typing.Callable
    call_id: typing.Callable
    answer: typing.Callable
    whole: typing.Callable
    stream: typing.Callable
    names: typing.Callable


def chat(style, most=None):
    return Protocol(chat_protocol.read, style.call_id, lambda body, said: chat_protocol.answer(body, said, style),
                    lambda issued: chat_protocol.whole(issued, style, most),
                    lambda issued: chat_protocol.stream(issued, style, most), lambda issued: ())


def messages(look):
    module = messages_protocol
    return Protocol(module.read, module.call_id, lambda body, said: module.answer(body, said, look), module.whole,
                    module.stream, lambda issued: [b["signature"] for b in issued.kept if b["type"] == "thinking"])


def responses():
    module = responses_protocol
    return Protocol(module.read, module.call_id, module.answer, module.fitting, module.fitting_stream,
                    lambda issued: [n for i in issued.kept for n in (i["id"], i.get("encrypted_content")) if n])


@dataclasses.dataclass(frozen=True)
class Family:
    """`provider`, `model`: the entries of the configuration, without what is the same for all; PORT is the server's.
    `adapts`: words of refusals that a client may see once each, until it has adapted. `must_keep`: opaque material must
    come back, whether or not the service refuses. `trouble`: what happens once in each study: a "break" in the middle
    of a reply, or a call "as text"."""
    name: str
    title: str
    path: str
    provider: str
    model: str
    rules: tuple
    style: Style | None = None
    protocol: Protocol | None = None
    context: int | None = None
    adapts: tuple = ()
    must_keep: bool = False
    trouble: str = ""

    def speaks(self, context):
        """The protocol of a server with this context."""
        return self.protocol or chat(self.style, context if self.name == "ollama" else None)


OPENAI = Style()
OLLAMA = Style(at_once=True, index_in_whole=True, reasoning="reasoning", call_id=lambda: "call_" + letters(8).lower())
VLLM = Style(reasoning="reasoning", call_id=lambda: "chatcmpl-tool-" + letters(32).lower())
OLD_VLLM = dataclasses.replace(VLLM, reasoning="reasoning_content")
LLAMA = Style(reasoning="reasoning_content", call_id=lambda: letters(32))
# A complete call without an index in each chunk: https://github.com/noho/dayu-agent/pull/91
GEMINI = Style(at_once=True, index=False, signatures=True, call_id=lambda: letters(8).lower())
# Whole calls, and usage without being asked for: https://github.com/dnakov/anon-kode/issues/53
MISTRAL = Style(reasoning="content", at_once=True, index_in_whole=True, finish_with_calls=True, usage_always=True,
                call_id=lambda: letters(9))
# Further pieces have `"id": null` and `"name": null`: python/sglang/srt/entrypoints/openai/serving_chat.py
SGLANG = Style(reasoning="reasoning_content", later=None)
# Further pieces have an empty name: https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/649
LM_STUDIO = Style(later="", call_id=lambda: letters(9))
# https://openrouter.ai/docs/api-reference/streaming for the comments and the usage
OPENROUTER = Style(reasoning="reasoning_details", comment="OPENROUTER PROCESSING", usage_always=True, cost=True,
                   call_id=lambda: "tool_" + letters(20))
SAFE = {kind: {"filtered": False, "severity": "safe"} for kind in ("hate", "self_harm", "sexual", "violence")}
# The first chunk has no choices: https://github.com/AbanteAI/archive-old-cli-mentat/issues/429
AZURE = Style(before={"id": "", "choices": [], "created": 0, "model": "", "object": "",
                      "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": SAFE}]})

BEARER = openai.bearer_key(KEY)
RESPONSES_RULES = (BEARER, openai.known_parameters, openai.responses_temperature, openai.effort_of_gpt_6,
                   openai.least_output, openai.flat_tools, openai.strict_schemas, openai.stored_items,
                   openai.encrypted_reasoning, openai.reasoning_of_calls, openai.item_after_reasoning,
                   openai.outputs_of_calls, openai.append_only_input)
CHAT_RULES = (BEARER, openai.chat_max_tokens, openai.chat_temperature, openai.tools_without_effort, openai.chat_content,
              openai.strict_schemas, rules.calls_have_answers)
AZURE_RULES = (openai.azure_key(KEY), openai.chat_max_tokens, openai.chat_temperature, openai.strict_schemas,
               rules.calls_have_answers)
CLAUDE_RULES = (claude.claude_key(KEY), claude.version, claude.known_parameters, claude.empty_texts,
                claude.results_follow, claude.last_thinking_unchanged)
BUDGET_RULES = (*CLAUDE_RULES, claude.temperature_with_thinking, claude.forced_tool_with_thinking, claude.budget,
                claude.thinking_before_calls)
BOUND_RULES = (*CLAUDE_RULES, claude.no_temperature, claude.no_forced_tool, claude.adaptive_only,
               claude.bound_to_prefix)
DEEPSEEK_KEY = hosted.plain_key(KEY, "https://api-docs.deepseek.com/quick_start/error_codes")
MISTRAL_KEY = hosted.plain_key(KEY, "https://github.com/mistralai/client-ts/issues/64")
MISTRAL_RULES = (MISTRAL_KEY, hosted.mistral_parameters, hosted.mistral_messages, hosted.mistral_call_ids,
                 hosted.mistral_order, hosted.mistral_thinking)
OPENROUTER_KEY = hosted.plain_key(KEY, "https://openrouter.ai/docs/api/reference/errors-and-debugging")

FAMILIES = (
    Family("responses", "OpenAI Responses (GPT-5.4 to GPT-6.1)", "/v1/responses",
           'api: responses, base_url: "http://127.0.0.1:PORT/v1"',
           "model: gpt-6.1-sol, effort: medium, temperature: 0.7", RESPONSES_RULES, protocol=responses(),
           adapts=("temperature",), must_keep=True),
    Family("openai-chat", "OpenAI chat completions (GPT-5.x, without reasoning)", CHAT, HERE,
           "model: gpt-5.6-terra, effort: none, temperature: 0.7", CHAT_RULES, style=OPENAI, adapts=("max_tokens",)),
    Family("claude-4.6", "Claude 4.6 with a thinking budget", "/v1/messages", CLAUDE,
           "model: claude-opus-4-6, temperature: 0.7, extra: {thinking: {type: enabled, budget_tokens: 2000}}",
           BUDGET_RULES, protocol=messages(Look(shown=True, redacted=True)), adapts=("temperature",), must_keep=True),
    Family("claude-5.5", "Claude 5.5, thinking bound to its prefix", "/v1/messages", CLAUDE,
           "model: claude-opus-5-5, effort: medium, temperature: 0.7", BOUND_RULES,
           protocol=messages(Look(interleaved=True)), adapts=("temperature",), must_keep=True),
    Family("gemini", "Gemini 3, OpenAI-compatible address", "/v1beta/openai/chat/completions",
           'api: openai, base_url: "http://127.0.0.1:PORT/v1beta/openai"', "model: gemini-3.1-pro-preview, effort: low",
           (hosted.gemini_key(KEY), hosted.gemini_parameters, hosted.gemini_schemas, hosted.gemini_signatures),
           style=GEMINI, must_keep=True),
    Family("deepseek", "DeepSeek V4, thinking", CHAT, HERE, "model: deepseek-v4-pro, effort: high",
           (DEEPSEEK_KEY, hosted.deepseek_answers, hosted.deepseek_reasoning),
           style=Style(reasoning="reasoning_content"), must_keep=True),
    Family("vllm", "vLLM", CHAT, HERE, f"model: Qwen/Qwen3.6-35B-A3B, context: {ROOM}",
           (local.vllm_context, local.vllm_reasoning), style=VLLM, context=ROOM),
    Family("vllm-0.9", "vLLM 0.9 and before", CHAT, HERE, f"model: Qwen/Qwen3-8B, context: {ROOM}",
           (local.old_vllm_context, local.reasoning_content), style=OLD_VLLM, context=ROOM),
    Family("sglang", "SGLang", CHAT, HERE, f"model: Qwen/Qwen3.6-35B-A3B, context: {ROOM}",
           (local.sglang_context, local.reasoning_content), style=SGLANG, context=ROOM),
    Family("llama.cpp", "llama.cpp (llama-server)", CHAT, HERE, f"model: any, context: {ROOM}",
           (local.llama_grammar, local.llama_context, local.reasoning_content), style=LLAMA, context=ROOM,
           adapts=("grammar",)),
    Family("ollama", "Ollama", CHAT, HERE, f"model: qwen3.6, context: {ROOM}", (local.ollama_context,), style=OLLAMA,
           context=ROOM, must_keep=True),
    Family("openrouter", "OpenRouter (Gemini 3)", "/api/v1/chat/completions",
           'api: openai, base_url: "http://127.0.0.1:PORT/api/v1", headers: {X-Title: etude}',
           "model: google/gemini-3.1-pro-preview", (OPENROUTER_KEY, hosted.openrouter_details), style=OPENROUTER,
           must_keep=True, trouble="break"),
    Family("azure", "Azure OpenAI, with an API version", "/openai/deployments/gpt-5-mini/chat/completions",
           'api: openai, key_style: api-key, '
           'base_url: "http://127.0.0.1:PORT/openai/deployments/gpt-5-mini?api-version=2025-04-01-preview"',
           "model: gpt-5-mini, temperature: 0.7", (*AZURE_RULES, openai.azure_version), style=AZURE,
           adapts=("max_tokens", "temperature")),
    Family("azure-v1", "Azure OpenAI, v1", "/openai/v1/chat/completions",
           'api: openai, key_style: api-key, base_url: "http://127.0.0.1:PORT/openai/v1"',
           "model: gpt-5-mini, temperature: 0.7", AZURE_RULES, style=AZURE, adapts=("max_tokens", "temperature")),
    Family("mistral", "Mistral, with thinking", CHAT, HERE, "model: magistral-medium-2509", MISTRAL_RULES,
           style=MISTRAL, adapts=("stream_options", "max_completion_tokens")),
    Family("lm-studio", "LM Studio", CHAT, HERE, f"model: qwen3.6-35b-a3b, context: {ROOM}",
           (local.lm_studio_context,), style=LM_STUDIO, context=ROOM, trouble="as text"),
)


def family(name):
    return next(one for one in FAMILIES if one.name == name)


def configuration(one, port, stream, patience=""):
    """The text of etude's configuration for this family. A server on one's own machine has a context and no key.
    `patience`: how long all roles wait for batches; empty: they are asked at once."""
    key = ", key_env: MOCK_KEY" if one.context is None else ""
    whole = "" if stream else ", stream: false"
    role = f"{{model: model, patience: {patience}}}" if patience else "model"
    return f"""
        providers:
          served: {{{one.provider.replace("PORT", str(port))}{key}, timeouts: {{first_byte: 4m, total: 10m}}}}
        models:
          model: {{provider: served, {one.model}, prices: {{input: 3, output: 15}}, max_output: 8000{whole}}}
        profiles:
          mock: {{default: {role}}}
        """
