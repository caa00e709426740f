// Every pass, in the order in which they run: PASS(id, name, function). The
// name is what DUET_PASSES=-name switches off. No include guard.
PASS(DCE, "dce", pass_dce)
