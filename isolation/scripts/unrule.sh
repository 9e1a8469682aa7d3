# Takes the rule back, then the user with all that it runs and its home, then the lock.
# usage: sh -c unrule.sh ai-flow RULE USER LOCK
rm -f -- "$1" || exit 43
remove_user() {
	id -u -- "$1" >/dev/null 2>&1 || return 0
	# A locked-out user can start nothing anew between the kill and the removal.
	usermod --lock --expiredate 1 "$1" || return 43
	home=$(getent passwd "$1" | cut -d: -f6)
	if [ -d "$home" ] && ! [ -h "$home" ]; then
		chown -- "$1" "$home" # userdel removes no home of root's
	fi
	for _ in 1 2 3 4 5; do
		setpriv --reuid "$1" --regid "$1" --clear-groups -- sh -c 'kill -KILL -1' 2>/dev/null
		said=$(userdel --remove "$1" 2>&1) && return 0
		sleep 1
	done
	printf '%s\n' "$said" >&2
	return 43
}
remove_user "$2" || exit 43
rm -f -- "$3" || exit 43
rmdir -- "${3%/*}" 2>/dev/null || true
