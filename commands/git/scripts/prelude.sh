# Runs as the agent user, after its processes are gone. A git directory of this moment looks at the tree: the tree's own
# .git may be anything by now, and its configuration has no say.
set -eu
umask 077
git=$1 room=$2 tree=$3 format=$4
shift 4
if [ -h "$tree" ] || [ ! -d "$tree" ]; then
    echo "the tree is gone: $tree is not a directory" >&2
    exit 40
fi
own=$(mktemp -d "$room/take.XXXXXXXXXX")
trap 'rm -rf -- "$own"' EXIT
cd -- "$tree"
export GIT_DIR="$own/git" GIT_WORK_TREE="$PWD"
if [ "$format" = sha1 ]; then
    "$git" init --quiet --template=
else
    "$git" init --quiet --template= --object-format="$format"
fi
mkdir -p "$GIT_DIR/info"
echo '* -text !eol -filter -ident !working-tree-encoding' >"$GIT_DIR/info/attributes"
cat >>"$GIT_DIR/config" <<'CONFIG'
[core]
	autocrlf = false
	fileMode = true
	symlinks = true
	ignoreCase = false
	precomposeUnicode = false
	looseCompression = 0
	fsmonitor = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
[gc]
	auto = 0
CONFIG
