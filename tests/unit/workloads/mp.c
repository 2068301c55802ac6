#include "unit/workloads/verify.h"

int main(void) {
    return verify_main("MP's kind");
}
