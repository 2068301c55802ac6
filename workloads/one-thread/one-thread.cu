// One thread: the greatest common divisors of all pairs of a list.
#include "flow.cuh"

KERNEL one_thread(uint *sum, const uint *list, uint n) {
    uint total = 0;
    ROLLED for (uint i = 0; i < n; i++)
        ROLLED for (uint j = 0; j < i; j++) {
            uint a = list[i], b = list[j];
            ROLLED while (b != 0) {
                uint rest = a % b;
                a = b;
                b = rest;
            }
            total += a;
        }
    *sum = total;
}
