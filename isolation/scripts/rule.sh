# Puts a sudoers rule in place. A file that sudo cannot parse would lock everybody out of it, so a draft is checked first;
# sudo reads no name that ends in a tilde.
# usage: sh -c rule.sh ai-flow FILE RULE
if ! [ -d "${1%/*}" ]; then
	echo "there is no directory ${1%/*}, so sudo reads no rule from it" >&2
	exit 43
fi
umask 077
exec 9>>/etc/.pwd.lock && flock 9 || exit 43 # one of us at a time: the draft has one name, so that none is left for ever
draft=$1~
trap 'rm -f -- "$draft"' EXIT
rm -f -- "$draft" || exit 43
printf '%s\n' "$2" >"$draft" || exit 43
chmod 0440 "$draft" || exit 43
visudo -c -q -f "$draft" || exit 43
mv -f -- "$draft" "$1"
