# Removes a directory of the agent's, whatever modes are in it.
# usage: sh -c remove.sh ai-flow DIR
cd / || exit 43
rm -rf -- "$1" 2>/dev/null || {
	chmod -R u+rwx -- "$1" 2>/dev/null
	rm -rf -- "$1" || exit 43
}
case $1 in
*/.ai-flow/*) rmdir -- "${1%/*}" 2>/dev/null || true ;;
esac
