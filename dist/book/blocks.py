"""Tests the code on the pages: blocks are well-formed, and commands have the subcommands and options that they are given."""
import json
import re
import shlex
import tomllib

from pages import lines

# Other ways to call the command.
CALLS = re.compile(r"\b(?:cargo run (?:--release )?--|cargo omnilink|python3? -m omnilink)(?= )")


def problems(pages, tree):
    """What is wrong on all pages, with file and line."""
    for_path = ((path, number, problem) for path, text in pages.texts.items() for number, problem in problems_of(text, tree))
    return [f"{path}:{number}: {problem}" for path, number, problem in for_path]


def problems_of(text, tree):
    kind, block, start = None, [], 0
    for number, line, is_code in lines(text):
        if not is_code:
            for span in re.findall(r"(?<!`)`(omnilink [^`]+)`(?!`)", line):
                yield from ((number, problem) for problem in of_command(span.replace("[", " ").replace("]", " ").replace("\\|", " "), tree))
        elif line.strip().startswith("```") and kind is None:
            kind, block, start = line.strip(" `") or "text", [], number
        elif line.strip().startswith("```"):
            yield from of_block(kind, block, start, tree)
            kind = None
        else:
            block.append(line)


def of_block(kind, block, start, tree):
    """What is wrong in a block: pairs of a line and what."""
    text = "\n".join(block)
    try:
        if kind == "toml":
            tomllib.loads(text)
        elif kind == "python":
            compile(text, "block", "exec")
        elif kind == "json" and "…" not in text:
            parsed(text)
    except (ValueError, SyntaxError) as error:
        yield start, f"the block is not {kind}: {error}"
    prefix = {"sh": "", "bash": "", "console": r"\$ ", "text": r"\$ ", "yaml": r"\s*(?:-\s+)?(?:run: |entry: )?(?=omnilink )"}.get(kind)
    if prefix is None:
        return
    goes_on, command = False, ""
    for number, line in enumerate(block, start + 1):
        found = re.match(prefix, line)
        if not goes_on and not found:
            continue
        command = f"{command} {line.strip()}" if goes_on else line[found.end():]
        goes_on = command.endswith("\\")
        command = command.removesuffix("\\")
        if not goes_on:
            yield from ((number, problem) for problem in of_command(command, tree))


def parsed(text):
    """JSON, or one value a line."""
    try:
        json.loads(text)
    except ValueError:
        for line in text.splitlines():
            if line.strip():
                json.loads(line)


def of_command(line, tree):
    """What is wrong with the calls of omnilink in a line of a shell."""
    line = CALLS.sub("omnilink", line)
    if "omnilink" not in line:
        return
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    try:
        words = list(words)
    except ValueError:
        return
    for at, word in enumerate(words):
        if word == "omnilink":
            yield from of_call(words[at + 1:], tree)


def of_call(words, command):
    words = iter(words)
    for word in words:
        option = re.match(r"--[a-z][\w-]*|-[A-Za-z]$", word)
        if word == "--" or re.match(r"[();<>|&]+$", word):
            return
        # `--no-…` stands for several.
        if option and not any(known == option.group(0) or "…" in word and known.startswith(option.group(0)) for known in command.options):
            yield f"`{command.name}` has no option {option.group(0)}"
        elif command.below and re.match(r"[a-z]", word):
            if word == "help":
                return
            if word not in command.below:
                yield f"`{command.name}` has no command {word}"
                return
            command = command.below[word]
