/* sql FILE STATEMENT: runs it on an SQLite database and prints the rows, values parted by |. Compiled by the tests
 * themselves: no tool for it is sure to be on the machine. */
#include <sqlite3.h>
#include <stdio.h>

static int row(void *user, int n, char **values, char **names) {
    (void)user, (void)names;
    for (int i = 0; i < n; i++) printf("%s%s", i ? "|" : "", values[i] ? values[i] : "NULL");
    return putchar('\n') == EOF;
}

int main(int argc, char **argv) {
    sqlite3 *db;
    char *why = NULL;
    if (argc != 3) return 2;
    int bad = sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READWRITE, NULL) || sqlite3_busy_timeout(db, 20000) ||
              sqlite3_exec(db, argv[2], row, NULL, &why);
    if (bad) fprintf(stderr, "%s: %s\n", argv[1], why ? why : sqlite3_errmsg(db));
    sqlite3_free(why);
    sqlite3_close(db);
    return bad != 0;
}
