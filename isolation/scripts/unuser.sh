# Removes the agent's user with all that it runs, and its home. The home goes first: without its user it would be nobody's.
# usage: sh -c unuser.sh ai-flow LOCK USER HOME
if [ -f "$1" ] && exec 8<"$1" && ! flock -n 8; then
	echo "a run of ai-flow has the agent user at this moment" >&2
	exit 43
fi
shift
remove_home() {
	if [ -h "$1" ]; then return 0; fi
	rm -rf -- "$1"
}
if ! id -u -- "$1" >/dev/null 2>&1; then
	remove_home "$2" || exit 43
	exit 0
fi
# A locked-out user can start nothing anew between the kill and the removal.
usermod --lock --expiredate 1 "$1" || exit 43
said=
# By pkill too, which is root's: a process cannot kill it, as it kills the kill of its own user.
for _ in 1 2 3 4 5; do
	pkill -KILL -U "$1" 2>/dev/null
	setpriv --reuid "$1" --regid "$(id -g -- "$1")" --clear-groups -- sh -c 'kill -KILL -1' 8<&- 2>/dev/null
	# What would start something again for a user who gets the name or the number.
	rm -f -- "/var/spool/cron/crontabs/$1" "/var/spool/cron/$1" "/var/lib/systemd/linger/$1"
	for jobs in /var/spool/cron/atjobs /var/spool/at; do # at goes by the number alone
		if [ -d "$jobs" ]; then find "$jobs" -maxdepth 1 -type f -user "$1" -delete; fi
	done
	if remove_home "$2" && said=$(userdel "$1" 2>&1); then exit 0; fi
	sleep 1
done
printf '%s\n' "$said" >&2
exit 43
