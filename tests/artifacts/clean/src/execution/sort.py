# Grounding: transcribed
def insertion(a):
    for i in range(1, len(a)):
        while i and a[i - 1] > a[i]:
            a[i - 1], a[i] = a[i], a[i - 1]
            i -= 1
