"""Cases for the rank tests, by SciPy's own tests where there are no ties or where the sample is large, else by listing every
flip of signs or exchange of labels and counting; intervals by scanning every gap between the places where ranks change.
Each generator has a seed of its own."""
import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import stats as st
from scipy.stats._mannwhitneyu import _mwu_state

CASES = 200


def flips(n):
    return np.array(list(itertools.product((-1, 1), repeat=n)))


def both(values, observed):
    return dict(less=float(np.mean(values <= observed)), greater=float(np.mean(values >= observed)))


def signs_listed(x):
    """Sum of sign(x_i + x_j) over i <= j under every flip of signs."""
    pairs = np.triu_indices(len(x))
    statistic = lambda s: np.sign(s[..., pairs[0]] + s[..., pairs[1]]).sum(-1)
    return both(statistic(flips(len(x)) * x), statistic(x))


def signs_normal(x):
    p = [st.wilcoxon(x, zero_method="pratt", correction=True, method="approx", alternative=a).pvalue for a in ("less", "greater")]
    return dict(less=p[0], greater=p[1])


def signs_exact(x):
    p = [st.wilcoxon(x, method="exact", alternative=a).pvalue for a in ("less", "greater")]
    return dict(less=p[0], greater=p[1])


def scan(places, level, p_at):
    """First gap not rejected from below, last not rejected from above: closed ends, None where the outermost is kept."""
    places = np.unique(places)
    middles = [places[0] - 1, *((places[1:] + places[:-1]) / 2), places[-1] + 1]
    ps, alpha = [p_at(m) for m in middles], (1 - level) / 2
    first = next(k for k, p in enumerate(ps) if p["greater"] > alpha)
    last = max(k for k, p in enumerate(ps) if p["less"] > alpha)
    return None if first == 0 else places[first - 1], None if last == len(places) else places[last]


def two(p):
    return min(1.0, 2 * min(p["less"], p["greater"]))


def signed_rank():
    rng = np.random.default_rng(101)
    for i in range(CASES):
        kind = ("listed", "exact", "listed", "normal")[i % 4]
        n = int(rng.integers(1, 11) if kind == "listed" else rng.integers(2, 41) if kind == "exact" else rng.integers(51, 60))
        ratio, shift, level = float(rng.choice([1, 1, 0.5, 1.5])), float(rng.integers(-4, 5)) / 4, float(rng.choice([0.5, 0.8, 0.9, 0.95, 0.98]))
        while True:
            wide = 3000 if kind == "exact" else 8 if kind == "listed" else 40
            c = rng.integers(-wide, wide, n)
            t = c + rng.integers(-wide // 2, wide, n)
            d = t - ratio * c - shift
            if kind != "exact" or (len(np.unique(np.abs(d))) == n and not (d == 0).any()):
                break
        p_at = dict(listed=signs_listed, exact=signs_exact, normal=signs_normal)[kind]
        walsh = np.add.outer(d, d)[np.triu_indices(n)] / 2
        if kind == "exact":  # Without ties the number of averages above a shift is the statistic.
            ordered, m = np.sort(walsh), len(walsh)
            chance = np.ones(1)
            for r in range(1, n + 1):
                chance = (np.pad(chance, (0, r)) + np.pad(chance, (r, 0))) / 2
            upper = np.cumsum(chance[::-1])[::-1]
            k = next(k for k in range(m + 1) if upper[m - k] > (1 - level) / 2)
            low, high = (None, None) if k == 0 else (ordered[k - 1], ordered[m - k])
        else:
            low, high = scan(walsh, level, lambda s: p_at(d - s))
        p = p_at(d)
        yield dict(t=t, c=c, ratio=ratio, shift=shift, level=level, **p, two=two(p), estimate=np.median(walsh), low=low, high=high)


def labels_listed(x, chosen, score):
    """Sum over chosen i and others j of score(x_i, x_j), for every choice; the first `chosen` are the observed ones."""
    n = len(x)
    table = np.array([[score(a, b) for b in x] for a in x])
    picks = np.zeros((math.comb(n, chosen), n))
    for row, pick in zip(picks, itertools.combinations(range(n), chosen)):
        row[list(pick)] = 1
    values = ((picks @ table) * (1 - picks)).sum(1)
    return both(values, values[0])


def arms_listed(t, c):
    return labels_listed([*t, *c], len(t), lambda a, b: np.sign(a - b))


def arms_by(method):
    def p(t, c):
        p = [st.mannwhitneyu(t, c, method=method, alternative=a).pvalue for a in ("less", "greater")]
        return dict(less=float(p[0]), greater=float(p[1]))
    return p


def mann_whitney():
    rng = np.random.default_rng(102)
    for i in range(CASES):
        kind = ("listed", "exact", "listed", "normal")[i % 4]
        a, b = (int(v) for v in (rng.integers(1, 7, 2) if kind == "listed" else rng.integers(1, 26, 2) if kind == "exact" else rng.integers(31, 36, 2)))
        ratio, shift, level = float(rng.choice([1, 1, 0.5, 1.5])), float(rng.integers(-4, 5)) / 4, float(rng.choice([0.5, 0.8, 0.9, 0.95, 0.98]))
        wide = 9000 if kind == "exact" else 7 if kind == "listed" else 25
        while True:
            t, c = rng.integers(-wide // 2, wide, a), rng.integers(-wide, wide, b)
            x, y = t - shift, ratio * c
            if kind != "exact" or len(np.unique([*x, *y])) == a + b:
                break
        p_at = arms_listed if kind == "listed" else arms_by("exact" if kind == "exact" else "asymptotic")
        places = np.subtract.outer(x, y).ravel()
        if kind == "exact":
            ordered, m = np.sort(places), a * b
            k = next(k for k in range(m + 1) if _mwu_state.sf(np.array([m - k]), a, b)[0] > (1 - level) / 2)
            low, high = (None, None) if k == 0 else (ordered[k - 1], ordered[m - k])
        else:
            low, high = scan(places, level, lambda s: p_at(x - s, y))
        p = p_at(x, y)
        yield dict(t=t, c=c, ratio=ratio, shift=shift, level=level, **p, two=two(p), estimate=np.median(places), low=low, high=high)


def rank_ratio():
    """Ratios of the arms: every gap between the places where the sign of t - r c's Walsh averages, or the order of t and
    r c, changes, tested by SciPy; no ties but those, and a few large samples by the normal approximation."""
    rng = np.random.default_rng(110)
    for i in range(CASES):
        paired, large = i % 2 == 0, i % 20 > 17
        n, m = (int(v) for v in (rng.integers(51, 55, 2) if large and paired else rng.integers(31, 34, 2) if large else rng.integers(1, 13, 2)))
        level = float(rng.choice([0.5, 0.8, 0.9, 0.95, 0.98]))
        c = np.round(rng.lognormal(2, 0.5, n if paired else m), 6)
        t = np.round(rng.normal(8, 4, n), 6)
        if paired:
            pairs = np.triu_indices(n)
            places = np.add.outer(t, t)[pairs] / np.add.outer(c, c)[pairs]
            low, high = scan(places, level, lambda r: (signs_normal if large else signs_exact)(t - r * c))
        else:
            places = np.divide.outer(t, c).ravel()
            low, high = scan(places, level, lambda r: arms_by("asymptotic" if large else "exact")(t, r * c))
        yield dict(paired=paired, t=t, c=c, level=level, estimate=np.median(places), low=low, high=high)


def worst_rank():
    """Failed values are replaced by finite ones beyond all others, and all flips or exchanges listed."""
    rng = np.random.default_rng(103)
    for i in range(CASES):
        n, m = (int(v) for v in rng.integers(1, 8, 2))
        t_end, c_end = (int(v) for v in rng.choice([-1, 1], 2))
        draw = lambda k: [None if rng.uniform() < 0.3 else int(rng.integers(-6, 7)) for _ in range(k)]
        if i % 2 == 0:
            t, c = draw(n), draw(m)
            p = arms_listed([t_end * 100 if v is None else v for v in t], [c_end * 100 if v is None else v for v in c])
        else:
            t, c = draw(n), draw(n)
            def difference(a, b):
                if a is None and b is None:
                    return 100 * (t_end > c_end) - 100 * (t_end < c_end)
                return 100 * t_end if a is None else -100 * c_end if b is None else a - b
            p = signs_listed(np.array([difference(a, b) for a, b in zip(t, c)]))
        yield dict(paired=i % 2 == 1, t=t, c=c, t_end=t_end, c_end=c_end, **p)


def later(a, b):
    """1 where (time, censored) a surely ended after b, -1 the other way round."""
    if not b[1] and (a[0] > b[0] or (a[0] == b[0] and a[1])):
        return 1
    if not a[1] and (b[0] > a[0] or (a[0] == b[0] and b[1])):
        return -1
    return 0


def censored():
    rng = np.random.default_rng(104)
    for i in range(CASES):
        kind = ("independent", "paired", "independent", "paired", "large", "large paired", "uncensored")[i % 7]
        a, b = (int(v) for v in (rng.integers(1, 7, 2) if kind == "independent" else rng.integers(31, 34, 2) if kind in ("large", "uncensored") else rng.integers(1, 10, 1).repeat(2) if kind == "paired" else rng.integers(51, 56, 1).repeat(2)))
        limit = int(rng.integers(5, 20))
        def draw(k):
            times = rng.integers(1, 25, k)
            if kind == "uncensored":
                return [(int(v), False) for v in times]
            gone = rng.uniform(size=k) < 0.15
            return [(min(int(v), limit), bool(g) or v > limit) for v, g in zip(times, gone)]
        t, c = draw(a), draw(b)
        out = dict(paired="paired" in kind, t=[d[0] for d in t], t_censored=[int(d[1]) for d in t], c=[d[0] for d in c], c_censored=[int(d[1]) for d in c])
        scores = np.array([sum(later(x, y) for y in t + c) for x in t + c])
        differences = scores[:a] - scores[a:] if a == b else None
        if kind == "independent":
            # Only pairs of both arms add to the sum over all others: those within an arm cancel.
            p = labels_listed(range(a + b), a, lambda x, y: later((t + c)[x], (t + c)[y]))
        elif kind == "paired":
            p = both(flips(a) @ np.abs(differences), differences.sum())
        elif kind == "uncensored":
            p = arms_by("asymptotic")(out["t"], out["c"])
        elif kind == "large":
            w = sum(later(x, y) for x in t for y in c)
            sd = math.sqrt(Fraction(a * b, (a + b) * (a + b - 1)) * int((scores**2).sum()))
            p = dict(less=st.norm.cdf((w + 1) / sd), greater=st.norm.sf((w - 1) / sd))
        else:
            z = differences.sum() / math.sqrt((differences**2).sum())
            p = dict(less=st.norm.cdf(z), greater=st.norm.sf(z))
        yield dict(out, **p)


def censored_shift():
    """Shifts and ratios of times that were cut off: every gap between the places where anything changes, tested by listing
    every exchange or flip of Gehan's scores after cutting both arms off where both can be seen."""
    rng = np.random.default_rng(111)
    for i in range(CASES):
        paired = i % 2 == 0
        a, b = (int(v) for v in (rng.integers(1, 9, 1).repeat(2) if paired else rng.integers(1, 6, 2)))
        limit = float(rng.integers(6, 20)) if i % 5 else math.inf
        level = float(rng.choice([0.5, 0.8, 0.9, 0.95]))
        def draw(k):
            times = np.round(rng.lognormal(2, 0.5, k), 3)
            return [(min(float(v), limit), bool(v > limit)) for v in times]
        t, c = draw(a), draw(b)
        def p_at(ratio, shift):
            same = ratio == 1 and shift == 0
            seen = math.inf if same or not any(d[1] for d in t + c) else min(limit, ratio * limit + shift)
            cut = lambda d: (seen, True) if d[0] > seen else d
            x, y = [cut(d) for d in t], [cut((ratio * v + shift, gone)) for v, gone in c]
            if not paired:
                return labels_listed(range(a + b), a, lambda i, j: later((x + y)[i], (x + y)[j]))
            scores = [sum(later(u, v) for v in x + y) for u in x + y]
            differences = np.array(scores[:a]) - scores[a:]
            return both(flips(a) @ np.abs(differences), differences.sum())
        out = dict(paired=paired, level=level, t=[d[0] for d in t], t_censored=[int(d[1]) for d in t], c=[d[0] for d in c], c_censored=[int(d[1]) for d in c])
        for name, difference, below, above, at in (
                ("shift", lambda u, v: u - v, lambda v: v - 1, lambda v: v + 1, lambda v: p_at(1, v)),
                ("ratio", lambda u, v: u / v, lambda v: v / 2, lambda v: v * 2, lambda v: p_at(v, 0))):
            places = {difference(u[0], v[0]) for u in t for v in c}
            if any(d[1] for d in t + c):
                places |= {difference(u[0], limit) for u in t} | {difference(limit, v[0]) for v in c}
            places = sorted(places)
            middles = [below(places[0]), *((x + y) / 2 for x, y in zip(places, places[1:])), above(places[-1])]
            ps, alpha = [at(m) for m in middles], (1 - level) / 2
            start = lambda holds: next((places[k - 1] if k else None for k, p in enumerate(ps) if holds(p)), None)
            ends = start(lambda p: p["greater"] >= p["less"]), start(lambda p: p["greater"] > p["less"])
            known = [e for e in ends if e is not None]
            kept = [k for k, p in enumerate(ps) if p["less"] > alpha]
            last = max(kept) if kept else None
            out[name] = dict(estimate=sum(known) / len(known) if known else 0.0, open=len(known) < 2,
                             low=start(lambda p: p["greater"] > alpha), high=places[last] if last is not None and last < len(places) else None)
        out.update(at=float(rng.choice([0.5, 0.8, 1.25])))
        yield dict(out, p=p_at(out["at"], 0))


def runs(x):
    x = [v > np.median(x) for v in x if v != np.median(x)]
    return x, 1 + sum(a != b for a, b in zip(x, x[1:]))


def drift():
    rng = np.random.default_rng(105)
    for i in range(CASES):
        n = int((rng.integers(2, 12), rng.integers(12, 34), rng.integers(12, 60), rng.integers(201, 240))[i % 4 if i % 16 else 3])
        tied = i % 3 == 0 or n > 60
        x = rng.integers(0, 6 if i % 4 < 3 else 99, n) if tied else rng.permutation(n)
        x = x + (np.arange(n) * rng.integers(-1, 2) // 3)
        if not tied:
            x = rng.permutation(n)
        sides, count = runs(x)
        above, below = sum(sides), len(sides) - sum(sides)
        out = dict(x=x, runs=None, less=None, greater=None, tau=None, falls=None, rises=None)
        if above and below:
            out["runs"] = count
            size = above + below
            if size <= 11:
                counts = []
                for pick in itertools.combinations(range(size), above):
                    row = np.zeros(size)
                    row[list(pick)] = 1
                    counts.append(1 + (row[1:] != row[:-1]).sum())
                out.update(both(np.array(counts), count))
            elif size <= 200:
                ways = {}
                for a in range(1, above + 1):  # So many runs above, and one less, as many or one more below.
                    for b, orders in ((a - 1, 1), (a, 2), (a + 1, 1)):
                        if 1 <= b <= below:
                            ways[a + b] = ways.get(a + b, 0) + orders * math.comb(above - 1, a - 1) * math.comb(below - 1, b - 1)
                assert sum(ways.values()) == math.comb(size, above)
                out.update(less=float(Fraction(sum(w for r, w in ways.items() if r <= count), math.comb(size, above))),
                           greater=float(Fraction(sum(w for r, w in ways.items() if r >= count), math.comb(size, above))))
            else:
                mu = 1 + 2 * above * below / size
                sd = math.sqrt((mu - 1) * (mu - 2) / (size - 1))
                out.update(less=st.norm.cdf((count + 0.5 - mu) / sd), greater=st.norm.sf((count - 0.5 - mu) / sd))
        if len(set(x)) > 1:
            plain = len(set(x)) == n and n <= 50
            p = [st.kendalltau(np.arange(n), x, method="exact" if plain else "asymptotic", alternative=a) for a in ("less", "greater")]
            out.update(tau=p[0].statistic, falls=p[0].pvalue, rises=p[1].pvalue)
        yield out


GENERATORS = (signed_rank, mann_whitney, rank_ratio, worst_rank, censored, censored_shift, drift)
