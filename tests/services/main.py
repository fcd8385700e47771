"""main.py DIR NAME...: runs the stand-ins of these services, on addresses of the tests' internet, until it is killed."""
import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import standin  # pylint: disable=wrong-import-position

ADDRESSES = {"github": "5.5.6.1", "slack": "5.5.6.2", "elevenlabs": "5.5.6.3", "anthropic": "5.5.6.4"}

directory, names = sys.argv[1], sys.argv[2:]
threads = [standin.serve(importlib.import_module(name).make(directory), ADDRESSES[name]) for name in names]
with open(os.path.join(directory, "services-ready"), "w", encoding="ascii") as ready:
    ready.write("\n".join(names))
for thread in threads:
    thread.join()
