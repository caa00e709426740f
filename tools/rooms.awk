# What tools/check-includes and tools/check-links share: reads the list of
# rooms, then answers room_of(folder) and may_know(room, room).
function read_rooms(list,    line, part, name, count, i) {
    while ((getline line < list) > 0) {
        if (line ~ /^#/ || line == "") continue
        split(line, part, ":")
        count = split(part[2], name, " ")
        room[part[1]] = 1
        knows[part[1], part[1]] = 1
        # Rows stand below what they name, so that what lies below is known.
        for (i = 1; i <= count; i++) {
            if (!(name[i] in room)) {
                print list ": " part[1] " stands above " name[i]
                exit failed = 1
            }
            know_all(part[1], name[i])
        }
    }
}
function know_all(upper, lower,    other) {
    for (other in room) {
        if ((lower, other) in knows) knows[upper, other] = 1
    }
}
function room_of(folder) {
    while (!(folder in room) && sub(/\/[^\/]*$/, "", folder)) { }
    return folder in room ? folder : ""
}
function may_know(upper, lower) {
    return (upper, lower) in knows
}
