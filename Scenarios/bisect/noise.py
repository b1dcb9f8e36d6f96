"""Burns a processor in bursts, until it is stopped: about a third of the time, as other jobs do."""

import random
import sys
import time


def main():
    generator = random.Random(int(sys.argv[1]))
    while True:
        end = time.monotonic() + generator.uniform(0.005, 0.4)
        while time.monotonic() < end:
            sum(range(1000))
        time.sleep(generator.uniform(0.01, 0.8))


main()
