#!/usr/bin/python3
"""Makes the values that the tests of stats/ compare with: 200 random cases each, from SciPy or an independent route.

    python3 tests/stats/oracle/make_oracle.py [SET…]     (needs numpy, scipy and statsmodels)

Writes SET.json beside it, of the sets of rank_tests.py and designs.py that are named, or of all. Name the set that you add:
another version of SciPy changes last digits of others, and some versions cannot make all of them.

Where SciPy has the statistic it is asked (`ttest_*`, `linregress`, `quantile`, `nct`, `t`). Where it has not, another
route than the code under test is taken:
  Fieller             the roots in r of |t statistic of t - r*c| = t quantile, by brentq, not the closed quadratic
  contrast of cells   explicit formula; for one cell per arm it is checked here against ttest_ind
  slopes with strata  normal equations in exact rational arithmetic; for one stratum checked here against linregress
  BCa                 xoshiro256** and its index draw written again in Python give the same resampled indices as the
                      code; SciPy's own BCa step is then fed those replicates, so the whole interval must agree
  Holm                the definition, as a minimum over explicit sets, not the sorted running maximum
  equivalence power   scipy.integrate.quad over the chi density
  rank tests          SciPy's `wilcoxon` and `mannwhitneyu`, exact without ties and normal for large samples; with ties,
                      zeros, failed runs or censoring all flips of signs or exchanges of labels are listed and counted.
                      Intervals: every gap between the places where ranks change is tested, no bisection; without ties
                      the order statistic that the null distribution (by polynomials, SciPy's `_mwu_state`) names
  Gehan               listed as above; large samples by the permutation variance in exact arithmetic, by `mannwhitneyu`
                      where nothing is censored
  drift               runs: all arrangements listed, else compositions counted in whole numbers; Kendall: `kendalltau`
  proportions         `fisher_exact`, `binomtest`; Newcombe's formulas from SciPy's Wilson ends, p by brentq
  false discovery     the definition: the smallest q at which the step-up procedure rejects
  crossings           the union of the null hypotheses that the p is the largest of, not the best pair
  sequential          one Gauss-Legendre rule of 400 nodes per look on SciPy's densities and brentq, not panels and
                      bisection; checked for two looks against SciPy's bivariate normal
  nested              sums of squares in exact rational arithmetic, checked against f_oneway
  outliers            `median_abs_deviation`, and NumPy's mean where it is 0
  equal values        `poisson`
  anytime             quadrature over SciPy's noncentral t, not the closed form; interval ends by brentq
  heterogeneity       `combine_effects` of statsmodels, and the prediction interval's formula
  share powers        every outcome listed, decided by Newcombe's formula and SciPy's exact tests
  hedges              the expectation of 1/chi by quadrature
Those of rank_tests.py and designs.py have a seed each.
SciPy's t.ppf is right to 2e-9 only; its roots are polished here with its t.cdf, which is right to 1e-15.
"""
import itertools
import json
import math
import os
import sys
from fractions import Fraction

import numpy as np
from scipy import integrate, optimize
from scipy import stats as st
from scipy.stats import _resampling

import designs
import rank_tests

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = 200
rng = np.random.default_rng(20240717)


def write(name, cases):
    def clean(x):
        if isinstance(x, dict):
            return {k: clean(v) for k, v in x.items()}
        if isinstance(x, (list, tuple, np.ndarray)):
            return [clean(v) for v in x]
        if isinstance(x, (np.floating, float)):
            assert not math.isnan(x), name
            return None if math.isinf(x) else float(x)
        if isinstance(x, (np.integer,)):
            return int(x)
        return x

    with open(os.path.join(HERE, name + ".json"), "w") as f:
        f.write('{"cases": [\n' + ",\n".join(json.dumps(clean(c)) for c in cases) + "\n]}\n")


def numbers(n, digits=6):
    """n values of a random scale, shape and location; rounded so that the files stay small."""
    scale = 10.0 ** rng.uniform(-3, 4)
    shape = rng.choice(["normal", "lognormal", "t3"])
    raw = {"normal": rng.standard_normal, "lognormal": lambda k: rng.lognormal(0, 1, k), "t3": lambda k: rng.standard_t(3, k)}[shape](n)
    return np.array([float(f"{v:.{digits}g}") for v in scale * (raw + rng.uniform(-3, 3))])


def t_ppf(p, df):
    x = st.t.ppf(p, df)
    for _ in range(4):
        error = st.t.cdf(x, df) - p if p < 0.5 else (1 - p) - st.t.sf(x, df)
        x -= error / st.t.pdf(x, df)
    return x


def descriptive():
    for _ in range(CASES):
        x = numbers(int(rng.integers(3, 40)))
        q = float(rng.uniform())
        yield dict(x=x, q=q, mean=np.mean(x), variance=np.var(x, ddof=1), sd=np.std(x, ddof=1), median=np.median(x),
                   quantile=np.quantile(x, q), skewness=st.skew(x, bias=False))


def distributions():
    for i in range(CASES):
        x, df, nc = float(rng.uniform(-8, 8)), float(10 ** rng.uniform(0, 2.5)), float(rng.uniform(-6, 6))
        if i % 4 == 0:  # far from zero, where series are slow
            nc *= 10
            x = nc * float(rng.uniform(0.5, 1.5))
        p = float(rng.uniform(0.0001, 0.9999))
        yield dict(x=x, df=df, nc=nc, p=p, t_cdf=st.t.cdf(x, df), t_upper=st.t.sf(x, df), t_quantile=t_ppf(p, df),
                   normal_cdf=st.norm.cdf(x), normal_quantile=st.norm.ppf(p), chi2_quantile=st.chi2.ppf(p, df),
                   nct_upper=nct_upper(x, df, nc))


def nct_upper(x, df, nc):
    """P(T > x) by its definition, an integral over the chi density; SciPy's own is checked against it where it works."""
    def f(s):
        return st.norm.sf(x * s - nc) * st.chi.pdf(s * math.sqrt(df), df) * math.sqrt(df)
    mode = math.sqrt(max(df - 1, 0.01) / df)
    width = 1 / math.sqrt(2 * df)
    cuts = [max(0.0, mode - 14 * width), max(0.0, mode - 3 * width), mode, mode + 3 * width, mode + 14 * width]
    value = sum(integrate.quad(f, a, b, epsabs=1e-15, epsrel=1e-13, limit=400)[0] for a, b in zip(cuts, cuts[1:]) if b > a)
    theirs = st.nct.sf(x, df, nc)
    if not math.isnan(theirs) and value > 1e-9:
        assert abs(theirs - value) <= 1e-8, (x, df, nc, theirs, value)
    return value


def pvalues(estimate, se, df):
    t = estimate / se
    return dict(less=st.t.cdf(t, df), greater=st.t.sf(t, df), two=2 * st.t.sf(abs(t), df))


def paired():
    for _ in range(CASES):
        n = int(rng.integers(2, 30))
        t = numbers(n)
        c = np.array([float(f"{v:.6g}") for v in 0.8 * t + np.std(t) * rng.standard_normal(n)])
        ratio, shift, level = round(float(rng.uniform(0.2, 1.8)), 3), float(np.std(t) * rng.uniform(-0.5, 0.5)), round(float(rng.uniform(0.5, 0.999)), 4)
        d = t - ratio * c
        r = st.ttest_1samp(d, shift)
        ci = r.confidence_interval(level)
        reach = t_ppf(0.5 + level / 2, n - 1) * st.sem(d)
        assert abs(ci.high - d.mean() - reach) < 1e-7 * reach
        yield dict(t=t, c=c, ratio=ratio, shift=shift, level=level, estimate=d.mean() - shift,
                   se=st.sem(d), df=n - 1, less=st.ttest_1samp(d, shift, alternative="less").pvalue,
                   greater=st.ttest_1samp(d, shift, alternative="greater").pvalue, two=r.pvalue,
                   low=d.mean() - shift - reach, high=d.mean() - shift + reach)


def cell_contrast(ts, cs, ratio, shift):
    parts, estimate = [], -shift
    for cells, factor in ((ts, 1.0), (cs, -ratio)):
        for cell in cells:
            w = factor / len(cells)
            estimate += w * np.mean(cell)
            parts.append((w * w * np.var(cell, ddof=1) / len(cell), len(cell) - 1))
    v = sum(p for p, _ in parts)
    return estimate, math.sqrt(v), v * v / sum(p * p / f for p, f in parts)


def independent():
    for i in range(CASES):
        k = 1 if i % 3 == 0 else int(rng.integers(2, 5))
        base = numbers(1)[0]
        spread = abs(base) * rng.uniform(0.05, 1) + 0.1
        draw = lambda: np.array([float(f"{v:.6g}") for v in base + spread * (rng.uniform(-1, 1) + rng.uniform(0.2, 3) * rng.standard_normal(int(rng.integers(2, 12))))])
        ts, cs = [draw() for _ in range(k)], [draw() for _ in range(k)]
        ratio, shift, level = round(float(rng.uniform(0.2, 1.8)), 3), float(spread * rng.uniform(-0.5, 0.5)), round(float(rng.uniform(0.5, 0.999)), 4)
        e, se, df = cell_contrast(ts, cs, ratio, shift)
        if k == 1:
            e1, se1, df1 = cell_contrast(ts, cs, 1, 0)
            assert abs(st.ttest_ind(ts[0], cs[0], equal_var=False).pvalue - pvalues(e1, se1, df1)["two"]) < 1e-12
        reach = t_ppf(0.5 + level / 2, df) * se
        yield dict(t=ts, c=cs, ratio=ratio, shift=shift, level=level, estimate=e, se=se, df=df, low=e - reach, high=e + reach, **pvalues(e, se, df))


def fieller_roots(statistic, quantile, control_t, control_q, centre):
    """[low, high] of {r : |statistic(r)| <= quantile(r)}; None, None when the control does not differ from zero."""
    if abs(control_t) <= control_q or not math.isfinite(centre):
        return None, None
    f = lambda r: abs(statistic(r)) - quantile(r)
    ends = []
    for sign in (-1, 1):
        inner, step = centre, max(abs(centre), 1e-3) * 1e-3
        while f(centre + sign * step) <= 0:
            inner, step = centre + sign * step, step * 2
        ends.append(optimize.brentq(f, inner, centre + sign * step, xtol=1e-300, rtol=8.9e-16, maxiter=1000))
    return ends[0], ends[1]


def fieller():
    for i in range(CASES):
        level = round(float(rng.uniform(0.8, 0.99)), 4)
        cv = 10 ** rng.uniform(-2, 0.6)
        sign = rng.choice([-1, 1])
        draw = lambda n, m: np.array([float(f"{v:.6g}") for v in sign * m * (1 + cv * rng.standard_normal(n))])
        if i % 2 == 0:
            n = int(rng.integers(3, 25))
            shared = rng.standard_normal(n)
            c, t = draw(n, 10) + shared, draw(n, float(rng.uniform(2, 20))) + shared
            q = t_ppf(0.5 + level / 2, n - 1)
            stat = lambda r: st.ttest_1samp(t - r * c, 0).statistic
            low, high = fieller_roots(stat, lambda r: q, st.ttest_1samp(c, 0).statistic, q, t.mean() / c.mean())
            yield dict(kind="paired", t=t, c=c, level=level, low=low, high=high)
        else:
            k = int(rng.integers(1, 4))
            ts = [draw(int(rng.integers(3, 12)), float(rng.uniform(2, 20))) for _ in range(k)]
            cs = [draw(int(rng.integers(3, 12)), 10) for _ in range(k)]
            def stat(r):
                e, se, _ = cell_contrast(ts, cs, r, 0)
                return e / se
            quantile = lambda r: t_ppf(0.5 + level / 2, cell_contrast(ts, cs, r, 0)[2])
            v = [(np.var(x, ddof=1) / len(x) / k**2, len(x) - 1) for x in cs]
            total = sum(p for p, _ in v)
            own_df = total**2 / sum(p * p / f for p, f in v)
            mean_c = np.mean([x.mean() for x in cs])
            low, high = fieller_roots(stat, quantile, mean_c / math.sqrt(total), t_ppf(0.5 + level / 2, own_df), np.mean([x.mean() for x in ts]) / mean_c)
            yield dict(kind="independent", t=ts, c=cs, level=level, low=low, high=high)


def regression():
    for i in range(CASES):
        k = 1 if i % 3 == 0 else int(rng.integers(2, 4))
        xs = np.array([float(f"{v:.6g}") for v in np.sort(rng.uniform(0, 10, int(rng.integers(2, 5))))])
        noise, scale = rng.uniform(0.01, 2), 10 ** rng.uniform(-3, 3)
        strata = []
        for _ in range(k):
            x = np.repeat(xs, rng.integers(2, 5, len(xs)))
            strata.append((x, np.array([float(f"{v:.6g}") for v in scale * (rng.uniform(-2, 2) + rng.uniform(-2, 2) * x + noise * rng.standard_normal(len(x)))])))
        slopes, squares, inverse = [], Fraction(0), Fraction(0)
        for x, y in strata:
            x, y = [Fraction(float(v)) for v in x], [Fraction(float(v)) for v in y]
            mx, my = sum(x) / len(x), sum(y) / len(y)
            sxx = sum((u - mx) ** 2 for u in x)
            b = sum((u - mx) * (v - my) for u, v in zip(x, y)) / sxx
            squares += sum((v - my - b * (u - mx)) ** 2 for u, v in zip(x, y))
            inverse += 1 / sxx
            slopes.append(b)
        df = sum(len(x) for x, _ in strata) - 2 * k
        s2 = float(squares / df)
        slope, se = float(sum(slopes) / k), math.sqrt(squares / df * inverse) / k
        if k == 1:
            r = st.linregress(*strata[0])
            assert abs(r.slope - slope) < 1e-9 * scale and abs(r.stderr - se) < 1e-9 * scale
        yield dict(strata=[dict(x=x, y=y) for x, y in strata], slope=slope, se=se, df=df, residual_variance=s2)


MASK = 2**64 - 1


class Xoshiro:
    def __init__(self, seed):
        self.s = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & MASK
            z = seed
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            self.s.append(z ^ (z >> 31))

    def next(self):
        rotl = lambda v, k: ((v << k) | (v >> (64 - k))) & MASK
        s = self.s
        result = (rotl((s[1] * 5) & MASK, 7) * 9) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
        return result

    def below(self, n):
        return ((self.next() >> 32) * n) >> 32


def bca():
    for i in range(CASES):
        kind = ["paired", "unpaired", "slope"][i % 3]
        if kind == "paired":
            samples, weights = [numbers(int(rng.integers(4, 30)))], [1.0]
        elif kind == "unpaired":
            samples, weights = [numbers(int(rng.integers(3, 20))) for _ in range(2)], [1.0, -1.0]
        else:
            xs = np.array([1.0, 2.0, 4.0])
            y = numbers(9).reshape(3, 3)
            samples, sxx = list(y), 3 * ((xs - xs.mean()) ** 2).sum()
            weights = list(3 * (xs - xs.mean()) / sxx)
        seed, resamples, level = int(rng.integers(0, 2**62)), 400, round(float(rng.uniform(0.7, 0.99)), 4)
        random = Xoshiro(seed)
        replicates = np.zeros(resamples)
        for b in range(resamples):
            replicates[b] = sum(w * np.mean(s[[random.below(len(s)) for _ in s]]) for s, w in zip(samples, weights))
        statistic = lambda *data, axis: sum(w * np.mean(d, axis=axis) for d, w in zip(data, weights))
        estimate = float(statistic(*samples, axis=-1))
        # A resample that is the sample itself ties with the estimate, whatever the order of summation.
        replicates[np.abs(replicates - estimate) <= 1e-11 * np.max(np.abs(np.concatenate(samples)))] = estimate
        a1, a2, a_hat = _resampling._bca_interval(samples, statistic, -1, (1 - level) / 2, replicates, None)
        z0 = st.norm.ppf(((replicates < estimate).sum() + (replicates <= estimate).sum()) / (2 * resamples))
        low, high = np.percentile(replicates, [100 * float(a1), 100 * float(a2)])
        yield dict(kind=kind, samples=samples, weights=weights, seed=seed, resamples=resamples, level=level, estimate=estimate,
                   bias=z0, acceleration=float(a_hat), low=low, high=high)
    first = Xoshiro(42)
    yield dict(kind="generator", seed=42, words=[str(first.next()) for _ in range(8)])


def holm():
    for i in range(CASES):
        b = int(rng.integers(1, 7))
        family = b + (0 if i % 2 else int(rng.integers(0, 6)))
        alpha = float(rng.choice([0.01, 0.05, 0.1]))
        p = np.round(rng.beta(0.3, 2, b), int(rng.integers(2, 8)))
        share = b / family
        # Closed testing: the adjusted p is the largest Bonferroni p of any set of hypotheses that holds this one.
        adjusted = []
        for j in range(b):
            worst = 0.0
            for size in range(1, b + 1):
                for subset in itertools.combinations(range(b), size):
                    if j in subset:
                        worst = max(worst, min(1.0, size * min(p[list(subset)]) / share))
            adjusted.append(worst)
        yield dict(p=p, family=family, alpha=alpha, adjusted=adjusted)


def equivalence(above, below, df, alpha):
    q = t_ppf(1 - alpha, df)
    stop = (above + below) / (2 * q)
    f = lambda s: max(0.0, st.norm.cdf(below - q * s) - st.norm.cdf(q * s - above)) * st.chi.pdf(s * math.sqrt(df), df) * math.sqrt(df)
    cuts = [0.0] + [c for c in (1 - 3 / math.sqrt(2 * df), 1.0, 1 + 3 / math.sqrt(2 * df)) if 0 < c < stop] + [stop]
    cuts = [c for c in cuts if c <= min(stop, 1 + 14 / math.sqrt(2 * df))] + ([1 + 14 / math.sqrt(2 * df)] if stop > 1 + 14 / math.sqrt(2 * df) else [])
    return sum(integrate.quad(f, a, b, epsabs=1e-14, epsrel=1e-12, limit=500)[0] for a, b in zip(cuts, cuts[1:]))


def power():
    for _ in range(CASES):
        d, n, alpha = round(float(rng.uniform(0.1, 2)), 3), int(rng.integers(2, 60)), float(rng.choice([0.05, 0.025, 0.0125, 0.0025]))
        def one(nc, df):
            return nct_upper(t_ppf(1 - alpha, df), df, nc)
        def two(nc, df):
            q = t_ppf(1 - alpha / 2, df)
            return nct_upper(q, df, nc) + nct_upper(q, df, -nc)
        pair, each = (d * math.sqrt(n), n - 1), (d * math.sqrt(n / 2), 2 * n - 2)
        above, below = float(rng.uniform(0.5, 6)), float(rng.uniform(0.5, 6))
        yield dict(d=d, n=n, alpha=alpha, one_sample_one=one(*pair), one_sample_two=two(*pair), two_sample_one=one(*each),
                   two_sample_two=two(*each), above=above, below=below, equivalence=equivalence(above, below, n, alpha))


def stein():
    for _ in range(CASES):
        variance, df, distance = float(10 ** rng.uniform(-3, 3)), int(rng.integers(2, 40)), float(10 ** rng.uniform(-2, 1))
        alpha, n = float(rng.choice([0.05, 0.025, 0.0125])), int(rng.integers(2, 100))
        q1, q2 = t_ppf(1 - alpha, df), t_ppf(1 - alpha / 2, df)
        s = math.sqrt(variance)
        at = distance * math.sqrt(n) / s
        final_df = int(rng.integers(2, 100))
        # Averaged over the pilot's chi: the final test's noncentrality is at * w, its statistic normal around that.
        fresh_one, fresh_two = (1 - nct_upper(at, df, t_ppf(1 - a, final_df)) for a in (alpha, alpha / 2))
        yield dict(variance=variance, df=df, distance=distance, alpha=alpha, n=n, final_df=final_df, fresh_one=fresh_one,
                   fresh_two=fresh_two, fresh_equivalence=max(0.0, 2 * fresh_one - 1), power_one=st.t.cdf(at - q1, df), power_two=st.t.cdf(at - q2, df), power_equivalence=max(0.0, 2 * st.t.cdf(at - q1, df) - 1))


OWN_SEED = (*rank_tests.GENERATORS, *designs.GENERATORS)
ONE_SEED = (descriptive, distributions, paired, independent, fieller, regression, bca, holm, power, stein)

unknown = set(sys.argv[1:]) - {maker.__name__ for maker in OWN_SEED}
if unknown:
    sys.exit(f"no set with a seed of its own: {', '.join(sorted(unknown))}")
for maker in OWN_SEED if sys.argv[1:] else ONE_SEED + OWN_SEED:
    if not sys.argv[1:] or maker.__name__ in sys.argv[1:]:
        write(maker.__name__, list(maker()))
