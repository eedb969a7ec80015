"""Tests the site that was built: links, anchors and images, and whether every page can be reached."""
import html.parser
import os
import re
import urllib.parse


class Page(html.parser.HTMLParser):
    """The anchors and addresses of a page; those in what the reader reads by themselves."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.addresses, self.links = set(), [], []
        self.in_main = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.in_main |= tag == "main"
        self.ids |= {attributes[name] for name in ("id", "name") if attributes.get(name)}
        for name in ("href", "src"):
            if attributes.get(name):
                self.addresses.append(attributes[name])
                if self.in_main and name == "href":
                    self.links.append(attributes[name])

    def handle_endtag(self, tag):
        if tag == "main":
            self.in_main = False


def problems(site, pages):
    """What is wrong with the site. Where the repository has the link, its file and line are told."""
    # The pages of evidence test themselves.
    files = [path for path in site.rglob("*.html") if path.parent != site / "docs/gallery" and path.name not in {"toc.html", "404.html"}]
    parsed = {str(path.relative_to(site)): Page(path.read_text()) for path in files}
    found = []
    for name, page in sorted(parsed.items()):
        for address in dict.fromkeys(page.addresses):
            problem = broken(site, parsed, name, address)
            if problem:
                found.append(f"{pages.written.get((name, address), name + ': ' + address)}: {problem}")
    reached, waiting = set(), ["index.html"]
    while waiting:
        name = waiting.pop()
        if name in parsed and name not in reached:
            reached.add(name)
            waiting += [target(name, link)[0] for link in parsed[name].links]
    found += [f"{name}: no page leads here" for name in sorted(set(parsed) - reached)]
    return found


def target(name, address):
    """The file and the anchor that an address on a page leads to."""
    path, _, anchor = address.partition("#")
    path = urllib.parse.unquote(path.split("?")[0])
    return os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name, urllib.parse.unquote(anchor)


def broken(site, parsed, name, address):
    """Why an address leads nowhere, or nothing."""
    if re.match(r"[a-z]+:|//", address):
        return None
    file, anchor = target(name, address)
    if not (site / file).is_file():
        return f"{file} is not in the site"
    if anchor and file in parsed and anchor not in parsed[file].ids:
        return f"{file} has no anchor #{anchor}"
    return None
