/* The journal of a device. It is a row of records, each a letter and what belongs to it, in the order in which the host
 * learned of things:
 *
 *   P  text that a kernel printed          W  a warning          both before the launch that
 *   L  ended: digest of what the host had told the device by then, the launch's counters and, where it changed, the table of
 *      allocations (kernels that malloc move what the host allocates later)
 *   C  a copy to the host                  N  a note (sim_note)
 *
 * Failed launches end what can be kept: a program may go on after one, but not from a checkpoint. */
#include "sim/device/checkpoint_impl.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"

struct journal {
    struct sim_journal given;
    bool replaying, restored;   /* restored: the state has come in */
    struct transfer log, state; /* of the way that it goes; state only comes in */
    uint64_t inputs;            /* digest of all that the host has told the device */
    uint64_t table;             /* of the allocations when the host last knew them */
    const char *closed;         /* why nothing more can be kept; NULL: it can */
};

static const char DIFFERS[] = "the checkpoint does not fit this run: ";

/* The callbacks are not ours: what they allocate is not this device's. */
static bool outside(bool (*move)(void *, void *, size_t), void *user, void *data, size_t n) {
    struct ledger_point *p = ledger_step_out();
    const bool fine = move(user, data, n);
    ledger_adopt(p);
    return fine;
}

static bool log_out(void *user, void *data, size_t n) {
    const struct journal *j = user;
    return outside(j->given.write, j->given.user, data, n);
}

static bool log_in(void *user, void *data, size_t n) {
    const struct journal *j = user;
    return n <= j->given.bytes - j->log.moved && outside(j->given.read, j->given.user, data, n);
}

static bool state_in(void *user, void *data, size_t n) {
    const struct journal *j = user;
    return outside(j->given.read_state, j->given.user, data, n);
}

/* ---- making ---- */

static bool device_checkpoint_make(hd_device *dev, const struct sim_journal *given, struct err *e) {
    if (dev->races) return err_set(e, ERR_INPUT, "what the race check knows cannot be kept");
    if (dev->trace) return err_set(e, ERR_INPUT, "what is traced cannot be kept");
    struct journal *j = dev->journal = xcalloc(1, sizeof *j);
    j->given = *given;
    j->replaying = given->launches != 0;
    j->log = (struct transfer){.in = j->replaying, .move = j->replaying ? log_in : log_out, .user = j};
    j->state = (struct transfer){.in = true, .move = state_in, .user = j};
    j->inputs = HASH_START;
    j->table = exec_mem_digest(dev->mem);
    return true;
}

/* The caller's error is not the device's memory. */
static bool give_reason(const hd_device *dev, hd_status s, struct err *e) {
    return s == HD_OK || err_set(e, s == HD_MEMORY ? ERR_MEMORY : ERR_INPUT, "%s", hd_error(dev));
}

static hd_status try_make(hd_device *dev, const struct sim_journal *given) {
    struct err e = {0};
    SIM_CALL(dev, device_checkpoint_make(dev, given, &e) ? HD_OK : sim_fail(dev, &e));
}

bool sim_journal(hd_device *dev, const struct sim_journal *given, struct err *e) {
    return give_reason(dev, try_make(dev, given), e);
}

void sim_journal_free(hd_device *dev) {
    struct journal *j = dev->journal;
    if (!j) return;
    err_free(&j->log.err);
    err_free(&j->state.err);
    xfree(j);
}

bool sim_replaying(const hd_device *dev) {
    return dev->journal && dev->journal->replaying;
}

/* ---- records ---- */

/* What cannot be written is not missed before the next checkpoint. */
static void close_log(struct journal *j, const char *why) {
    if (!j->closed) j->closed = why;
}

static bool device_checkpoint_writes(const struct journal *j) {
    return j && !j->replaying && !j->closed;
}

static void begin_record(struct journal *j, char kind) {
    TRANSFER(&j->log, kind);
}

static void end_record(struct journal *j) {
    if (!j->replaying && !transfer_good(&j->log)) close_log(j, "the journal could not be kept");
}

static void write_text(struct journal *j, char kind, const char *text, uint64_t n) {
    if (!device_checkpoint_writes(j)) return;
    begin_record(j, kind);
    TRANSFER(&j->log, n);
    transfer_bytes(&j->log, (void *)(uintptr_t)text, n);
    end_record(j);
}

/* The next record is of that kind; else the program is another one. */
static bool device_checkpoint_expect(struct journal *j, char kind, const char *what, struct err *e) {
    char found = 0;
    TRANSFER(&j->log, found);
    if (!transfer_good(&j->log)) return err_set(e, ERR_INPUT, "%s%s", DIFFERS, err_text(&j->log.err));
    return found == kind ||
           err_set(e, ERR_INPUT, "%sthe program now makes %s where it had not", DIFFERS, what);
}

/* The end is where the journal was when it was kept. */
static void replayed(struct journal *j) {
    if (!j->restored || j->log.moved < j->given.bytes) return;
    const uint64_t bytes = j->log.moved;
    err_free(&j->log.err);
    j->log = (struct transfer){.move = log_out, .user = j, .moved = bytes};
    j->replaying = false;
}

/* ---- what others tell it ---- */

void sim_journal_input(hd_device *dev, const void *data, uint64_t n) {
    if (!dev->journal) return;
    dev->journal->inputs = hash_words(dev->journal->inputs, &n, sizeof n);
    dev->journal->inputs = hash_words(dev->journal->inputs, data, n);
}

void sim_printed(hd_device *dev, const char *text, size_t n) {
    write_text(dev->journal, 'P', text, n);
}

void sim_warned(const hd_device *dev, const char *text) {
    if (dev->running) write_text(dev->journal, 'W', text, strlen(text) + 1);
}

bool sim_copied(hd_device *dev, void *to, const void *from, uint64_t n, struct err *e) {
    struct journal *j = dev->journal;
    if (sim_replaying(dev)) {
        if (!device_checkpoint_expect(j, 'C', "a copy to the host", e)) return false;
        transfer_same(&j->log, n, "the size of a copy to the host");
        transfer_bytes(&j->log, to, n);
        if (!transfer_good(&j->log)) return err_set(e, ERR_INPUT, "%s%s", DIFFERS, err_text(&j->log.err));
        replayed(j);
        return true;
    }
    memcpy(to, from, n);
    if (!device_checkpoint_writes(j)) return true;
    begin_record(j, 'C');
    transfer_same(&j->log, n, "");
    transfer_bytes(&j->log, to, n);
    end_record(j);
    return true;
}

void sim_note(hd_device *dev, void *data, size_t n) {
    struct journal *j = dev->journal;
    struct err e = {0};
    if (sim_replaying(dev)) {
        if (device_checkpoint_expect(j, 'N', "a note", &e)) transfer_bytes(&j->log, data, n);
        replayed(j);
        err_free(&e);
    } else if (device_checkpoint_writes(j)) {
        begin_record(j, 'N');
        transfer_bytes(&j->log, data, n);
        end_record(j);
    }
}

/* ---- launches ---- */

static void move_told(hd_device *dev, struct transfer *t) {
    uint64_t inputs = dev->journal->inputs;
    TRANSFER(t, inputs);
    if (t->in && transfer_good(t) && inputs != dev->journal->inputs)
        err_set(&t->err, ERR_INPUT,
                "up to launch %" PRIu64
                " the program copied other data to the device, or launched otherwise; "
                "an input may have changed",
                dev->launches);
}

static void move_launch(hd_device *dev, struct stats *s, struct transfer *t) {
    transfer_same(t, dev->launches, "the number of a launch");
    move_told(dev, t);
    sim_move_stats(dev, s, t);
    const uint64_t table = exec_mem_digest(dev->mem);
    if (transfer_flag(t, table != dev->journal->table)) exec_mem_transfer(dev->mem, false, t);
}

void sim_launch_begins(hd_device *dev) {
    if (dev->journal) dev->journal->table = exec_mem_digest(dev->mem);
}

void sim_launch_ended(hd_device *dev, struct stats *s, bool good) {
    struct journal *j = dev->journal;
    if (!good && j) close_log(j, "a launch has failed");
    if (!device_checkpoint_writes(j)) return;
    begin_record(j, 'L');
    move_launch(dev, s, &j->log);
    end_record(j);
}

/* What the launch said, piece by piece. */
static void device_checkpoint_say(hd_device *dev, char kind) {
    struct transfer *t = &dev->journal->log;
    uint64_t left = transfer_count(t, 0, UINT32_MAX, "the length of a text");
    char piece[4096];
    struct sb warning = {0};
    for (uint64_t n; left && transfer_good(t); left -= n) {
        n = left < sizeof piece ? left : sizeof piece;
        transfer_bytes(t, piece, n);
        if (kind == 'P')
            sim_print(dev, piece, n);
        else
            sb_addn(&warning, piece, n);
    }
    if (warning.len) sim_log(dev, HD_LOG_WARNING, "%s", warning.text);
    sb_free(&warning);
}

bool sim_replay_launch(hd_device *dev, struct stats *s, struct err *e) {
    struct journal *j = dev->journal;
    struct transfer *t = &j->log;
    char kind = 0;
    for (TRANSFER(t, kind); kind == 'P' || kind == 'W'; TRANSFER(t, kind)) device_checkpoint_say(dev, kind);
    if (transfer_good(t) && kind != 'L')
        return err_set(e, ERR_INPUT, "%sthe program now launches a kernel where it had not", DIFFERS);
    move_launch(dev, s, t);
    return transfer_good(t) || err_set(e, ERR_INPUT, "%s%s", DIFFERS, err_text(&t->err));
}

/* After the last launch of the journal, which has been counted. */
bool sim_replay_ended(hd_device *dev, struct err *e) {
    struct journal *j = dev->journal;
    if (!sim_replaying(dev)) return true;
    if (dev->launches == j->given.launches) {
        sim_move_state(dev, &j->state);
        if (!transfer_good(&j->state))
            return err_set(e, ERR_INPUT, "the checkpoint's state cannot be used: %s",
                           err_text(&j->state.err));
        j->restored = true;
    }
    replayed(j);
    return true;
}

/* ---- saving ---- */

struct saving {
    bool (*write)(void *user, void *data, size_t n);
    void *user;
};

static bool save_out(void *user, void *data, size_t n) {
    const struct saving *s = user;
    return outside(s->write, s->user, data, n);
}

static bool device_checkpoint_save(hd_device *dev, struct saving *to, struct sim_state *out, struct err *e) {
    struct journal *j = dev->journal;
    if (!j || j->replaying || j->closed)
        return err_set(e, ERR_INPUT, "%s",
                       !j          ? "there is no journal"
                       : j->closed ? j->closed
                                   : "it is a replay");
    struct transfer t = {.move = save_out, .user = to};
    sim_move_state(dev, &t);
    *out = (struct sim_state){dev->launches, j->log.moved};
    const bool good = transfer_good(&t) || err_set(e, t.err.code, "%s", err_text(&t.err));
    err_free(&t.err);
    return good;
}

static hd_status try_save(hd_device *dev, struct saving *to, struct sim_state *out) {
    struct err e = {0};
    SIM_CALL(dev, device_checkpoint_save(dev, to, out, &e) ? HD_OK : sim_fail(dev, &e));
}

bool sim_save(hd_device *dev, bool (*write)(void *, void *, size_t), void *user, struct sim_state *out,
              struct err *e) {
    struct saving to = {write, user};
    return give_reason(dev, try_save(dev, &to, out), e);
}

static bool device_checkpoint_load(hd_device *dev, struct saving *from, struct err *e) {
    struct transfer t = {.in = true, .move = save_out, .user = from};
    sim_move_state(dev, &t);
    const bool good = transfer_good(&t) || err_set(e, t.err.code, "%s", err_text(&t.err));
    err_free(&t.err);
    return good;
}

static hd_status try_load(hd_device *dev, struct saving *from) {
    struct err e = {0};
    SIM_CALL(dev, device_checkpoint_load(dev, from, &e) ? HD_OK : sim_fail(dev, &e));
}

bool sim_load(hd_device *dev, bool (*read)(void *, void *, size_t), void *user, struct err *e) {
    struct saving from = {read, user};
    return give_reason(dev, try_load(dev, &from), e);
}
