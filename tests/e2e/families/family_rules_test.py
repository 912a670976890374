"""Each rule of each family refuses what it is about, in its words, and takes a conversation that keeps to it."""
import copy
import json
import unittest

import peer
from families import FAMILIES, family
from server import Server


def message(body, role, n=-1):
    return [m for m in body["messages"] if m["role"] == role][n]


def item(body, kind):
    return next(i for i in body["input"] if i.get("type") == kind)


def schema(body):
    tool = body["tools"][0]
    inner = tool.get("function", tool)
    return inner["parameters"]["properties"].setdefault("text", {"type": "string"})


def drop(body, kind):
    body["input"] = [i for i in body["input"] if i.get("type") != kind]


def swap(content, i, j):
    content[i], content[j] = content[j], content[i]


def thought(body, n=-1):
    return next(b for b in message(body, "assistant", n)["content"] if b["type"] == "thinking")


def google(body):
    return message(body, "assistant")["tool_calls"][0]["extra_content"]["google"]


def without_thinking(body, n=-1):
    one = message(body, "assistant", n)
    one["content"] = [b for b in one["content"] if "thinking" not in b["type"]]


# (family, what is done to a body that is right, status, words of the refusal)
FAULTS = (
    ("responses", lambda b: b.update(messages=[]), 400, "this parameter has moved to 'input'"),
    ("responses", lambda b: b.update(max_tokens=9), 400, "Unknown parameter: 'max_tokens'."),
    ("responses", lambda b: b.update(stream_options={"include_usage": True}), 400, "'stream_options.include_usage'"),
    ("responses", lambda b: b.update(temperature=0.7), 400,
     "Unsupported parameter: 'temperature' is not supported with"),
    ("responses", lambda b: b.update(reasoning={"effort": "none"}), 400,
     "'none' is not supported with the 'gpt-6.1-sol'"),
    ("responses", lambda b: b.update(max_output_tokens=1), 400, "Expected a value >= 16, but got 1 instead."),
    ("responses", lambda b: b.update(tools=[{"type": "function", "function": {}}]), 400, "'tools[0].name'"),
    ("responses", schema, 400, "'required' is required to be supplied and to be an array including every key"),
    ("responses", lambda b: b["tools"][0]["parameters"].pop("additionalProperties"), 400, "'additionalProperties' is"),
    ("responses", lambda b: item(b, "reasoning").pop("encrypted_content"), 404, "Items are not persisted when `store`"),
    ("responses", lambda b: item(b, "reasoning").update(encrypted_content="gAAAx"), 400, "could not be verified."),
    ("responses", lambda b: drop(b, "reasoning"), 400, "was provided without its required 'reasoning' item: 'rs_"),
    ("responses", lambda b: drop(b, "function_call"), 400, "was provided without its required following item."),
    ("responses", lambda b: drop(b, "function_call_output"), 400, "No tool output found for function call call_"),
    ("openai-chat", lambda b: b.update(max_tokens=9), 400, "Use 'max_completion_tokens' instead."),
    ("openai-chat", lambda b: b.pop("reasoning_effort"), 400, "Function tools with reasoning_effort are not supported"),
    ("openai-chat", lambda b: b["messages"].pop(), 400, "must be followed by tool messages responding to each"),
    ("openai-chat", lambda b: b["messages"].append({"role": "assistant"}), 400, "expected a string, got null."),
    ("azure", lambda b: b.update(max_tokens=9), 400, "Use 'max_completion_tokens' instead."),
    ("azure", lambda b: b.update(temperature=0.7), 400, "'temperature' does not support 0.7 with this model. Only the"),
    ("claude-4.6", lambda b: b.update(temperature=0.7), 400,
     "`temperature` may only be set to 1 when thinking is enabled"),
    ("claude-4.6", lambda b: b.update(tool_choice={"type": "any"}), 400,
     "Thinking may not be enabled when tool_choice"),
    ("claude-4.6", lambda b: b["thinking"].update(budget_tokens=9), 400, "greater than or equal to 1024"),
    ("claude-4.6", lambda b: b.update(max_tokens=2000), 400,
     "`max_tokens` must be greater than `thinking.budget_tokens`."),
    ("claude-4.6", lambda b: b.update(reasoning_effort="low"), 400, "reasoning_effort: Extra inputs are not permitted"),
    ("claude-4.6", lambda b: thought(b).update(thinking="I look."), 400,
     "in the latest assistant message cannot be modified"),
    ("claude-4.6", lambda b: thought(b, 0).update(signature="x"), 400, "messages.1.content.0: Invalid `signature` in"),
    ("claude-4.6", without_thinking, 400, "Expected `thinking` or `redacted_thinking`, but found `tool_use`"),
    ("claude-4.6", lambda b: swap(message(b, "assistant")["content"], 0, 1), 400, "cannot be modified"),
    ("claude-4.6", lambda b: message(b, "assistant")["content"].pop(1), 400, "content.1: `thinking` or `redacted_thi"),
    ("claude-4.6", lambda b: b["messages"].pop(), 400, "`tool_use` ids were found without `tool_result` blocks"),
    ("claude-4.6", lambda b: message(b, "user")["content"].append({"type": "text", "text": ""}), 400,
     "must be non-empty"),
    ("claude-5.5", lambda b: b.update(temperature=1), 400, "`temperature` is deprecated for this model."),
    ("claude-5.5", lambda b: b.update(tool_choice={"type": "tool", "name": "x"}), 400, 'type "tool" and "any" are not'),
    ("claude-5.5", lambda b: b.update(thinking={"type": "disabled"}), 400, '"thinking.type.disabled" is not supported'),
    ("claude-5.5", lambda b: b.update(thinking={"type": "enabled", "budget_tokens": 2000}), 400,
     '"thinking.type.enabled"'),
    ("claude-5.5", lambda b: message(b, "assistant", 0)["content"].pop(2), 400, "content.2: Invalid `signature`"),
    ("claude-5.5", lambda b: swap(message(b, "assistant", 0)["content"], 0, 2), 400, "Invalid `signature`"),
    ("claude-5.5", lambda b: b.update(system="Other words."), 400,
     "The `system` prompt differs from the one this block"),
    ("claude-5.5", lambda b: b["tools"].pop(), 400, "The block is bound to a different conversation."),
    ("claude-5.5", lambda b: b["messages"][0]["content"][0].update(text="Stop."), 400,
     "bound to a different conversation"),
    ("claude-5.5", lambda b: message(b, "user", 1)["content"][0].update(content="(left out)"), 400,
     "bound to a different"),
    ("gemini", lambda b: message(b, "assistant")["tool_calls"][0].pop("extra_content"), 400,
     "is missing a thought_signature"),
    ("gemini", lambda b: google(b).update(thought_signature="x"), 400, "Corrupted thought signature."),
    ("gemini", lambda b: b.update(web_search_options={}), 400, 'Unknown name "web_search_options": Cannot find field.'),
    ("gemini", lambda b: schema(b).update(additionalProperties=False), 400, 'Unknown name "additionalProperties" at'),
    ("gemini", lambda b: schema(b).update(exclusiveMinimum=0), 400,
     'Unknown name "exclusiveMinimum" at \'tools[0].function_d'),
    ("gemini", lambda b: schema(b).update(type=["string", "null"]), 400,
     "Proto field is not repeating, cannot start list."),
    ("deepseek", lambda b: message(b, "assistant").pop("reasoning_content"), 400,
     "The reasoning_content in the thinking mode"),
    ("deepseek", lambda b: b["messages"].pop(), 400, "(insufficient tool messages following tool_calls message)"),
    ("vllm", lambda b: b.update(max_tokens=40000), 400, "'max_tokens' or 'max_completion_tokens' is too large: 40000."),
    ("vllm", lambda b: message(b, "user").update(content="a" * 200000), 400, "However, your request has 5"),
    ("vllm-0.9", lambda b: b.update(max_tokens=40000), 400, "However, you requested 4"),
    ("sglang", lambda b: b.update(max_tokens=40000), 400,
     "Requested token count exceeds the model's maximum context length"),
    ("sglang", lambda b: message(b, "user").update(content="a" * 200000), 400,
     "is longer than the model's context length"),
    ("llama.cpp", lambda b: schema(b).update(maxLength=2000), 400,
     "Failed to initialize samplers: failed to parse grammar"),
    ("llama.cpp", lambda b: message(b, "user").update(content="a" * 200000), 400, "exceed_context_size_error"),
    ("lm-studio", lambda b: message(b, "user").update(content="a" * 200000), 400,
     '{"error": "The number of tokens to keep'),
    ("openrouter", lambda b: message(b, "assistant").pop("reasoning_details"), 400, "Gemini models require OpenRouter"),
    ("mistral", lambda b: b.update(stream_options={"include_usage": True}), 422,
     '"loc": ["body", "stream_options", "include'),
    ("mistral", lambda b: b.update(max_completion_tokens=9), 422, '"loc": ["body", "max_completion_tokens"]'),
    ("mistral", lambda b: message(b, "assistant").update(reasoning_content="x"), 422,
     '"assistant", "reasoning_content"]'),
    ("mistral", lambda b: message(b, "tool").update(tool_call_id="call_1"), 400, "Tool call id was call_1 but must be"),
    ("mistral", lambda b: b["messages"].append({"role": "user", "content": "Go on."}), 400,
     "Unexpected role 'user' after"),
)

# (family, what is done, words in `lost`): where something is missing and nothing is refused.
LOSSES = (
    ("responses", lambda b: [drop(b, "reasoning"), [i.pop("id", None) for i in b["input"]]], "the reasoning of call"),
    ("responses", lambda b: b["input"][0].update(content="Stop."), "is not what it was"),
    ("claude-5.5", lambda b: [without_thinking(b, 0), without_thinking(b, 1)], "the thinking is missing"),
    ("deepseek", lambda b: message(b, "assistant").update(reasoning_content="x"), "reasoning_content is changed"),
    ("vllm", lambda b: message(b, "assistant").pop("reasoning"), "reasoning is missing"),
    ("vllm-0.9", lambda b: message(b, "assistant").pop("reasoning_content"), "reasoning_content is missing"),
    ("sglang", lambda b: message(b, "assistant").update(reasoning_content="x"), "reasoning_content is changed"),
    ("llama.cpp", lambda b: message(b, "assistant").pop("reasoning_content"), "reasoning_content is missing"),
    ("mistral", lambda b: message(b, "assistant").update(content=""), "the thinking is missing"),
    ("ollama", lambda b: message(b, "user").update(content="a" * 200000), "was cut off"),
)


class FamilyRules(unittest.TestCase):
    maxDiff = None

    def server(self, one, **more):
        server = Server(one, **more)
        self.addCleanup(server.close)
        server.trouble = ""
        return server

    def accepted(self, server, body):
        status, reply = peer.post(server, body)
        self.assertEqual((status, server.refused, server.failed), (200, [], []), reply)
        return reply

    def third(self, server):
        """A body with two replies in it, which the server takes."""
        body = peer.first(server.family)
        for _ in range(2):
            body = peer.extended(server.family, body, self.accepted(server, body))
        return body

    def test_a_conversation_that_keeps_to_the_rules_is_taken(self):
        for one in FAMILIES:
            with self.subTest(one.name):
                server = self.server(one)
                self.accepted(server, self.third(server))
                self.assertEqual(server.lost, [])

    def test_each_fault_is_refused_in_the_words_of_the_service(self):
        for name, fault, status, words in FAULTS:
            with self.subTest(name, words=words):
                server = self.server(family(name))
                body = copy.deepcopy(self.third(server))
                fault(body)
                found, said = peer.post(server, body)
                self.assertEqual(server.failed, [])
                self.assertEqual(found, status, said)
                self.assertIn(words, json.dumps(said, ensure_ascii=False).replace('\\"', '"'))
                self.assertEqual([s for s, _ in server.refused], [status])

    def test_a_loss_that_no_service_refuses_is_noted(self):
        for name, fault, words in LOSSES:
            with self.subTest(name, words=words):
                server = self.server(family(name))
                body = copy.deepcopy(self.third(server))
                fault(body)
                self.accepted(server, body)
                self.assertIn(words, "\n".join(server.lost))

    def test_a_wrong_key_is_refused_and_local_servers_want_none(self):
        for one in FAMILIES:
            with self.subTest(one.name):
                server = self.server(one)
                headers = {"anthropic-version": "2023-06-01", "Authorization": "Bearer sk-wrong", "api-key": "sk-wrong"}
                status, _ = peer.post(server, peer.first(one), headers)
                wanted = 200 if one.context else 400 if one.name == "gemini" else 401
                self.assertEqual((status, server.failed), (wanted, []))

    def test_what_is_not_in_the_body_is_checked_too(self):
        server = self.server(family("azure"))
        self.assertEqual(peer.post(server, peer.first(server.family), query="")[0], 404)
        server = self.server(family("claude-5.5"))
        headers = peer.headers_of(server.family)
        said = peer.post(server, peer.first(server.family), {"x-api-key": headers["x-api-key"]})[1]
        self.assertEqual(said["error"]["message"], "anthropic-version: header is required")
        server = self.server(family("claude-4.6"))
        body = {**peer.first(server.family), "temperature": 1}
        said = peer.post(server, body, {**headers, "anthropic-version": "2026-10-21"})[1]
        self.assertEqual(said["error"]["message"], "temperature: Extra inputs are not permitted")

    def test_the_oldest_thinking_may_be_left_out(self):
        server = self.server(family("claude-5.5"))
        body = self.third(server)
        without_thinking(body, 0)
        self.accepted(server, body)
        body["messages"][0]["content"][0]["cache_control"] = {"type": "ephemeral"}
        self.accepted(server, body)

    def test_what_openai_stored_needs_only_its_id(self):
        server = self.server(family("responses"))
        body = {**peer.first(server.family), "store": True, "include": []}
        self.accepted(server, peer.extended(server.family, body, self.accepted(server, body)))

    def test_reasoning_details_may_come_back_in_pieces(self):
        server = self.server(family("openrouter"))
        body = self.third(server)
        first, *rest = message(body, "assistant")["reasoning_details"]
        halves = [{**first, "text": first["text"][:9]}, {**first, "text": first["text"][9:]}]
        message(body, "assistant")["reasoning_details"] = halves + rest
        self.accepted(server, body)

    def test_a_short_context_cuts_ollamas_prompt_and_its_count(self):
        server = self.server(family("ollama"), context=4096)
        body = peer.first(server.family)
        message(body, "user")["content"] = "word " * 10000
        self.assertEqual(self.accepted(server, body)["usage"]["prompt_tokens"], 4096)

    def test_a_short_output_is_said_to_be_incomplete(self):
        server = self.server(family("responses"))
        body = {**peer.first(server.family), "max_output_tokens": 16}
        reply = self.accepted(server, body)
        self.assertEqual(reply["status"], "incomplete")
        self.assertEqual(reply["incomplete_details"], {"reason": "max_output_tokens"})
        last = json.loads(peer.events(server, body)[-1])
        self.assertEqual((last["type"], last["response"]["status"]), ("response.incomplete", "incomplete"))

    def test_trouble_comes_once(self):
        signs = {"openrouter": ("disconnected", "returned error"), "lm-studio": ("<tool", "<tool")}
        for name, (streamed, whole) in signs.items():
            server = self.server(family(name))
            first = peer.first(server.family)
            body = peer.extended(server.family, first, self.accepted(server, first))
            with self.subTest(name):
                server.trouble = server.family.trouble
                self.assertEqual([whole in json.dumps(self.accepted(server, body)) for _ in "ab"], [True, False])
                server.trouble = server.family.trouble
                self.assertEqual([streamed in str(peer.events(server, body)) for _ in "ab"], [True, False])


if __name__ == "__main__":
    unittest.main()
