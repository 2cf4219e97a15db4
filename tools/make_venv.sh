#!/bin/sh
# make_venv.sh requirements.txt      makes .venv afresh, with these packages
# make_venv.sh requirements-dev.txt  adds these packages to it
#
# The last thing done is to write the sum of the requirements to .venv/NAME.stamp; where it is the same there is nothing
# to do. PYTHON names the Python to use; without it one is looked for.
set -u
unset CDPATH
cd "$(dirname "$0")/.." || exit 1
. tools/environment.sh
. tools/apt.sh
writable .build || exit 1

requirements=$1
stamp=.venv/${requirements%.txt}.stamp

# The first of the arguments that is a Python from 3.11 to 3.14, as $python.
find_python() {
    for python in "$@"; do
        "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null && return
    done
    return 1
}

find_any_python() {
    find_python python3 python3.14 python3.13 python3.12 python3.11
}

if [ -n "${PYTHON-}" ]; then
    if ! find_python "$PYTHON"; then
        echo "PYTHON=$PYTHON is not a Python from 3.11 to 3.14." >&2
        exit 1
    fi
elif ! find_any_python; then
    if find_root; then
        echo "Python is missing: installing python3 and python3-venv with apt-get."
        $as_root apt-get update --quiet
        apt_install python3 python3-venv
    fi
    if ! find_any_python; then
        cat >&2 <<MESSAGE
A Python from 3.11 to 3.14 is needed, and none is on the PATH. Install one, then run make again:
  Debian, Ubuntu:  sudo apt-get install python3 python3-venv  (Ubuntu 22.04: python3.11 python3.11-venv)
  Fedora:          sudo dnf install python3
  macOS:           brew install python@3.13
One that has another name or place is named like this: make pdf PYTHON=/path/to/python3
MESSAGE
        exit 1
    fi
fi

# Debian has a package of its own for what makes virtual environments.
has_venv() {
    "$python" -c 'import ensurepip, venv' 2>/dev/null
}

if ! has_venv; then
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    if find_root; then
        echo "Python's venv module is missing: installing $package with apt-get."
        $as_root apt-get update --quiet
        apt_install "$package"
    fi
    if ! has_venv; then
        cat >&2 <<MESSAGE
Python's venv module is missing from $python. Install it, then run make again:
  Debian, Ubuntu:  sudo apt-get install $package
or name a Python that has it: make pdf PYTHON=/path/to/python3
MESSAGE
        exit 1
    fi
fi

# One set-up at a time: the rest of this script runs under a lock, which is gone when it ends, in whatever way.
if [ -z "${VENV_LOCKED-}" ]; then
    mkdir -p .build
    VENV_LOCKED=yes exec "$python" -c '
import fcntl, os, sys
lock = os.open(".build/venv.lock", os.O_RDWR | os.O_CREAT)
os.set_inheritable(lock, True)
fcntl.flock(lock, fcntl.LOCK_EX)
os.execvp(sys.argv[1], sys.argv[1:])' sh tools/make_venv.sh "$requirements"
fi

# Another make may have been at it while this one waited. By its sum, for a file may be newer than the clock.
sum=$(cksum <"$requirements")
if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2>/dev/null)" = "$sum" ]; then
    touch -r "$requirements" "$stamp"
    exit 0
fi

install() {
    if [ "$requirements" = requirements.txt ]; then
        echo "Making .venv with $("$python" --version) and the packages of $requirements"
        "$python" -m venv --clear .venv || return
    else
        echo "Adding the packages of $requirements to .venv"
    fi
    .venv/bin/python -I tools/install_packages.py "$requirements"
}

if ! install; then
    echo "The packages could not be installed: the reason is above. Once that is mended, run make again." >&2
    exit 1
fi
echo "$sum" >"$stamp"
touch -r "$requirements" "$stamp"
