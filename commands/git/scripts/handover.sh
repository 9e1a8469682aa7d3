# Runs as the agent user: makes the tree from the pack on standard input.
# usage: git room commit branch format [shallow-commit...]
# Output: which of the room's trees it is: "" for the first, then 2, 3, ...
set -eu
umask 022
git=$1 room=$2 commit=$3 branch=$4 format=$5
shift 5
cd -- "$room"
n=
while [ -e "tree$n" ] || [ -h "tree$n" ]; do n=$((${n:-1} + 1)); done
mkdir "tree$n"
cd "tree$n"
printf %s "$n"
if [ "$format" = sha1 ]; then
    "$git" init --quiet --template=
else
    "$git" init --quiet --template= --object-format="$format"
fi
# Raw contents, whatever the tree's own attributes say: this file outranks them.
mkdir -p .git/info
echo '* -text !eol -filter -ident !working-tree-encoding' >.git/info/attributes
# No background maintenance: it would outlive the command that started it. And without an identity a commit of the agent's
# would fail; what it commits does not count.
cat >>.git/config <<'CONFIG'
[core]
	autocrlf = false
	fileMode = true
	symlinks = true
[gc]
	auto = 0
[maintenance]
	auto = false
[user]
	name = ai-agent
	email = ai-agent@localhost
CONFIG
if [ $# -gt 0 ]; then printf '%s\n' "$@" >.git/shallow; fi
"$git" index-pack --stdin >/dev/null
"$git" update-ref "refs/heads/$branch" "$commit"
"$git" symbolic-ref HEAD "refs/heads/$branch"
"$git" read-tree --reset -u HEAD
