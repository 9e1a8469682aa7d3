# The contents of the paths on standard input (NUL-terminated).
# Output: "mode id stage<TAB>path" records, NUL-terminated, and an empty record; then, for each distinct id in order, a
# line with its size, and an empty line; then, for each again, a line with its size, the bytes, and a line feed.
"$git" update-index --add -z --stdin
"$git" ls-files -z --stage
printf '\0'
"$git" ls-files --stage | cut -d ' ' -f 2 | sort -u >"$own/ids"
"$git" cat-file --batch-check='%(objectsize)' <"$own/ids"
echo
"$git" cat-file --batch='%(objectsize)' --buffer <"$own/ids"
