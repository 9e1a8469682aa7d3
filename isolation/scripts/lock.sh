# Makes the lock that all who become USER share. Others may open it, the group that is USER's own may not: USER can neither
# hold it nor wait for it. It is never replaced, since whoever holds the old file would keep nobody out: of two that make it
# at once, one does.
# usage: sh -c lock.sh ai-flow FILE USER
umask 022
if [ -h "${1%/*}" ]; then
	echo "${1%/*} is a link" >&2
	exit 43
fi
mkdir -p -- "${1%/*}" && chown 0:0 -- "${1%/*}" && chmod 0755 -- "${1%/*}" || exit 43
if [ -h "$1" ] || { [ -e "$1" ] && ! [ -f "$1" ]; }; then
	echo "$1 is no plain file" >&2
	exit 43
fi
group=$(id -g -- "$2") || exit 43
umask 077
exec 9>>/etc/.pwd.lock && flock 9 || exit 43 # one of us at a time, so that what is left here is of one that was killed
rm -f -- "$1"~[0-9]* # no name of a user has a tilde in it, so none of these is another one's lock
new=$1~$$
trap 'rm -f -- "$new"' EXIT
: >"$new" || exit 43
chown -- "0:$group" "$new" || exit 43
chmod 0604 -- "$new" || exit 43
ln -- "$new" "$1" 2>/dev/null && exit 0
# It is there already, and may be from a user of that name who is no more.
chown -- "0:$group" "$1" && chmod 0604 -- "$1" || exit 43
