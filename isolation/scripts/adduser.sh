# Makes the agent's user, or mends one of ours: no password, no login, no group but its own, a home that is closed to others.
# The home is root's and only .ai-flow in it is the user's: tools look upwards for their configuration (.git, go.work,
# CLAUDE.md), so what an agent put there would be obeyed in each later run.
# usage: sh -c adduser.sh ai-flow USER HOME COMMENT
# useradd looks whether there is such a user before it waits for another useradd, and then gives the name a second number:
# so one of us at a time, by a lock of flock's on the file that useradd locks in the other way.
umask 077
exec 9>>/etc/.pwd.lock && flock 9 || exit 43 # whoever runs this ends it when it takes too long
umask 022
for shell in /usr/sbin/nologin /sbin/nologin /usr/bin/nologin /bin/false; do
	[ -x "$shell" ] && break
done
if ! id -u -- "$1" >/dev/null 2>&1; then
	# A home of root's with nothing else in it is what is left of a user that we made.
	if [ -d "$2" ] && ! [ -h "$2" ] && [ -n "$(find "$2" -maxdepth 0 -user 0)" ] && [ -z "$(find "$2" -mindepth 1 -maxdepth 1 ! -name .ai-flow)" ]; then
		rm -rf -- "$2/.ai-flow" && rmdir -- "$2"
	fi
	if [ -e "$2" ] || [ -h "$2" ]; then
		echo "$2 exists already, and a new user would get somebody's files with it" >&2
		exit 43
	fi
	useradd --system --user-group --no-create-home --home-dir "$2" --shell "$shell" --comment "$3" "$1" || exit 43
elif [ "$(getent passwd "$1" | cut -d: -f5)" != "$3" ]; then
	exit 0 # somebody else made it meanwhile
else
	# useradd, when it is killed, leaves an account without its group or without its line of the shadow file.
	getent group "$1" >/dev/null || groupadd --system --gid "$(id -g -- "$1")" "$1" || exit 43
	usermod --shell "$shell" --expiredate '' --password '!' "$1" || exit 43
fi
if [ -h "$2" ]; then
	echo "$2 is a link" >&2
	exit 43
fi
install -d -o 0 -g "$1" -m 0710 -- "$2" || exit 43
if [ -h "$2/.ai-flow" ] || { [ -e "$2/.ai-flow" ] && ! [ -d "$2/.ai-flow" ]; }; then
	rm -f -- "$2/.ai-flow" || exit 43
fi
install -d -o "$1" -g "$1" -m 0700 -- "$2/.ai-flow"
