// Every pass, in the order in which they run: PASS(id, name, function). The
// name is what DUET_PASSES=-name switches off. No include guard.
PASS(FOLD, "fold", pass_fold)
PASS(CSE, "cse", pass_cse)
PASS(DCE, "dce", pass_dce)
