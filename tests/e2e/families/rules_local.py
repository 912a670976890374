"""The rules of servers that run a model on one's own machine: vLLM, SGLang, llama.cpp, Ollama and LM Studio."""
from rules import Refusal, keeps_reasoning, most_output, prompt_tokens, rule, schemas, walk


def bad_request(message, nested=True, param=None):
    """vLLM up to 0.9 and SGLang send the fields at the top (https://github.com/vllm-project/vllm/issues/4667), newer
    vLLM in `error` (vllm/entrypoints/openai/engine/protocol.py)."""
    one = {"message": message, "type": "BadRequestError", "param": param, "code": 400}
    return Refusal(400, {"error": one} if nested else {"object": "error", **one})


@rule("refuses what is longer than its context", "https://github.com/vllm-project/vllm/issues/33418")
def vllm_context(seen):
    """The words: _validate_input in vllm/entrypoints/openai/engine/serving.py. The second refusal names a parameter
    that the client may send, only not so large."""
    sent, wanted, most = prompt_tokens(seen.body), most_output(seen.body) or 0, seen.context
    if sent > most:
        return bad_request(f"This model's maximum context length is {most} tokens. However, your request has {sent} "
                           "input tokens. Please reduce the length of the input messages.", True, "input_tokens")
    if sent + wanted > most:
        return bad_request(f"'max_tokens' or 'max_completion_tokens' is too large: {wanted}. This model's maximum "
                           f"context length is {most} tokens and your request has {sent} input tokens ({wanted} > "
                           f"{most} - {sent}).", True,
                           "max_tokens")
    return None


@rule("refuses what is longer than its context", "https://github.com/vllm-project/vllm/issues/20409")
def old_vllm_context(seen):
    sent, wanted, most = prompt_tokens(seen.body), most_output(seen.body) or 0, seen.context
    if sent + wanted <= most:
        return None
    return bad_request(f"This model's maximum context length is {most} tokens. However, you requested {sent + wanted} "
                       f"tokens ({sent} in the messages, {wanted} in the completion). Please reduce the length of the "
                       "messages or completion.", False)


@rule("refuses what is longer than its context",
      "https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/managers/tokenizer_manager.py")
def sglang_context(seen):
    """The shape: ErrorResponse in python/sglang/srt/entrypoints/openai/protocol.py."""
    sent, wanted, most = prompt_tokens(seen.body), most_output(seen.body) or 0, seen.context
    if sent >= most:
        return bad_request(f"The input ({sent} tokens) is longer than the model's context length ({most} "
                           "tokens).", False)
    if sent + wanted >= most:
        return bad_request(f"Requested token count exceeds the model's maximum context length of {most} tokens. You "
                           f"requested a total of {sent + wanted} tokens: {sent} tokens from the input messages and "
                           f"{wanted} tokens for the completion. Please reduce the number of tokens in the input "
                           "messages or the completion to fit within the limit.", False)
    return None


@rule("notes where `reasoning` did not come back, and refuses nothing",
      "https://github.com/anomalyco/opencode/pull/30477")
def vllm_reasoning(seen):
    """vLLM reads `reasoning` and drops `reasoning_content`: https://github.com/vllm-project/vllm/pull/27752"""
    return keeps_reasoning("reasoning")(seen)


@rule("notes where `reasoning_content` did not come back, and refuses nothing",
      "https://github.com/vllm-project/router/pull/115")
def reasoning_content(seen):
    """For models that think between calls, whose templates read it. The old name of vLLM, and the one of SGLang and
    llama.cpp."""
    return keeps_reasoning("reasoning_content")(seen)


@rule("cannot build a grammar with `maxLength` or `maxItems` of 2,000 or more",
      "https://github.com/ggml-org/llama.cpp/issues/25895")
def llama_grammar(seen):
    """Exactly 2,000 fails in all versions, more than that in those before August 2026:
    https://github.com/unslothai/unsloth/pull/9923 and https://github.com/ggml-org/llama.cpp/issues/17473. The words:
    https://github.com/flagdizero/jenny-android-ai-agent/issues/2"""
    for _, _, schema in schemas(seen.body):
        for _, inner in walk(schema):
            if max(inner.get("maxLength", 0), inner.get("maxItems", 0), inner.get("minLength", 0)) >= 2000:
                return Refusal(400, {"error": {"code": 400, "message": "Failed to initialize samplers: failed to parse "
                                                                       "grammar",
                                               "type": "invalid_request_error"}})
    return None


@rule("refuses what is longer than its context, with both counts", "https://github.com/ggml-org/llama.cpp/pull/15780")
def llama_context(seen):
    """With status 400, as seen by clients of the present version."""
    sent = prompt_tokens(seen.body)
    if sent < seen.context:
        return None
    return Refusal(400, {"error": {"code": 400, "message": f"request ({sent} tokens) exceeds the available context "
                                                           f"size ({seen.context} tokens), try increasing "
                                                           "it", "type": "exceed_context_size_error",
                                   "n_prompt_tokens": sent, "n_ctx": seen.context}})


@rule("leaves out what is longer than its context, without a word, and counts what is left",
      "https://github.com/ollama/ollama/blob/main/llm/llama_server.go")
def ollama_context(seen):
    """completionPromptForRequest there; `prompt_tokens` is then at most the context. Nothing is refused, and `lost`
    says it."""
    if prompt_tokens(seen.body) >= seen.context:
        seen.lost.append(f"the prompt was cut off to {seen.context} tokens")


@rule("refuses what is longer than its context, with a text as `error`",
      "https://github.com/Gitlawb/openclaude/issues/353")
def lm_studio_context(seen):
    sent = prompt_tokens(seen.body)
    if sent < seen.context:
        return None
    return Refusal(400, {"error": "The number of tokens to keep from the initial prompt is greater than the context "
                                  f"length (n_keep: {sent}>= n_ctx: {seen.context}). Try to load the model with a "
                                  "larger context length, or provide a shorter input."})
