# The body of tools/check-includes.
function complain(text) {
    printf "%s:%d: %s\n", substr(FILENAME, 3), FNR, text
    failed++
}
function folder_of(path) {
    return sub(/\/[^\/]*$/, "", path) ? path : ""
}
BEGIN { read_rooms("../tools/rooms.list") }
FNR == 1 {
    files++
    here = room_of(folder_of(substr(FILENAME, 3)))
    if (here == "") complain("its folder is not in tools/rooms.list")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\"")
    folder = folder_of(quoted[2])
    if (folder == "") {
        if (quoted[2] != "config.h") complain("include \"" quoted[2] "\" without its folder")
    } else if (!may_know(here, room_of(folder))) {
        complain(here " must not include " quoted[2])
    }
}
END {
    printf "%d passed, %d failed\n", files, failed + 0
    exit failed > 0
}
