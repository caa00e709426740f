// Every kind of AST node: a row AST(id, name, field list). A field is given by
// its member of Node, for the printer and for walkers, with
//     N(f) a node, maybe NULL     L(f) a NodeList      S(f) a name (Text)
//     V(f) a small integer (operator, flag)
// Statements come first. No include guard.
// clang-format off
AST(MODULE, "Module", L(module.body))
AST(EXPR_STMT, "Expr", N(expr_stmt.value))
AST(ASSIGN, "Assign", L(assign.targets) N(assign.value))
AST(AUG_ASSIGN, "AugAssign",
    V(aug_assign.op) N(aug_assign.target) N(aug_assign.value))
AST(ANN_ASSIGN, "AnnAssign",
    N(ann_assign.target) N(ann_assign.annotation) N(ann_assign.value)
    V(ann_assign.simple))
AST(RETURN, "Return", N(expr_stmt.value))
AST(DELETE, "Delete", L(delete_stmt.targets))
AST(PASS, "Pass", )
AST(BREAK, "Break", )
AST(CONTINUE, "Continue", )
AST(IF, "If", N(if_stmt.test) L(if_stmt.body) L(if_stmt.orelse))
AST(WHILE, "While", N(if_stmt.test) L(if_stmt.body) L(if_stmt.orelse))
AST(FOR, "For",
    N(for_stmt.target) N(for_stmt.iter) L(for_stmt.body) L(for_stmt.orelse))
AST(TRY, "Try",
    L(try_stmt.body) L(try_stmt.handlers) L(try_stmt.orelse)
    L(try_stmt.finalbody))
AST(EXCEPT_HANDLER, "ExceptHandler",
    N(handler.type) S(handler.name) L(handler.body))
AST(WITH, "With", L(with_stmt.items) L(with_stmt.body))
AST(WITH_ITEM, "withitem", N(with_item.context) N(with_item.target))
AST(RAISE, "Raise", N(raise_stmt.exception) N(raise_stmt.cause))
AST(ASSERT, "Assert", N(assert_stmt.test) N(assert_stmt.message))
AST(GLOBAL, "Global", L(names.names))
AST(NONLOCAL, "Nonlocal", L(names.names))
AST(IMPORT, "Import", L(names.names))
AST(IMPORT_FROM, "ImportFrom",
    S(import_from.module) L(import_from.names) V(import_from.level))
AST(ALIAS, "alias", S(alias.name) S(alias.asname))
AST(FUNCTION_DEF, "FunctionDef",
    S(function_def.name) N(function_def.params) L(function_def.body)
    L(function_def.decorators) N(function_def.returns))
AST(CLASS_DEF, "ClassDef",
    S(class_def.name) L(class_def.bases) L(class_def.keywords)
    L(class_def.body) L(class_def.decorators))
AST(PARAMS, "arguments", L(params.params))
AST(PARAM, "arg",
    S(param.name) N(param.annotation) N(param.default_value) V(param.kind))
// Expressions.
AST(NAME, "Name", S(name.id) V(name.context))
AST(CONSTANT, "Constant", V(constant.type))
AST(JOINED_STR, "JoinedStr", L(joined_str.values))
AST(FORMATTED_VALUE, "FormattedValue",
    N(formatted.value) V(formatted.conversion) N(formatted.format_spec))
AST(TUPLE, "Tuple", L(sequence.elements) V(sequence.context))
AST(LIST, "List", L(sequence.elements) V(sequence.context))
AST(SET, "Set", L(sequence.elements))
AST(DICT, "Dict", L(dict.keys) L(dict.values))
AST(BINARY, "BinOp", V(binary.op) N(binary.left) N(binary.right))
AST(UNARY, "UnaryOp", V(unary.op) N(unary.operand))
AST(BOOL_OP, "BoolOp", V(bool_op.op) L(bool_op.values))
AST(COMPARE, "Compare", N(compare.left) L(compare.comparators))
AST(CALL, "Call", N(call.function) L(call.arguments) L(call.keywords))
AST(KEYWORD, "keyword", S(keyword.name) N(keyword.value))
AST(ATTRIBUTE, "Attribute",
    N(attribute.value) S(attribute.name) V(attribute.context))
AST(SUBSCRIPT, "Subscript",
    N(subscript.value) N(subscript.index) V(subscript.context))
AST(SLICE, "Slice", N(slice.lower) N(slice.upper) N(slice.step))
AST(STARRED, "Starred", N(starred.value) V(starred.context))
AST(NAMED_EXPR, "NamedExpr", N(named_expr.target) N(named_expr.value))
AST(CONDITIONAL, "IfExp",
    N(conditional.test) N(conditional.body) N(conditional.orelse))
AST(LAMBDA, "Lambda", N(lambda.params) N(lambda.body))
AST(LIST_COMP, "ListComp", N(comp.element) L(comp.generators))
AST(SET_COMP, "SetComp", N(comp.element) L(comp.generators))
AST(DICT_COMP, "DictComp",
    N(dict_comp.key) N(dict_comp.value) L(dict_comp.generators))
AST(GENERATOR_EXP, "GeneratorExp", N(comp.element) L(comp.generators))
AST(COMPREHENSION, "comprehension",
    N(comprehension.target) N(comprehension.iter) L(comprehension.conditions))
AST(YIELD, "Yield", N(expr_stmt.value))
AST(YIELD_FROM, "YieldFrom", N(expr_stmt.value))
