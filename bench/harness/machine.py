"""Describes the machine on which figures were measured."""
import datetime
import os
import platform
import subprocess


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "none"
    return next(iter((done.stdout or done.stderr).splitlines()), "")


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        lines = dict(line.split(":", 1) for line in file if ":" in line)
    lines = {name.strip(): value.strip() for name, value in lines.items()}
    sets = [name for name in ("avx2", "avx512bw", "avx512vbmi2", "asimd")
            if name in (lines.get("flags") or lines.get("Features") or "").split()]
    return f"{lines.get('model name', platform.machine())} ({', '.join(sets) or 'no vectors'})"


def memory():
    return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"


def revision(root):
    """The revision of the tree. Results, which a run changes, do not count as changes."""
    changed = first_line("git", "-C", root, "status", "--short", "-uno", "--", ".",
                         ":!bench/results")
    name = first_line("git", "-C", root, "rev-parse", "--short=10", "HEAD")
    return f"{name}-dirty" if changed else name


def describe(root, twinset, command):
    return {
        "processor": processor(),
        "cores": str(os.cpu_count()),
        "memory": memory(),
        "system": f"{platform.system()} {platform.release()}, {first_line('cc', '--version')}",
        "twinset": f"{first_line(twinset, '--version')}, revision {revision(root)}",
        "python": platform.python_version(),
        "rust": first_line("rustc", "--version"),
        "load": f"{os.getloadavg()[0]:.1f} before",
        "date": datetime.date.today().isoformat(),
        "command": command,
    }
