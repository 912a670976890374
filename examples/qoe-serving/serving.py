"""A server of a language model that streams text, iteration by iteration: continuous batching with a bounded cache of
keys and values, and two schedulers.

`fcfs` serves in order of arrival, as vLLM does (Kwon and others, SOSP 2023): a request is admitted when the cache has room
for its prompt, and when the cache overflows the one that arrived last is preempted. `qoe_aware` is Andes' scheduler (Liu
and others, arXiv 2404.16283): at a batch size B, each request has a gain, its predicted quality of experience if it is
served less that if it waits. Requests are packed by gain per token of cache, and the B with the largest sum is taken.
`preemptions` bounds how often it may preempt, per request that has arrived. A preempted request is swapped out over PCIe
and swapped in again.

Quality of experience is the paper's: a user expects the first token after a second and then 4.8 tokens per second, and
reads no faster. It is the area below the line of tokens read, divided by the area below the expected line, up to the end
of reading.
"""
import argparse
import json
import os

import numpy as np

CACHE_TOKENS = 16000            # what fits into the GPU's memory beside the weights
BASE_S, REQUEST_S, CONTEXT_S = 0.030, 4e-4, 6e-7   # of an iteration: fixed, per request in the batch, per token in the cache
PREFILL_S, SWAP_S = 1.5e-4, 1e-4                   # per token of a prompt, and per token that is moved over PCIe
MOST_IN_BATCH = 192
FIRST_S, SPACING_S = 1.0, 1 / 4.8                  # what a user expects
HORIZON_S = 20.0                                   # for which the scheduler predicts
ARRIVALS_S = 120.0
BATCH_SIZES = 4                                    # how many values of B are compared
WAITING, RUNNING, SWAPPED, DONE = range(4)


class Requests:
    """All requests of a run, a column per property. What schedulers must not know, the answers' lengths, is `answer`."""

    def __init__(self, rate, seed):
        random = np.random.default_rng(seed)
        arrivals = np.cumsum(random.exponential(1 / rate, int(rate * ARRIVALS_S * 2) + 50))
        self.arrival = arrivals[arrivals < ARRIVALS_S]
        n = self.arrival.size
        self.prompt = np.clip(random.lognormal(np.log(110), 1.0, n), 8, 1200).astype(int)
        self.answer = np.clip(random.lognormal(np.log(160), 0.8, n), 8, 900).astype(int)
        self.state = np.full(n, WAITING)
        self.made = np.zeros(n, dtype=int)
        self.read_sum = np.zeros(n)                           # of the times at which the tokens are read
        self.last_read = self.arrival + FIRST_S - SPACING_S   # so that the first is read after FIRST_S at the earliest
        self.first_made = np.full(n, np.nan)
        self.preempted = np.zeros(n, dtype=int)
        self.sent = [[] for _ in range(n)]                    # of each request the times at which its tokens were sent

    def context(self, chosen):
        return self.prompt[chosen] + self.made[chosen]

    def deliver(self, chosen, now):
        """One token of each request of the batch reaches its user, who reads it when it is there and not too fast."""
        read = np.maximum(now, self.last_read[chosen] + SPACING_S)
        self.read_sum[chosen] += read
        self.last_read[chosen] = read
        first = chosen[self.made[chosen] == 0]
        self.first_made[first] = now
        self.made[chosen] += 1
        for i in chosen:
            self.sent[i].append(now)
        self.state[chosen[self.made[chosen] >= self.answer[chosen]]] = DONE

    def quality(self):
        """Areas as sums over tokens: of the time from a token's reading, or expected reading, to the end of reading."""
        end = self.last_read
        read = self.made * end - self.read_sum
        expected = self.made * (end - self.arrival - FIRST_S) - SPACING_S * self.made * (self.made - 1) / 2
        return read / expected


def decode_s(batch, context):
    return BASE_S + REQUEST_S * batch + CONTEXT_S * context


def gains(requests, live, now, latency_s):
    """Quality at the horizon if a request is served at this time per token, less that if it gets nothing until then."""
    horizon = now + HORIZON_S
    due_first = requests.arrival[live] + FIRST_S
    due = np.maximum(np.floor((horizon - due_first) / SPACING_S) + 1, 1)
    expected = due * np.maximum(horizon - due_first, SPACING_S) - SPACING_S * due * (due - 1) / 2
    spacing = max(SPACING_S, latency_s)
    start = np.maximum(now + latency_s, requests.last_read[live] + SPACING_S)
    served = np.maximum(np.floor((horizon - start) / spacing) + 1, 0)
    added = served * (horizon - start) - spacing * served * (served - 1) / 2
    return added / expected


def first_come(requests, live, now, budget):
    """Keeps what runs, without the last of them if the cache would overflow, and admits in order of arrival."""
    running = live[requests.state[live] == RUNNING]
    sizes = np.cumsum(requests.context(running) + 1)
    kept = running[(sizes <= CACHE_TOKENS) & (np.arange(running.size) < MOST_IN_BATCH)]
    if kept.size < running.size:
        return kept
    room = CACHE_TOKENS - (sizes[-1] if running.size else 0)
    # Those that were swapped out go first. A hundredth of the cache stays free, so that an admission causes no preemption.
    others = np.concatenate([live[requests.state[live] == SWAPPED], live[requests.state[live] == WAITING]])
    fits = np.cumsum(requests.context(others) + 1) <= room - CACHE_TOKENS // 100
    places = np.arange(others.size) < MOST_IN_BATCH - running.size
    return np.concatenate([kept, others[fits & places]])


def qoe_aware(requests, live, now, budget):
    """Andes' packing. `budget`: how many requests it may preempt now."""
    sizes = requests.context(live) + 1
    # Where all fit and all are read in time, there is nothing to decide.
    if live.size <= MOST_IN_BATCH and sizes.sum() <= 0.9 * CACHE_TOKENS and decode_s(live.size, sizes.sum()) <= SPACING_S:
        return live
    largest = int(min(np.searchsorted(np.cumsum(np.sort(sizes)), CACHE_TOKENS, side="right"), MOST_IN_BATCH))
    best, best_value = live[:0], -1.0
    for batch in np.unique(np.linspace(max(1, largest // 2), largest, BATCH_SIZES).astype(int)):
        gain = gains(requests, live, now, decode_s(batch, CACHE_TOKENS))
        order = np.argsort(-gain / sizes, kind="stable")
        fits = order[np.cumsum(sizes[order]) <= CACHE_TOKENS][:batch]
        if gain[fits].sum() > best_value:
            best, best_value, best_order = fits, gain[fits].sum(), order
    chosen = np.zeros(live.size, dtype=bool)
    chosen[best] = True
    running = requests.state[live] == RUNNING
    # What may not be preempted stays, those of most gain first; the least of what was chosen makes room.
    for place in best_order[running[best_order] & ~chosen[best_order]]:
        if (running & ~chosen).sum() <= budget:
            break
        chosen[place] = True
    kept = np.flatnonzero(chosen & running)
    order = np.concatenate([best_order[np.isin(best_order, kept)], best_order[chosen[best_order] & ~running[best_order]]])
    return live[order[np.cumsum(sizes[order]) <= CACHE_TOKENS][:MOST_IN_BATCH]]


def serve(requests, scheduler, cap):
    """Runs until every answer is complete. The time at which that was, and by how much the cache was ever exceeded."""
    now, arrived, exceeded = 0.0, 0, 0
    while (requests.state != DONE).any():
        arrived = np.searchsorted(requests.arrival, now, side="right")
        live = np.flatnonzero(requests.state[:arrived] != DONE)
        if live.size == 0:
            now = requests.arrival[arrived]
            continue
        budget = int(cap * arrived) - requests.preempted.sum()
        batch = scheduler(requests, live, now, max(0, budget))
        out = np.setdiff1d(live[requests.state[live] == RUNNING], batch)
        fresh = batch[requests.state[batch] == WAITING]
        back = batch[requests.state[batch] == SWAPPED]
        requests.preempted[out] += 1
        requests.state[out] = SWAPPED
        requests.state[batch] = RUNNING
        context = requests.context(batch).sum()
        exceeded = max(exceeded, context + batch.size - CACHE_TOKENS)
        moved = requests.context(out).sum() + requests.context(back).sum()
        now += decode_s(batch.size, context) + PREFILL_S * requests.prompt[fresh].sum() + SWAP_S * moved
        requests.deliver(batch, now)
    return now, max(0, exceeded)


def wrong_tokens(requests):
    """Tokens that are missing, that were sent before their request had arrived or before the token before them, or that
    the users' reading does not agree with when it is computed again from what was sent."""
    wrong = 0
    for i, sent in enumerate(requests.sent):
        wrong += abs(len(sent) - int(requests.answer[i]))
        read, total = requests.arrival[i] + FIRST_S - SPACING_S, 0.0
        for place, time in enumerate(sent):
            wrong += time <= (sent[place - 1] if place else requests.arrival[i])
            read = max(time, read + SPACING_S)
            total += read
        wrong += abs(total - requests.read_sum[i]) > 1e-6 * max(1.0, total)
    return int(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scheduler", choices=["fcfs", "qoe_aware"], required=True)
    parser.add_argument("--rate", type=float, required=True)
    parser.add_argument("--preemptions", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    requests = Requests(args.rate, args.seed)
    end, exceeded = serve(requests, {"fcfs": first_come, "qoe_aware": qoe_aware}[args.scheduler], args.preemptions)
    quality = requests.quality()
    waited = requests.first_made - requests.arrival
    values = {
        "qoe": float(quality.mean()),
        "worst_tenth_qoe": float(np.quantile(quality, 0.1)),
        "first_token": float(np.median(waited)),
        "throughput": float(requests.made.sum() / end),
        "preemptions_each": float(requests.preempted.mean()),
        "checksum": float(requests.arrival.sum() + requests.answer.sum()),
        "wrong_tokens": wrong_tokens(requests),
        "cache_exceeded": int(exceeded),
    }
    with open(os.environ["ETUDE_METRICS"], "a") as out:
        for name, value in values.items():
            out.write(json.dumps({"name": name, "value": value}) + "\n")
    print(requests.arrival.size, "requests, the last complete after", round(end, 1), "simulated s")


if __name__ == "__main__":
    main()
