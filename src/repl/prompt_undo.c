// Who owns the list of what can be undone.
//
// Readline keeps that list in three places: its own variable for the line that
// is edited, `data` of each history entry that was edited and left, and the
// line that was typed before the history was gone through. It copies the
// pointer from place to place, and frees the list from the first one only: a
// search of vi (`/`), or the first Escape of an entry that was edited in two
// visits, leaves one of the others behind, and a later undo frees it again.
//
// Invariant, between two keys: no two of these places share a list; what is
// edited belongs to Readline's variable alone. Readline itself does not need
// the copies: it writes the list back when it leaves an entry.
#include "repl/prompt_state.h"

// Lists grow at their head, so two that share anything share their last node.
static const UNDO_LIST *last_of(const UNDO_LIST *list)
{
    while (list != NULL && list->next != NULL) {
        list = list->next;
    }
    return list;
}

// Takes the list away from an entry if it is another's as well. `owner` is the
// last node of the other's; NULL: it has none.
static void disown(HIST_ENTRY *entry, const UNDO_LIST *owner)
{
    if (owner != NULL && last_of((const UNDO_LIST *)entry->data) == owner) {
        entry->data = NULL;
    }
}

// All entries are looked at when a key has gone to another one: a count, or a
// search, may have passed many. Only those that were edited have a list.
void prompt_own_undo(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    HIST_ENTRY *saved = lib->saved_line == NULL ? NULL : *lib->saved_line;
    const UNDO_LIST *own = last_of(*lib->rl_undo_list);
    HIST_ENTRY **list = lib->history_list();
    int at = lib->where_history();
    bool moved = at != prompt->undo_at;
    int from = list == NULL ? 0 : moved ? 0 : at;
    int end = list == NULL ? 0 : moved ? *lib->history_length : at + 1;
    for (int i = from; i < end && i < *lib->history_length; i++) {
        if (list[i]->data != NULL) {
            disown(list[i], own);
            if (saved != NULL) {
                disown(saved, last_of((const UNDO_LIST *)list[i]->data));
            }
        }
    }
    if (saved != NULL) {
        disown(saved, own);
    }
    prompt->undo_at = at;
}
