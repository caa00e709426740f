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

// Between this and prompt_own_undo Readline has one key.
void prompt_begin_undo(Prompt *prompt)
{
    prompt->undo_at = prompt->lib.where_history();
    prompt->undo_list = *prompt->lib.rl_undo_list;
}

// At the oldest entry, with no line saved, Readline's way up copies the list
// into the entry and then frees it. Only the pointer is compared.
static void forget_freed(const Prompt *prompt, HIST_ENTRY **list, int count)
{
    const Readline *lib = &prompt->lib;
    int at = lib->where_history();
    if (*lib->rl_undo_list == NULL && prompt->undo_list != NULL &&
        at == prompt->undo_at && at < count &&
        (const UNDO_LIST *)list[at]->data == prompt->undo_list) {
        list[at]->data = NULL;
    }
}

// All entries are looked at, as one key may have passed many of them and come
// back: the end of a search runs the key that ended it. Only those that were
// edited have a list; the look at 100,000 others takes a fraction of a
// millisecond.
void prompt_own_undo(Prompt *prompt)
{
    Readline *lib = &prompt->lib;
    HIST_ENTRY *saved = lib->saved_line == NULL ? NULL : *lib->saved_line;
    const UNDO_LIST *own = last_of(*lib->rl_undo_list);
    HIST_ENTRY **list = lib->history_list();
    int count = list == NULL ? 0 : *lib->history_length;
    forget_freed(prompt, list, count);
    for (int i = 0; i < count; i++) {
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
}
