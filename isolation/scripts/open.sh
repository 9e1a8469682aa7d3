# Makes the run's directory at the first place that can hold it, and removes what killed runs left there.
# usage: sh -c open.sh ai-flow NAME {clear|leave} 'DISPATCHERS THAT LIVE' PLACE...
umask 077
name=$1
clear=$2
live=" $3 "
shift 3
# A directory .ai-flow is all ours. What else a run put there would lie above the next one's directory, where tools look for
# their configuration; a link or a mode would send the next run to another place.
clear_away() {
	case $1 in
	*/.ai-flow)
		if [ -h "$1" ]; then rm -f -- "$1"; fi
		if [ -O "$1" ]; then chmod 0700 -- "$1" 2>/dev/null; fi
		set -- "$1"/* "$1"/.[!.]* "$1"/..?*
		;;
	*) set -- "$1"/ai-flow-run-*/ ;;
	esac
	for old; do
		old=${old%/}
		if ! [ -e "$old" ] && ! [ -h "$old" ]; then continue; fi
		case $old in
		*/.ai-flow/*) ;;
		*) if [ -h "$old" ] || ! [ -O "$old" ]; then continue; fi ;;
		esac
		owner=${old##*/}
		owner=${owner#ai-flow-run-}
		owner=${owner%-*}
		case $live in *" $owner "*) continue ;; esac
		rm -rf -- "$old" 2>/dev/null && continue
		chmod -R u+rwx -- "$old" 2>/dev/null
		rm -rf -- "$old" || exit 45
	done
}
if [ "$clear" = clear ]; then
	for place; do
		clear_away "$place"
	done
fi
for place; do
	[ -d "$place" ] || mkdir -p -- "$place" 2>/dev/null
	run=$place/$name
	# The mode is said: an access list that somebody left on the place would take no notice of the umask.
	mkdir -m 0700 -- "$run" 2>/dev/null || continue
	for part in home tmp bin xdg xdg/config xdg/cache xdg/data xdg/state xdg/runtime; do
		mkdir -- "$run/$part" || exit 43
	done
	printf '%s\n' "$run"
	exit 0
done
exit 44
