// A pasted text goes into the entry as one step, and nothing of it runs.
//
// Readline's own function for it reads the terminal until the end of the text
// comes; a text without end would hold the prompt for ever. Here the loop
// takes one byte after the other and can be interrupted.
#include "repl/prompt_state.h"

#include <string.h>

#include "repl/entry.h"
#include "repl/paste.h"

static const char paste_end[] = "\033[201~";
enum { PASTE_END_LENGTH = sizeof paste_end - 1 };

// The terminal has sent the mark of bracketed paste: bytes are text from now
// on, not keys.
int prompt_on_paste(int count, int key)
{
    (void)count;
    (void)key;
    prompt_active()->pasting = true;
    return 0;
}

static void insert(Prompt *prompt, const char *text, size_t length)
{
    Readline *lib = &prompt->lib;
    Ctx *ctx = &prompt->session->vm->ctx;
    Paste paste = {.text = text,
                   .length = length,
                   .before = *lib->rl_line_buffer,
                   .before_length = (size_t)*lib->rl_point,
                   .after = *lib->rl_line_buffer + *lib->rl_point};
    StrBuf clean;
    strbuf_init(&clean, ctx);
    paste_clean(ctx, &clean, &paste);
    if (strbuf_ok(&clean)) {
        prompt_replace(prompt, *lib->rl_point - (int)paste.dropped,
                       *lib->rl_point, strbuf_text(&clean));
    }
    strbuf_free(&clean);
    ctx_clear(ctx);
}

// Until the closing mark, which is taken off the end.
void prompt_take_pasted(Prompt *prompt, char byte)
{
    StrBuf *pasted = &prompt->pasted;
    strbuf_putc(pasted, byte);
    if (!strbuf_ok(pasted)) { // no memory: the paste is lost
        ctx_clear(pasted->ctx);
        strbuf_free(pasted);
        return;
    }
    size_t text = pasted->length - PASTE_END_LENGTH;
    if (pasted->length >= PASTE_END_LENGTH &&
        memcmp(pasted->text + text, paste_end, PASTE_END_LENGTH) == 0) {
        prompt->pasting = false;
        insert(prompt, pasted->text, text);
        strbuf_free(pasted);
    }
}
