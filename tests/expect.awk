# Reads a test program's expectations into files in folder `out`:
#     stdout  every `# expect: TEXT`, a line each
#     last    `# expect error: TEXT`, the last line of standard error
#     lines   `# expect stderr: TEXT`, lines of standard error, in order
#     status  `# expect status: N`; else 1 with an expected error, else 0
#     args    `# options: --cells …`, the options before the file's name
#     input   `# input: TEXT`, a line of standard input each
# `\r` at a line's end is kept out, so that a test may have CR LF ends.
function after(mark, at)
{
    at = index($0, mark)
    return at == 0 ? "" : substr($0, at + length(mark))
}
function has(mark) { return index($0, mark) != 0 }
BEGIN {
    status = ""
    printf "" > (out "/stdout")
    printf "" > (out "/lines")
    printf "" > (out "/input")
}
{ sub(/\r$/, "") }
has("# expect: ")        { print after("# expect: ") > (out "/stdout"); next }
/# expect:$/             { print "" > (out "/stdout"); next }
has("# expect error: ")  { print after("# expect error: ") > (out "/last"); status = status == "" ? 1 : status; next }
has("# expect stderr: ") { print after("# expect stderr: ") > (out "/lines"); next }
has("# expect status: ") { status = after("# expect status: "); next }
has("# options: ")       { print after("# options: ") > (out "/args"); next }
has("# input: ")         { print after("# input: ") > (out "/input"); next }
END { print (status == "" ? 0 : status) > (out "/status") }
