# Prints a regular file, at most LIMIT bytes. The answer to a path that is something else is an exit status.
# usage: sh -c read.sh ai-flow FILE LIMIT
if [ -h "$1" ]; then exit 41; fi
if ! [ -e "$1" ]; then exit 40; fi
if ! [ -f "$1" ]; then exit 42; fi
exec head -c "$2" -- "$1"
