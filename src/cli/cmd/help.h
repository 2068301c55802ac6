/* Help from the command tables: as text for a terminal, as a man page, as Markdown. */
#ifndef HEDDLE_CLI_CMD_HELP_H
#define HEDDLE_CLI_CMD_HELP_H

#include "base/err.h"
#include "cli/cmd/commands.h"

void help_overview(struct sb *out, const struct term *t);
void help_command(struct sb *out, const struct term *t, const struct command *c);
void help_man(struct sb *out);
void help_markdown(struct sb *out, const struct command *c); /* options and sections of one command */

/* Words of text filled to width, each line after the first indented; the cursor stands at column `at`. */
void help_wrap(struct sb *out, const char *text, int at, int indent, int width);
enum { HELP_PAGE_WIDTH = 120 }; /* columns of prose in generated Markdown: tools/check-prose */

/* What the overview says beside the commands; also sections of the man page. */
extern const struct help_section help_general[];
extern const char help_description[];

#endif
