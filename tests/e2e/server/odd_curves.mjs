// Curves that a study may have and that are hard to draw, as answers of GET /studies/ID/curves.

/// By its name, the places and the values of each of its runs, and whether something can be drawn on linear axes.
const sets = {
  "no run": { x: [], runs: [], drawn: false },
  "one point": { x: [3], runs: [[5]], drawn: true },
  "one value everywhere": { x: [1, 2, 3], runs: [[7, 7, 7]], drawn: true },
  "zeros and negative values": { x: [-2, -1, 0, 1, 2], runs: [[-1, 0, 1, 0, -1], [0, 0, 0, 0, 0]], drawn: true },
  "nothing finite": { x: [1, 2], runs: [["NaN", "Infinity"]], drawn: false },
  // Longer than the blocks whose extremes are kept.
  "not finite from the middle on": { x: Array.from({ length: 200 }, (_, i) => i), runs: [Array.from({ length: 200 }, (_, i) => (i < 90 ? 2 - i / 90 : "NaN")), Array.from({ length: 200 }, (_, i) => 1 + i / 400)], drawn: true },
  "the greatest numbers": { x: [1, 2, 3], runs: [[-1.7e308, 0, 1.7e308], [1, 2, 3]], drawn: true },
  "the smallest numbers": { x: [5e-324, 1e-300, 1e-9], runs: [[5e-324, 1e-310, 2e-308]], drawn: true },
  "numbers without room between them": { x: [1e17, 1e17 + 16, 1e17 + 32], runs: [[1e17, 1e17 + 16, 1e17]], drawn: true },
  "a log axis that begins just below a power of ten": { x: [0.0961, 0.2, 0.5, 4], runs: [[0.0961, 30, 97, 0.5]], drawn: true },
  "forty decades": { x: Array.from({ length: 40 }, (_, i) => 10 ** (i - 20)), runs: [Array.from({ length: 40 }, (_, i) => 10 ** (20 - i))], drawn: true },
};

/// `like`: an answer of the study, for what is not about curves.
export function odd_answers(like) {
  return Object.entries(sets).map(([name, { x, runs, drawn }]) => {
    const of = (value) => runs.map((_, i) => value(i));
    const answer = {
      ...like, axis: "step", reduced: null, cursor: null, withheld: 0, x, y: runs, mean_x: [], mean: [],
      runs: { id: of((i) => `s9-r${i + 1}`), experiment: of(() => null), purpose: of(() => "search"), state: of(() => "succeeded"), evidence: of(() => false), seed: of((i) => i), factors: { lr: of((i) => i) }, points: of(() => x.length) },
    };
    return { name, drawn, answer };
  });
}
