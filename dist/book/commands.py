"""The commands, as their --help tells them: a tree, and a page for each."""
import html
import os
import re
import subprocess

from pages import lines, title

ITEM = re.compile(r" {2,6}(?=[-\[<])(\S(?:.*?\S)?)(?:  +(\S.*))?$")


class Command:
    """A command: its words after omnilink, its help in sections, its subcommands."""

    def __init__(self, omnilink, words):
        self.words = words
        shown = subprocess.run([str(omnilink), *words, "--help"], stdout=subprocess.PIPE, text=True, check=True,
                               env={**os.environ, "COLUMNS": "110", "NO_COLOR": "1"})
        self.sections = sections(shown.stdout)
        names = [line.split()[0] for name, body in self.sections if name == "Commands" for line in body if re.match(r"  \S", line)]
        self.below = {name: Command(omnilink, [*words, name]) for name in names if name != "help"}
        examples = [line for name, body in self.sections if name == "Examples" for line in body]
        for command in self.below.values():
            own = [line for line in examples if f"{line.strip()} ".startswith(f"{command.name} ")]
            if words and own and not any(name == "Examples" for name, _ in command.sections):
                command.sections.append(("Examples", own))
        items = [spec for _, body in self.sections for spec, _ in items_of(body)]
        self.options = {option for spec in items for option in re.findall(r"(?:^|, |\s)(--?[\w-]+)", spec)}

    name = property(lambda self: " ".join(["omnilink", *self.words]))
    file = property(lambda self: "-".join(self.words or ["index"]) + ".md")

    def all(self):
        """This command and those below it, in the order of the help."""
        yield self
        for command in self.below.values():
            yield from command.all()

    def summary(self):
        return [f"{'  ' * len(command.words)}- [{' '.join(command.words)}](commands/{command.file})"
                for command in self.all() if command.words]

    def what(self):
        """Its first sentence or paragraph."""
        return " ".join(" ".join(self.sections[0][1]).split())


def read(omnilink):
    return Command(omnilink, [])


def sections(text):
    """Help as pairs of a heading and its lines. Text without a heading has none."""
    found = [("", [])]
    for line in text.rstrip().splitlines():
        usage = re.match(r"Usage: (.*)", line)
        heading = re.match(r"([A-Z][^:]*):$", line)
        if usage:
            found.append(("Usage", [usage.group(1)]))
        elif heading:
            found.append((heading.group(1), []))
        elif re.match(r"\S", line) and found[-1][0]:
            found.append(("", [line]))
        else:
            found[-1][1].append(line)
    return found


def items_of(body):
    """Arguments and options: what is written, and the lines of its description."""
    items = []
    for line in body:
        item = ITEM.match(line)
        if item:
            items.append((item.group(1), [item.group(2)] if item.group(2) else []))
        elif items:
            items[-1][1].append(line.strip())
    return items


def prose(text):
    """Text of a help as HTML: code in backticks, and pages of the documentation as links."""
    text = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))
    return re.sub(r"\bdocs/([\w-]+)\.md\b", r'<a href="../docs/\1.html">docs/\1.md</a>', text)


def description(texts):
    """The paragraphs and lists of a description, without blank lines: these would end the HTML."""
    out = []
    for line in texts:
        if not line:
            out.append("")
        elif line.startswith("- "):
            out += [f"• {line[2:]}"]
        elif out and out[-1]:
            out[-1] += " " + line
        else:
            out.append(line)
    return "".join(f"<p>{prose(line)}</p>" for line in out if line)


def markdown(body):
    """Text of a help as Markdown that shows it as it is."""
    text = "\n".join(line.strip() for line in body).strip()
    text = re.sub(r"`[^`]*`|([\\*_<>\[\]#|])", lambda found: f"\\{found.group(1)}" if found.group(1) else found.group(0), text)
    return re.sub(r"\bdocs/([\w-]+)\.md\b", r"[docs/\1.md](../docs/\1.md)", text)


def page(command, explained):
    """The page of a command."""
    out = [f"# `{command.name}`", ""]
    for heading, body in command.sections:
        if heading == "Usage":
            out += ["```text", *"\n".join(body).strip().splitlines(), "```", ""]
            out += ['<div class="beside">', "", f"Guide: {explained}", "", "</div>", ""] if explained else []
        elif heading == "Commands":
            out += ["## Commands", "", "| command | |", "|---|---|"]
            out += [f"| [`{below.name}`]({below.file}) | {markdown([below.what()])} |" for below in command.below.values()] + [""]
        elif items_of(body):
            out += [f"## {heading}", "", '<div class="options">']
            for spec, texts in items_of(body):
                anchor = (re.search(r"--[\w-]+", spec) or re.search(r"-\w|\w+", spec))[0].lower()
                out.append(f'<h4 id="{anchor}"><code>{html.escape(spec)}</code></h4><div>{description(texts)}</div>')
            out += ["</div>", ""]
        elif heading:
            # What stands in brackets behind a command may have been wrapped.
            code = re.sub(r"(\([^()\n]*)\n *([^()\n]*\))", r"\1 \2", "\n".join(line.removeprefix("  ") for line in body))
            out += [f"## {heading}", "", "```sh", *code.strip().splitlines(), "```", ""]
        else:
            out += [markdown(body), ""]
    return "\n".join(out)


def explanations(pages):
    """Which pages docs/README.md names for which command: words of the command, page."""
    found = []
    for _, line, _ in lines(pages.texts["docs/README.md"]):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and "`omnilink " in line:
            about = [pages.page_at(os.path.normpath(f"docs/{link}")) for link in re.findall(r"\]\(([^)#]+)", cells[0])]
            for words in re.findall(r"`omnilink ([a-z][a-z ]*)", cells[1]):
                found += [(words.split(), path) for path in about]
    return found


def pages_about(command, known):
    """The pages that explain a command: those of the longest name that begins it, else of what it begins, else of its neighbours."""
    words = command.words
    begins = [known_words for known_words, _ in known if words[:len(known_words)] == known_words]
    longest = max(map(len, begins), default=0)
    for is_about in (lambda other: longest and words[:longest] == other, lambda other: other[:len(words)] == words, lambda other: other[0] == words[0]):
        about = [path for other, path in known if is_about(other)]
        if about:
            return list(dict.fromkeys(about))
    return []


def write(tree, pages, folder):
    """Writes the pages of the commands, and links from the pages that explain them."""
    known, problems, of_page = explanations(pages), [], {}
    (folder / "commands").mkdir()
    for command in tree.all():
        about = pages_about(command, known) if command.words else []
        if command.words and not about:
            problems.append(f"docs/README.md:1: no page explains `{command.name}`")
        explained = ", ".join(f"[{title(pages.texts[path])}](../{pages.place(path)})" for path in about)
        text = page(command, explained)
        if not command.words:
            text = text.replace("# `omnilink`", "# Every command", 1)
        (folder / "commands" / command.file).write_text(text)
        for path in about:
            of_page.setdefault(path, []).append(command)
    of_page.pop("README.md", None)
    for path, commands in of_page.items():
        # Those below one that is named are found from it.
        named = [command for command in commands if not any(command.words[:-1] == other.words for other in commands)]
        above = os.path.relpath("commands", os.path.dirname(path))
        links = ", ".join(f"[`{command.name}`]({above}/{command.file})" for command in named)
        file = folder / pages.place(path)
        file.write_text(re.sub(r"^(# .*\n)", rf'\1\n<div class="beside">\n\nAll options: {links}\n\n</div>\n', file.read_text(), count=1))
    index = folder / "docs/index.md"
    index.write_text(index.read_text().replace("**Commands**\n", "**Commands** ([every option](../commands/index.md))\n"))
    return problems
