"""Threads of a test, switched as often as the interpreter can."""

import sys
import threading


def run_at_once(*works):
    """Run the functions in a thread each, and wait for all."""
    threads = [threading.Thread(target=work) for work in works]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
