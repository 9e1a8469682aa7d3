# Removes the lock of an agent user that nobody may become any more, and its directory when it was the last.
# usage: sh -c unlock.sh ai-flow LOCK
rm -f -- "$1" "$1"~[0-9]* || exit 43
rmdir -- "${1%/*}" 2>/dev/null || true
