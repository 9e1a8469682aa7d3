# Runs as the agent user: brings the tree back to where keep.sh saw it. Ignored files stay.
# usage: git room tree
set -eu
umask 022
git=$1 room=$2
cd -- "$3"
export GIT_DIR="$room/kept/git" GIT_WORK_TREE="$PWD"
find . -path ./.git -prune -o -type d ! -perm -0700 -exec chmod u+rwx {} \; || :
# What was there comes first: a .gitignore of now would hide what was made.
"$git" update-index -q --refresh >/dev/null || :
"$git" diff-files -z --name-only --ignore-submodules=all >"$room/kept/changed"
"$git" checkout-index --force --quiet -z --stdin <"$room/kept/changed"
"$git" ls-files -z --others --exclude-standard >"$room/kept/made"
xargs -0 rm -rf -- <"$room/kept/made"
