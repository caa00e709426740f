// Slots and the methods that stand for them: DUNDER(id of its NAME_, text,
// slot, user slot, native parameters). A class that defines the method gets
// the user slot; a built-in type with the slot shows a native of that name
// (native_<ID>).
// Several methods may share a slot. The binary operators are not listed: they
// come from binary_op_list.h. No include guard.
DUNDER(REPR, "__repr__", repr, user_repr, "self, /")
DUNDER(STR, "__str__", str, user_str, "self, /")
DUNDER(HASH, "__hash__", hash, user_hash, "self, /")
DUNDER(LT, "__lt__", compare, user_compare, "self, value, /")
DUNDER(LE, "__le__", compare, user_compare, "self, value, /")
DUNDER(EQ, "__eq__", compare, user_compare, "self, value, /")
DUNDER(NE, "__ne__", compare, user_compare, "self, value, /")
DUNDER(GT, "__gt__", compare, user_compare, "self, value, /")
DUNDER(GE, "__ge__", compare, user_compare, "self, value, /")
DUNDER(NEG, "__neg__", unary, user_unary, "self, /")
DUNDER(POS, "__pos__", unary, user_unary, "self, /")
DUNDER(INVERT, "__invert__", unary, user_unary, "self, /")
DUNDER(BOOL, "__bool__", truth, user_truth, "self, /")
DUNDER(LEN, "__len__", length, user_length, "self, /")
DUNDER(GETITEM, "__getitem__", get_item, user_get_item, "self, key, /")
DUNDER(SETITEM, "__setitem__", set_item, user_set_item, "self, key, value, /")
DUNDER(DELITEM, "__delitem__", set_item, user_set_item, "self, key, /")
DUNDER(CONTAINS, "__contains__", contains, user_contains, "self, key, /")
DUNDER(ITER, "__iter__", iter, user_iter, "self, /")
DUNDER(NEXT, "__next__", next, user_next, "self, /")
DUNDER(INDEX, "__index__", index, user_index, "self, /")
DUNDER(INT, "__int__", to_int, user_to_int, "self, /")
DUNDER(FLOAT, "__float__", to_float, user_to_float, "self, /")
DUNDER(INIT, "__init__", init, user_init, "self, /, *args, **kwargs")
