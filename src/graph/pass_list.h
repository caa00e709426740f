// Every pass, in the order in which they run: PASS(id, name, function). The
// name is what DUET_PASSES=-name switches off. No include guard.
PASS(INLINE, "inline", pass_inline)
PASS(FOLD, "fold", pass_fold)
PASS(IDENTITY, "identity", pass_identity)
PASS(CSE, "cse", pass_cse)
PASS(HOIST, "hoist", pass_hoist)
PASS(DCE, "dce", pass_dce)
