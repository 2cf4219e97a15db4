"""make and its scripts, in a copy of the project with stand-ins for the generator, latexmk and .venv."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools import install_packages

INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ROOT = Path(__file__).parents[1]
TARGETS = {"help", "pdf", "devices", "test", "diff", "golden", "check", "clean"}
SET = {"solution_manual.tex", "quantities.json", "figures/roofline.pdf", "solution_manual.pdf"}

GENERATE = """
import sys
from pathlib import Path
from manual.publish import publish

if sys.argv[1] == "diff":
    sys.exit(print(*sys.argv[2:], sep="|"))
parameters, option, output = sys.argv[1:]
assert option == "--output"
if not Path(parameters).is_file():
    print(f"{parameters}: there is no such file", file=sys.stderr)
    sys.exit(2)
staged = Path(output) / "own"
(staged / "figures").mkdir(parents=True)
for name in ("solution_manual.tex", "quantities.json", "figures/roofline.pdf"):
    (staged / name).write_text(Path(parameters).read_text())
publish(staged, Path(output))
"""

# Counts its calls in "typeset" beside it; the word of a parameter file says what happens.
LATEXMK = """#!/bin/sh
echo call >>"$(dirname "$0")/typeset"
echo "This is the log." >solution_manual.log
touch solution_manual.aux
if grep -q slow solution_manual.tex; then touch started; sleep 60; fi
if grep -q wrong solution_manual.tex; then
    echo "./solution_manual.tex:7: Undefined control sequence." >>solution_manual.log
    exit 12
fi
{ echo %PDF; cat solution_manual.tex; } >solution_manual.pdf
"""


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def environment(path: str | Path) -> dict[str, str]:
    """This process's environment, less what a make around it has set, with another PATH."""
    of_make = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "PARAMETERS", "OLD", "NEW", "PYTHON"}
    return {key: text for key, text in os.environ.items() if key not in of_make} | {"PATH": str(path)}


def heed_signals() -> None:
    """A program inherits which signals are ignored, and nohup or a shell's & has these tests ignore some."""
    for sign in INTERRUPTIONS:
        signal.signal(sign, signal.SIG_DFL)


class Project:
    """A copy whose folder has a space and a letter beyond ASCII in its name, its set-up already done."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder / "Übung 2"
        self.programs = folder / "programs"
        for name in ("Makefile", "pyproject.toml", "requirements.txt", "requirements-dev.txt", "tools"):
            source, copy = ROOT / name, self.folder / name
            copy.parent.mkdir(exist_ok=True)
            shutil.copytree(source, copy) if source.is_dir() else shutil.copy2(source, copy)
        self.write("manual/__init__.py", "")
        self.write("manual/publish.py", (ROOT / "manual" / "publish.py").read_text())
        self.write("generate.py", GENERATE)
        self.write("parameters/device_r.toml", "device r")
        self.write("parameters/h100.toml", "h100")
        script(self.folder / ".venv/bin/python", f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
        for stamp in (".venv/requirements.stamp", ".venv/requirements-dev.stamp", ".build/tex.stamp"):
            self.write(stamp, "")
        script(self.programs / "latexmk", LATEXMK)
        self.path = f"{self.programs}:{os.environ['PATH']}"

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["make", *arguments],
            cwd=self.folder,
            env=environment(self.path),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["make", *arguments],
            cwd=self.folder,
            env=environment(self.path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=heed_signals,
        )

    def builds(self) -> int:
        """How often TeX was called so far."""
        calls = self.programs / "typeset"
        return calls.read_text().count("call") if calls.exists() else 0

    def outputs(self, name: str) -> dict[str, str]:
        folder = self.folder / "output" / name
        return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}

    def stages(self) -> list[Path]:
        return list((self.folder / ".build").glob("stage.*"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def wait_for(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_help_is_the_default_and_lists_every_target_on_one_line(project: Project) -> None:
    shown = project.make()
    assert shown.returncode == 0
    assert shown.stdout == project.make("help").stdout
    listed = re.findall(r"^make ([a-z-]+) +\S", shown.stdout, re.MULTILINE)
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert phony is not None
    assert sorted(listed) == sorted(set(phony[1].split()) - {"FORCE"})
    assert set(listed) >= TARGETS


def test_the_makefile_keeps_to_gnu_make_3_81() -> None:
    text = (ROOT / "Makefile").read_text()
    for newer in (
        "&:",
        ".ONESHELL",
        ".NOTINTERMEDIATE",
        ".EXTRA_PREREQS",
        "!=",
        "::=",
        "$(file ",
        "$(let ",
        "$(intcmp ",
    ):
        assert newer not in text


def test_pdf_publishes_the_set_alone(project: Project) -> None:
    built = project.make("pdf")
    assert built.returncode == 0, built.stderr
    assert set(project.outputs("device_r")) == SET
    assert project.outputs("device_r")["solution_manual.pdf"] == "%PDF\ndevice r"
    assert project.stages() == []
    assert "This is the log." in (project.folder / ".build/device_r.log").read_text()


def test_a_second_pdf_does_nothing(project: Project) -> None:
    project.make("pdf")
    pdf = project.folder / "output/device_r/solution_manual.pdf"
    before = pdf.stat()
    again = project.make("pdf")
    assert again.stdout == "output/device_r/solution_manual.pdf is up to date\n"
    assert again.returncode == 0
    assert (pdf.stat().st_ino, pdf.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert project.builds() == 1


def test_a_changed_parameter_file_is_noticed_whatever_its_time(project: Project) -> None:
    project.make("pdf")
    os.utime(project.write("parameters/device_r.toml", "another"), (0, 0))
    project.make("pdf")
    assert project.outputs("device_r")["solution_manual.pdf"] == "%PDF\nanother"


def test_a_changed_or_removed_or_new_file_of_another_device_is_noticed(project: Project) -> None:
    project.make("pdf")
    project.write("parameters/h100.toml", "another")
    project.make("pdf")
    assert project.builds() == 2
    (project.folder / "parameters/h100.toml").unlink()
    project.make("pdf")
    assert project.builds() == 3
    os.utime(project.write("parameters/new.toml", "new"), (0, 0))
    project.make("pdf")
    assert project.builds() == 4
    project.make("pdf")
    assert project.builds() == 4


@pytest.mark.parametrize(
    "source", ["generate.py", "manual/publish.py", "templates/part.tex", "figures/new.py", "requirements.txt"]
)
def test_a_changed_source_is_noticed(project: Project, source: str) -> None:
    project.make("pdf")
    path = project.folder / source
    os.utime(project.write(source, (path.read_text() if path.exists() else "") + "\n"), (0, 0))
    (project.folder / ".venv/requirements.stamp").touch()
    project.make("pdf")
    assert project.builds() == 2


def test_what_is_as_it_was_is_not_built_again_whatever_its_time(project: Project) -> None:
    project.make("pdf")
    tomorrow = time.time() + 86400
    for path in ("generate.py", "manual/publish.py", "parameters/device_r.toml"):
        os.utime(project.folder / path, (tomorrow, tomorrow))
    project.make("pdf")
    assert project.builds() == 1


def test_a_source_edited_during_the_build_is_noticed(project: Project) -> None:
    editing = LATEXMK + f"echo '#' >>'{project.folder}/generate.py'\n"
    script(project.programs / "latexmk", editing)
    project.make("pdf")
    script(project.programs / "latexmk", LATEXMK)
    project.make("pdf")
    assert project.builds() == 2
    project.make("pdf")
    assert project.builds() == 2


def test_a_parameter_file_of_another_folder(project: Project, tmp_path: Path) -> None:
    elsewhere = tmp_path / "my files" / "the h100, (2).toml"
    elsewhere.parent.mkdir()
    elsewhere.write_text("mine")
    for _ in range(2):
        made = project.make("pdf", f"PARAMETERS={elsewhere}")
        assert made.returncode == 0, made.stderr
    assert project.outputs("the h100, (2)")["solution_manual.pdf"] == "%PDF\nmine"
    assert project.builds() == 1


def test_files_of_one_name_in_two_folders_are_told_apart(project: Project, tmp_path: Path) -> None:
    mine = tmp_path / "h100.toml"
    mine.write_text("mine")
    for parameters, expected in ((str(mine), "mine"), ("parameters/h100.toml", "h100"), (str(mine), "mine")):
        project.make("pdf", f"PARAMETERS={parameters}")
        assert project.outputs("h100")["solution_manual.pdf"] == f"%PDF\n{expected}"


def test_a_missing_parameter_file_is_the_generator_s_to_report(project: Project) -> None:
    for _ in range(2):
        made = project.make("pdf", "PARAMETERS=parameters/h1000.toml")
        assert made.returncode != 0
        assert "parameters/h1000.toml: there is no such file" in made.stderr
        assert "No rule to make target" not in made.stderr
    assert not (project.folder / "output").exists()


@pytest.mark.parametrize(
    "parameters", ["a:b.toml", "a%.toml", 'a"b.toml', "a`b.toml", "a=b.toml", "a;b.toml", "a*.toml"]
)
def test_a_name_that_make_cannot_handle_is_refused(project: Project, parameters: str) -> None:
    made = project.make("pdf", f"PARAMETERS={parameters}")
    assert made.returncode != 0
    assert "make cannot handle a file name with" in made.stderr


@pytest.mark.parametrize("name", [".toml", "..toml", "...toml", ".hidden.toml", "a\tb.toml", "a\nb.toml"])
def test_a_name_that_no_folder_can_have_is_refused(project: Project, name: str) -> None:
    refused = project.make("pdf", f"PARAMETERS=parameters/{name}")
    assert refused.returncode != 0
    assert "PARAMETERS" in refused.stderr
    assert not (project.folder / "output").exists()


def test_a_name_that_begins_like_an_option_is_no_option(project: Project) -> None:
    project.write("-x.toml", "first")
    assert project.make("pdf", "PARAMETERS=-x.toml").returncode == 0
    project.write("-x.toml", "second")
    assert project.make("pdf", "PARAMETERS=-x.toml").returncode == 0
    assert project.outputs("-x")["solution_manual.pdf"] == "%PDF\nsecond"


def test_stray_files_stop_nothing(project: Project) -> None:
    for name in ("parameters/h100 12:30.toml", "parameters/a%b.toml", "parameters/._h100.toml", "manual/publish 2.py"):
        project.write(name, "stray")
    for name in ("manual/.#publish.py", "manual/dead.py", "parameters/dead.toml"):
        (project.folder / name).symlink_to("nowhere")
    assert project.make("help").returncode == 0
    assert project.make("pdf").returncode == 0
    assert project.make("pdf").stdout == "output/device_r/solution_manual.pdf is up to date\n"
    assert project.make("pdf", "PARAMETERS=parameters/h100.toml").returncode == 0


def test_no_cdpath_leads_to_another_copy(tmp_path: Path, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Project(tmp_path / "other")
    monkeypatch.setenv("CDPATH", f"{other.folder}:{other.folder / 'tools'}")
    assert project.make("pdf").returncode == 0
    assert set(project.outputs("device_r")) == SET
    assert not (other.folder / "output").exists()
    told = subprocess.run(
        ["sh", "tools/build_pdf.sh", "parameters/h100.toml", "output/h100/solution_manual.pdf"],
        cwd=project.folder,
        env=environment(project.path),
        check=False,
    )
    assert told.returncode == 0
    assert set(project.outputs("h100")) == SET


def test_a_sum_that_cannot_be_taken_stops_the_build(project: Project) -> None:
    script(project.programs / "cksum", "#!/bin/sh\nexit 1\n")
    made = project.make("pdf")
    assert made.returncode != 0
    assert "What parameters/device_r.toml is built from could not be read" in made.stderr
    assert project.builds() == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_clone_that_may_not_be_written_is_said_to_be_one(project: Project) -> None:
    shutil.rmtree(project.folder / ".build")
    project.folder.chmod(0o555)
    try:
        made = project.make("pdf")
    finally:
        project.folder.chmod(0o755)
    assert made.returncode != 0
    assert "cannot be written" in made.stderr


def test_a_full_disk_is_said_to_be_one_and_not_filled_more(project: Project) -> None:
    """TeX fails, and nothing can be written any more."""
    full = LATEXMK + f"touch '{project.folder}/full'; exit 12\n"
    script(project.programs / "latexmk", full)
    mktemp = shutil.which("mktemp")
    script(
        project.programs / "mktemp", f"#!/bin/sh\n[ ! -e '{project.folder}/full' ] && exec '{mktemp}' \"$@\"\nexit 1\n"
    )
    made = project.make("pdf")
    assert made.returncode != 0
    assert "There is no room left on the disk of" in made.stderr
    assert not list((project.folder / ".build").glob("failed-*"))
    assert project.stages() == []


@pytest.mark.parametrize("parameters", ["", "parameters/"])
def test_no_parameter_file_is_refused(project: Project, parameters: str) -> None:
    made = project.make("pdf", f"PARAMETERS={parameters}")
    assert made.returncode != 0
    assert "PARAMETERS must name a parameter file" in made.stderr


def test_devices_builds_every_one(project: Project) -> None:
    project.write("parameters/h100 copy.toml", "copy")
    made = project.make("-j2", "devices")
    assert made.returncode == 0, made.stderr
    for name in ("device_r", "h100", "h100 copy"):
        assert set(project.outputs(name)) == SET
    project.make("-j2", "devices")
    project.make("pdf", "PARAMETERS=parameters/h100 copy.toml")
    assert project.builds() == 3


def test_an_error_of_tex_is_shown_and_changes_nothing(project: Project) -> None:
    project.make("pdf")
    before = project.outputs("device_r")
    project.write("parameters/device_r.toml", "wrong")
    for _ in range(2):
        made = project.make("pdf")
        assert made.returncode != 0
        assert "./solution_manual.tex:7: Undefined control sequence." in made.stderr
        assert project.outputs("device_r") == before
        log = re.search(r"The whole log is (.+)", made.stderr)
        assert log is not None
        assert "This is the log." in (project.folder / log[1]).read_text()
        (project.folder / ".build/tex.stamp").touch()  # as if TeX had been looked over again
    assert project.stages() == []


@pytest.mark.parametrize("sign", [*INTERRUPTIONS, signal.SIGKILL])
def test_an_interrupted_build_changes_nothing_and_the_next_is_whole(project: Project, sign: signal.Signals) -> None:
    project.make("pdf")
    before = project.outputs("device_r")
    project.write("parameters/device_r.toml", "slow")
    running = project.start("pdf")
    wait_for(lambda: [stage for stage in project.stages() if (stage / "copy" / "started").exists()])
    os.killpg(running.pid, sign)
    assert running.wait() != 0
    if sign != signal.SIGKILL:
        wait_for(lambda: not project.stages())
    assert project.outputs("device_r") == before

    project.write("parameters/device_r.toml", "new")
    assert project.make("pdf").returncode == 0
    assert project.outputs("device_r")["solution_manual.pdf"] == "%PDF\nnew"


def test_what_a_killed_build_left_goes_with_the_next(project: Project) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    left, running = (project.folder / f".build/stage.{owner}.abc" for owner in (dead.pid, os.getpid()))
    for stage in (left, running):
        (stage / "figures").mkdir(parents=True)
    project.make("pdf")
    assert not left.exists()
    assert running.exists()


def test_two_builds_at_the_same_time_do_not_mix(project: Project, tmp_path: Path) -> None:
    words = ["one " * 2000, "two " * 2000]
    for word in words:
        path = tmp_path / word[:3] / "same.toml"
        path.parent.mkdir()
        path.write_text(word)
    running = [project.start("pdf", f"PARAMETERS={tmp_path}/{word[:3]}/same.toml") for word in words]
    assert [build.wait() for build in running] == [0, 0]
    made = project.outputs("same")
    assert set(made) == SET
    assert made["solution_manual.pdf"].removeprefix("%PDF\n") == made["quantities.json"]
    assert set(made.values()) - {made["solution_manual.pdf"]} in ({words[0]}, {words[1]})


def test_diff_names_the_committed_version_unless_told_otherwise(project: Project) -> None:
    assert project.make("diff").stdout == "--|HEAD:parameters/device_r.toml|parameters/device_r.toml\n"
    assert project.make("diff", "OLD=a b.toml", "NEW=c.toml").stdout == "--|a b.toml|c.toml\n"


def test_clean_leaves_the_set_up_alone(project: Project) -> None:
    project.make("pdf")
    assert project.make("clean").returncode == 0
    assert not (project.folder / "output").exists()
    assert not (project.folder / ".build").exists()
    assert (project.folder / ".venv/requirements.stamp").exists()


# Set-up: TeX


@pytest.fixture
def bare(tmp_path: Path, project: Project) -> Project:
    """A machine that has the everyday programs only: no TeX, no apt-get, no Python, an ordinary user."""
    shutil.rmtree(project.programs)
    project.programs.mkdir()
    for name in (
        "make",
        "sh",
        "env",
        "dirname",
        "cat",
        "mkdir",
        "touch",
        "rm",
        "mv",
        "find",
        "cmp",
        "cksum",
        "test",
        "mktemp",
        "ls",
        "sed",
    ):
        (project.programs / name).symlink_to(str(shutil.which(name)))
    script(project.programs / "id", "#!/bin/sh\necho 1000\n")
    (project.folder / ".build/tex.stamp").unlink()
    project.path = str(project.programs)
    return project


APT_GET = """#!/bin/sh
echo "apt-get $*" >>"{home}/apt"
case " $* " in
*" install "*latexmk*)
    for program in latexmk pdflatex kpsewhich; do
        printf '#!/bin/sh\\ntrue\\n' >"{programs}/$program"
        "{chmod}" +x "{programs}/$program"
    done ;;
esac
"""


def give_apt(project: Project) -> Path:
    """An apt-get that notes its calls in the returned file, and seems to install TeX."""
    home = project.folder.parent
    told = APT_GET.format(home=home, programs=project.programs, chmod=shutil.which("chmod"))
    script(project.programs / "apt-get", told)
    script(project.programs / "dpkg", "#!/bin/sh\n")
    return home / "apt"


def test_without_tex_and_the_right_to_install_it_the_commands_are_shown(bare: Project) -> None:
    made = bare.make(".build/tex.stamp")
    assert made.returncode != 0
    assert "this is missing: latexmk pdflatex kpsewhich" in made.stderr
    for command in (
        "sudo apt-get update && sudo apt-get install",
        "sudo dnf install",
        "brew install",
        "tlmgr install",
    ):
        assert command in made.stderr
    assert not (bare.folder / ".build/tex.stamp").exists()


def test_apt_get_without_the_right_to_use_it_is_not_called(bare: Project) -> None:
    calls = give_apt(bare)
    script(bare.programs / "sudo", "#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n")
    made = bare.make(".build/tex.stamp")
    assert made.returncode != 0
    assert "sudo apt-get install" in made.stderr
    assert not calls.exists()


@pytest.mark.parametrize("user", ["root", "sudoer"])
def test_tex_is_installed_where_that_needs_no_password(bare: Project, user: str) -> None:
    calls = give_apt(bare)
    if user == "root":
        script(bare.programs / "id", "#!/bin/sh\necho 0\n")
    else:
        script(bare.programs / "sudo", '#!/bin/sh\nshift\nexec "$@"\n')
        script(bare.programs / "true", "#!/bin/sh\n")
    made = bare.make(".build/tex.stamp")
    assert made.returncode == 0, made.stderr
    said, _ = made.stdout.split("\n", 1)
    assert said.startswith("TeX is missing")
    assert "apt-get" in said
    assert [line.split()[1] for line in calls.read_text().splitlines()] == ["update", "install", "install"]
    assert (bare.folder / ".build/tex.stamp").exists()
    assert bare.make(".build/tex.stamp").stdout == "make: '.build/tex.stamp' is up to date.\n"


def test_a_single_missing_package_is_named(bare: Project) -> None:
    for name in ("latexmk", "pdflatex"):
        script(bare.programs / name, "#!/bin/sh\n")
    script(bare.programs / "kpsewhich", '#!/bin/sh\n[ "$1" != tcolorbox.sty ]\n')
    made = bare.make(".build/tex.stamp")
    assert made.returncode != 0
    assert "this is missing: tcolorbox.sty\n" in made.stderr


def test_every_package_that_the_manual_loads_is_looked_for() -> None:
    loaded = re.findall(r"\\usepackage(?:\[.*\])?\{(.+)\}", (ROOT / "templates/preamble.tex").read_text())
    looked_for = re.findall(r"[\w-]+\.sty", (ROOT / "tools/install_tex.sh").read_text())
    only_for_lualatex = {"unicode-math"}
    assert {f"{name}.sty" for name in set(loaded) - only_for_lualatex} <= set(looked_for)


def test_a_missing_font_of_the_figures_is_only_noted(bare: Project) -> None:
    for name in ("latexmk", "pdflatex"):
        script(bare.programs / name, "#!/bin/sh\n")
    script(bare.programs / "kpsewhich", '#!/bin/sh\n[ "$1" != texgyrepagella-math.otf ]\n')
    made = bare.make(".build/tex.stamp")
    assert made.returncode == 0
    assert "texgyrepagella-math.otf not found:" in made.stderr


# Set-up: Python


def test_without_a_python_there_is_advice(bare: Project) -> None:
    shutil.rmtree(bare.folder / ".venv")
    made = bare.make(".venv/requirements.stamp")
    assert made.returncode != 0
    assert "A Python from 3.11 to 3.14 is needed" in made.stderr


def test_a_python_that_is_too_old_is_passed_over(bare: Project) -> None:
    shutil.rmtree(bare.folder / ".venv")
    script(bare.programs / "python3", "#!/bin/sh\nexit 1\n")
    made = bare.make(".venv/requirements.stamp", f"PYTHON={bare.programs}/python3")
    assert made.returncode != 0
    assert "is not a Python from 3.11 to 3.14" in made.stderr


def test_a_python_without_venv_is_told_the_package(bare: Project) -> None:
    shutil.rmtree(bare.folder / ".venv")
    script(
        bare.programs / "python3.12",
        f'#!/bin/sh\ncase "$2" in *ensurepip*) exit 1 ;; esac\nexec "{sys.executable}" "$@"\n',
    )
    made = bare.make(".venv/requirements.stamp")
    assert made.returncode != 0
    assert f"sudo apt-get install python3.{sys.version_info.minor}-venv" in made.stderr


# Its -m venv makes a .venv whose pip fails where the file "offline" is there.
PYTHON = """#!/bin/sh
case "$1" in
-c) exec '{executable}' "$@" ;;
-m) mkdir -p .venv/bin
    printf '#!/bin/sh\\necho "$@" >>pip-calls\\n! test -e offline\\n' >.venv/bin/python
    '{chmod}' +x .venv/bin/python ;;
*) echo Python 3 ;;
esac
"""


def test_a_set_up_that_failed_is_done_again(bare: Project) -> None:
    shutil.rmtree(bare.folder / ".venv")
    script(bare.programs / "grep", f'#!/bin/sh\nexec {shutil.which("grep")} "$@"\n')
    script(bare.programs / "python3", PYTHON.format(executable=sys.executable, chmod=shutil.which("chmod")))
    bare.write("offline", "")
    failed = bare.make(".venv/requirements-dev.stamp")
    assert failed.returncode != 0
    assert "The packages could not be installed" in failed.stderr
    assert not list(bare.folder.glob(".venv/*.stamp"))

    (bare.folder / "offline").unlink()
    made = bare.make(".venv/requirements-dev.stamp")
    assert made.returncode == 0, made.stderr
    assert sorted(path.name for path in bare.folder.glob(".venv/*.stamp")) == [
        "requirements-dev.stamp",
        "requirements.stamp",
    ]
    calls = (bare.folder / "pip-calls").read_text()
    bare.make(".venv/requirements-dev.stamp")
    assert (bare.folder / "pip-calls").read_text() == calls


def test_a_python_that_has_gone_is_replaced(bare: Project) -> None:
    script(bare.programs / "python3", PYTHON.format(executable=sys.executable, chmod=shutil.which("chmod")))
    (bare.folder / ".venv/bin/python").unlink()
    (bare.folder / ".venv/bin/python").symlink_to("/no/such/python")
    made = bare.make(".venv/requirements.stamp")
    assert "Making .venv" in made.stdout


def test_pip_hears_where_packages_come_from_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "pip.conf"
    config.write_text(
        "[global]\nindex-url = https://one.invalid/simple\ntarget = /nowhere\nrequire-virtualenv = no\n"
        "[install]\nuser = yes\nprefix = /nowhere\nextra-index-url =\n    https://two.invalid\n    https://three.invalid\n"
    )
    for name in list(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setenv("PIP_TARGET", "/nowhere")
    monkeypatch.setenv("PIP_NO_DEPS", "1")
    monkeypatch.setenv("PIP_PROXY", "http://proxy.invalid:3128")
    found = install_packages.settings()
    assert found["PIP_INDEX_URL"] == "https://one.invalid/simple"
    assert found["PIP_EXTRA_INDEX_URL"] == "https://two.invalid https://three.invalid"
    assert found["PIP_PROXY"] == "http://proxy.invalid:3128"
    assert not {"PIP_TARGET", "PIP_USER", "PIP_PREFIX", "PIP_NO_DEPS", "PIP_REQUIRE_VIRTUALENV"} & set(found)


def test_packages_that_landed_elsewhere_are_missed(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("jinja2==0.0.1\nno-such-package==1.0\n")
    (tmp_path / "requirements.in").write_text("jinja2\n")
    faults = install_packages.missing(str(tmp_path / "requirements.txt"))
    assert [fault.split(":")[0] for fault in faults] == ["jinja2", "no-such-package"]
    for name in ("requirements.txt", "requirements-dev.txt"):
        assert install_packages.missing(str(ROOT / name)) == []


def test_a_checkout_keeps_the_line_ends_that_a_shell_reads() -> None:
    rules = (ROOT / ".gitattributes").read_text()
    assert "* text=auto eol=lf" in rules
    scripts = [ROOT / "Makefile", *(ROOT / "tools").glob("*.sh"), *(ROOT / "templates").glob("*.tex")]
    assert not [path.name for path in scripts if b"\r" in path.read_bytes()]


def test_every_requirement_is_pinned_and_every_wanted_one_is_there() -> None:
    def lines(name: str) -> list[str]:
        text = (ROOT / name).read_text().splitlines()
        return [line for line in text if line and not line.startswith("#")]

    for name in ("requirements", "requirements-dev"):
        pins = lines(f"{name}.txt")
        assert all(re.fullmatch(r"[a-z0-9-]+==[0-9][0-9.]*", pin) for pin in pins)
        names = [pin.split("==")[0] for pin in pins]
        assert names == sorted(names)
        assert set(lines(f"{name}.in")) <= set(names)
