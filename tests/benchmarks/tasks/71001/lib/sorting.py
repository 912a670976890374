"""Sorting algorithms that count comparisons."""


def insertion_sort(items):
    items, comparisons = list(items), 0
    for i in range(1, len(items)):
        j = i
        while j > 0:
            comparisons += 1
            if items[j - 1] <= items[j]:
                break
            items[j - 1], items[j] = items[j], items[j - 1]
            j -= 1
    return items, comparisons


def merge_sort(items):
    if len(items) < 2:
        return list(items), 0
    left, a = merge_sort(items[:len(items) // 2])
    right, b = merge_sort(items[len(items) // 2:])
    merged, comparisons = [], a + b
    while left and right:
        comparisons += 1
        merged.append(left.pop(0) if left[0] <= right[0] else right.pop(0))
    return merged + left + right, comparisons
