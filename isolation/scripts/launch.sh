# Enters a directory as the agent, makes the environment exactly what was asked for, and becomes the command.
# usage: sh -c launch.sh ai-flow DIR 'NAMES THAT STAY' NAME=VALUE... -- COMMAND...
# The names of our own variables are refused as names for the agent.
umask 077
ai_flow_dir=$1
ai_flow_keep=" $2 PWD "
shift 2
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
