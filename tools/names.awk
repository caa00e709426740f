# The body of tools/check-names: lines "once KIND NAME PLACE", paths of headers,
# then lines of nm, "FILE: SYMBOL KIND …".
function allow(folder, stem)
{
    sub(/^obj_/, "", stem)
    may[folder, stem] = 1
    if (sub(/s$/, "", stem)) may[folder, stem] = 1
}
BEGIN {
    while ((getline line < list) > 0) {
        if (line ~ /^#/ || line == "") continue
        split(line, part, /[: ]+/)
        for (i = 2; part[i] != ""; i++) unused[part[1], part[i]] = 1
        for (i in part) delete part[i]
    }
}
$1 == "once" {
    names++
    if (($2, $3) in owner) {
        print $4 ": " $2 " " $3 " is in " owner[$2, $3] ", too"
        failed++
    }
    owner[$2, $3] = $4
    next
}
{
    path = $1
    sub(/:$/, "", path)
    folder = path
    sub(/\/[^\/]*$/, "", folder)
    stem = path
    sub(/^.*\//, "", stem)
    sub(/^libpart_[a-z0-9]*_a-/, "", stem)
    sub(/\.[ho]$/, "", stem)
}
NF == 1 {
    allow(folder, stem)
    next
}
$3 == "T" && !(($2, folder) in seen) {
    seen[$2, folder] = 1
    names++
    room = substr(folder, 5)
    sub(/^obj_/, "", stem)
    own = stem
    sub(/s$/, "", own)
    first = stem
    sub(/_.*/, "", first)
    # Word by word: of list_method_append "list", "list_method" and so on.
    known = 0
    count = split($2, word, "_")
    name = ""
    for (i = 1; i <= count; i++) {
        name = name (i == 1 ? "" : "_") word[i]
        if ((room, name) in unused && !((folder, name) in may) &&
            name != stem && name != own && name != first) {
            needed[room, name] = 1
            known = 1
        }
        known = known || name == stem || name == own || name == first ||
                (folder, name) in may
    }
    if (!known) {
        print path ": " $2 " names neither its file nor a family of " room
        failed++
    }
}
END {
    for (key in unused) {
        if (!(key in needed)) {
            split(key, part, SUBSEP)
            print list ": " part[1] " has no function of " part[2]
            failed++
        }
    }
    printf "%d passed, %d failed\n", names - failed, failed + 0
    exit failed > 0
}
