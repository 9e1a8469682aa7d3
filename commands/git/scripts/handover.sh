# Runs as the agent user: makes the tree from the pack on standard input.
# usage: git tree commit branch format [shallow-commit...]
set -eu
umask 022
git=$1 tree=$2 commit=$3 branch=$4 format=$5
shift 5
mkdir -- "$tree"
cd -- "$tree"
if [ "$format" = sha1 ]; then
    "$git" init --quiet --template=
else
    "$git" init --quiet --template= --object-format="$format"
fi
# Raw contents, whatever the tree's own attributes say: this file outranks them.
mkdir -p .git/info
echo '* -text !eol -filter -ident !working-tree-encoding' >.git/info/attributes
"$git" config core.autocrlf false
"$git" config core.fileMode true
"$git" config core.symlinks true
# No background maintenance: it would outlive the command that started it.
"$git" config gc.auto 0
"$git" config maintenance.auto false
# Without an identity a commit of the agent's would fail; what it commits does not count.
"$git" config user.name ai-agent
"$git" config user.email ai-agent@localhost
if [ $# -gt 0 ]; then printf '%s\n' "$@" >.git/shallow; fi
"$git" index-pack --stdin >/dev/null
"$git" update-ref "refs/heads/$branch" "$commit"
"$git" symbolic-ref HEAD "refs/heads/$branch"
"$git" read-tree --reset -u HEAD
