/* Prints a generated page of docs/: gen-pages options, statistics or configurations; or the generated part of a mechanism's:
 * gen-pages mechanism NAME. */
#include <stdio.h>
#include <string.h>

#include "mech/mech.h"
#include "sim/docs.h"

int main(int argc, char **argv) {
    struct sb page = {0};
    if (argc == 2 && !strcmp(argv[1], "options"))
        docs_options(&page);
    else if (argc == 2 && !strcmp(argv[1], "statistics"))
        docs_statistics(&page);
    else if (argc == 2 && !strcmp(argv[1], "configurations"))
        docs_configurations(&page);
    else if (argc == 3 && !strcmp(argv[1], "mechanism") && mech_find(argv[2]))
        docs_mechanism(mech_find(argv[2]), &page);
    else
        return fprintf(stderr, "usage: gen-pages options|statistics|configurations|mechanism NAME\n"), 2;
    fputs(page.text, stdout);
    sb_free(&page);
    return fflush(stdout) ? 1 : 0;
}
