"""A program that marks its own launch with liblaunchmarks.so.

launchlab stages --collect probe --collect marks --ready mark -- python3 start.py
"""

import ctypes
import os


def launch_marks():
    """The library; None when nothing measures the launch, so that ctypes loads nothing."""
    if not os.environ.keys() & {"LAUNCHLAB_EVENTS", "LD_AUDIT"}:
        return None
    library = ctypes.CDLL("liblaunchmarks.so")
    for mark in library.launch_mark, library.launch_interval_begin:
        mark.argtypes = [ctypes.c_char_p]
    library.launch_mark.restype = library.launch_ready.restype = None
    library.launch_interval_begin.restype = ctypes.c_uint32
    library.launch_interval_end.argtypes = [ctypes.c_uint32]
    library.launch_interval_end.restype = None
    return library


marks = launch_marks()
if marks:
    database = marks.launch_interval_begin(b"database")
import sqlite3

sqlite3.connect(":memory:").execute("create table numbers (number)")
if marks:
    marks.launch_interval_end(database)
    marks.launch_mark("first frame: ✓".encode())
    marks.launch_ready()
