# Sourced by the set-up scripts: may this user install Debian packages without being asked anything, and how.

# The prefix that makes a command run as root; fails where there is no apt-get, or no way to root without a password.
find_root() {
    command -v apt-get >/dev/null 2>&1 || return 1
    if [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        return 1
    fi
}

# apt_install PACKAGE... (after find_root). No question is asked, and another apt at work is waited for.
apt_install() {
    # What an interrupted installation left half-way must be finished first, or apt refuses.
    $as_root env DEBIAN_FRONTEND=noninteractive dpkg --configure -a </dev/null
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends \
        -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" </dev/null
}
