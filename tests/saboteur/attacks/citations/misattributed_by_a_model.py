"""
Tries: a model cites a work of the references under the name of another one's author, by a key that is misspelt, and by the
       address of a work that is not among them.
Must: each citation is refused, and one that is right is not.
"""
from lab import PROPOSAL, PROPOSES, STUDY

REFERENCES = """@book{knuth1998, title = {Sorting and Searching}, author = {Knuth, Donald E.}, year = 1998}
@article{hoare1962, title = {Quicksort}, author = {Hoare, C. A. R.}, year = 1962, doi = {10.1093/comjnl/5.1.10}}
"""
WORDS = ["as Hoare [@knuth1998] says", "as [@knuth1988] says", "as Knuth, 1998, says",
         "as https://doi.org/10.1093/comjnl/5.1.99 says", "as \\cite{hoare1962, turing1936} say"]


def attack(lab):
    lab.write("refs.bib", REFERENCES)
    tries = [("propose_hypothesis", {**PROPOSAL, "mechanism": f"it does less, {words}"}) for words in WORDS]
    right = ("propose_hypothesis", {**PROPOSAL, "mechanism": "it does less, as Hoare [@hoare1962] says"})
    lab.thinking([*tries, right, PROPOSES[-1]], text=STUDY + "references: refs.bib\n")
    refused = [refused for tool, refused, _ in lab.answers() if tool == "propose_hypothesis"]
    lab.assertEqual(refused, [True] * len(WORDS) + [False], lab.answers())
    return lab.tool_refuses("propose_hypothesis", "`turing1936` is an unbound citation")
