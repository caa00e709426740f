// Every pass, in the order in which they run: PASS(id, name, function). The
// name is what DUET_PASSES=-name switches off. Inlining comes first, for all
// that follow to see through calls; moving out of loops before merging, which
// then finds what several loops have left; dead code last. No include guard.
PASS(INLINE, "inline", pass_inline)
PASS(FOLD, "fold", pass_fold)
PASS(SIMPLIFY, "simplify", pass_simplify)
PASS(POWER, "power", pass_power)
PASS(HOIST, "hoist", pass_hoist)
PASS(CSE, "cse", pass_cse)
PASS(DCE, "dce", pass_dce)
