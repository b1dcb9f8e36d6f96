"""How long reports and verdicts take with years of nights in the store.

usage: history_bench.py LAUNCHLAB [--nights 500 1000 2000 3000 6000] [--launches 10000000]

--launches counts those of the largest of the stores up to 3,000 nights; the others have as many per
night. The verdicts of a night are what `run` takes with verdicts and report, less what it takes
without, less what `report` takes: the median of three such differences.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

LIMIT_NIGHTS = 3_000
SCENARIO = """scenario: large
targets:
{targets}
states: [warm, reinstall-cold]
launches: 5
"""


def measured(*command, cwd):
    """Seconds and peak megabytes of a command that ends with any verdict."""
    begin = time.monotonic()
    process = subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1, 125), command
    return seconds, usage.ru_maxrss / 1000


def store(launchlab, nights, launches, cwd):
    path = os.path.join(cwd, f"{nights}.sqlite")
    measured(launchlab, "measure", "--launches", "2", "--store", path, "--", "/bin/true", cwd=cwd)
    generator = os.path.join(os.path.dirname(os.path.abspath(__file__)), "large_store.py")
    subprocess.run(
        [sys.executable, generator, path, "--nights", str(nights), "--launches", str(launches)],
        check=True, stderr=subprocess.DEVNULL,
    )
    return path


def times(launchlab, path, cwd):
    """Seconds of report, its peak megabytes, and seconds of the verdicts."""
    report = [launchlab, "report", "--store", path, "--scenario", "large", "-o", "report"]
    run = [launchlab, "run", "large.yml", "--store", path, "--report", "report"]
    seconds, peaks, verdicts = [], [], []
    for _ in range(3):
        plain, _ = measured(*run, "--no-verdict", cwd=cwd)
        night, _ = measured(*run, "--no-proof", cwd=cwd)
        reported, peak = measured(*report, cwd=cwd)
        seconds.append(reported)
        peaks.append(peak)
        verdicts.append(night - plain - reported)
    return statistics.median(seconds), max(peaks), statistics.median(verdicts)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("launchlab")
    parser.add_argument("--nights", type=int, nargs="+", default=[500, 1000, 2000, 3000, 6000])
    parser.add_argument("--launches", type=int, default=10_000_000)
    options = parser.parse_args()
    per_night = options.launches // max([n for n in options.nights if n <= LIMIT_NIGHTS] or [1])
    launchlab = os.path.abspath(options.launchlab)
    print("nights   report     per night  memory     verdicts")
    with tempfile.TemporaryDirectory(dir=os.getcwd(), prefix=".bench-") as cwd:
        names = [f"  program-{number}:\n    command: [/bin/true]" for number in range(5)]
        with open(os.path.join(cwd, "large.yml"), "w") as file:
            file.write(SCENARIO.format(targets="\n".join(names)))
        for nights in options.nights:
            # Beyond the limit only nights count for time, and the disk is spared their launches.
            count = nights * (per_night if nights <= LIMIT_NIGHTS else 200)
            path = store(launchlab, nights, count, cwd)
            report, peak, verdicts = times(launchlab, path, cwd)
            within = report <= 5 and peak <= 500 and verdicts <= 1
            verdict = ("ok" if within else "ABOVE") if nights == LIMIT_NIGHTS else ""
            print(f"{nights:<8} {report:6.2f} s  {report / nights * 1e3:6.2f} ms  {peak:6.0f} MB"
                  f"  {verdicts:6.2f} s  {verdict}", flush=True)
            os.remove(path)
    print("at most 5 s, 500 MB and 1 s at 3,000 nights of 20 series")


main()
