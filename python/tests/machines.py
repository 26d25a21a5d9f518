"""Processes that stand for the machines of a cluster, on this machine only."""

import os
import signal
import socket
import subprocess
import sys
import time

HOST = "127.0.0.1"
WAIT = 400  # seconds, for anything


class Machines:
    """Children of this process, each with a log in the folder."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = {}

    def start(self, name, *command):
        log = open(self.folder / f"{name}.log", "wb")  # it is open as long as the process runs
        # Commands of Python are found by name, so PATH begins with this environment.
        path = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
        self.processes[name] = subprocess.Popen(
            list(map(str, command)), stdout=log, stderr=log, cwd=self.folder,
            env={**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)})

    def kill(self, name):
        self.processes.pop(name).send_signal(signal.SIGKILL)

    def end(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()

    def wait_for(self, what, test):
        end = time.monotonic() + WAIT
        while not (found := test()):
            for name, process in self.processes.items():
                if process.poll() is not None:
                    raise RuntimeError(f"{name} has ended; see {name}.log")
            if time.monotonic() > end:
                raise TimeoutError(f"waited {WAIT} s for {what}")
            time.sleep(0.2)
        return found


def free_port():
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return listener.getsockname()[1]


def is_open(port):
    with socket.socket() as client:
        return client.connect_ex((HOST, port)) == 0
