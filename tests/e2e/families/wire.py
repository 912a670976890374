"""What the servers of this folder have in common, whatever their protocol: what a model says, what was asked, and
server-sent events."""
import base64
import dataclasses
import json
import secrets
import string


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of a tool. `arguments` is JSON text. `signature` is opaque and belongs to this call (Gemini)."""
    id: str
    name: str
    arguments: str
    signature: str


@dataclasses.dataclass(frozen=True)
class Said:
    """One reply of the model. `thoughts` has one (text, opaque signature) for each call, and one if there are none.
    `refusal`: why the model refuses to go on, instead of a text."""
    text: str
    calls: tuple
    thoughts: tuple
    refusal: str = ""


@dataclasses.dataclass(frozen=True)
class Asked:
    """A request. `headers` has names in lower case, `query` has one value for each name."""
    body: dict
    headers: dict
    query: dict


@dataclasses.dataclass(frozen=True)
class Spoken:
    """The part of a conversation that the script needs: how many replies with calls it has, and how many without."""
    system: str
    turns: int
    texts: int


@dataclasses.dataclass(frozen=True)
class Issued:
    """A reply that was sent, with the request that it answered. `kept`: the opaque material as the client got it."""
    said: Said
    body: dict
    kept: object


class Memory:
    """The replies that a server has sent, found by the id of a call or by a piece of opaque material."""

    def __init__(self):
        self.found = {}

    def add(self, issued, *names):
        for name in (*names, *(call.id for call in issued.said.calls)):
            self.found[name] = issued

    def get(self, name):
        return self.found.get(name)


def letters(size):
    return "".join(secrets.choice(string.ascii_letters + string.digits) for _ in range(size))


def opaque():
    """Base64 with all of its characters, for clients that escape or shorten what they should not."""
    return base64.b64encode(b"\xfb\xef\xbe\xff" + secrets.token_bytes(90)).decode()


def thought():
    """Readable reasoning that does not survive trimming, escaping or another encoding."""
    return f" First I look at the “cost”, then\n\tat C:\\arms – {letters(12)}. \n"


def arguments_of(call):
    return json.loads(call.arguments)


def pieces(text, size=7):
    """Cuts text as streams do. Pieces end within words and between the escapes of JSON."""
    return [text[i:i + size] for i in range(0, len(text), size)]


def count_tokens(*parts):
    """About one token for four characters."""
    return sum(len(json.dumps(part)) for part in parts) // 4 + 1


def event(data, name=None):
    """One server-sent event; text is sent as it is."""
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "") + f"data: {text}\n\n"


def without(value, key):
    """A copy without this key at any depth."""
    if isinstance(value, dict):
        return {k: without(v, key) for k, v in value.items() if k != key}
    return [without(v, key) for v in value] if isinstance(value, list) else value


def text_of(content):
    """The text of a message whose content is text or a list of parts."""
    if isinstance(content, str):
        return content
    return "".join(part.get("text") or "" for part in content or [] if isinstance(part, dict))
