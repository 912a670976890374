"""What a Python program says of its own options and seems to report, read from its source (stdin) without running it.

Writes {"options": [...], "metrics": [...]}: calls of argparse's `add_argument` and click's `option` with literal
arguments, fields of dataclasses that tyro or HfArgumentParser makes options of, and up to four metrics that it prints,
writes as JSON, or appends to $ETUDE_METRICS. A guess for a person to confirm; what is not understood is left out. Exits
with 1 where the source is no Python 3.
"""
import ast
import json
import re
import sys

MOST_METRICS = 4
NUMBER = "([-+0-9.einfa]+)"
MAXIMIZED = set("acc accuracy auc auroc f1 score reward bleu rouge iou throughput r2 recall precision elbo return returns".split())
MINIMIZED = set("loss err error mse rmse mae ppl perplexity nll fid wer latency time ms seconds elapsed bpb divergence "
                "runtime regret".split())
TIMES = {"time", "elapsed", "runtime", "ms", "seconds"}
# Which data a metric is of, where the word before it says so.
SPLIT = "[Tt]est|[Vv]al|[Vv]alid|[Vv]alidation|[Ee]val|[Dd]ev|[Tt]rain|[Tt]raining|[Bb]atch"
HELD_OUT = {"val", "valid", "validation", "eval", "evaluation", "dev"}
STEPS = ("step", "iter", "iteration", "epoch", "it", "global_step")
SWITCHES = ("store_true", "store_false", "store_const", "count", "help", "version", "BooleanOptional")

source = sys.stdin.buffer.read().decode("utf-8", "replace")
try:
    tree = ast.parse(source)
except (SyntaxError, ValueError, RecursionError, MemoryError):
    sys.exit(1)


def text_of(node):
    return ast.get_source_segment(source, node) or "" if node else ""


def is_number(text):
    return re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text) is not None


def string(node):
    """The content of a string literal, with {} for what an f-string fills in; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join("{}" if isinstance(part, ast.FormattedValue) else part.value for part in node.values)
    return None


def in_order(kind):
    """Nodes in the order of the source; what stands inside an f-string is part of it."""
    found, todo = [], [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, kind):
            found.append(node)
        if not isinstance(node, ast.JoinedStr):
            todo.extend(ast.iter_child_nodes(node))
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def calls(name):
    return [call for call in in_order(ast.Call)
            if name == (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None))]


def items(node):
    """The strings and numbers of a list, tuple, set or dict literal, or of one that is assigned to the name."""
    if isinstance(node, ast.Call):
        inner = node.func.value if isinstance(node.func, ast.Attribute) else (node.args or [None])[0]
        return items(inner)
    if isinstance(node, ast.Name):
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and any(getattr(t, "id", "") == node.id for t in statement.targets):
                return items(statement.value) if not isinstance(statement.value, (ast.Name, ast.Call)) else []
        return []
    elements = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    texts = [string(e) if string(e) is not None else text_of(e) for e in elements]
    return [text for text, e in zip(texts, elements) if string(e) is not None or is_number(text)]


def option(call):
    names = [s for s in map(string, call.args) if s and len(s) > 1 and s[0] == "-"]
    named = {word.arg: word.value for word in call.keywords}
    if not names:
        return None
    kind, value = named.get("type"), named.get("default")
    action, spelled = text_of(named.get("action")), text_of(value)
    switch = any(s in action for s in SWITCHES) or text_of(named.get("is_flag")) == "True" or "/" in "".join(names)
    choices = items(named["choices"]) if "choices" in named else []
    if not choices and isinstance(kind, ast.Call) and text_of(kind.func).endswith("Choice") and kind.args:
        choices = items(kind.args[0])
    literal = string(value)
    return {
        "names": names,
        "takes_value": not switch,
        "takes_several": "nargs" in named or text_of(named.get("multiple")) == "True",
        "number": text_of(kind) in ("int", "float") or (not kind and literal is None and is_number(spelled)),
        "default": literal if literal is not None else spelled if is_number(spelled) else "",
        "choices": choices,
    }


def field_options():
    """Fields of the dataclasses that `tyro.cli(Args)` and `HfArgumentParser((Args, …))` make options of."""
    named = {name.id for call in calls("cli") + calls("HfArgumentParser") + calls("add_arguments")
             for argument in call.args for name in ast.walk(argument) if isinstance(name, ast.Name)}
    for kind in in_order(ast.ClassDef):
        if kind.name not in named or not any("dataclass" in text_of(d) for d in kind.decorator_list):
            continue
        for field in kind.body:
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            value, annotation = field.value, text_of(field.annotation)
            if isinstance(value, ast.Call):  # field(default=…)
                value = next((word.value for word in value.keywords if word.arg == "default"), None)
            literal, spelled = string(value), text_of(value)
            choices = re.findall(r"""["']([^"']+)["']""", annotation) if annotation.startswith("Literal[") else []
            yield {
                "names": ["--" + field.target.id],
                "takes_value": annotation != "bool",
                "takes_several": bool(re.match("(?i)(list|tuple|sequence)", annotation)),
                "number": annotation in ("int", "float"),
                "default": literal if literal is not None else spelled if is_number(spelled) else "",
                "choices": choices,
            }


def parts_of(name):
    return re.split("[^a-z0-9]", name.lower())


def is_metric(name):
    return len(name) <= 64 and any(part in MAXIMIZED | MINIMIZED for part in parts_of(name))


def rank(metric):
    """Held-out results first, then others, then those of training; times last, since most are printed beside results."""
    parts = set(parts_of(metric["name"]))
    if parts & TIMES and not parts & ((MAXIMIZED | MINIMIZED) - TIMES):
        return 4
    about = parts | set(re.findall("[a-z]+", metric.get("about", "").lower()))
    if "test" in parts or ("test" in about and not parts & {"train", "training", "batch"}):
        return 0
    if parts & HELD_OUT or (about & HELD_OUT and not parts & {"train", "training", "batch"}):
        return 1
    return 3 if about & {"train", "training", "batch"} else 2


def name_for(spelled):
    name = re.sub("[^A-Za-z0-9_]", "_", spelled)
    return "m_" + name if name[:1].isdigit() else name


def escaped(text):
    return re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", text)


metrics = []


LOG_CALLS = ("debug", "info", "warning", "error", "critical", "log")


def add(spelled, node, **where):
    name, parts = name_for(spelled), set(parts_of(spelled))
    if all(metric["name"] != name for metric in metrics):
        unit = "ms" if "ms" in parts else "s" if parts & {"seconds", "elapsed"} else ""
        metrics.append({"name": name, "unit": unit, "maximize": bool(parts & MAXIMIZED), "line": node.lineno, **where})


def strings():
    return [(node, string(node)) for node in in_order((ast.Constant, ast.JoinedStr)) if string(node) is not None]


def keys():
    """Dict keys and subscripts that are metrics: `"loss": …`, `result["loss"] = …`."""
    found = [key for node in in_order(ast.Dict) for key in node.keys if key]
    for node in in_order(ast.Subscript):
        if isinstance(node.ctx, ast.Store):
            found.append(getattr(node.slice, "value", None) if type(node.slice).__name__ == "Index" else node.slice)
    found = [(node, string(node)) for node in found if isinstance(node, ast.Constant)]
    return sorted(((node, key) for node, key in found if key and is_metric(key)),
                  key=lambda pair: (pair[0].lineno, pair[0].col_offset))


def from_metrics_file():
    for node, text in strings():
        if is_metric(text) and name_for(text) == text:
            add(text, node, source="metrics_file")


def from_json_file():
    if not calls("dumps") and not calls("dump"):
        return
    lines = source.split("\n")
    for node, file in strings():
        kind = "jsonl" if file.endswith(".jsonl") else "json" if file.endswith(".json") else None
        if kind is None or file.startswith(".json") or ".." in file or file[0] == "/" or "{" in file:
            continue
        # The file is opened for writing in this line.
        if not re.search(r"""['"][wa]t?['"]|write""", lines[node.lineno - 1]):
            continue
        for key_node, key in keys():
            if kind == "jsonl" or not set(key) & {"/", "~"}:
                add(key, key_node, source=kind, file=file, key=key)
        return


def stands_for_print(name, of):
    """`print0(…)`, `rank_zero_print(…)`, `accelerator.print(…)`, `log(…)`: by a word of the name."""
    words = re.split(r"[_\W\d]+|(?<=[a-z])(?=[A-Z])", name or "")
    if any(word.lower() in ("print", "println", "printf", "echo", "secho") for word in words):
        return True
    return not of and any(word.lower() in ("log", "logger") for word in words)


def printed():
    """(call, its arguments, whether they go to stderr): print and what stands for it, and logging, whose default it is."""
    for call in in_order(ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
        of = text_of(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        file = next((text_of(word.value) for word in call.keywords if word.arg == "file"), "")
        if stands_for_print(name, of) and (not file or "stdout" in file):
            yield call, call.args, False
        elif name == "write" and (of == "sys.stdout" or of.endswith("tqdm")):
            yield call, call.args, False
        elif name in LOG_CALLS and re.search(r"(?i)log(ger|ging)?(\(.*\))?\Z", of):
            yield call, call.args[1 if name == "log" else 0:], True


def shown():
    """As printed(), for what shows its progress: `bar.set_description(f"loss {x:.3f}")` and functions that the program
    defines or imports, such as `progress_bar(i, n, 'Loss: %.3f' % x)`. tqdm writes to stderr."""
    for call in in_order(ast.Call):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None) or ""
        if name in ("set_description", "set_description_str", "set_postfix_str"):
            yield call, call.args, True
        elif isinstance(call.func, ast.Name) and re.search("(?i)progress|status|report|message|show", name):
            yield call, call.args, False


def from_postfix():
    """`bar.set_postfix(loss=x)` shows `loss=0.123` on stderr."""
    for call in calls("set_postfix"):
        for word in call.keywords:
            if word.arg and is_metric(word.arg):
                add(word.arg, call, source="stdout", logged=True, pattern=after(word.arg, "=") + NUMBER)


def from_prints(those):
    for call, arguments, logged in those:
        for i, argument in enumerate(arguments):
            if "dumps" in text_of(argument):
                for node, key in keys():
                    add(key, node, source="stdout", logged=logged, pattern='"' + escaped(key) + '": *' + NUMBER)
                continue
            # `"loss=%f" % loss` and `"…".format(…)` begin with a literal too.
            while isinstance(argument, (ast.BinOp, ast.Call)):
                argument = argument.left if isinstance(argument, ast.BinOp) else getattr(argument.func, "value", None)
            if string(argument) is not None:
                before = len(metrics)
                from_printed(string(argument), i + 1 < len(arguments), call, logged)
                for metric in metrics[before:]:  # "Test set: average loss {}"
                    metric["about"] = " ".join(re.split("[:={%]", string(argument))[0].split()[:-1])


def from_printed(text, more_follows, call, logged):
    """`loss={…}`, `val loss: %.3f`, `loss {}`; at the end of the text also what the next argument follows."""
    step = None
    for found in re.finditer(r"((?:%s) )?([A-Za-z][A-Za-z0-9_/.-]*)( *[=:] *\[?| *\[| +)(\{|%%[-0-9.]*[a-z]|\Z)" % SPLIT,
                            text):
        if found[2].lower() in STEPS and found[4] and not step:
            step = found[2], found[3]
        elif is_metric(found[2]) and (found[4] or more_follows):
            add_printed((found[1] or "") + found[2], found[3], call, step, logged)
    last = re.search(r"((?:%s) )?([A-Za-z][A-Za-z0-9_/.-]*)\Z" % SPLIT, text)
    if more_follows and last and is_metric(last[2]):
        add_printed((last[1] or "") + last[2], " ", call, step, logged)


def after(word, between):
    sign = re.search("[=:]", between)
    space = " *" if sign and sign.start() > 0 else ""
    bracket = r" *\[ *" if "[" in between else ""
    return r"\b" + escaped(word) + space + (sign[0] + " *" if sign else "" if bracket else " +") + bracket


def add_printed(word, between, call, step, logged):
    if set(parts_of(word)) & TIMES and re.search("time_str|timedelta|format_time", text_of(call)):
        return  # "0:12:34"
    begin = after(*step) + r"(?<step>\d+)\b.*?" if step else ""
    # `0:12:34` is no number.
    end = "(?:[^:0-9]|$)" if set(parts_of(word)) & TIMES else ""
    add(word, call, source="stdout", logged=logged, pattern=begin + after(word, between) + NUMBER + end)


if "ETUDE_METRICS" in source:
    from_metrics_file()
if not metrics:
    from_json_file()
if not metrics:
    from_prints(printed())
if not metrics:
    from_prints(shown())
if not metrics:
    from_postfix()
for metric in metrics:  # "loss" does not read what stands after "val loss".
    word = r"\b" + metric["name"]
    if any(other["name"].endswith("_" + metric["name"]) for other in metrics) and word in metric.get("pattern", ""):
        metric["pattern"] = r"(?:^|[^A-Za-z_ ] *)".join(metric["pattern"].rsplit(r"\b", 1))
metrics.sort(key=rank)
options = [found for found in map(option, calls("add_argument") + calls("option")) if found] + list(field_options())
json.dump({"options": options, "metrics": metrics[:MOST_METRICS]}, sys.stdout)
