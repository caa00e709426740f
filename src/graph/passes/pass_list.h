// Every pass, in the order in which they run: PASS(id, stem, decides). A pass
// is the function <stem>_run of <stem>.c, and DUET_PASSES=-<stem> switches it
// off. One that decides takes out effects that a constant keeps from running.
// Inlining comes first, for all that follow to see through calls; then what
// makes constants known, and what they decide; moving out of loops before
// merging, which then finds what several loops have left; dead code after that;
// loops that repeat others, which are compared without it, and only then the
// state that nobody reads, which may be another in each; and last what stands
// next to what.
PASS(INLINE, inline, false)
PASS(SETTLE, settle, false)
PASS(FOLD, fold, false)
PASS(BRANCH, branch, true)
PASS(SIMPLIFY, simplify, false)
PASS(POWER, power, false)
PASS(PARTS, parts, false)
PASS(HOIST, hoist, false)
PASS(CSE, cse, false)
PASS(DCE, dce, false)
PASS(ABSORB, absorb, false)
PASS(NARROW, narrow, false)
PASS(ORDER, order, false)
