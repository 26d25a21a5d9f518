"""The time of detectors for all pairs of a thousand generated programs, with passages."""
import os

from harness import process, programs
from harness.detectors import TIME_LIMIT

SIZES = {"large": 200, "small": 20}  # lines


def measure(shop, detectors, count, repeat):
    rows = []
    for name, lines in SIZES.items():
        folder = shop.path(os.path.join("programs", name))
        planted, mean = programs.make(folder, count, lines)
        shop.say(f"  {count:,} programs of about {mean:.0f} lines")
        found = {}
        jobs = {detector.name: job(detector, folder, planted, found) for detector in detectors}
        for tool, runs in process.interleave(jobs, repeat, say=shop.say).items():
            rows.append({
                "programs": name, "count": count, "lines": mean, "tool": tool,
                "seconds": process.median(runs, "seconds"), "cpu": process.median(runs, "cpu"),
                "peak_mb": process.median(runs, "peak_mb"), "found": found[tool],
                "runs": len(runs), "ended": runs[0].status == 0})
    return rows


def job(detector, folder, planted, found):
    """A job that runs a detector. Its first answer is scored; later answers are equal."""
    command = ["timeout", TIME_LIMIT, *detector.command("java", folder, len(planted))]

    def run():
        done = process.run(command, env=detector.env(), may_fail=True)
        if done.status not in (0, 124):
            raise RuntimeError(done.err[-500:].decode(errors="replace"))
        if detector.name not in found:
            found[detector.name] = (recall(detector.read(done.out.decode()), planted)
                                    if done.status == 0 else "")
        return done
    return run


def recall(readings, planted):
    """The fraction of planted pairs among as many best pairs, for the best reading."""
    wanted = {frozenset(pair) for pair in planted}
    best = 0
    for scores in readings.values():
        listed = sorted(scores, key=lambda pair: -scores[pair])[:len(planted)]
        best = max(best, sum(frozenset(pair) in wanted for pair in listed) / len(wanted))
    return best
