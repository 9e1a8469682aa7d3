# Proves that the launch line works: who runs, that a variable arrives, that setpriv works where the host has one. A tool
# that a signal ended is no answer, so its status goes on.
# usage: sh -c probe.sh ai-flow SETPRIV
uid=$(id -u) || exit $?
echo "uid=$uid"
echo "value=$AI_FLOW_PROBE"
[ -n "$1" ] || exit 0
"$1" --no-new-privs -- true >/dev/null 2>&1
status=$?
[ "$status" -gt 0 ] && [ "$status" -lt 128 ] && exit 47
exit "$status"
