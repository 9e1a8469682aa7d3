# Puts a sudoers rule in place. A file that sudo cannot parse would lock everybody out of it, so a draft is checked first;
# sudo reads no name that ends in a tilde.
# usage: sh -c rule.sh ai-flow FILE RULE
umask 077
draft=$1~
trap 'rm -f -- "$draft"' EXIT
printf '%s\n' "$2" >"$draft" || exit 43
chmod 0440 "$draft" || exit 43
visudo -c -q -f "$draft" || exit 43
mv -f -- "$draft" "$1"
