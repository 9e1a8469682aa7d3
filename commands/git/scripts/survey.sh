# What is in the tree and differs from the base, whose index entries come on standard input.
# usage: max-file-bytes
# Output: seven lists of NUL-terminated records, each list ended by an empty record: pipes, sockets and devices; files over
# the size; what stays unreadable (directories with a slash at the end); .git below the top; what has too long a path;
# untracked paths; raw differences.
max=$1

# What the agent closed to itself it may open again; never wider than for its owner, and never writable.
find . -path ./.git -prune -o -type d ! -perm -0500 -exec chmod u+rx {} \; -o -type f ! -perm -0400 -exec chmod u+r {} + || :

# A find that could not enter a directory fails; the third list then names that directory, so its status is no news.
find . -path ./.git -prune -o \( -type p -o -type s -o -type b -o -type c \) -print0 || :
printf '\0'
# git opens these to read them, and would wait for ever for somebody to write into a pipe.
blocked=$(find . -path ./.git -prune -o \( -name .gitignore -o -name .gitattributes \) \( -type p -o -type s -o -type b -o -type c \) -print) || :
if [ -n "$blocked" ]; then exit 41; fi

find . -path ./.git -prune -o -type f -size "+${max}c" -print0 || :
printf '\0'
find . -path ./.git -prune -o ! -user "$(id -u)" \( -type d -o -type f \) -exec sh -c '
    for p do
        if [ -d "$p" ]; then
            [ -r "$p" ] && [ -x "$p" ] || printf "%s/\0" "$p"
        else
            [ -r "$p" ] || printf "%s\0" "$p"
        fi
    done' sh {} + || :
printf '\0'
find . -path ./.git -prune -o -name .git -prune -print0 || :
printf '\0'

# git warns of a directory that it cannot open for the length of its path, and passes over it; find steps down by names.
# One question mark for each byte of the shortest path that cannot be opened, and two for the ./ in front.
most=$(getconf PATH_MAX / 2>/dev/null) || most=4096
long=$(printf "%$((most + 2))s" '' | tr ' ' '?')
find . -path ./.git -prune -o -path "$long*" \( ! -type d -o ! -perm -0500 \) -print0 || :
printf '\0'

"$git" update-index -z --index-info
"$git" ls-files -z --others --exclude-standard
printf '\0'
# Reads every tracked file: the agent may have set times back, and an index kept since the hand-over would believe them.
"$git" update-index -q --refresh >/dev/null || :
"$git" diff-files -z --raw --no-renames --ignore-submodules=all
printf '\0'
