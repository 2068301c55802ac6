/* parquet FILE: its table as comma-separated values, as pandas would write it: whole numbers as such, others with 12 digits.
 * Compiled by the tests themselves: no reader is sure to be on the machine. */
#include "../unit/report/parquet_reader.h"

int main(int argc, char **argv) {
    static char data[1 << 26];
    FILE *in = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!in) return 2;
    struct pr_table t = pr_read(data, fread(data, 1, sizeof data, in));
    for (size_t c = 0; c < t.ncolumns; c++) printf("%s%s", c ? "," : "", t.columns[c].name);
    for (size_t i = 0; i < t.nrows; i++) {
        putchar('\n');
        for (size_t c = 0; c < t.ncolumns; c++) {
            const struct pr_value *v = &t.columns[c].values[i];
            if (c) putchar(',');
            if (v->has && t.columns[c].type == 6) printf("%s", v->text);
            if (v->has && t.columns[c].type == 2) printf("%lld", (long long)v->whole);
            if (v->has && t.columns[c].type == 5) printf("%.12g", v->real);
        }
    }
    putchar('\n');
    fclose(in);
    pr_table_free(&t);
    return 0;
}
