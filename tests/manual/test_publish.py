"""Publishing: whatever happens, a PDF under its final name is whole and belongs to the files beside it."""

import errno
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from manual import publish as module
from manual.publish import publish

ROOT = Path(__file__).parents[2]
OLD = {
    "solution_manual.tex": "old",
    "quantities.json": "{old}",
    "figures/a.pdf": "old a",
}
NEW = {
    "solution_manual.tex": "new",
    "quantities.json": "{new}",
    "figures/a.pdf": "new a",
    "figures/b.pdf": "b",
}
OLD_PDF = {"solution_manual.pdf": "PDF of old"}
NEW_PDF = {"solution_manual.pdf": "PDF of new"}


def lay(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def read(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def staged(tmp_path: Path) -> Path:
    return lay(tmp_path / "staged", NEW | NEW_PDF | {"solution_manual.aux": "of TeX", "figures/notes.txt": "mine"})


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return lay(tmp_path / "target", OLD | OLD_PDF)


def test_a_new_folder_holds_the_set_and_nothing_else(tmp_path: Path, staged: Path) -> None:
    publish(staged, tmp_path / "new")
    assert read(tmp_path / "new") == NEW | NEW_PDF


def test_the_set_replaces_an_older_one(staged: Path, target: Path) -> None:
    publish(staged, target)
    assert read(target) == NEW | NEW_PDF


def test_files_of_the_user_stay(staged: Path, target: Path) -> None:
    mine = {
        "notes.txt": "mine",
        "quantities.json.bak": "mine",
        "figures/sketch.png": "mine",
        "figures/sketch.pdf": "mine",
        "sub/solution_manual.pdf": "x",
    }
    lay(target, mine)
    publish(staged, target)
    assert read(target) == NEW | NEW_PDF | mine


def test_a_set_without_pdf_takes_an_older_pdf_away(staged: Path, target: Path) -> None:
    (staged / "solution_manual.pdf").unlink()
    publish(staged, target)
    assert read(target) == NEW


def test_an_unchanged_set_without_pdf_changes_nothing(tmp_path: Path, target: Path) -> None:
    def state() -> dict[Path, tuple[int, int]]:
        return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in target.rglob("*")}

    before = state()
    publish(lay(tmp_path / "staged", OLD), target)
    assert state() == before
    assert read(target) == OLD | OLD_PDF


@pytest.mark.parametrize("name", OLD)
def test_a_change_of_any_one_file_takes_the_pdf_away(tmp_path: Path, target: Path, name: str) -> None:
    publish(lay(tmp_path / "staged", OLD | {name: "another"}), target)
    assert read(target) == OLD | {name: "another"}


def test_a_pdf_is_published_anew_though_nothing_has_changed(tmp_path: Path, target: Path) -> None:
    os.utime(target / "solution_manual.pdf", (1, 1))
    publish(lay(tmp_path / "staged", OLD | OLD_PDF), target)
    assert read(target) == OLD | OLD_PDF
    assert (target / "solution_manual.pdf").stat().st_mtime > 1


def test_the_time_of_modification_is_the_staged_one(staged: Path, target: Path) -> None:
    os.utime(staged / "solution_manual.pdf", (5, 5))
    publish(staged, target)
    assert (target / "solution_manual.pdf").stat().st_mtime == 5


def test_files_get_the_rights_of_any_new_file(staged: Path, tmp_path: Path) -> None:
    for path in staged.rglob("*.*"):
        path.chmod(0o600)
    before = os.umask(0o022)
    try:
        publish(staged, tmp_path / "new")
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "new").rglob("*.*")} == {0o644}


KILLED_AT_THE_NTH_FILE_OPERATION = """
import os, sys
from pathlib import Path
from manual.publish import publish

left = int(sys.argv[3])

def count(event, arguments):
    global left
    if event in ("open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.utime", "shutil.rmtree"):
        left -= 1
        if left == 0:
            os._exit(9)

sys.addaudithook(count)
publish(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def killed_at(n: int, staged: Path, target: Path) -> bool:
    command = [sys.executable, "-c", KILLED_AT_THE_NTH_FILE_OPERATION, staged, target, str(n)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 9


def test_killed_at_any_moment_a_pdf_belongs_to_the_files_beside_it(staged: Path, target: Path) -> None:
    seen = set()
    n = 1
    while killed_at(n, staged, target):
        left = {name: text for name, text in read(target).items() if ".publish." not in name}
        if "solution_manual.pdf" in left:
            assert left in (OLD | OLD_PDF, NEW | NEW_PDF)
        seen.add(left.get("solution_manual.pdf"))
        if n % 5 == 0:  # what a killed call leaves does not hinder the next
            publish(staged, target)
            assert read(target) == NEW | NEW_PDF
        shutil.rmtree(target)
        lay(target, OLD | OLD_PDF)
        n += 1
    assert n > 25
    assert seen == {"PDF of old", None, "PDF of new"}
    assert read(target) == NEW | NEW_PDF


@pytest.mark.parametrize("n", range(1, 6))
def test_an_error_while_replacing_leaves_no_pdf_that_does_not_belong(
    staged: Path, target: Path, monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    replaced = []

    def fail_at_nth(source: Path, destination: Path) -> None:
        replaced.append(destination)
        if len(replaced) == n:
            raise OSError(errno.EIO, "Input/output error")
        os.rename(source, destination)

    monkeypatch.setattr(module.os, "replace", fail_at_nth)
    with pytest.raises(OSError, match="input/output error"):
        publish(staged, target)
    monkeypatch.undo()
    assert "solution_manual.pdf" not in read(target)
    publish(staged, target)
    assert read(target) == NEW | NEW_PDF


@pytest.mark.parametrize("n", range(1, 6))
@pytest.mark.parametrize("exists", [True, False])
def test_a_full_disk_changes_nothing(
    staged: Path, target: Path, monkeypatch: pytest.MonkeyPatch, n: int, exists: bool
) -> None:
    if not exists:
        shutil.rmtree(target)
    written = []

    def full_at_nth(descriptor: int) -> None:
        written.append(descriptor)
        if len(written) == n:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(module.os, "fsync", full_at_nth)
    with pytest.raises(OSError, match="cannot write the outputs to .*target: no space left on device"):
        publish(staged, target)
    assert target.exists() == exists
    if exists:
        assert read(target) == OLD | OLD_PDF


def test_a_file_in_the_place_of_the_folder(staged: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OSError, match="^cannot write the outputs to .*/file: it is not a folder$"):
        publish(staged, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_missing_parent(staged: Path, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=f"^cannot write the outputs to .*: there is no folder {tmp_path}/no$"):
        publish(staged, tmp_path / "no" / "target")
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("name", ["solution_manual.pdf", "quantities.json", "figures/b.pdf"])
def test_a_folder_in_the_place_of_a_file(staged: Path, target: Path, name: str) -> None:
    (target / name).unlink(missing_ok=True)
    (target / name).mkdir()
    before = read(target)
    with pytest.raises(OSError, match=f"is a directory .*{name}"):
        publish(staged, target)
    assert read(target) == before


def test_a_file_in_the_place_of_the_figures(staged: Path, tmp_path: Path) -> None:
    target = lay(tmp_path / "target", {"figures": "mine", "solution_manual.pdf": "mine"})
    with pytest.raises(OSError, match="figures"):
        publish(staged, target)
    assert read(target) == {"figures": "mine", "solution_manual.pdf": "mine"}


@pytest.mark.parametrize("name", ["solution_manual.tex", "figures/b.pdf"])
def test_what_cannot_be_written_is_noticed_before_the_first_change(
    name: str, staged: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In either folder: as root may write anywhere, the system's refusal is played."""
    refused = target / Path(name).parent
    real = Path.mkdir

    def mkdir(path: Path, *arguments: object, **options: object) -> None:
        if path.parent == refused and not path.exists():
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        real(path, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with pytest.raises(OSError, match="permission denied"):
        publish(staged, target)
    assert read(target) == OLD | OLD_PDF


def test_a_refused_set_leaves_no_empty_folder(staged: Path, tmp_path: Path) -> None:
    (staged / "solution_manual.pdf").unlink()
    target = tmp_path / "target"
    (target / "solution_manual.pdf").mkdir(parents=True)
    with pytest.raises(OSError, match="is a directory"):
        publish(staged, target)
    assert [path.name for path in target.iterdir()] == ["solution_manual.pdf"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(staged: Path, target: Path) -> None:
    target.chmod(0o555)
    with pytest.raises(OSError, match="permission denied"):
        publish(staged, target)
    target.chmod(0o755)
    assert read(target) == OLD | OLD_PDF


def test_an_incomplete_set_is_refused(staged: Path, target: Path) -> None:
    (staged / "quantities.json").unlink()
    with pytest.raises(FileNotFoundError):
        publish(staged, target)
    assert read(target) == OLD | OLD_PDF


def test_calls_at_the_same_time_do_not_mix(tmp_path: Path) -> None:
    sets = [
        {
            "solution_manual.tex": who,
            "quantities.json": who,
            "figures/roofline.pdf": who,
            "solution_manual.pdf": who,
        }
        for who in "abcd"
    ]
    folders = [lay(tmp_path / files["quantities.json"], files) for files in sets]
    target = tmp_path / "target"
    failures: list[Exception] = []

    def publish_often(folder: Path) -> None:
        try:
            for _ in range(20):
                publish(folder, target)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=publish_often, args=(folder,)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert read(target) in sets


def test_the_command(staged: Path, target: Path) -> None:
    command = [sys.executable, "-m", "manual.publish"]
    subprocess.run([*command, staged, target], cwd=ROOT, check=True)
    assert read(target) == NEW | NEW_PDF
    refused = subprocess.run(
        [*command, staged, target / "quantities.json"], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert refused.returncode == 1
    assert refused.stderr.endswith("quantities.json: it is not a folder\n")
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("name", [".publish.incoming", "figures/.publish.incoming"])
@pytest.mark.parametrize("kind", ["link", "file", "folder"])
def test_what_is_planted_in_the_way_is_not_written_through(
    staged: Path, target: Path, tmp_path: Path, name: str, kind: str
) -> None:
    outside = lay(tmp_path / "outside", {"solution_manual.tex": "theirs", "a.pdf": "theirs"})
    planted = target / name
    if kind == "link":
        planted.symlink_to(outside)
    elif kind == "file":
        planted.write_text("planted")
    else:
        lay(planted, {"solution_manual.tex": "planted"})
    publish(staged, target)
    assert read(target) == NEW | NEW_PDF
    assert read(outside) == {"solution_manual.tex": "theirs", "a.pdf": "theirs"}


@pytest.mark.parametrize("name", [".publish.lock", "figures"])
def test_a_link_out_of_the_folder_is_refused(staged: Path, target: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    if name == "figures":
        shutil.rmtree(target / "figures")
    (target / name).symlink_to(outside if name == "figures" else outside / "lock")
    before = read(target)
    with pytest.raises(OSError, match="cannot write the outputs to"):
        publish(staged, target)
    assert read(target) == before
    assert list(outside.iterdir()) == []
