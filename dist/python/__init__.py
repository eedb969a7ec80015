"""The command omnilink, as a Python package: `python -m omnilink`, or `subprocess.run([omnilink.find_command(), ...])`."""

import os
import sysconfig


def find_command():
    """The path of the command that this package installed."""
    name = "omnilink" + (sysconfig.get_config_var("EXE") or "")
    schemes = [None, "posix_user"] if os.name == "posix" else [None]
    for scheme in schemes:
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    # Installed into a folder of its own (`pip install --target`).
    path = os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin", name)
    if os.path.isfile(path):
        return path
    raise FileNotFoundError(f"there is no {name} beside this package; install it again: pip install --force-reinstall omnilink")
