# Writes standard input to a new file; what stood there before, link or not, is replaced and never written through.
# usage: sh -c write.sh ai-flow FILE MODE
umask 077
mkdir -p -- "${1%/*}" || exit 43
rm -f -- "$1" || exit 43
set -C
cat >"$1" || exit 43
chmod -- "$2" "$1" || exit 43
