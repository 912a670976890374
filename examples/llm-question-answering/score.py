"""Scores recorded answers of a language model: accuracy, and how well its stated confidence agrees with it.

The format is that of Humanity's Last Exam (Phan and others, arXiv 2501.14249): items with an exact answer or with choices, and
replies that end with `Answer:` and `Confidence:`. `chance` stands for guessing without a model: it picks among the choices,
its confidence is the probability of being right, and it has no answer to other questions.

Calibration error is the exam's: items are ordered by confidence and divided into bins of equal size; the root of the mean,
over items, of the squared difference between a bin's mean confidence and its accuracy.
"""
import argparse
import fractions
import json
import os
import pathlib
import random
import re
import sys

BIN = 10
HERE = pathlib.Path(__file__).parent


def normal(text):
    """A short answer without what does not matter: case, blanks, markup, an article, a full stop, digits' commas."""
    text = re.sub(r"[*_`$\\]|\\boxed", "", text.replace("−", "-")).strip().strip(".{}()\"' ").lower()
    text = re.sub(r"(?<=\d),(?=\d{3})", "", re.sub(r"\s+", " ", text))
    text = re.sub(r"^(the|a|an) ", "", text)
    try:
        return str(fractions.Fraction(text.replace(" ", "")))
    except (ValueError, ZeroDivisionError):
        return text


def is_right(item, answer):
    if item["answer_type"] == "multipleChoice":
        letter = re.match(r"\W*([A-Z])\b", answer.strip().upper())
        return bool(letter) and letter.group(1) == item["answer"]
    return normal(answer) in {normal(right) for right in (item["answer"], *item.get("accept", []))}


def read_reply(reply):
    """The last answer and the last confidence of a reply; None for what it lacks."""
    answers = re.findall(r"^\W*answer\W*:\W*?[ \t]*(\S.*)$", reply, re.M | re.I)
    sure = re.findall(r"^\W*confidence\W*:\D*?(\d+(?:\.\d+)?)", reply, re.M | re.I)
    return answers[-1] if answers else None, min(float(sure[-1]) / 100, 1.0) if sure else None


def calibration_error(pairs):
    """Of pairs of confidence and outcome."""
    pairs = sorted(pairs)
    starts = [place for place in range(0, len(pairs), BIN) if len(pairs) - place >= BIN or place == 0]
    bins = [pairs[a:b] for a, b in zip(starts, [*starts[1:], len(pairs)])]
    return sum(len(part) * (sum(c for c, _ in part) / len(part) - sum(r for _, r in part) / len(part)) ** 2
               for part in bins) ** 0.5 / len(pairs) ** 0.5


def by_chance(items, seed):
    chance = random.Random(seed)
    for item in items:
        if item["answer_type"] == "multipleChoice":
            yield item, chance.choice("ABCDE"[:item["choices"]]), 1 / item["choices"]
        else:
            yield item, None, 0.0


def recorded(items, path):
    if not path.exists():
        sys.exit(f"{path.name} is not there: write it by `etude ask`, as README.md says")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    header, replies = lines[0], {line["id"]: line for line in lines if "id" in line}
    if header.get("etude_answers") != 1:
        sys.exit(f"{path.name} is no file of answers")
    lacking = [item["id"] for item in items if item["id"] not in replies]
    if lacking:
        sys.exit(f"{path.name} lacks {len(lacking)} answers: ask again")
    for item in items:
        yield item, *read_reply(replies[item["id"]].get("reply", ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", choices=["chance", "plain", "careful"], required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    items = [json.loads(line) for line in (HERE / "items.jsonl").read_text().splitlines()]
    said = by_chance(items, args.seed) if args.answers == "chance" else recorded(items, HERE / f"answers_{args.answers}.jsonl")
    lines, pairs, unread = [], [], 0
    for item, answer, sure in said:
        right = answer is not None and is_right(item, answer)
        # A reply without an answer is wrong. One without a confidence is as sure as the instruction's middle.
        unread += args.answers != "chance" and (answer is None or sure is None)
        sure = 0.5 if sure is None else sure
        pairs.append((sure, right))
        lines += [{"name": name, "value": float(value), "item": item["id"]}
                  for name, value in (("correct", right), ("overconfidence", sure - right), ("brier", (sure - right) ** 2))]
    lines += [{"name": "calibration_error", "value": calibration_error(pairs)},
              {"name": "unread", "value": unread}, {"name": "items", "value": len(items)}]
    with open(os.environ["ETUDE_METRICS"], "a") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)
    print(f"{sum(right for _, right in pairs)} of {len(items)} right, calibration error {calibration_error(pairs):.3f}")


if __name__ == "__main__":
    main()
