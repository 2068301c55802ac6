/* json FILE [PATH]: exit status 0 when FILE is one valid JSON value; prints the value at PATH (keys and
 * indices joined by slashes), compactly. Compiled by the tests themselves: no JSON tool is sure to be on the machine. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    json_error_t e;
    json_t *v = argc > 1 ? json_load_file(argv[1], JSON_REJECT_DUPLICATES, &e) : NULL;
    if (!v) return fprintf(stderr, "%s:%d: %s\n", argc > 1 ? argv[1] : "json FILE [PATH]", e.line, e.text), 1;
    for (char *key = argc > 2 ? strtok(argv[2], "/") : NULL; key && v; key = strtok(NULL, "/"))
        v = json_is_array(v) ? json_array_get(v, (size_t)atoi(key)) : json_object_get(v, key);
    if (!v) return fprintf(stderr, "%s: no such value\n", argv[1]), 1;
    if (argc > 2) puts(json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY));
    return 0;
}
