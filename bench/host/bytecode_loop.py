# An interpreter of a small stack machine: texts compared in a chain of elifs.
def run(prog):
    stack = []
    pc = 0
    steps = 0
    env = {}
    while pc < len(prog):
        op, arg = prog[pc]
        pc += 1
        steps += 1
        if op == "push": stack.append(arg)
        elif op == "add": b = stack.pop(); a = stack.pop(); stack.append(a + b)
        elif op == "sub": b = stack.pop(); a = stack.pop(); stack.append(a - b)
        elif op == "load": stack.append(env[arg])
        elif op == "store": env[arg] = stack.pop()
        elif op == "jnz":
            if stack.pop(): pc = arg
        elif op == "jmp": pc = arg
    return env, steps
prog = [("push", 30000), ("store", "n"), ("push", 0), ("store", "s"),
        ("load", "s"), ("load", "n"), ("add", None), ("store", "s"),
        ("load", "n"), ("push", 1), ("sub", None), ("store", "n"),
        ("load", "n"), ("jnz", 4)]
print(run(prog))
