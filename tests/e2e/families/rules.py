"""What a rule of a service is, and rules that several services share. A rule has its public source; a check gives None
or the refusal, in the service's own words. Where a service does not refuse what its documentation asks for, the check
adds to `lost` instead."""
import dataclasses
import typing

from wire import count_tokens


@dataclasses.dataclass(frozen=True)
class Refusal:
    status: int
    body: object


@dataclasses.dataclass(frozen=True)
class Rule:
    """`text` completes "The service …"."""
    text: str
    source: str
    check: typing.Callable


@dataclasses.dataclass(frozen=True)
class Seen:
    """What a check may look at. `lost`: a list of words about opaque material that did not come back."""
    asked: object
    memory: object
    lost: list
    context: int | None = None

    @property
    def body(self):
        return self.asked.body


def rule(text, source):
    return lambda check: Rule(text, source, check)


def openai_error(message, param=None, code=None, status=400, kind="invalid_request_error"):
    return Refusal(status, {"error": {"message": message, "type": kind, "param": param, "code": code}})


def prompt_tokens(body):
    return count_tokens(body["messages"], body.get("tools", []))


def most_output(body):
    return body.get("max_completion_tokens") or body.get("max_tokens")


def assistant_messages(body):
    return [(i, m) for i, m in enumerate(body["messages"]) if m["role"] == "assistant"]


def issued_for(message, memory):
    """The reply that this message of chat completions repeats, by the ids of its calls."""
    calls = message.get("tool_calls") or []
    return memory.get(calls[0]["id"]) if calls else None


def bearer(key, source, refusal):
    """The rule that the key comes as `Authorization: Bearer`, and nowhere else."""
    @rule("takes the key as a bearer token", source)
    def check(seen):
        return None if seen.asked.headers.get("authorization") == f"Bearer {key}" else refusal
    return check


def keeps_reasoning(field):
    """The check that the text in `field` comes back with each reply that called tools."""
    def check(seen):
        for i, message in assistant_messages(seen.body):
            issued = issued_for(message, seen.memory)
            if issued and message.get(field) != issued.kept:
                seen.lost.append(f"messages[{i}].{field} is {'changed' if field in message else 'missing'}")
    return check


@rule("wants an answer of a tool for each call", "https://github.com/RamiAwar/dataline/issues/172")
def calls_have_answers(seen):
    """OpenAI's words; other servers of the protocol pass the conversation to the model as it is."""
    messages = seen.body["messages"]
    for i, message in assistant_messages(seen.body):
        wanted = [call["id"] for call in message.get("tool_calls") or []]
        found = []
        for later in messages[i + 1:]:
            if later["role"] != "tool":
                break
            found.append(later["tool_call_id"])
        missing = [one for one in wanted if one not in found]
        if missing:
            return openai_error("An assistant message with 'tool_calls' must be followed by tool messages responding "
                                "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
                                + ", ".join(missing), f"messages.[{i + 1}].role")
    return None


def schemas(body):
    """The parameters of each tool, whatever the protocol."""
    for i, tool in enumerate(body.get("tools") or []):
        inner = tool.get("function", tool)
        yield i, inner.get("name"), inner.get("parameters", inner.get("input_schema", {}))


def walk(schema, path=""):
    """Each schema within a schema, with the path that Google's errors give it. A property that is named like a keyword
    is no keyword."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for i, inner in enumerate((schema.get("properties") or {}).values()):
        yield from walk(inner, f"{path}.properties[{i}].value")
    yield from walk(schema.get("items"), f"{path}.items")
    for key, name in (("anyOf", "any_of"), ("oneOf", "one_of"), ("allOf", "all_of")):
        for i, inner in enumerate(schema.get(key) or []):
            yield from walk(inner, f"{path}.{name}[{i}]")
