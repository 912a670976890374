#!/usr/bin/env python3
"""timings.py JUNIT.xml: the table "test -> seconds" of a ctest run (ctest --output-junit), slowest first."""
import sys
import xml.etree.ElementTree as tree

cases = tree.parse(sys.argv[1]).getroot().iter("testcase")
rows = sorted(((float(case.get("time", 0)), case.get("name"), case.get("status")) for case in cases), reverse=True)
print("\n   seconds  test")
for seconds, name, status in rows:
    print(f"{seconds:10.1f}  {name}{'' if status == 'run' else f'  ({status})'}")
print(f"{sum(row[0] for row in rows):10.1f}  all, one after the other")
