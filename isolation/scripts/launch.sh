# Enters a directory as the agent, makes the environment exactly what was asked for, and becomes the command.
# usage: sh -c launch.sh ai-flow PROCESSES DIR 'NAMES THAT STAY' NAME=VALUE... -- COMMAND...
# The names of our own variables are refused as names for the agent.
umask 077
# No core file: it would hold the provider's key, in the tree or where crashes are kept after the run. Most sudos see to that,
# unless a sudoers file says otherwise.
ulimit -c 0
# Fewer processes than the host can have. -u is bash's name of it, -p that of dash and busybox. It fails where less is allowed
# already; the soft limit is only touched where it is the higher one, so that nothing is ever raised.
if [ -n "$1" ]; then
	{ ulimit -H -u "$1" || ulimit -H -p "$1" || ulimit -u "$1" || ulimit -p "$1"; } 2>/dev/null
fi
ai_flow_dir=$2
ai_flow_keep=" $3 PWD "
shift 3
while [ "$1" != -- ]; do
	export "${1?}"
	ai_flow_keep="$ai_flow_keep${1%%=*} "
	shift
done
shift
if ! cd -- "$ai_flow_dir" 2>/dev/null; then
	echo "ai-flow: the agent user cannot enter $ai_flow_dir" >&2
	exit 126
fi
set -f
IFS='
'
# A value of several lines gives false names here. Unsetting one that is not a variable does nothing.
for ai_flow_name in $(export -p); do
	case $ai_flow_name in
	'export '*) ai_flow_name=${ai_flow_name#export } ;;
	'declare -x '*) ai_flow_name=${ai_flow_name#declare -x } ;;
	*) continue ;;
	esac
	ai_flow_name=${ai_flow_name%%=*}
	case $ai_flow_name in
	'' | [0-9]* | *[!A-Za-z0-9_]*) continue ;;
	esac
	case $ai_flow_keep in
	*" $ai_flow_name "*) ;;
	*) unset "$ai_flow_name" ;;
	esac
done
set +f
unset IFS ai_flow_name ai_flow_keep ai_flow_dir
exec "$@"
