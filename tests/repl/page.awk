# Turns the screens of a page of docs/ into a session for repl/terminal: what
# stands behind a prompt is typed, and the whole block must stand on the screen
# afterwards. Of blocks marked `varies` (times) only the entries are typed.
BEGIN {
    print "size 70 100"
    print "env NO_COLOR=1"
    print "env PAGER=cat"
}

# An entry that has been gathered goes out.
function type_entry(   i)
{
    if (count == 0) {
        return
    }
    if (count == 1) {
        gsub(/\\/, "\\\\", entry[1])
        print "line " entry[1]
    } else {
        print "paste"
        for (i = 1; i <= count; i++) {
            print "|" entry[i]
        }
        print "key enter"
    }
    count = 0
}

/^```screen/ {
    inside = 1
    varies = $2 == "varies"
    rows = 0
    count = 0
    print "key C-l"
    next
}

/^```/ && inside {
    type_entry()
    if (!varies) {
        print "tail"
        for (i = 1; i <= rows; i++) {
            print "|" row[i]
        }
        print "|>"
    }
    inside = 0
    next
}

inside {
    row[++rows] = $0
    if ($0 ~ /^[a-z]*> /) {
        type_entry()
        sub(/^[a-z]*> /, "")
        entry[++count] = $0
    } else if ($0 ~ /^\.( |$)/ && count > 0) {
        entry[++count] = substr($0, 3)
    } else {
        type_entry()
    }
}

END {
    print "key C-d"
    print "exit 0"
}
