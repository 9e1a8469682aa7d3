# Runs as the agent user: brings the tree back to where keep.sh saw it. Ignored files stay.
# usage: git room tree format
# What the gates wrote into the configuration beside the index has no say: it is made anew.
set -eu
umask 022
git=$1 room=$2
cd -- "$3"
export GIT_DIR="$room/kept/git" GIT_WORK_TREE="$PWD"
rm -rf -- "$GIT_DIR/config" "$GIT_DIR/config.worktree" "$GIT_DIR/commondir" "$GIT_DIR/info" "$GIT_DIR/hooks"
if [ "$4" = sha1 ]; then
    "$git" init --quiet --template=
else
    "$git" init --quiet --template= --object-format="$4"
fi
mkdir -p "$GIT_DIR/info"
echo '* -text !eol -filter -ident !working-tree-encoding' >"$GIT_DIR/info/attributes"
cat >>"$GIT_DIR/config" <<'CONFIG'
[core]
	autocrlf = false
	fileMode = true
	symlinks = true
	fsmonitor = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
CONFIG
find . -path ./.git -prune -o -type d ! -perm -0700 -exec chmod u+rwx {} \; || :
# What was there comes first: a .gitignore of now would hide what was made.
"$git" update-index -q --refresh >/dev/null || :
"$git" diff-files -z --name-only --ignore-submodules=all >"$room/kept/changed"
"$git" checkout-index --force --quiet -z --stdin <"$room/kept/changed"
"$git" ls-files -z --others --exclude-standard >"$room/kept/made"
xargs -0 rm -rf -- <"$room/kept/made"
