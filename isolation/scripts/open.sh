# Makes the run's directory at the first place that can hold it, and removes what killed runs left there.
# usage: sh -c open.sh ai-flow NAME {clear|leave} 'DISPATCHERS THAT LIVE' PLACE...
umask 077
name=$1
clear=$2
live=" $3 "
shift 3
clear_away() {
	for old in "$1"/ai-flow-run-*; do
		if [ -h "$old" ] || ! [ -d "$old" ] || ! [ -O "$old" ]; then continue; fi
		owner=${old##*/ai-flow-run-}
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
