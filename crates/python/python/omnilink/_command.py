"""The command omnilink, which this package installs."""

import os
import sysconfig

from omnilink._errors import UsageError


def find_command() -> str:
    """The path of the command that this package installed, for `subprocess`."""
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
    raise CommandNotFound(f"there is no {name} beside this package; install it again: pip install --force-reinstall omnilink")


class CommandNotFound(UsageError, FileNotFoundError):
    """The command is not where the package was installed."""
