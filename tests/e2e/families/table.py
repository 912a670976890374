"""The compatibility table as Markdown: each family, its rules with their sources, and how a whole study went."""
import dataclasses

from families import FAMILIES


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How one study went. `reached`: its verdict, or why it has none. `refused`: (status, text). `lost`: see Server."""
    reached: str
    good: bool
    refused: tuple
    lost: tuple


def rules_of(one):
    return "; ".join(f"[{rule.text}]({rule.source})" for rule in one.rules)


def cell(outcome):
    if outcome is None:
        return "not run"
    lost = "; the model's reasoning did not come back" if outcome.lost else ""
    return ("yes" if outcome.good else f"no: {outcome.reached}") + lost


def about(text, words):
    """The word of a refusal, for instance "max_tokens"; else its text."""
    return next((word for word in words if word in text), text)


def refused(one, outcomes):
    every = [refusal for outcome in outcomes if outcome for refusal in outcome.refused]
    found = [f"{status} {about(text, one.adapts)}" for status, text in every]
    return ", ".join(dict.fromkeys(found)) or "none"


def markdown(outcomes):
    """`outcomes`: of (name of a family, whether it was streamed)."""
    lines = ["| Family | The service … | Streamed | Not streamed | Refused before the client had adapted |",
             "|---|---|---|---|---|"]
    for one in FAMILIES:
        own = [outcomes.get((one.name, stream)) for stream in (True, False)]
        row = (one.title, rules_of(one), *map(cell, own), refused(one, own))
        lines.append("| " + " | ".join(text.replace("|", "\\|").replace("\n", " ") for text in row) + " |")
    return "\n".join(lines) + "\n"
