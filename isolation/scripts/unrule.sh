# Takes a rule back. Not while a run has the agent user: without the rule it could not end its agent.
# usage: sh -c unrule.sh ai-flow LOCK RULE
if [ -f "$1" ] && exec 8<"$1" && ! flock -n 8; then
	echo "a run of ai-flow has the agent user at this moment" >&2
	exit 43
fi
rm -f -- "$2~" "$2"
