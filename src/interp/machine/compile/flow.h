// Where a list of statements may go from its end: on, or out by a jump.
#ifndef DUET_INTERP_MACHINE_COMPILE_FLOW_H
#define DUET_INTERP_MACHINE_COMPILE_FLOW_H

#include "parser/ast_make.h"

enum { LEAVE_RETURN = 1, LEAVE_BREAK = 2, LEAVE_CONTINUE = 4 };

typedef struct Flow {
    uint32_t exits; // LEAVE_…: jumps that it may take
    bool falls;     // it may come to its end
} Flow;

// A condition that is constant.
bool flow_is_true(const Node *test);
Flow flow_of_statement(AstMaker *m, const Node *node);
// Fails by the maker where the nesting is too deep.
Flow flow_of(AstMaker *m, NodeList list);

#endif
