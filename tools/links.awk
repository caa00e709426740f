# The body of tools/check-links: lines of nm, "FILE: SYMBOL KIND …".
BEGIN {
    read_rooms(list)
    count = split(inversions, name, " ")
    for (i = 1; i <= count; i++) unused[name[i]] = 1
}
{
    sub(/:$/, "", $1)
    if (!($1 in folder)) {
        path = $1
        sub(/\/[^\/]*$/, "", path)
        folder[$1] = room_of(substr(path, 5))
        files++
    }
    if ($3 == "U") {
        wants[++wanted] = $1 SUBSEP $2
    } else if ($3 ~ /^[A-Z]$/) {
        home[$2] = $1
    }
}
END {
    for (i = 1; i <= wanted; i++) {
        split(wants[i], want, SUBSEP)
        file = want[1]
        symbol = want[2]
        if (!(symbol in home) || may_know(folder[file], folder[home[symbol]])) continue
        if (index(" " inversions " ", " " symbol " ")) {
            delete unused[symbol]
        } else {
            printf "%s: %s needs %s of %s\n", file, folder[file], symbol, folder[home[symbol]]
            failed++
        }
    }
    for (symbol in unused) {
        print "tools/check-links: nothing below the machine needs " symbol
        failed++
    }
    printf "%d passed, %d failed\n", files, failed + 0
    exit failed > 0
}
