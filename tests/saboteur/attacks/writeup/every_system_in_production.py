"""
Tries: a model writes of a study on one machine that its result holds on every system, always, and in production.
Must: refused, with the place of the words.
"""


def attack(lab):
    texts = ["H1 is supported on every system.", "H1 is supported. It holds in production, too.",
             "Fast always has a lower cost than slow (H1).", "H1 holds in general, without exception."]
    writes = [*[("write_section", {"name": "summary", "text": text}) for text in texts], ("finish", {"summary": "I wrote it."})]
    lab.thinking(scripts={"you write this study up": writes})
    refused = [text for tool, no, text in lab.answers() if tool == "write_section" and no]
    lab.assertEqual(len(refused), len(texts), lab.answers())
    for text in refused:
        lab.assertIn("claims more than the settings that were studied", text)
    return lab.tool_refuses("write_section", "`in general` claims more than the settings that were studied")
