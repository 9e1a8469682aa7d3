# Proves that the launch line works: who runs, that a variable arrives, that the home is there, that setpriv works.
# usage: sh -c probe.sh ai-flow SETPRIV
echo "uid=$(id -u)"
echo "value=$AI_FLOW_PROBE"
if [ -n "$1" ] && "$1" --no-new-privs -- true 2>/dev/null; then
	echo "setpriv=$1"
fi
