// Every pass, in the order in which they run: PASS(id, stem). A pass is the
// function <stem>_run of <stem>.c, and DUET_PASSES=-<stem> switches it off.
// Inlining comes first, for all that follow to see through calls; moving out of
// loops before merging, which then finds what several loops have left; dead
// code after that; loops that repeat others, which are compared without it; and
// last what stands next to what.
PASS(INLINE, inline)
PASS(FOLD, fold)
PASS(SIMPLIFY, simplify)
PASS(POWER, power)
PASS(HOIST, hoist)
PASS(CSE, cse)
PASS(DCE, dce)
PASS(ABSORB, absorb)
PASS(ORDER, order)
