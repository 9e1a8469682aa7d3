# Takes the rule back, then the user with all that it runs and its home.
# usage: sh -c unrule.sh ai-flow FILE USER
rm -f -- "$1" || exit 43
id -u -- "$2" >/dev/null 2>&1 || exit 0
# A locked-out user can start nothing anew between the kill and the removal.
usermod --lock --expiredate 1 "$2" || exit 43
for _ in 1 2 3 4 5; do
	setpriv --reuid "$2" --regid "$2" --clear-groups -- sh -c 'kill -KILL -1' 2>/dev/null
	said=$(userdel --remove "$2" 2>&1) && exit 0
	sleep 1
done
printf '%s\n' "$said" >&2
exit 43
