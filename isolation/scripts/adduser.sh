# Makes the agent's user: no password, no login, no group but its own, a home that is closed to others. The home is root's
# and only .ai-flow in it is the user's: tools look upwards for their configuration (.git, go.work, CLAUDE.md), so what
# an agent put there would be obeyed in each later run.
# usage: sh -c adduser.sh ai-flow USER HOME COMMENT
# useradd looks whether there is such a user before it waits for another useradd, and then gives the name a second number:
# so one of us at a time, by a lock of flock's on the file that useradd locks in the other way.
umask 077
exec 9>>/etc/.pwd.lock && flock -w 50 9 || exit 43
umask 022
id -u -- "$1" >/dev/null 2>&1 && exit 0
# A home of root's with nothing else in it is what is left of a user that we made.
if [ -d "$2" ] && ! [ -h "$2" ] && [ -n "$(find "$2" -maxdepth 0 -user 0)" ] && [ -z "$(find "$2" -mindepth 1 -maxdepth 1 ! -name .ai-flow)" ]; then
	rm -rf -- "$2/.ai-flow" && rmdir -- "$2"
fi
if [ -e "$2" ] || [ -h "$2" ]; then
	echo "$2 exists already, and a new user would get somebody's files with it" >&2
	exit 43
fi
useradd --system --user-group --no-create-home --home-dir "$2" --shell /usr/sbin/nologin --comment "$3" "$1" || exit 43
install -d -o 0 -g "$1" -m 0710 -- "$2" || exit 43
install -d -o "$1" -g "$1" -m 0700 -- "$2/.ai-flow"
