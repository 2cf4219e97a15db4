# Sourced first by each script, with the project's folder as the current one: what it may know of the machine it meets.
#
# The script runs again with these variables and no others: what a user has set for other programs of his must not
# reach a build. Kept is what finds programs, and what pip, apt and sudo need to reach a package index.
kept="PATH HOME TMPDIR PYTHON LD_LIBRARY_PATH PYENV_ROOT PYENV_VERSION VENV_LOCKED
XDG_CONFIG_HOME XDG_CONFIG_DIRS NETRC SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE
http_proxy https_proxy ftp_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
PIP_CONFIG_FILE PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_NO_INDEX PIP_FIND_LINKS PIP_TRUSTED_HOST PIP_CERT
PIP_CLIENT_CERT PIP_PROXY PIP_TIMEOUT PIP_DEFAULT_TIMEOUT PIP_RETRIES PIP_KEYRING_PROVIDER PIP_CACHE_DIR"

if [ "${SOLUTION_MANUAL_ENVIRONMENT-}" != clean ]; then
    set -- sh "tools/${0##*/}" "$@"
    for name in $kept; do
        eval "given=\${$name+yes} value=\${$name-}"
        [ -z "$given" ] || set -- "$name=$value" "$@"
    done
    exec env -i SOLUTION_MANUAL_ENVIRONMENT=clean "$@"
fi

# tex PROGRAM [ARGUMENT...]: a program of TeX's, with the trees that came with it and none of the user's own.
# No font is made on the way: that would write to the user's home, and set bitmaps.
tex() {
    env HOME=/nonexistent TEXMFLOCAL=/nonexistent MKTEXPK=0 MKTEXTFM=0 MKTEXMF=0 MKTEXTEX=0 "$@"
}

# May a build write here? To be asked first, so that the answer is a sentence.
writable() {
    mkdir -p "$1" 2>/dev/null && probe=$(mktemp "$1/.probe.XXXXXX" 2>/dev/null) && rm -f "$probe" && return
    if [ -d "$1" ] && [ -w "$1" ]; then
        echo "There is no room left on the disk of $PWD/$1: free some, then run make again." >&2
    else
        echo "$PWD/$1 cannot be written: make needs a clone in which this user may write." >&2
    fi
    return 1
}
