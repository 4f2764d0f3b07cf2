"""Starts a server, asks it until it answers, prints the seconds that took, and stops it.

python ask.py URL JSON COMMAND...
"""

import subprocess
import sys
import time
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

url, question, *command = sys.argv[1:]
began = time.monotonic()
server = subprocess.Popen(command)
try:
    while server.poll() is None and time.monotonic() < began + 120:
        try:
            request = Request(url, question.encode(), {"Content-Type": "application/json"})
            print(len(urlopen(request).read()), "bytes after", time.monotonic() - began, "s")
            break
        except HTTPError as refused:
            sys.exit(f"refused: {refused}")
        except (URLError, ConnectionError):
            time.sleep(0.05)
    else:
        sys.exit("no answer")
finally:
    server.terminate()
    server.wait()
