#!/bin/sh
# install_tex.sh [latexdiff]: see to TeX, and to latexdiff where it is named. Nothing to do where all is there;
# otherwise install Debian's packages if that needs no password, or stop with the commands for this and other systems.
set -u
unset CDPATH
cd "$(dirname "$0")/.." || exit 1
. tools/environment.sh
. tools/apt.sh

programs="latexmk pdflatex kpsewhich"
# The packages that templates/ loads, the extensions of tcolorbox it asks for, and one file of each font family.
files="article.cls iftex.sty fontenc.sty amsmath.sty mathtools.sty booktabs.sty array.sty tabularx.sty longtable.sty placeins.sty
microtype.sty geometry.sty graphicx.sty xcolor.sty fancyhdr.sty cleveref.sty hyperref.sty tcolorbox.sty tcbskins.code.tex
tcbbreakable.code.tex enumitem.sty textcomp.sty tgpagella.sty mathpazo.sty qplr.pfb fplmr.pfb uplri8a.pfb lmr10.pfb lmtt10.pfb lmss8.pfb"
figure_fonts="texgyrepagella-regular.otf texgyrepagella-math.otf"

debian="latexmk texlive-latex-base texlive-latex-recommended texlive-latex-extra texlive-fonts-recommended
texlive-pictures tex-gyre lmodern"
debian_figure_fonts="fonts-texgyre fonts-texgyre-math"
fedora="/usr/bin/latexmk texlive-collection-latexrecommended texlive-collection-fontsrecommended 'tex(cleveref.sty)'
'tex(enumitem.sty)' 'tex(environ.sty)' 'tex(pdfcol.sty)' 'tex(placeins.sty)' 'tex(tcolorbox.sty)' 'tex(tikz.sty)' 'tex(trimspaces.sty)'"
tlmgr="latexmk collection-latexrecommended collection-fontsrecommended cleveref enumitem environ pdfcol pgf placeins
tcolorbox tikzfill trimspaces"

if [ "${1-}" = latexdiff ]; then
    programs="$programs latexdiff"
    files="$files ulem.sty"
    debian="$debian latexdiff texlive-plain-generic"
    fedora="$fedora /usr/bin/latexdiff 'tex(ulem.sty)'"
    tlmgr="$tlmgr latexdiff ulem"
fi

# Those of the arguments that TeX cannot find.
not_found() {
    for file in "$@"; do
        tex kpsewhich "$file" >/dev/null 2>&1 || printf '%s ' "$file"
    done
}

# What is missing of all that a build needs; empty where nothing is.
missing() {
    for program in $programs; do
        command -v "$program" >/dev/null 2>&1 || printf '%s ' "$program"
    done
    # Without kpsewhich there is no TeX at all, and no use in listing every file.
    if command -v kpsewhich >/dev/null 2>&1; then
        not_found $files
    fi
}

warn_of_figure_fonts() {
    lacking=$(echo $(not_found $figure_fonts))
    if [ -n "$lacking" ]; then
        echo "Note: $lacking not found: the figures are set in STIX instead of the manual's own font." >&2
    fi
}

lacking=$(echo $(missing))
if [ -z "$lacking" ]; then
    warn_of_figure_fonts
    exit 0
fi

if ! find_root; then
    cat >&2 <<MESSAGE
The manual needs TeX, and this is missing: $lacking
Install it with the command for your system, then run make again:

Debian, Ubuntu:
  sudo apt-get update && sudo apt-get install --no-install-recommends $(echo $debian $debian_figure_fonts)
Fedora:
  sudo dnf install $(echo $fedora)
macOS (all of TeX Live; then open a new terminal):
  brew install --cask mactex-no-gui
macOS (BasicTeX, smaller; then open a new terminal and run tlmgr as below, with sudo):
  brew install --cask basictex
TeX Live from tug.org, on any system:
  tlmgr install $(echo $tlmgr)
MESSAGE
    exit 1
fi

echo "TeX is missing ($lacking): installing with apt-get, about 500 MB on disk and some minutes:"
echo "  $(echo $debian $debian_figure_fonts)"
$as_root apt-get update --quiet -o DPkg::Lock::Timeout=600 ||
    echo "apt-get update failed; trying with the lists of packages at hand." >&2
if ! apt_install $debian; then
    echo "apt-get could not install TeX: its message is above." >&2
    exit 1
fi
# These two have other names on some releases, and the manual can do without.
apt_install $debian_figure_fonts || true

lacking=$(echo $(missing))
if [ -n "$lacking" ]; then
    echo "apt-get has installed its packages, and still this is missing: $lacking" >&2
    exit 1
fi
warn_of_figure_fonts
