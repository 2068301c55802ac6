/* A thousand kernels with unstructured graphs (jumps into arms, shared joins, loops with several entries), each under
 * every mechanism, as in structured.c. */
#include "unit/diff/sweep.h"

int main(void) {
    return sweep_main(1);
}
