/* The machine as programs see it.
 *
 * Until the simulator tells its configuration these are the figures of a Turing TU106, the machine of configs/turing-rtx2060. */
#include "cuda/device.h"

#include "cuda/process.h"

void cu_machine_read(struct cu_process *p) {
    p->machine = (struct cu_machine){.name = "heddle",
                                     .major = 7,
                                     .minor = 5,
                                     .sms = 30,
                                     .warp = 32,
                                     .threads_sm = 1024,
                                     .blocks_sm = 16,
                                     .registers_sm = 65536,
                                     .shared_sm = 65536,
                                     .shared_block = 49152,
                                     .shared_optin = 65536,
                                     .lanes = 64,
                                     .core_hz = 1365000000,
                                     .memory_hz = 7000000000,
                                     .bus_bits = 192,
                                     .l2_bytes = 3 << 20,
                                     .global_bytes = 6ull << 30};
}
