"""python -m twinset.lab NAME DIR: runs an experiment, writes its table and figure."""

import argparse
import inspect
import pathlib
import sys
from collections.abc import Callable, Sequence

from . import EXPERIMENTS, Result


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m twinset.lab",
        description="Runs an experiment and writes NAME.csv, NAME.md, NAME.svg and NAME.png.",
    )
    parser.add_argument("--list", action="store_true", help="name the experiments, and end")
    parser.add_argument("name", nargs="?", metavar="NAME", help="an experiment, or all")
    parser.add_argument("dir", nargs="?", metavar="DIR", type=pathlib.Path,
                        help="folder to write to; made where there is none")
    parser.add_argument("--data", metavar="DIR", help="folder of data sets, for S2; default: "
                        "the environment's TWINSET_DATA")
    parser.add_argument("--seed", metavar="N", type=int, default=1,
                        help="of documents and hash functions; default 1")
    options = parser.parse_args(arguments)
    if options.list:
        for name, experiment in EXPERIMENTS.items():
            print(f"{name:<18}{summary(experiment)}")
        return 0
    if options.name is None or options.dir is None:
        parser.error("name an experiment and a folder; --list names the experiments")
    if options.name != "all" and options.name not in EXPERIMENTS:
        parser.error(f"there is no experiment {options.name}; --list names those there are")
    names = list(EXPERIMENTS) if options.name == "all" else [options.name]
    settings = {"data": options.data, "seed": options.seed}
    return max(run(name, options.dir, settings) for name in names)


def summary(experiment: Callable[..., Result]) -> str:
    """The first line of an experiment's docstring."""
    return (inspect.getdoc(experiment) or "").partition("\n")[0]


def run(name: str, folder: pathlib.Path, settings: dict[str, object]) -> int:
    """Runs an experiment with the settings that it takes. Returns an exit status."""
    experiment = EXPERIMENTS[name]
    known = inspect.signature(experiment).parameters
    try:
        result = experiment(**{key: value for key, value in settings.items() if key in known})
        paths = result.write(folder, name)
    except (ImportError, OSError) as error:
        print(f"twinset.lab: {name}: {error}", file=sys.stderr)
        return 2
    print(f"{name}: {', '.join(map(str, paths))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
