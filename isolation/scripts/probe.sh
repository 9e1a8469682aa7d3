# Proves that the launch line works: who runs, that a variable arrives, that setpriv works where the host has one, and which of
# its options. A tool that a signal ended is no answer, so its status goes on.
# usage: sh -c probe.sh ai-flow SETPRIV OPTION...
uid=$(id -u) || exit $?
echo "uid=$uid"
echo "value=$AI_FLOW_PROBE"
setpriv=$1
shift
[ -n "$setpriv" ] || exit 0
parent=
{ read -r parent <"/proc/$PPID/comm"; } 2>/dev/null
echo "parent=$parent"
works=
# It tries options together with those that work already: what is used is what was proven, as a whole.
works_with() {
	# shellcheck disable=SC2086 # words of ours
	"$setpriv" $works "$@" -- true >/dev/null 2>&1
	status=$?
	[ "$status" -lt 128 ] || exit "$status"
	[ "$status" -eq 0 ] && works="$works $*"
}
if ! works_with "$@"; then
	works_with "$1" || exit 47
	shift
	for option; do
		works_with "$option"
	done
fi
echo "works=$works"
