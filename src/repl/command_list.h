// The prompt's commands: COMMAND(name, parameters, argument, doc), by name.
// What each does is a function of the same name in lib/duet, whose
// documentation `%name?` shows; `argument` (COMMAND_ARGUMENT_…, command.h) is
// what completion offers behind the name. No include guard.
COMMAND("cd", "[FOLDER]", FOLDER, "change the folder; alone: go home")
COMMAND("code", "F", STAGED, "a staged function as it is converted for traces")
COMMAND("compare", "CODE", CODE,
        "run eagerly and staged in two worlds: what differs, and why")
COMMAND("diff", "F", STAGED, "what each pass changed in the graph")
COMMAND("doc", "NAME", NAME, "the documentation of a thing")
COMMAND("edit", "[NAME|N|FILE]", NAME, "write code in $EDITOR, then run it")
COMMAND("effects", "F", STAGED, "what tracing did that calls do not repeat")
COMMAND("explain", "[CODE]", DIFFERENCE,
        "what a code of %compare means: the rule, the cure, a program")
COMMAND("frozen", "F", STAGED, "what traces read outside and keep")
COMMAND("graph", "F(ARGS)", STAGED,
        "the graph; --raw --opt --plan --dot --svg FILE")
COMMAND("history", "[-g] [-n N] [TEXT]", NONE,
        "what was entered; TEXT: where it is")
COMMAND("lesson", "[N]", LESSON, "a course on staging, a step at a time")
COMMAND("ls", "[PATTERN]", FOLDER, "the files of this folder")
COMMAND("notes", "[on|off]", SWITCH, "remarks on traces, on or off")
COMMAND("profile", "F(ARGS)", STAGED, "where a staged call spends its time")
COMMAND("quit", "", NONE, "leave, as Ctrl-D does")
COMMAND("reset", "[-f]", NONE, "forget all names of this session")
COMMAND("run", "[-i] FILE [ARG ...]", FILE, "run a script, keep its names")
COMMAND("save", "FILE [3-7 9]", FILE, "write entries to a file")
COMMAND("show", "[EXPR]", NAME, "the last value, or another one, whole")
COMMAND("time", "CODE", CODE, "run once and say how long it took")
COMMAND("timeit", "[-n N] [-r R] CODE", CODE, "run often; the time of a run")
COMMAND("tour", "", NONE, "the first steps, one at a time")
COMMAND("traces", "F", STAGED, "the traces of a staged function")
COMMAND("who", "[PATTERN]", NAME, "the names of this session")
COMMAND("why", "F", STAGED, "why the last call was traced, and the cure")
