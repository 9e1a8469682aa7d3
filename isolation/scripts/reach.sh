# Names the first part of a path that the agent user cannot enter.
# usage: sh -c reach.sh ai-flow DIR
cd -- "$1" 2>/dev/null && exit 0
rest=${1#/}
at=
while [ -n "$rest" ]; do
	at=$at/${rest%%/*}
	case $rest in
	*/*) rest=${rest#*/} ;;
	*) rest= ;;
	esac
	if ! cd -- "$at" 2>/dev/null; then
		printf '%s\n' "$at"
		[ -e "$at" ] && exit 46
		exit 40
	fi
done
exit 43
