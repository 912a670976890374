"""runs that succeed or not: shares by Newcombe's interval and Fisher's exact test, without pairing"""
from lab import HONEST

JOB = '''
awk -v arm="$1" -v seed="$2" 'BEGIN {
  srand(seed % 1000003 + (arm == "fast" ? 17 : 0)); rand(); rand()
  printf "{\\"name\\":\\"cost\\",\\"value\\":%d}\\n", rand() < (arm == "fast" ? 0.05 : 0.95)
  printf "{\\"name\\":\\"draw\\",\\"value\\":%.9f}\\n", rand()
}' >> "$ETUDE_METRICS"
'''


def study(lab):
    text = HONEST.replace("{unit: points, goal: minimize, primary: true}}",
                          "{type: proportion, goal: minimize, primary: true}, draw: {goal: minimize}}")
    lab.place(text, JOB, edits={"min: 6, max: 6}": "min: 20, max: 20}, pairing: none"})
    lab.sound(lab.run_study(), {"H1": "supported", "H2": "refuted"})
