// Every instruction: OPCODE(id, form, cache words, what it does). No include
// guard.
//
// `form` says how A, B and C are read, one letter each (the disassembler and
// the checker of register bounds go by it):
//     r a register   k a constant   n a constant that is a name
//     i a signed number   u an unsigned number   j a signed jump, counted
//     from the next instruction's word   J a signed jump in B and C together
//     - not used
// The fifth field of an instruction, x, is a small number whose meaning the
// text gives. Ownership: docs/internals.md. A source register that is a
// temporary is emptied by the instruction that reads it, unless the text says
// "stays".

// Moves.
OPCODE(HALT, "---", 0, "ends vm_run; the result is R[0] of an entry frame")
OPCODE(ENTRY, "---", 0, "stands before HALT: the call that C made")
OPCODE(NOP, "---", 0, "nothing")
OPCODE(MOVE, "rr-", 0, "A = B; B stays; B must be bound")
OPCODE(MOVET, "rr-", 0, "A = B, B becomes empty")
OPCODE(LOADI, "ri-", 0, "A = the int B")
OPCODE(LOADK, "rk-", 0, "A = constant B")
OPCODE(DROP, "r--", 0, "A becomes empty")
OPCODE(DROPN, "ru-", 0, "B registers from A on become empty")
OPCODE(DELETE, "r--", 0, "del of a local: A must be bound, becomes empty")

// Arithmetic; x = 1: in place (`+=`). The order is that of BinaryOp.
OPCODE(ADD, "rrr", 0, "A = B + C")
OPCODE(SUB, "rrr", 0, "A = B - C")
OPCODE(MUL, "rrr", 0, "A = B * C")
OPCODE(TRUEDIV, "rrr", 0, "A = B / C")
OPCODE(FLOORDIV, "rrr", 0, "A = B // C")
OPCODE(MOD, "rrr", 0, "A = B % C")
OPCODE(POW, "rrr", 0, "A = B ** C")
OPCODE(MATMUL, "rrr", 0, "A = B @ C")
OPCODE(AND, "rrr", 0, "A = B & C")
OPCODE(OR, "rrr", 0, "A = B | C")
OPCODE(XOR, "rrr", 0, "A = B ^ C")
OPCODE(LSHIFT, "rrr", 0, "A = B << C")
OPCODE(RSHIFT, "rrr", 0, "A = B >> C")
OPCODE(ADDI, "rri", 0, "A = B + the int C")
OPCODE(SUBI, "rri", 0, "A = B - the int C")
OPCODE(MULI, "rri", 0, "A = B * the int C")
OPCODE(FLOORDIVI, "rri", 0, "A = B // the int C")
OPCODE(MODI, "rri", 0, "A = B % the int C")
OPCODE(ANDI, "rri", 0, "A = B & the int C")
OPCODE(LSHIFTI, "rri", 0, "A = B << the int C")
OPCODE(RSHIFTI, "rri", 0, "A = B >> the int C")
OPCODE(ADDK, "rrk", 0, "A = B + constant C")
OPCODE(SUBK, "rrk", 0, "A = B - constant C")
OPCODE(MULK, "rrk", 0, "A = B * constant C")
OPCODE(TRUEDIVK, "rrk", 0, "A = B / constant C")
OPCODE(KADD, "rkr", 0, "A = constant B + C")
OPCODE(KSUB, "rkr", 0, "A = constant B - C")
OPCODE(KMUL, "rkr", 0, "A = constant B * C")
OPCODE(KTRUEDIV, "rkr", 0, "A = constant B / C")
OPCODE(UNARY, "rr-", 0, "A = x B; x: UnaryOp")
OPCODE(COMPARE, "rrr", 0, "A = B x C; x: CompareOp")

// Jumps. Backward ones poll. The fused ones compare A with B; the N forms
// jump if the comparison does not hold (that differs from the opposite
// comparison for NaN and for classes).
OPCODE(JMP, "-J", 0, "jump")
OPCODE(JLT, "rrj", 0, "jump if A < B")
OPCODE(JLE, "rrj", 0, "jump if A <= B")
OPCODE(JEQ, "rrj", 0, "jump if A == B")
OPCODE(JNE, "rrj", 0, "jump if A != B")
OPCODE(JGT, "rrj", 0, "jump if A > B")
OPCODE(JGE, "rrj", 0, "jump if A >= B")
OPCODE(JNLT, "rrj", 0, "jump if not A < B")
OPCODE(JNLE, "rrj", 0, "jump if not A <= B")
OPCODE(JNEQ, "rrj", 0, "jump if not A == B")
OPCODE(JNNE, "rrj", 0, "jump if not A != B")
OPCODE(JNGT, "rrj", 0, "jump if not A > B")
OPCODE(JNGE, "rrj", 0, "jump if not A >= B")
OPCODE(JLTI, "rij", 0, "jump if A < the int B")
OPCODE(JLEI, "rij", 0, "jump if A <= the int B")
OPCODE(JEQI, "rij", 0, "jump if A == the int B")
OPCODE(JNEI, "rij", 0, "jump if A != the int B")
OPCODE(JGTI, "rij", 0, "jump if A > the int B")
OPCODE(JGEI, "rij", 0, "jump if A >= the int B")
OPCODE(JNLTI, "rij", 0, "jump if not A < the int B")
OPCODE(JNLEI, "rij", 0, "jump if not A <= the int B")
OPCODE(JNEQI, "rij", 0, "jump if not A == the int B")
OPCODE(JNNEI, "rij", 0, "jump if not A != the int B")
OPCODE(JNGTI, "rij", 0, "jump if not A > the int B")
OPCODE(JNGEI, "rij", 0, "jump if not A >= the int B")
OPCODE(JIS, "rrj", 0, "jump if A is B")
OPCODE(JNIS, "rrj", 0, "jump if A is not B")
OPCODE(JTRUE, "r-j", 0, "jump if A is true")
OPCODE(JFALSE, "r-j", 0, "jump if A is false")
OPCODE(JTRUE_KEEP, "r-j", 0, "jump if A is true; A then stays")
OPCODE(JFALSE_KEEP, "r-j", 0, "jump if A is false; A then stays")
OPCODE(JBOUND, "r-j", 0, "jump if A is not empty; A stays")

// Names.
OPCODE(GETG, "rn-", 2, "A = global or built-in name B")
OPCODE(SETG, "rn-", 1, "global name B = A")
OPCODE(DELG, "-n-", 0, "del of global name B")
OPCODE(GETN, "rn-", 0, "A = name B of the class body, a global or built-in")
OPCODE(GETNC, "rnu", 0, "A = name B of the class body, else captured cell C")
OPCODE(SETN, "rn-", 0, "name B of the class body = A")
OPCODE(DELN, "-n-", 0, "del of name B of the class body")
OPCODE(MKCELL, "r--", 0, "A = a cell that holds A")
OPCODE(GETCELL, "rr-", 0, "A = what the cell in B holds; B stays")
OPCODE(SETCELL, "rr-", 0, "the cell in A holds B; A stays")
OPCODE(DELCELL, "r--", 0, "del of what the cell in A holds; A stays")
OPCODE(GETCAP, "ru-", 0, "A = what captured cell B holds")
OPCODE(SETCAP, "ru-", 0, "captured cell B holds A")
OPCODE(DELCAP, "-u-", 0, "del of what captured cell B holds")
OPCODE(LOADCAP, "ru-", 0, "A = captured cell B itself")

// Attributes and items.
OPCODE(GETATTR, "rrn", 2, "A = B.C")
OPCODE(SETATTR, "rrn", 3, "A.C = B")
OPCODE(DELATTR, "r-n", 0, "del A.C")
OPCODE(LOADM, "rrn", 3, "A, A+1 = the function B.C and B, or B.C and empty")
OPCODE(GETITEM, "rrr", 0, "A = B[C]")
OPCODE(GETITEMI, "rri", 0, "A = B[the int C]")
OPCODE(SETITEM, "rrr", 0, "A[B] = C")
OPCODE(DELITEM, "rr-", 0, "del A[B]")
OPCODE(SLICE, "rr-", 0, "A = slice(B, B+1, B+2)")

// Displays.
OPCODE(LIST, "rru", 0, "A = a list of C registers from B on")
OPCODE(TUPLE, "rru", 0, "A = a tuple of C registers from B on")
OPCODE(SET, "rru", 0, "A = a set of C registers from B on")
OPCODE(DICT, "rru", 0, "A = a dict of C pairs of registers from B on")
OPCODE(APPEND, "rr-", 0, "list A takes B; A stays")
OPCODE(APPENDN, "rru", 0, "list A takes C registers from B on; A stays")
OPCODE(EXTEND, "rr-", 0, "list A takes all of iterable B; A stays")
OPCODE(SETADD, "rr-", 0, "set A takes B; A stays")
OPCODE(SETUPDATE, "rr-", 0, "set A takes all of B; A stays")
OPCODE(DICTSET, "rrr", 0, "dict A: key B has value C; A stays")
OPCODE(DICTUPDATE, "rr-", 0, "dict A takes mapping B; A stays")
OPCODE(DICTMERGE, "rrr", 0, "as DICTUPDATE for a call of C: no key twice")
OPCODE(TOTUPLE, "r--", 0, "A = a tuple of list A")
OPCODE(FORMAT, "rrr", 0, "A = B formatted; x: conversion; C = B: no spec")
OPCODE(CONCAT, "rru", 0, "A = the C strings from B on, joined")
OPCODE(UNPACK, "rru", 0, "C registers from B on = the items of A")
OPCODE(UNPACKX, "rru", 0, "as UNPACK, then a list of the rest, then x more")

// Calls. R[A] is the callee, the arguments stand above; the result is in A.
OPCODE(CALL, "ru-", 0, "call with B arguments")
OPCODE(CALLM, "ru-", 0, "after LOADM: A+1 is self or empty; B more arguments")
OPCODE(CALLK, "ruk", 0, "as CALL, the last arguments are keywords: tuple C")
OPCODE(CALLMK, "ruk", 0, "as CALLM, the last arguments are keywords: tuple C")
OPCODE(CALLX, "r--", 0, "call with the iterable A+1 and the dict A+2 or empty")
OPCODE(CALLFAR, "ruu", 0, "CALL + x, in a generator: B and C are that one's")
OPCODE(MAKEFUNC, "rk-", 0,
       "A = function of code B; x: 1 defaults in A+1, 2 keyword defaults in "
       "A+2, 4 annotations in A+3")
OPCODE(PREPARE, "rn-", 0,
       "of class B with bases A, keywords A+1: the namespace A+2, the "
       "metaclass A+3, the bases as written A+4")
OPCODE(MKCLASS, "r--", 0,
       "A = class of bases A, keywords A+1, namespace A+2, metaclass A+3, "
       "bases as written A+4, cell A+5, name A+6")
OPCODE(RET, "ru-", 0, "return A; B locals to release")
OPCODE(RETN, "-u-", 0, "return None; B locals to release")
OPCODE(RETGEN, "ru-", 0, "as RET in a generator")
OPCODE(YIELD, "rrr", 0,
       "yield A; B = what is sent; x: 1 for iterator C; 2: B stays as it is")
OPCODE(GETYFI, "r--", 0,
       "A = the iterator that `yield from A` asks; x: a comprehension")
OPCODE(SEND, "rrj", 0, "B = A.send(B); jump if that returned")

// Loops. The hidden state stands in R[A .. A+3].
OPCODE(FORPREP, "ruj", 0, "iterate over the call of A with B arguments; jump")
OPCODE(GETITER, "r-j", 0, "iterate over A; jump; x: it is an iterator")
OPCODE(FORLOOP, "rrj", 0, "B = the next item of A, jump; else A is emptied")

// Exceptions. A handler finds the exception in its register.
OPCODE(RAISE, "rr-", 0, "raise A; x: 1 from B")
OPCODE(RERAISE, "r--", 0, "raise A again: no new context, no new place")
OPCODE(RAISE_AGAIN, "---", 0, "raise without operands")
OPCODE(PUSHEXC, "r--", 0, "A is being handled; A stays")
OPCODE(POPEXC, "---", 0, "the innermost handled exception is done")
OPCODE(MATCH, "rrj", 0, "jump unless exception A is a B; A stays")
OPCODE(ASSERTFAIL, "r--", 0, "raise AssertionError; x: 1 with message A")
OPCODE(WITHENTER, "rr-", 0, "B = A's __enter__(); A = its bound __exit__")
OPCODE(WITHEXIT, "r--", 0, "call A with three times None")
OPCODE(WITHEXC, "rrr", 0, "A = truth of B called with exception C; C stays")

// Modules and prompts.
OPCODE(IMPORT, "rnk", 0, "A = module B; C: names wanted or None; x: level")
OPCODE(IMPORTFROM, "rrn", 0, "A = name C of module B; B stays")
OPCODE(IMPORTSTAR, "r--", 0, "all public names of module A")
OPCODE(ANNOTATE, "rn-", 0, "__annotations__[B] = A in a module or class")
OPCODE(ANNOTATIONS, "---", 0, "makes __annotations__ of a module or class")

// Staged blocks, in converted code alone. B is the number of a BlockInfo. On
// host values they are plain jumps; on a tensor both ways are traced
// (vm_block.c, stager/blocks.h).
OPCODE(BLOCKIF, "ru-", 0,
       "go on if A is true, else at the second side; x: 1: A stays")
OPCODE(BLOCKELSE, "-u-", 0, "the first side is done: to the join")
OPCODE(BLOCKJOIN, "-u-", 0, "the second side is done")
OPCODE(BLOCKTRUTH, "r--", 0, "A = its truth, if A is a tensor")
OPCODE(BLOCKNOT, "rru", 0, "A = not B; C: the program gets it, no condition")
OPCODE(BLOCKHEAD, "ru-", 0, "before a loop's condition; A = a mark")
OPCODE(BLOCKWHILE, "rur", 0,
       "go on if A is true, else behind the loop; C: the mark")
OPCODE(BLOCKNEXT, "-u-", 0, "the turn is done: on with the next one")
OPCODE(BLOCKRANGE, "r--", 0,
       "A = the call of A with x arguments behind it; of range, zip or "
       "enumerate with tensors: a note of the call for BLOCKFOR")
OPCODE(BLOCKFOR, "ru-", 0, "iterate over A, items in A+4: to the next turn")
OPCODE(BLOCKCOMP, "r-j", 0,
       "if tensors decide how many items A+1 has: A = the list that the "
       "comprehension A makes of them; jump")
OPCODE(BLOCKSTOP, "rur", 0, "leave the loop if A is true; its state is C")
OPCODE(BLOCKSIZE, "rij", 0,
       "if A is a tensor of the trace: A = its size along axis B; jump")
OPCODE(BLOCKASSERT, "ru-", 0, "jump behind if A is true; A may stay")
OPCODE(BLOCKFAIL, "ru-", 0, "the assertion failed; x: 1 with message A+1")
