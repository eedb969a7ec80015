"""The gallery: runs the commands of docs/gallery.md, and shows the pages that they make below them."""
import os
import re
import shutil
import subprocess


def write(omnilink, root, page, run):
    """Adds the pages to the gallery. `run` becomes a folder that looks like the repository, in which the commands run."""
    run.mkdir()
    for entry in root.iterdir():
        if entry.name not in {".git", "target"}:
            (run / entry.name).symlink_to(entry)
    bin = run / ".bin"
    bin.mkdir()
    (bin / "omnilink").symlink_to(omnilink)
    environment = {**os.environ, "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    to = page.parent / "gallery"
    to.mkdir()
    out, problems, block, heading, start = [], [], None, "", 0
    for number, line in enumerate(page.read_text().splitlines(), 1):
        out.append(line)
        if line.startswith("## "):
            heading = line[3:]
        if line == "```sh":
            block, start = [], number
        elif line == "```" and block is not None:
            for command in re.sub(r"\\\n\s*", " ", "\n".join(block)).splitlines():
                problems += [f"docs/gallery.md:{start}: {problem}" for problem in ran(command, run, environment)]
            for name in re.findall(r"--html (\S+)", "\n".join(block)):
                if (run / name).is_file():
                    shutil.move(run / name, to / name)
                    out += ["", '<figure class="evidence">', f'<iframe src="gallery/{name}" title="{heading}" loading="lazy"></iframe>',
                            f'<figcaption><a href="gallery/{name}">The page by itself</a></figcaption>', "</figure>"]
            block = None
        elif block is not None:
            block.append(line)
    page.write_text("\n".join(out) + "\n")
    return problems


def ran(command, folder, environment):
    """Runs a command, and tells if it ended in another way than the comment behind it says."""
    expected = int((re.search(r"# exit code (\d)", command) or [0, 0])[1])
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != expected:
        yield f"exit code {done.returncode} instead of {expected}: {command}\n{done.stdout}"
