// Sentences that pass, and sentences that do not, with the place where they fail.
#include <catch2/catch.hpp>

#include "tests/prose/sorting.h"

namespace {

using prose::Kind;

std::string all(const std::string& text, const std::vector<prose::Objection>& findings) {
  std::string words;
  for (const prose::Objection& finding : findings) words += prose::described(text, finding) + "\n";
  return words;
}

struct Bad {
  const char* text;
  Kind kind;
  const char* place;  ///< What the first finding points at.
};

}  // namespace

TEST_CASE("sentences that rest on what is known pass") {
  const prose::Facts facts = sorting();
  const char* const good[] = {
      "",
      "Quicksort sorts by partitioning.",
      "The effect is {{H1.effect}}, interval {{H1.interval}} at level {{H1.level}}.",
      "H1 is supported.",
      "I proposed three hypotheses.",
      "Five further hypotheses were proposed, and H1 is supported.",
      "We had proposed 3 distinct hypotheses.",
      "H1 is {{H1.verdict}}: the corrected p is {{H1.p_corrected}}.",
      "H2 is refuted, and H3 is inconclusive.",
      "H2 is not supported.",
      "H3 is neither supported nor refuted.",
      "The evidence supports H1 and refutes H2.",
      "Whether H5 is supported stays open.",
      "H1 would be refuted by an interval on the other side.",
      "Quick is faster than bubble (H1).",
      "On every n, quick is faster than bubble (H1).",
      "Bubble is slower than quick (H1).",
      "time_ms is lower under algorithm = quick than under algorithm = bubble (H1).",
      "time_ms is higher under bubble than under quick (H1).",
      "Quicksort outperforms bubble sort (H1).",
      "Bubble sort is outperformed by quicksort (H1).",
      "H1: quick takes less time than bubble.",
      "Under the treatment time_ms is lower (H1).",
      "Under the control time_ms is higher (H1).",
      "Compared with bubble, quick is faster (H1).",
      "Unlike bubble, quick is fast: H1 holds.",
      "Quick reduces time_ms compared with bubble (H1).",
      "Quick is not slower than bubble (H1).",
      "Quick is no slower than bubble (H1).",
      "Quick differs from bubble in time_ms (H1).",
      "Sorted and random input take the same time (H4).",
      "There is no difference in time_ms between sorted and random input (H4).",
      "Sorted input is as fast as random input (H4).",
      "Sorted input is neither faster nor slower than random input (H4).",
      "time_ms is identical under sorted and random input (H4).",
      "Merge is not faster than quick (H2).",
      "It is undecided whether merge is faster than bubble (H3).",
      "Runs used n = 500, 1000 and 2000.",
      "We ran n of 500, 1000 or 2000.",
      "Lists of n = 2000 were drawn anew.",
      "Here n is 1,000.",
      "The learning rate was lr = 3e-4.",
      "The learning rate was lr = 0.0003.",
      "At alpha = 0.05 the family has slots for all.",
      "A significance level of 5 % was shared by a family of 4.",
      "At the 5 % level.",
      "The 95 % interval is two-sided.",
      "A margin of 50 % was registered for H1.",
      "The margin was 1.5 ms.",
      "Every cell had 12 replicates.",
      "A constant of repeats = 8 applied.",
      "dtype = double was used throughout.",
      "Double precision was used throughout.",
      "The model gpt-4 and the model resnet50 were compared.",
      "E01 was registered before its runs; s1-r12 failed; see N02 and C01.",
      "Hashes are SHA256, text is utf8, numbers are float64.",
      "See Section 3.2, Table 2 and Figure 4.",
      "The 2nd run of each pair came first as often as last.",
      "The first arm, the second arm and the third arm were interleaved.",
      "A one-sided test, a two-sided interval, and Stein's two-stage rule.",
      "As shown by @knuth1998, and in [@smith_2020; @bentley:engineering].",
      "Lists are sorted in place [@knuth1998, p. 73].",
      "As \\cite{knuth1998, smith_2020} say.",
      "Mail to someone@example.org about it.",
      "See https://example.org/2020/12/report-3.7.html for more.",
      "Both arms had one seed in common, and no one looked before the end.",
      "It was run once, and every cell was filled.",
      "Its work is O(n²), or n log n.",
      "“Quoted” words – with dashes — and naïve accents: café, Müller.",
      "The level 日本 stands in the study file.",
      "k-fold cross-validation was not used.",
      "The mean is {{E01.time_ms.quick.mean}} ± {{E01.time_ms.quick.sd}}.",
      "Part II of the study and a type II error.",
      "On average, with equal weights, over n (500, 1000, 2000); distribution (random, sorted, nearly_sorted).",
      "A registered experiment whose interval for time_ms under algorithm = quick compared with algorithm = bubble "
      "lies "
      "outside the region that H1 claims.",
      "Fewer than planned ran; the rest was given up.",
      "Replicates are shared with the pilot's seeds.",
      "The same seeds were used in both arms.",
  };
  CHECK(std::size(good) >= 60);
  for (const char* text : good) {
    INFO(text);
    CHECK(all(text, prose::lint(text, facts)) == "");
  }
}

TEST_CASE("sentences that nothing supports are refused at the word") {
  const prose::Facts facts = sorting();
  const Bad bad[] = {
      // Numerals.
      {"The speed-up factor was 3.7 in E01.", Kind::direction, "speed-up"},
      {"The ratio was 3.7.", Kind::number, "3.7"},
      {"It took 12.4 ms.", Kind::number, "12.4"},
      {"It took 12ms.", Kind::number, "12ms"},
      {"A ratio of 2000 was seen.", Kind::number, "2000"},
      {"For n = 2000, the ratio was 500.", Kind::number, "500"},
      {"It needs 8 times the work.", Kind::number, "8"},
      {"With n = 500 times the work.", Kind::number, "500"},
      {"With n = 500x the work.", Kind::number, "500x"},
      {"With n = 500 % of the work.", Kind::number, "500"},
      {"Its time was n = 500 ms.", Kind::number, "500"},
      {"Its time was n = 500/2000.", Kind::number, "500/2000"},
      {"With n = -500 as the result.", Kind::number, "-500"},
      {"With n = −500 as the result.", Kind::number, "−500"},
      {"It saved 97 %.", Kind::number, "97"},
      {"It saved 97%.", Kind::number, "97%"},
      {"It used 1,234,567 bytes.", Kind::number, "1,234,567"},
      {"It used 1 234 567 bytes.", Kind::number, "1"},
      {"It used 1'234'567 bytes.", Kind::number, "1'234'567"},
      {"It used 6.02e23 comparisons.", Kind::number, "6.02e23"},
      {"It used 6·10⁵ comparisons.", Kind::number, "6"},
      {"About ½ of the work remains.", Kind::number, "½"},
      {"About 1⁄3 remains.", Kind::number, "1"},
      {"A ratio of ３．７ was seen.", Kind::number, "３"},
      {"A ratio of ٣ was seen.", Kind::number, "٣"},
      {"A ratio of 𝟑 was seen.", Kind::number, "𝟑"},
      {"A ratio of ③ was seen.", Kind::number, "③"},
      {"A ratio of Ⅳ was seen.", Kind::number, "Ⅳ"},
      {"A ratio of IV was seen.", Kind::number, "IV"},
      {"A ratio of xii was seen.", Kind::number, "xii"},
      {"A ratio of .5 was seen.", Kind::number, ".5"},
      {"A ratio of 3**.**7 was seen.", Kind::number, "3"},
      {"It was x3 in E01.", Kind::number, "x3"},
      {"The result tw0 was seen.", Kind::number, "tw0"},
      {"H7 says so.", Kind::number, "H7"},
      {"E04 says so.", Kind::number, "E04"},
      {"Run s1-r99 says so.", Kind::number, "s1-r99"},
      {"Measured on 2026-01-01.", Kind::number, "2026"},
      {"Table 2 % of the work.", Kind::number, "2"},
      {"A 10th of the work remains.", Kind::number, "10th"},
      {"The ratio is `3.7`.", Kind::number, "3.7"},
      {"{{H1.n}}00 runs were made.", Kind::number, "{{H1.n}}"},
      {"The ratio is 1{{H1.n}}.", Kind::number, "1"},
      {"The effect is -{{H1.effect}}.", Kind::number, "{{H1.effect}}"},
      {"The ratio is {{H1.n}} times that of the control.", Kind::number, "{{H1.n}}"},
      {"It is {{H1.n}}% of it.", Kind::number, "{{H1.n}}"},
      {"It is {{H1.n}}-fold.", Kind::number, "{{H1.n}}"},
      // Number words.
      {"The work was done twice.", Kind::number, "twice"},
      {"Half of the work remains.", Kind::number, "Half"},
      {"A three-fold gain.", Kind::number, "three-fold"},
      {"A threefold saving in work.", Kind::number, "threefold"},
      {"Two thirds of the work remain.", Kind::number, "Two"},
      {"Two-thirds of the work remain.", Kind::number, "Two-thirds"},
      {"A third of the work remains.", Kind::number, "third"},
      {"An order of magnitude was gained in work.", Kind::number, "order"},
      {"Orders of magnitude lie between them.", Kind::number, "Orders"},
      {"A dozen runs failed.", Kind::number, "dozen"},
      {"The work doubled.", Kind::number, "doubled"},
      {"The work triples.", Kind::number, "triples"},
      {"The work is double.", Kind::number, "double"},
      {"It quadrupled.", Kind::number, "quadrupled"},
      {"Ninety-eight percent of it went.", Kind::number, "Ninety-eight"},
      {"A hundred runs went.", Kind::number, "hundred"},
      {"TWICE the work.", Kind::number, "TWICE"},
      {"Tw\u200Bice the work.", Kind::unreadable, "\u200B"},
      {"Tw*ic*e the work.", Kind::number, "Tw*ic*e"},
      {"Twíce the work.", Kind::number, "Twíce"},
      {"Tw-ice the work.", Kind::number, "Tw-ice"},
      {"It is haIf the work.", Kind::number, "haIf"},
      {"It is twісe the work.", Kind::unreadable, "і"},
      {"It is twοfold.", Kind::unreadable, "twοfold"},
      {"It is 三倍.", Kind::unreadable, "三"},
      {"It is &frac12; of it.", Kind::unreadable, "&frac12;"},
      {"One percent of it went.", Kind::number, "One"},
      {"A millisecond was gained.", Kind::number, "A"},
      // Citations.
      {"As shown by @nobody2021.", Kind::citation, "nobody2021"},
      {"As shown by [@knuth1998; @invented].", Kind::citation, "invented"},
      {"As shown by \\cite{knuth1998,invented}.", Kind::citation, "invented"},
      {"As Smith et al. showed.", Kind::citation, "al"},
      {"As Smith showed [12].", Kind::number, "12"},
      {"As Knuth (1998) showed.", Kind::number, "1998"},
      {"As Bentley [@knuth1998] showed.", Kind::citation, "Bentley"},
      {"As Bentley and Knuth [@knuth1998] showed.", Kind::citation, "Bentley"},
      {"As in Bentley's \\cite{knuth1998}.", Kind::citation, "Bentley's"},
      {"See https://doi.org/10.1145/999 for it.", Kind::citation, "https://doi.org/10.1145/999"},
      {"See https://arxiv.org/abs/1706.03762 for it.", Kind::citation, "https://arxiv.org/abs/1706.03762"},
      // Directions.
      {"Quick is faster than bubble.", Kind::direction, "faster"},
      {"Quick is slower than bubble (H1).", Kind::direction, "slower"},
      {"Bubble is faster than quick (H1).", Kind::direction, "faster"},
      {"Bubble outperforms quick (H1).", Kind::direction, "outperforms"},
      {"Quick is outperformed by bubble (H1).", Kind::direction, "outperformed by"},
      {"Quick, unlike bubble, is slower (H1).", Kind::direction, "slower"},
      {"Compared with quick, bubble is faster (H1).", Kind::direction, "faster"},
      {"Quick is not faster than bubble (H1).", Kind::direction, "faster"},
      {"Quick and bubble take the same time (H1).", Kind::direction, "same"},
      {"There is no difference between quick and bubble (H1).", Kind::direction, "no difference"},
      {"Merge is faster than quick (H2).", Kind::direction, "faster"},
      {"Merge is slower than quick (H2).", Kind::direction, "slower"},
      {"Merge is faster than bubble (H3).", Kind::direction, "faster"},
      {"There is no difference between merge and bubble (H3).", Kind::direction, "no difference"},
      {"Merge is faster than bubble (H5).", Kind::direction, "faster"},
      {"Merge is faster than bubble (H1).", Kind::direction, "Merge"},
      {"misplaced_items is lower under quick (H1).", Kind::direction, "misplaced_items"},
      {"Quick is faster than bubble (H1, H4).", Kind::direction, "faster"},
      {"Quick and bubble are faster (H1).", Kind::direction, "faster"},
      {"Sorted input increases time_ms over random input (H4).", Kind::direction, "increases"},
      {"time_ms is lower under quick.", Kind::direction, "lower"},
      {"Quick is fine. It is also better.", Kind::direction, "better"},
      {"The speedup is large.", Kind::direction, "speedup"},
      {"H1 is refuted.", Kind::direction, "refuted"},
      {"H2 is supported.", Kind::direction, "supported"},
      {"H3 is confirmed.", Kind::direction, "confirmed"},
      {"H1 is not supported.", Kind::direction, "supported"},
      {"H1 is supported and H3 is refuted.", Kind::direction, "refuted"},
      {"The evidence supports H1, H2 and H4.", Kind::direction, "supports"},
      {"H5 holds.", Kind::direction, "holds"},
  };
  CHECK(std::size(bad) >= 60);
  for (const Bad& one : bad) {
    const std::string text = one.text;
    INFO(text);
    const auto findings = prose::lint(text, facts);
    INFO(all(text, findings));
    REQUIRE_FALSE(findings.empty());
    CHECK(text.substr(findings[0].offset, findings[0].length) == one.place);
    CHECK(prose::name(findings[0].kind) == prose::name(one.kind));
    CHECK_FALSE(findings[0].why.empty());
  }
}
