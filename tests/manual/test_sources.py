"""Parameters from a file or from a revision of git."""

import subprocess
from pathlib import Path

import pytest

from manual.parameters import ParameterFaults
from manual.sources import output_name, read_both, read_source
from tests.conftest import ROOT

DEVICE_R = (ROOT / "parameters" / "device_r.toml").read_text(encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose first commit has d = 128, and whose file now has d = 64."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    (tmp_path / "r.toml").write_text(DEVICE_R, encoding="utf-8")
    for command in (["init", "-q"], ["add", "r.toml"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], check=True)
    (tmp_path / "r.toml").write_text(DEVICE_R.replace("head_dim = 128", "head_dim = 64"), encoding="utf-8")
    return tmp_path


def test_a_file_and_the_same_file_as_committed(repository: Path) -> None:
    assert read_source("r.toml").workload.head_dim == 64
    assert read_source("HEAD:r.toml").workload.head_dim == 128
    assert read_source("HEAD:r.toml", ["workload.head_dim=32"]).workload.head_dim == 32


def test_a_path_in_a_revision_counts_from_here(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository / "below").mkdir()
    monkeypatch.chdir(repository / "below")
    assert read_source("HEAD:../r.toml").workload.head_dim == 128


@pytest.mark.parametrize("source", ["nosuch:r.toml", "HEAD:nosuch.toml", "HEAD:", "nosuch.toml"])
def test_what_is_not_there_is_one_fault(repository: Path, source: str) -> None:
    with pytest.raises(ParameterFaults) as faults:
        read_source(source)
    (message,) = faults.value.messages
    assert message.startswith(f"{source}: expected ")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ("HEAD:new.toml", "new.toml is not in HEAD; commit it first, or name two files"),
        ("HEAD:nosuch.toml", "there is no file nosuch.toml, neither in HEAD nor here"),
        ("nosuch:r.toml", "no revision nosuch"),
        ("--all:r.toml", "there is no such file"),
        ("HEAD~1:r.toml", "no revision HEAD~1"),
        ("HEAD", "a revision of git; name the file in it, as in HEAD:parameters/device_r.toml"),
        ("", "'': expected the name of a parameter file, got an empty one"),
        ("HEAD:../elsewhere.toml", "outside of the repository: name two files"),
    ],
)
def test_a_user_is_told_what_to_do(repository: Path, source: str, advice: str) -> None:
    (repository / "new.toml").write_text(DEVICE_R, encoding="utf-8")
    with pytest.raises(ParameterFaults, match=advice):
        read_source(source)


def test_a_repository_without_a_commit(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", "unborn"], check=True)
    monkeypatch.chdir(repository / "unborn")
    with pytest.raises(ParameterFaults, match="no commit yet: commit first, or name two files"):
        read_source("HEAD:r.toml")


def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(ParameterFaults, match="no repository to look in: name two files"):
        read_source("HEAD:r.toml")


def test_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ParameterFaults, match="got no git: name two files"):
        read_source("HEAD:r.toml")


def test_a_file_of_that_name_comes_first(repository: Path) -> None:
    (repository / "HEAD:r.toml").write_text(DEVICE_R.replace("head_dim = 128", "head_dim = 16"), encoding="utf-8")
    assert read_source("HEAD:r.toml").workload.head_dim == 16
    assert output_name("HEAD:r.toml") == "HEAD:r"


def test_stems() -> None:
    assert output_name("parameters/h100.toml") == "h100"
    assert output_name("HEAD~3:parameters/h100.toml") == "h100"


def test_the_faults_of_both_are_told() -> None:
    with pytest.raises(ParameterFaults) as faults:
        read_both("no.toml", "none.toml")
    assert [message.partition(":")[0] for message in faults.value.messages] == ["no.toml", "none.toml"]
    with pytest.raises(ParameterFaults) as faults:
        read_both("no.toml", "no.toml")
    assert len(faults.value.messages) == 1
