import os
import sys

from omnilink._command import find_command

command = find_command()
os.execv(command, [command, *sys.argv[1:]])
