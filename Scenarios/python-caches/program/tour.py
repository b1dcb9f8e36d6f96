"""Imports much of the standard library, as a real program of some size does."""

import argparse
import asyncio
import concurrent.futures
import ctypes.util
import decimal
import difflib
import email.message
import http.server
import logging.config
import optparse
import pdb
import pickletools
import pydoc
import statistics
import tarfile
import unittest.mock
import urllib.request
import xml.dom.minidom
import xmlrpc.client
import zipfile
