"""Cases for proportions, false discovery, crossings, sequential boundaries and nested units. Each generator has a seed of its
own."""
import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import integrate, optimize
from scipy import stats as st
from statsmodels.stats.proportion import proportion_confint

CASES = 200


def wilson(k, n, z):
    """By SciPy, the level being that of z."""
    ci = st.binomtest(k, n).proportion_ci(1 - 2 * st.norm.sf(z), method="wilson")
    return (0.0 if k == 0 else ci.low), (1.0 if k == n else ci.high)


def newcombe(t, c, phi, z):
    p, q, (l1, u1), (l2, u2) = t[0] / t[1], c[0] / c[1], wilson(*t, z), wilson(*c, z)
    add = lambda a, b: math.sqrt(max(0.0, a * a - 2 * phi * a * b + b * b))
    return p - q - add(p - l1, u2 - q), p - q + add(u1 - p, q - l2)


def proportions():
    rng = np.random.default_rng(201)
    for i in range(CASES):
        level = float(rng.choice([0.8, 0.9, 0.95, 0.99]))
        z = float(st.norm.ppf(0.5 + level / 2))
        if i % 2 == 0:
            n, m = (int(v) for v in rng.integers(1, 200 if i % 4 else 15, 2))
            t, c, phi = (int(rng.integers(0, n + 1)), n), (int(rng.integers(0, m + 1)), m), 0.0
            table = [[t[0], n - t[0]], [c[0], m - c[0]]]
            p = [st.fisher_exact(table, alternative=a)[1] for a in ("less", "greater", "two-sided")]
            out = dict(paired=False, t=t, c=c)
        else:
            a, b, f, d = (int(v) for v in rng.integers(0, 40 if i % 4 == 1 else 6, 4))
            if a + b + f + d == 0:
                d = 1
            n = a + b + f + d
            t, c = (a + b, n), (a + f, n)
            product = (a + b) * (f + d) * (a + f) * (b + d)
            cross = a * d - b * f
            phi = 0.0 if product == 0 else (max(0.0, cross - n / 2) if cross > 0 else cross) / math.sqrt(product)
            p = [1.0] * 3 if b + f == 0 else [st.binomtest(b, b + f, 0.5, alternative=x).pvalue for x in ("less", "greater", "two-sided")]
            out = dict(paired=True, cells=[a, b, f, d])
        low, high = newcombe(t, c, phi, z)
        # The one-sided p of a place inside the interval at this level, by the normal quantile whose end it is.
        at = round(low + 0.3 * (t[0] / t[1] - c[0] / c[1] - low), 3)
        end = lambda q: newcombe(t, c, phi, q)[0] - at
        beyond = None
        if at < t[0] / t[1] - c[0] / c[1] and end(1e-9) > 0 > end(8):
            beyond = st.norm.sf(optimize.brentq(end, 1e-9, 8, xtol=1e-14, rtol=1e-14))
        yield dict(out, level=level, less=p[0], greater=p[1], two=min(1.0, p[2]), phi=phi,
                   low=max(-1.0, low), high=min(1.0, high), at=at, p_at=beyond)


def share_intervals():
    """Wilson's interval by SciPy and by statsmodels, which agree."""
    rng = np.random.default_rng(213)
    for i in range(CASES):
        level = float(rng.choice([0.8, 0.9, 0.95, 0.99]))
        n = int(rng.integers(1, (8, 60, 1000)[i % 3]))
        k = (0, n, int(rng.integers(0, n + 1)))[min(2, i % 7)]
        ci = st.binomtest(k, n).proportion_ci(level, method="wilson")
        low, high = proportion_confint(k, n, 1 - level, method="wilson")
        assert abs(low - ci.low) < 1e-12 and abs(high - ci.high) < 1e-12
        yield dict(k=k, n=n, level=level, low=0.0 if k == 0 else ci.low, high=1.0 if k == n else ci.high)


def share_contrasts():
    """treatment - ratio·control by Zou & Donner's formula; the interval of treatment / control by brentq on its ends."""
    rng = np.random.default_rng(206)
    for i in range(CASES):
        level, ratio = float(rng.choice([0.8, 0.9, 0.95, 0.99])), float(rng.choice([0.25, 0.5, 0.9, 1.2, 2]))
        z = float(st.norm.ppf(0.5 + level / 2))
        a, b, f, d = (int(v) for v in rng.integers(0, 30 if i % 4 else 5, 4))
        n = max(1, a + b + f + d)
        if a + b + f + d == 0:
            d = 1
        if i % 2:
            t, c = (a + b, n), (a + f, n)
            product = (a + b) * (f + d) * (a + f) * (b + d)
            cross = a * d - b * f
            phi = 0.0 if product == 0 else (max(0.0, cross - n / 2) if cross > 0 else cross) / math.sqrt(product)
        else:
            t, c, phi = (a, a + b + 1), (f, f + d + 1), 0.0
        p, q, (l1, u1), (l2, u2) = t[0] / t[1], c[0] / c[1], wilson(*t, z), wilson(*c, z)
        add = lambda x, y: math.sqrt(max(0.0, x * x - 2 * phi * x * y + y * y))
        low = lambda r: p - r * q - add(p - l1, r * (u2 - q))
        high = lambda r: p - r * q + add(u1 - p, r * (q - l2))
        def root(end):
            if t[0] == 0 and c[0] == 0:
                return None
            if end(0.0) <= 0:
                return 0.0
            return optimize.brentq(end, 0.0, 1e6, xtol=1e-15, rtol=1e-14) if end(1e6) < 0 else None
        yield dict(paired=bool(i % 2), cells=[a, b, f, d], t=t, c=c, level=level, ratio=ratio, estimate=p - ratio * q,
                   low=max(-ratio, low(ratio)), high=min(1.0, high(ratio)), ratio_low=root(low), ratio_high=root(high))


def benjamini_hochberg():
    """By definition: the smallest q among all m·p/j at which the step-up procedure rejects."""
    rng = np.random.default_rng(202)
    for _ in range(CASES):
        m = int(rng.integers(1, 9))
        p = np.round(rng.beta(0.4, 1.5, m), int(rng.integers(1, 6)))
        candidates = sorted({min(1.0, m * v / j) for v in p for j in range(1, m + 1)} | {1.0})
        def rejects(q, v):
            passed = [j for j in range(1, m + 1) if sorted(p)[j - 1] * m / j <= q]
            return q >= 1 or (bool(passed) and v <= sorted(p)[max(passed) - 1])
        yield dict(p=p, adjusted=[next(q for q in candidates if rejects(q, v)) for v in p])


def crossings():
    rng = np.random.default_rng(203)
    for i in range(CASES):
        levels = int(rng.integers(2, 6))
        less = np.round(rng.beta(0.3, 0.3, levels), 4)
        greater = np.round(np.clip(1 - less + (i % 2) * rng.uniform(0, 0.05, levels), 0, 1), 4)
        capped = lambda ps: min([1.0] + [len(ps) * float(v) for v in ps])
        # The union of the null hypotheses "not below 0 before k, not above 0 after k": the largest of their Bonferroni p.
        rising = max(capped([*less[:m], *greater[m + 1:]]) for m in range(levels))
        falling = max(capped([*greater[:m], *less[m + 1:]]) for m in range(levels))
        # Every way to give each level a sign without the change that is asked for.
        def none(crosses):
            ways = [s for s in itertools.product((-1, 1), repeat=levels) if not crosses(s)]
            return capped([max(greater[i] if s[i] > 0 else less[i] for i in range(levels)) for s in ways])
        pairs = lambda s: {(s[i], s[j]) for i in range(levels) for j in range(i + 1, levels)}
        no_rising, no_falling = none(lambda s: (-1, 1) in pairs(s)), none(lambda s: (1, -1) in pairs(s))
        no_either = none(lambda s: len(set(s)) > 1)
        yield dict(less=less, greater=greater, rising=rising, falling=falling, either=max(capped(less), capped(greater)),
                   no_rising=no_rising, no_falling=no_falling, no_either=no_either)


def spent(kind, t, alpha):
    return 2 * st.norm.sf(st.norm.isf(alpha / 2) / math.sqrt(t)) if kind == "obrien_fleming" else alpha * math.log(1 + (math.e - 1) * t)


GAUSS = np.polynomial.legendre.leggauss(400)


def first_crossing(bounds, fractions, sides):
    """P(first crossing at the last look): one Gauss-Legendre rule of 400 nodes over each continuation region."""
    x, mass, before = np.zeros(1), np.ones(1), 0.0
    for bound, t in zip(bounds[:-1], fractions):
        top = min(bound, 12) * math.sqrt(t)
        low = -top if sides == 2 else -12 * math.sqrt(t)
        nodes = (top + low) / 2 + (top - low) / 2 * GAUSS[0]
        density = st.norm.pdf(nodes[:, None], x[None, :], math.sqrt(t - before)) @ mass
        x, mass, before = nodes, density * GAUSS[1] * (top - low) / 2, t
    sd, reach = math.sqrt(fractions[len(bounds) - 1] - before), bounds[-1] * math.sqrt(fractions[len(bounds) - 1])
    tail = st.norm.sf(reach, x, sd) + (st.norm.cdf(-reach, x, sd) if sides == 2 else 0)
    return float(tail @ mass)


def sequential():
    rng = np.random.default_rng(204)
    for i in range(CASES):
        looks, sides = int(rng.integers(1, 6)), 1 + i % 2
        kind = ("obrien_fleming", "obrien_fleming", "pocock")[i % 3]
        alpha = float(rng.choice([0.05, 0.025, 0.01, 0.0025, 0.1]))
        fractions = [round(float(v), 2) for v in np.sort(rng.choice(np.arange(10, 100, 5), looks - 1, replace=False)) / 100] + [1.0 if i % 5 else 0.99]
        if i % 7 == 0:
            fractions = [round((k + 1) / looks, 4) for k in range(looks)]
        bounds, total = [], 0.0
        for k, t in enumerate(fractions):
            now = sides * spent(kind, t, alpha / sides)
            f = lambda b: math.log(max(first_crossing(bounds + [b], fractions, sides), 1e-300) / (now - total))
            bounds.append(st.norm.isf(now / sides) if k == 0 else optimize.brentq(f, 0.01, 15, xtol=1e-13, rtol=1e-13))
            total = now
        if looks > 1:  # SciPy's bivariate normal for the first two looks.
            r = math.sqrt(fractions[0] / fractions[1])
            b = np.array(bounds[:2])
            mvn = st.multivariate_normal([0, 0], [[1, r], [r, 1]])
            inside = mvn.cdf(b)
            if sides == 2:
                inside += mvn.cdf(-b) - mvn.cdf([b[0], -b[1]]) - mvn.cdf([-b[0], b[1]])
            assert abs(1 - inside - sides * spent(kind, fractions[1], alpha / sides)) < 1e-6, (fractions, bounds)
        yield dict(kind=kind, alpha=alpha, sides=sides, fractions=fractions, critical=bounds, spent=total)


def nested():
    rng = np.random.default_rng(205)
    for _ in range(CASES):
        spread = rng.uniform(0, 3)
        k = int(rng.integers(2, 7))
        t = [np.round(5 + spread * rng.standard_normal() + rng.standard_normal(int(rng.integers(1, 6))), 2) for _ in range(k)]
        exact = [[Fraction(str(v)) for v in u] for u in t]
        everything = [v for u in exact for v in u]
        n, grand = len(everything), sum(everything) / len(everything)
        inside = sum((v - sum(u) / len(u)) ** 2 for u in exact for v in u)
        outside = sum((v - grand) ** 2 for v in everything) - inside
        between = within = share = None
        if n > k:
            msw, msb = inside / (n - k), outside / (k - 1)
            n0 = (n - Fraction(sum(len(u) ** 2 for u in exact), n)) / (k - 1)
            between, within = float(max(Fraction(0), (msb - msw) / n0)), float(msw)
            share = between / (between + within) if between + within > 0 else None
            if msw > 0:
                assert abs(st.f_oneway(*t).statistic - float(msb / msw)) < 1e-8 * float(msb / msw + 1)
        yield dict(t=t, between=between, within=within, intraclass=share)


def outliers():
    """SciPy's median_abs_deviation; every fifth sample has more than half of its values alike, so that it is 0."""
    own = np.random.default_rng(20261)
    for i in range(CASES):
        x = own.normal(own.uniform(-5, 5), 10.0 ** own.uniform(-3, 3), int(own.integers(2, 40)))
        x[: 1 + len(x) // 8] += own.uniform(0, 30) * np.std(x)
        x = np.array([float(f"{v:.6g}") for v in x])
        if i % 5 == 0:
            x[: len(x) // 2 + 1] = x[0]
        middle = np.median(x)
        mad, average = st.median_abs_deviation(x), np.mean(np.abs(x - middle))
        if average == 0:
            scores = None
        else:
            scores = 0.6745 * (x - middle) / mad if mad > 0 else (x - middle) / (1.253314 * average)
        yield dict(x=x, scores=scores)


def equal_pairs():
    """Poisson by SciPy."""
    rng = np.random.default_rng(304)
    for _ in range(CASES):
        n, pairs, sd, step = int(rng.integers(2, 60)), int(rng.integers(1, 6)), float(10 ** rng.uniform(-3, 1)), float(10 ** rng.uniform(-6, 0))
        mean = n * (n - 1) / 2 * min(1.0, step * st.norm.pdf(0) / (sd * math.sqrt(2)))
        yield dict(n=n, pairs=pairs, sd=sd, step=step, p=st.poisson.sf(pairs - 1, mean))


def half_normal_ratio(t, df, side):
    """Likelihood ratio of the t statistic, by quadrature over the effect on one side; `side` is -1 or 1."""
    n = df + 1
    null = st.t.logpdf(t, df)
    density = lambda d: math.exp(st.nct.logpdf(t, df, side * d * math.sqrt(n)) - null) * 2 * st.norm.pdf(d)
    # The integrand has its peak near |t|/sqrt(n) where t lies on that side.
    peak = max(0.0, side * t / math.sqrt(n))
    width = 6 / math.sqrt(n)
    cuts = sorted({0.0, max(0.0, peak - width), peak, peak + width, 9.0 + peak})
    return sum(integrate.quad(density, a, b, epsabs=0, epsrel=1e-11, limit=400)[0] for a, b in zip(cuts, cuts[1:]) if b > a)


def anytime():
    """1 / the likelihood ratio by quadrature over SciPy's noncentral t; interval ends by brentq on it."""
    rng = np.random.default_rng(401)
    for _ in range(CASES):
        df, t = int(rng.integers(3, 60)), float(rng.normal() * 2.5)
        level = float(rng.choice([0.8, 0.9, 0.95]))
        a = (1 - level) / 2
        p = lambda x: min(1.0, 1 / half_normal_ratio(x, df, -1))
        reach = None
        if 0.5 * (df + 2) ** (-df / 2) < a * 0.999:
            reach = optimize.brentq(lambda c: math.log(p(-c)) - math.log(a), 1e-3, 60, xtol=1e-12, rtol=1e-12)
        yield dict(df=df, t=t, level=level, less=p(t), greater=min(1.0, 1 / half_normal_ratio(t, df, 1)), reach=reach,
                   nominal=0.0 if reach is None else st.t.sf(reach, df))


def heterogeneity():
    """`combine_effects` of statsmodels, with the method of moments; the prediction interval by its formula."""
    from statsmodels.stats.meta_analysis import combine_effects

    rng = np.random.default_rng(402)
    for _ in range(CASES):
        k = int(rng.integers(2, 20))
        errors = 10 ** rng.uniform(-1, 0.5, k)
        effects = rng.normal(3, float(rng.choice([0, 0.5, 3])), k) + rng.normal(size=k) * errors
        level = float(rng.choice([0.8, 0.9, 0.95]))
        r = combine_effects(effects, errors ** 2, method_re="chi2")
        tau2, mean, error = float(r.tau2), float(r.mean_effect_re), float(r.sd_eff_w_re)
        if tau2 < 0:  # statsmodels does not truncate it.
            tau2, mean, error = 0.0, float(r.mean_effect_fe), float(r.sd_eff_w_fe)
        i2 = max(0.0, 1 - (k - 1) / float(r.q))
        reach = None if k < 3 else st.t.ppf(0.5 + level / 2, k - 2) * math.sqrt(tau2 + error ** 2)
        yield dict(effects=effects, errors=errors, level=level, q=float(r.q), i2=i2, tau2=tau2, mean=mean, error=error,
                   low=None if reach is None else mean - reach, high=None if reach is None else mean + reach)


def share_powers():
    """Every pair of outcomes, decided by the Newcombe interval of Wilson's ends and by SciPy's exact tests."""
    rng = np.random.default_rng(404)
    for i in range(CASES):
        n, paired = int(rng.integers(2, 25)), bool(i % 2)
        t, c = round(float(rng.uniform(0.02, 0.98)), 3), round(float(rng.uniform(0.02, 0.98)), 3)
        ratio, shift = (1.0, 0.0) if i % 4 < 2 else (float(rng.choice([1, 0.8, 1.25])), round(float(rng.uniform(-0.3, 0.3)), 2))
        less, alpha = bool(rng.random() < 0.5), float(rng.choice([0.05, 0.025, 0.0125]))
        z = float(st.norm.isf(alpha))
        def decided(x, m, y, phi, exact):
            (l1, u1), (l2, u2) = wilson(x, m, z), wilson(y, m, z)
            p, q = x / m, y / m
            reach = lambda a, b: math.sqrt(max(0.0, a * a - 2 * phi * a * b + b * b))
            inside = (p - ratio * q + reach(u1 - p, ratio * (q - l2)) < shift if less
                      else p - ratio * q - reach(p - l1, ratio * (u2 - q)) > shift)
            return inside and (not (ratio == 1 and shift == 0) or exact() <= alpha * (1 + 1e-9))
        side, total = ("less" if less else "greater"), 0.0
        if not paired:
            for x in range(n + 1):
                for y in range(n + 1):
                    exact = lambda: st.fisher_exact([[x, n - x], [y, n - y]], alternative=side)[1]
                    if decided(x, n, y, 0.0, exact):
                        total += st.binom.pmf(x, n, t) * st.binom.pmf(y, n, c)
        else:
            only_t, only_c, both = t * (1 - c), c * (1 - t), t * c
            agree = both + (1 - t) * (1 - c)
            for x in range(n + 1):
                for y in range(n + 1 - x):
                    rest = n - x - y
                    a = math.floor(rest * both / agree + 0.5)
                    d = rest - a
                    cross, margins = a * d - x * y, math.sqrt((a + x) * (y + d)) * math.sqrt((a + y) * (x + d))
                    phi = 0.0 if margins == 0 else (max(0.0, cross - n / 2) if cross > 0 else cross) / margins
                    exact = lambda: 1.0 if x + y == 0 else st.binomtest(x, x + y, 0.5, alternative=side).pvalue
                    if decided(a + x, n, a + y, phi, exact):
                        total += st.multinomial.pmf([x, y, rest], n, [only_t, only_c, agree])
        yield dict(n=n, paired=paired, t=t, c=c, ratio=ratio, shift=shift, less=less, alpha=alpha, power=total)


def hedges():
    """The factor from the expectation of 1/chi, by quadrature."""
    rng = np.random.default_rng(403)
    for _ in range(CASES):
        df = float(rng.integers(2, 200)) if rng.random() < 0.7 else float(rng.uniform(1.5, 60))
        # E[sqrt(df)/chi] = 1/J
        inverse = integrate.quad(lambda x: math.sqrt(df) / x * st.chi.pdf(x, df), 0, np.inf, epsabs=0, epsrel=1e-11, limit=400)[0]
        yield dict(df=df, factor=1 / inverse)


GENERATORS = (proportions, share_intervals, share_contrasts, benjamini_hochberg, crossings, sequential, nested, outliers, equal_pairs, anytime, heterogeneity, hedges, share_powers)
