"""Vehicles on synthetic aerial frames: detected as differences from the background, and tracked.

A camera looks straight down on a grid of roads. Vehicles keep their lanes and distances; where roads cross, one passes over
the other, and crowns of trees hide parts of the roads. Beside the roads, leaves move in the wind: clutter, which differs from
the background as vehicles do. A road mask drops all that lies beside the roads, as systems that know the map do; `shifted` is
a mask that is a few pixels out of place.

Detection: the median over time is the background; what differs by more than four standard deviations of the noise is opened,
closed and labelled. Tracking: SORT (Bewley and others, ICIP 2016), a Kalman filter per vehicle over centre, area and
aspect ratio, assigned to detections by the Hungarian algorithm on overlap; `last_box` is the same without prediction.
Score: CLEAR MOT (Bernardin and Stiefelhagen, EURASIP Journal on Image and Video Processing, 2008).
"""
import argparse
import json
import os

import numpy as np
from scipy import ndimage
from scipy.optimize import linear_sum_assignment

SIDE, FRAMES = 192, 120
ROADS = ((True, 40), (True, 148), (False, 90))   # whether along x, and the centre
ROAD_HALF, LANE = 9, 5                           # half the width of a road, and a lane's distance from the centre
LENGTH, WIDTH = 10, 5
NOISE = 4.0
SHIFT = 4                                        # of the shifted mask, in pixels, along both axes
TREES = 6                                        # crowns above roads
SAME = 0.4                                       # overlap (intersection over union) from which boxes are the same vehicle


def overlaps(a, b):
    """Intersection over union of all boxes of a with all of b; a box is (x0, y0, x1, y1)."""
    a, b = np.reshape(a, (-1, 1, 4)), np.reshape(b, (1, -1, 4))
    inner = np.clip(np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2]), 0, None).prod(axis=2)
    both = (a[..., 2:] - a[..., :2]).prod(axis=2) + (b[..., 2:] - b[..., :2]).prod(axis=2)
    return inner / (both - inner)


def assign(likeness, least):
    """Pairs of row and column with the greatest sum, each at least `least`."""
    if 0 in likeness.shape:
        return []
    rows, columns = linear_sum_assignment(-np.where(likeness >= least, likeness, 0.0))
    return [(r, c) for r, c in zip(rows, columns) if likeness[r, c] >= least]


# The world

def road_map():
    on = np.zeros((SIDE, SIDE), dtype=bool)
    for along_x, centre in ROADS:
        (on if along_x else on.T)[centre - ROAD_HALF:centre + ROAD_HALF] = True
    return on


def traffic(random):
    """Of each frame the boxes of the vehicles by identity. In a lane a vehicle never comes near to the one before it."""
    frames = [{} for _ in range(FRAMES)]
    looks, identity = {}, 0
    for along_x, centre in ROADS:
        for way in (1, -1):
            # Places count along the lane from outside the frame. The first vehicle is farthest on.
            places = np.cumsum(random.uniform(24, 70, size=12))[::-1] - 420
            wanted = random.uniform(1.2, 3.0, size=places.size)
            shade = random.choice([-1, 1], size=places.size) * random.uniform(35, 80, size=places.size)
            across = centre + way * LANE
            half = np.array([LENGTH, WIDTH] if along_x else [WIDTH, LENGTH]) / 2
            looks.update(enumerate(shade, identity))
            for frame in frames:
                for i in range(places.size):
                    step = wanted[i] + random.normal(0, 0.1)
                    if i:
                        step = min(step, places[i - 1] - places[i] - LENGTH - 6)
                    places[i] += max(0.0, step)
                    along = places[i] if way > 0 else SIDE - places[i]
                    if 0 <= along < SIDE:
                        middle = np.array([along, across] if along_x else [across, along])
                        frame[identity + i] = (*(middle - half), *(middle + half))
            identity += places.size
    return frames, looks


def paint(image, box, value):
    x0, y0, x1, y1 = np.clip(np.rint(box), 0, SIDE).astype(int)
    image[y0:y1, x0:x1] = value


class Camera:
    def __init__(self, random, clutter):
        self.random = random
        self.road = road_map()
        ground = ndimage.gaussian_filter(random.normal(size=(SIDE, SIDE)), 2)
        self.still = np.where(self.road, 120.0, 90 + 60 * ground)
        rows, columns = np.mgrid[:SIDE, :SIDE]
        self.crowns = np.zeros((SIDE, SIDE), dtype=bool)
        for _ in range(TREES):
            along_x, centre = ROADS[random.integers(len(ROADS))]
            along = random.uniform(10, SIDE - 10)
            y, x = (centre, along) if along_x else (along, centre)
            self.crowns |= (rows - y) ** 2 + (columns - x) ** 2 < 49
        # A leaf patch lies beside the roads and swings by a few pixels.
        beside = np.argwhere(~ndimage.binary_dilation(self.road, iterations=5))
        self.patches = beside[random.integers(len(beside), size=clutter)][:, ::-1]
        self.swing = random.uniform(1.5, 4, size=(clutter, 2))
        self.speed, self.phase = random.uniform(0.15, 0.7, size=clutter), random.uniform(0, 7, size=clutter)
        self.shade = random.choice([-1, 1], size=clutter) * random.uniform(35, 80, size=clutter)
        self.size = random.uniform(3, 5, size=(clutter, 2))

    def frame(self, time, boxes, looks):
        image = self.still.copy()
        swing = self.swing * np.sin(self.speed * time + self.phase)[:, None]
        for centre, size, shade in zip(self.patches + swing, self.size, self.shade):
            paint(image, (*(centre - size), *(centre + size)), 90 + shade)
        for identity, box in boxes.items():
            paint(image, box, 120 + looks[identity])
        image[self.crowns] = 60
        return image + self.random.normal(0, NOISE, size=image.shape)


# Detection

def detections(video, mask):
    """Of each frame the boxes of what differs from the background, inside the mask."""
    background = np.median(video[::4], axis=0)
    found = []
    for image in video:
        moving = (np.abs(image - background) > 4 * NOISE) & mask
        moving = ndimage.binary_closing(ndimage.binary_opening(moving, np.ones((2, 2))), np.ones((3, 3)))
        labels, count = ndimage.label(moving, np.ones((3, 3)))
        sizes = np.bincount(labels.ravel())
        boxes = [(c.start, r.start, c.stop, r.stop) for place, (r, c) in enumerate(ndimage.find_objects(labels))
                 if sizes[place + 1] >= 14]
        found.append(np.array(boxes, dtype=float).reshape(-1, 4))
    return found


# Tracking

def to_state(box):
    width, height = box[2] - box[0], box[3] - box[1]
    return np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2, width * height, width / height])


def to_box(state):
    width = np.sqrt(max(state[2], 1.0) * max(state[3], 0.1))
    height = max(state[2], 1.0) / width
    return np.array([state[0] - width / 2, state[1] - height / 2, state[0] + width / 2, state[1] + height / 2])


class Track:
    """Centre, area, aspect ratio, and the speeds of the first three, with SORT's noises."""
    MOVE = np.eye(7) + np.eye(7, k=4)
    SEE = np.eye(4, 7)
    PROCESS = np.diag([1, 1, 1, 1, 1e-2, 1e-2, 1e-4])
    SENSOR = np.diag([1.0, 1, 10, 10])

    def __init__(self, identity, box, predicts):
        self.identity, self.predicts, self.hits, self.missed = identity, predicts, 1, 0
        self.mean = np.concatenate([to_state(box), np.zeros(3)])
        self.spread = np.diag([10.0, 10, 10, 10, 1e4, 1e4, 1e4])

    def predict(self):
        if self.predicts:
            if self.mean[2] + self.mean[6] <= 0:
                self.mean[6] = 0
            self.mean = self.MOVE @ self.mean
            self.spread = self.MOVE @ self.spread @ self.MOVE.T + self.PROCESS
        return to_box(self.mean)

    def update(self, box):
        self.hits, self.missed = self.hits + 1, 0
        if not self.predicts:
            self.mean[:4] = to_state(box)
            return
        gain = self.spread @ self.SEE.T @ np.linalg.inv(self.SEE @ self.spread @ self.SEE.T + self.SENSOR)
        self.mean = self.mean + gain @ (to_state(box) - self.SEE @ self.mean)
        self.spread = (np.eye(7) - gain @ self.SEE) @ self.spread


def track(found, predicts, least=0.2, most_missed=4, least_hits=3):
    """Of each frame the boxes by identity: of tracks seen in it, once they have been seen often enough."""
    tracks, result, named = [], [], 0
    for frame, boxes in enumerate(found):
        expected = np.array([one.predict() for one in tracks]).reshape(-1, 4)
        pairs = assign(overlaps(expected, boxes), least)
        for place, box in pairs:
            tracks[place].update(boxes[box])
        seen = {place for place, _ in pairs}
        for place, one in enumerate(tracks):
            one.missed += place not in seen
        for box in set(range(len(boxes))) - {box for _, box in pairs}:
            tracks.append(Track(named, boxes[box], predicts))
            named += 1
        tracks = [one for one in tracks if one.missed <= most_missed]
        result.append({one.identity: to_box(one.mean) for one in tracks
                       if one.missed == 0 and (one.hits >= least_hits or frame < least_hits)})
    return result


# Score

def clear_mot(truth, said):
    """Misses, false alarms, switches of identity, and vehicles in all. A pair that was the same vehicle stays so while its
    boxes overlap enough; all others are assigned by overlap."""
    misses = alarms = switches = vehicles = 0
    last = {}                                   # the vehicle's latest track
    for true, tracks in zip(truth, said):
        ids, names = list(true), list(tracks)
        likeness = overlaps(np.array([true[i] for i in ids]), np.array([tracks[n] for n in names]))
        kept = [(r, names.index(last[i])) for r, i in enumerate(ids)
                if last.get(i) in tracks and likeness[r, names.index(last[i])] >= SAME]
        # Two vehicles may have had the same track one after the other; it belongs to the first of them.
        used = {}
        for r, c in kept:
            used.setdefault(c, r)
        pairs = [(r, c) for c, r in used.items()]
        rows = [r for r in range(len(ids)) if r not in used.values()]
        columns = [c for c in range(len(names)) if c not in used]
        pairs += [(rows[r], columns[c]) for r, c in assign(likeness[np.ix_(rows, columns)], SAME)]
        for r, c in pairs:
            switches += ids[r] in last and last[ids[r]] != names[c]
            last[ids[r]] = names[c]
        vehicles += len(ids)
        misses += len(ids) - len(pairs)
        alarms += len(names) - len(pairs)
    return misses, alarms, switches, vehicles


def scorer_errors(truth):
    """What the score says of tracks whose score is known: the truth; the truth without one vehicle, with a false alarm, and
    with one vehicle's identity changed half-way."""
    vehicles = sum(len(true) for true in truth)
    whole = clear_mot(truth, truth) != (0, 0, 0, vehicles)
    seen = {}
    for true in truth:
        for i in true:
            seen[i] = seen.get(i, 0) + 1
    first, second = sorted(seen, key=lambda i: (-seen[i], i))[:2]
    half = [time for time, true in enumerate(truth) if second in true][seen[second] // 2]
    wrong = []
    for time, true in enumerate(truth):
        tracks = {i: box for i, box in true.items() if i != first}
        if time >= half and second in tracks:
            tracks[-1] = tracks.pop(second)
        tracks[-2] = np.array([-50.0, -50, -40, -40])
        wrong.append(tracks)
    return int(whole) + int(clear_mot(truth, wrong) != (seen[first], FRAMES, 1, vehicles))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mask", choices=["none", "road", "shifted"], required=True)
    parser.add_argument("--clutter", type=int, required=True)
    parser.add_argument("--tracker", choices=["last_box", "kalman"], required=True)
    parser.add_argument("--seed", type=int, required=True)
    args = parser.parse_args()
    truth, looks = traffic(np.random.default_rng([args.seed, 0]))
    camera = Camera(np.random.default_rng([args.seed, 1]), args.clutter)
    video = np.array([camera.frame(time, boxes, looks) for time, boxes in enumerate(truth)])
    road = road_map()
    mask = {"none": np.ones_like(road), "road": road, "shifted": np.roll(road, (SHIFT, SHIFT), axis=(0, 1))}[args.mask]
    found = detections(video, mask)
    said = track(found, args.tracker == "kalman")
    misses, alarms, switches, vehicles = clear_mot(truth, said)
    values = {
        "mota": 1 - (misses + alarms + switches) / vehicles,
        "switches": switches,
        "misses": misses / vehicles,
        "false_alarms": alarms / FRAMES,
        "checksum": float(sum(box[0] for true in truth for box in true.values())),
        "scorer_errors": scorer_errors(truth),
    }
    with open(os.environ["ETUDE_METRICS"], "a") as out:
        for name, value in values.items():
            out.write(json.dumps({"name": name, "value": value}) + "\n")
    print(vehicles / FRAMES, "vehicles in a frame")


if __name__ == "__main__":
    main()
