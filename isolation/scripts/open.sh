# Makes the run's directory at the first place that can hold it, and removes what killed runs left there.
# usage: sh -c open.sh ai-flow NAME {clear|leave} PLACE...
umask 077
name=$1
clear=$2
shift 2
clear_away() {
	for old in "$1"/ai-flow-run-*; do
		if [ -h "$old" ] || ! [ -d "$old" ] || ! [ -O "$old" ]; then continue; fi
		rm -rf -- "$old" 2>/dev/null && continue
		chmod -R u+rwx -- "$old" 2>/dev/null
		rm -rf -- "$old" || echo "left: $old" >&2
	done
}
made=
for place; do
	[ -d "$place" ] || mkdir -p -- "$place" 2>/dev/null
	if ! [ -d "$place" ] || ! [ -x "$place" ]; then continue; fi
	[ "$clear" = leave ] || clear_away "$place"
	[ -z "$made" ] || continue
	run=$place/$name
	mkdir -- "$run" 2>/dev/null || continue
	for part in tmp bin xdg xdg/config xdg/cache xdg/data xdg/state xdg/runtime; do
		mkdir -- "$run/$part" || exit 43
	done
	made=$run
done
[ -n "$made" ] || exit 44
printf '%s\n' "$made"
