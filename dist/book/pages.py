"""The pages of the site that are Markdown in the repository: which ones, their links, and their order."""
import os
import re
import shutil

LINK = re.compile(r"(!?)\[((?:(?!\n\n)[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
SPAN = re.compile(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", re.S)
ELSEWHERE = re.compile(r"[a-z]+:|#")
IMAGES = {".png", ".svg", ".gif", ".jpg"}
# An address that stands for one that is not known yet.
PLACEHOLDER = "https://example.org/"


def lines(text):
    """Each line with its number, and whether it is inside a block of code."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(`{3,})", line)
        if mark and fence is None:
            fence = mark.group(1)
            yield number, line, True
        elif mark and line.strip() == fence:
            fence = None
            yield number, line, True
        else:
            yield number, line, fence is not None


def links(text):
    """The links of a page: line and match. What is code has none, so it is blanked out; places are those of the text."""
    shown = "\n".join("x" * len(line) if is_code else line for _, line, is_code in lines(text))
    shown = SPAN.sub(lambda span: re.sub(r"[^\n]", "x", span.group(0)), shown)
    for found in LINK.finditer(shown):
        yield shown.count("\n", 0, found.start(3)) + 1, found


def title(text):
    """The first heading, as plain text."""
    found = re.search(r"^# (.*)$", text, re.M)
    return found.group(1).replace("`", "") if found else "?"


class Pages:
    """All pages that README.md leads to, by their path in the repository."""

    def __init__(self, root):
        self.root = root
        self.repository = re.search(r'^repository = "(.*)"', (root / "Cargo.toml").read_text(), re.M).group(1)
        self.texts = {}
        self.problems = []
        # (page of the site, address in it): where it is written.
        self.written = {}
        waiting = ["README.md"]
        while waiting:
            path = waiting.pop(0)
            if path not in self.texts:
                self.texts[path] = (root / path).read_text()
                waiting += [page for _, target in self.links(path) if (page := self.page_at(target))]
        for path in sorted([*root.glob("docs/**/*.md"), *root.glob("examples/**/README.md")]):
            path = str(path.relative_to(root))
            if path not in self.texts:
                self.problems.append(f"{path}:1: no page leads here; {path.split('/')[0]}/README.md should")

    def links(self, path):
        """The relative links of a page: line, and the path that is meant."""
        for number, found in links(self.texts[path]):
            address = found.group(3)
            if not ELSEWHERE.match(address):
                yield number, os.path.normpath(os.path.join(os.path.dirname(path), address.split("#")[0]))

    def page_at(self, target):
        """The page that a link to a file or folder is about, or nothing."""
        if (self.root / target).is_dir():
            target = os.path.normpath(f"{target}/README.md")
        return target if target.endswith(".md") and (self.root / target).is_file() else None

    @staticmethod
    def place(path):
        """Where a page is in the site."""
        return re.sub(r"README\.md$", "index.md", path)

    def address(self, path, target, anchor):
        """What a link of a page becomes; nothing if there is no address for it."""
        page = self.page_at(target)
        here = os.path.dirname(path)
        if page:
            return os.path.relpath(self.place(page), here) + anchor
        if (self.root / target).is_dir():
            return None if self.repository.startswith(PLACEHOLDER) else f"{self.repository}/tree/main/{target}"
        return os.path.relpath(target, here) + ("" if os.path.splitext(target)[1] in IMAGES else ".txt")

    def write(self, folder):
        """Writes all pages with their links, and the files that they lead to."""
        for path, text in self.texts.items():
            end, out = 0, []
            for number, found in links(text):
                out.append(text[end:found.start()] + self.rewritten(path, number, found, folder))
                end = found.end()
            to = folder / self.place(path)
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_text("".join(out) + text[end:])

    def rewritten(self, path, number, found, folder):
        """A link as it is in the site; its text alone if there is no address for it."""
        text, address = self.texts[path], found.group(3)
        label = text[found.start(2):found.end(2)]
        new = address
        if not ELSEWHERE.match(address):
            file, anchor = (address.split("#") + [""])[:2]
            target = os.path.normpath(os.path.join(os.path.dirname(path), file))
            if not (self.root / target).exists():
                self.problems.append(f"{path}:{number}: {address} does not exist")
                return label
            new = self.address(path, target, f"#{anchor}" if anchor else "")
            if new is None:
                return label
            if (self.root / target).is_file() and not self.page_at(target):
                to = folder / os.path.normpath(os.path.join(os.path.dirname(path), new))
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.root / target, to)
        page = re.sub(r"\.md$", ".html", self.place(path))
        self.written.setdefault((page, re.sub(r"\.md(#|$)", r".html\1", new)), f"{path}:{number}")
        return f"{found.group(1)}[{label}]({new})"

    def parts(self):
        """The sections of docs/README.md, each with the pages that it lists."""
        parts, seen = [], {"README.md"}
        for _, line, is_code in lines(self.texts["docs/README.md"]):
            heading = re.match(r"\*\*(.*)\*\*$", line)
            if heading:
                parts.append((heading.group(1), []))
            for found in [] if is_code else LINK.finditer(line):
                page = self.page_at(os.path.normpath(os.path.join("docs", found.group(3).split("#")[0])))
                if page and page not in seen:
                    seen.add(page)
                    parts[-1][1].append(page)
        seen.add("docs/README.md")
        rest = sorted(set(self.texts) - seen)
        own = {page: [] for _, listed in parts for page in listed}
        for page in list(rest):
            index = f"{os.path.dirname(page)}/README.md"
            if index in own:
                own[index].append(page)
                rest.remove(page)
        return parts + [("The repository", sorted(rest, key=lambda page: (page.count("/"), page)))], own

    def summary(self, folder, tree):
        """Writes the order of the pages, in which those of the commands stand with the commands."""
        out = ["# Summary", "", "[OmniLink](index.md)", "[All pages](docs/index.md)"]
        parts, own = self.parts()
        for name, listed in parts:
            out += ["", f"# {name}", ""]
            if name == "Commands":
                out += ["- [Every command](commands/index.md)", *tree.summary()]
            for page in listed:
                for depth, page in [(0, page), *((1, below) for below in own.get(page, []))]:
                    out.append(f"{'  ' * depth}- [{title(self.texts[page])}]({self.place(page)})")
        (folder / "SUMMARY.md").write_text("\n".join(out) + "\n")

    def configure(self, folder):
        """Copies what mdBook needs besides."""
        here = self.root / "dist/book"
        settings = (here / "book.toml").read_text()
        if not self.repository.startswith(PLACEHOLDER):
            settings = settings.replace("[output.html]\n", f'[output.html]\ngit-repository-url = "{self.repository}"\n')
        (folder / "book.toml").write_text(settings)
        shutil.copyfile(here / "site.css", folder / "site.css")
