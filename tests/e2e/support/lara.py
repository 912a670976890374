"""The rules of LARA that a program of etude can break, from its published grammar (lara-syntax 0.10) and specification
(lara-core 0.2): signature, premises, obligations and the status of each claim. No attacks, strict rules or groups."""
import re

ID = r"[A-Za-z_][A-Za-z0-9_-]*"
TOKEN = re.compile(rf'"[^"\n]*"|sha256:[0-9a-f.]+|{ID}|[()\[\]{{}},:=]')


class Wrong(Exception):
    pass


class Tokens:
    def __init__(self, text):
        self.all, rest = [], text
        for line in rest.splitlines():
            if (refs := re.fullmatch(r"\s*refs\s*=\s*\[([^\]]*)\]", line)):
                self.all += ["refs", "=", [one.strip() for one in refs[1].split(",")]]
                continue
            bare = re.sub(r'("[^"]*")|#.*', lambda m: m[1] or "", line)
            if TOKEN.sub("", bare).strip():
                raise Wrong(f"not the language: {line}")
            self.all += TOKEN.findall(bare)
        self.at = 0

    def more(self):
        return self.at < len(self.all)

    def next(self, *expected):
        token = self.all[self.at]
        self.at += 1
        if expected and token not in expected:
            raise Wrong(f"{token!r} where one of {expected} belongs")
        return token

    def peek(self):
        return self.all[self.at] if self.more() else ""

    def all_of(self, *tokens):
        for token in tokens:
            self.next(token)

    def term(self):
        head = self.next()
        if not isinstance(head, str) or not re.fullmatch(ID, head):
            raise Wrong(f"{head!r} is no name")
        return (head, self.listed("(", ")", self.term) if self.peek() == "(" else [])

    def listed(self, start, end, one):
        self.next(start)
        items = []
        while self.peek() != end:
            items.append(one())
            if self.peek() != end:
                self.next(",")
        self.next(end)
        return items


def read_policy(text):
    t = Tokens(text)
    t.next("policy")
    policy = {"name": t.next(), "sorts": set(), "con": {}, "pred": {}, "rules": {}, "contrary": []}
    while t.more():
        kind = t.next("sort", "con", "pred", "rule", "contrary")
        if kind == "sort":
            policy["sorts"].add(t.next())
            while t.peek() == ",":
                t.next()
                policy["sorts"].add(t.next())
        elif kind == "contrary":
            policy["contrary"].append((t.term(), t.term()))
        elif kind == "rule":
            name = t.next()
            rule = {"parameters": t.listed("(", ")", t.next), "questions": {}}
            t.all_of("mode", "=", "defeasible", "premises", "=")
            rule["premises"] = t.listed("[", "]", t.term)
            t.all_of("conclusion", "=")
            rule["conclusion"] = t.term()
            while t.peek() == "question":
                t.next()
                question = t.next()
                t.next(":")
                pattern = t.term()
                t.next("(")
                rule["questions"][question] = (pattern, t.next("mandatory", "optional"))
                t.next(")")
            policy["rules"][name] = rule
        else:
            name = t.next()
            sorts = t.listed("(", ")", t.next) if t.peek() == "(" else []
            result = None
            if kind == "con":
                t.next(":")
                result = t.next()
            if name in policy[kind]:
                raise Wrong(f"{name} is declared twice")
            policy[kind][name] = (sorts, result)
            if set([*sorts, *([result] if result else [])]) - policy["sorts"]:
                raise Wrong(f"{name} has a sort that is not declared")
    return policy


def sort_of(policy, term):
    name, arguments = term
    if name not in policy["con"]:
        raise Wrong(f"{name} is not declared")
    sorts, result = policy["con"][name]
    if [sort_of(policy, a) for a in arguments] != sorts:
        raise Wrong(f"{name} has other arguments")
    return result


def check_atom(policy, atom):
    name, arguments = atom
    if name not in policy["pred"] or [sort_of(policy, a) for a in arguments] != policy["pred"][name][0]:
        raise Wrong(f"{atom} does not fit the signature")
    return atom


def filled(pattern, theta):
    name, arguments = pattern
    return theta[name] if name in theta and not arguments else (name, [filled(a, theta) for a in arguments])


def check(program, policy_text):
    """Claim → its status (justified or gap); also the leaves and obligations of each argument. Raises Wrong."""
    policy = read_policy(policy_text)
    t = Tokens(program)
    t.next("artifact")
    t.next()
    t.next("at")
    if not re.fullmatch("sha256:[0-9a-f]{64}", t.next()):
        raise Wrong("no digest")
    t.all_of("policy", policy["name"], "use", "backends", "[", "]")
    claims, leaves, arguments, asked = {}, {}, {}, []
    while t.more():
        kind = t.next("claim", "leaf", "arg", "status")
        name = t.next()
        if kind == "status":
            asked.append(name)
            continue
        if name in {"claim": claims, "leaf": leaves, "arg": arguments}[kind]:
            raise Wrong(f"{kind} {name} stands twice")
        if kind == "claim":
            t.all_of("nl", "=")
            words = t.next()
            t.all_of("formal", "=")
            claims[name] = {"nl": words, "formal": check_atom(policy, t.term())}
            t.all_of("binding", "=", "{", "author", "=", "etude", ",", "rationale", "=")
            t.next()
            t.all_of(",", "audit-status", "=", "unreviewed", "}")
            if not words.startswith('"') or words == '""':
                raise Wrong(f"{name} says nothing")
        elif kind == "leaf":
            t.next(":")
            leaves[name] = check_atom(policy, t.term())
            t.all_of("kind", "=", "observed", "provenance", "=", "ai-executed", "refs", "=")
            if not all(t.next()):
                raise Wrong(f"{name} refers to nothing")
        else:
            t.all_of(":", "supports", "(")
            claim = t.next()
            t.all_of(")", "by")
            rule, terms = t.term()
            made = {"claim": claim, "rule": rule, "terms": terms, "discharged": {}, "open": []}
            while t.peek() in ("discharge", "open"):
                if t.next() == "open":
                    made["open"].append(t.next())
                else:
                    question = t.next()
                    t.next("with")
                    made["discharged"][question] = t.next()
            arguments[name] = made
    for name, made in arguments.items():
        rule = policy["rules"][made["rule"]]
        theta = dict(zip(rule["parameters"], made["terms"], strict=True))
        for term in made["terms"]:
            sort_of(policy, term)
        if filled(rule["conclusion"], theta) != claims[made["claim"]]["formal"]:
            raise Wrong(f"{name} concludes something else than {made['claim']}")
        for premise in rule["premises"]:
            if list(leaves.values()).count(filled(premise, theta)) != 1:
                raise Wrong(f"{name} has no single leaf for {premise}")
        if sorted([*made["discharged"], *made["open"]]) != sorted(rule["questions"]):
            raise Wrong(f"{name} does not account for each question once")
        for question, leaf in made["discharged"].items():
            if leaves[leaf] != filled(rule["questions"][question][0], theta):
                raise Wrong(f"{leaf} does not answer {question} of {name}")
        made["complete"] = not [q for q in made["open"] if rule["questions"][q][1] == "mandatory"]
    complete = {made["claim"] for made in arguments.values() if made["complete"]}
    if sorted(asked) != sorted(claims):
        raise Wrong("the status of a claim is not asked for")
    return {claim: "justified" if claim in complete else "gap" for claim in claims}, arguments, claims
