/* What became of issue slots, as charts over several runs side by side. All take {labels, stat(i, name), title}: the runs' names
 * (mechanisms, say) and the value of a statistic of run i, named as in docs/statistics.md.
 *   laneSlots(...)   lanes of issue slots by what was in them: lane.*
 *   warpSizes(...)   scheduler cycles by how many threads were issued, and why none were (DWF Figure 6.3): warp.*
 *   waitReasons(...) threads that waited over cycles without an issue, by reason (HARP Figure 5): idle.*
 * Bars are shares of the run's whole, or with absolute: true the numbers, which lets runs of one program be compared. */
'use strict';
(() => {
    const {bars, fmt} = pieces;
    const lanes = [['lane.active', 'thread runs', 'c1'], ['lane.guarded', 'guard is false', 'c11'], ['lane.parted', 'on another path, or waiting for these', 'c2'],
                   ['lane.exited', 'exited', 'g3'], ['lane.absent', 'no thread', 'g2'], ['lane.empty', 'issue without threads', 'c5']];
    const sizes = [['warp.w4', '1–4 threads', 'r1'], ['warp.w8', '5–8', 'r2'], ['warp.w12', '9–12', 'r3'], ['warp.w16', '13–16', 'r4'],
                   ['warp.w20', '17–20', 'r5'], ['warp.w24', '21–24', 'r6'], ['warp.w28', '25–28', 'r7'], ['warp.w32', '29–32', 'r8'],
                   ['warp.wider', 'more than a warp', 'c4'], ['warp.empty', 'issue without threads', 'c5'], ['warp.stall', 'pipeline stalled', 'c6'],
                   ['warp.w0_mem', 'no issue: memory', 'c2'], ['warp.w0_idle', 'no issue: other', 'g2']];
    const waits = [['idle.dependency', 'operands or memory', 'c2'], ['idle.barrier', 'a barrier', 'c6'],
                   ['idle.inactive_path', 'another path runs first', 'c4'], ['idle.reconvergence', 'others, at a reconvergence point', 'c1']];

    const stacked = (kinds, axis) => ({labels, stat, title, absolute}) => {
        const whole = labels.map((_, i) => kinds.reduce((sum, [name]) => sum + (stat(i, name) || 0), 0));
        const share = (i, name) => (absolute ? stat(i, name) : whole[i] ? stat(i, name) / whole[i] : null);
        const there = kinds.filter(([name]) => labels.some((_, i) => stat(i, name) > 0));
        return bars({title, labels, stacked: true, horizontal: true, axis: absolute ? axis : 'share of ' + axis,
                     format: absolute ? fmt.short : v => fmt.percent(v, v && Math.abs(v) < 0.1 ? 1 : 0), height: 70 + 30 * labels.length,
                     max: absolute ? undefined : 1,
                     series: there.map(([name, label, colour]) => ({label, colour, values: labels.map((_, i) => share(i, name))}))});
    };
    pieces.laneSlots = stacked(lanes, 'lanes of issue slots');
    pieces.warpSizes = stacked(sizes, 'scheduler cycles');
    pieces.waitReasons = stacked(waits, 'thread cycles without an issue');
})();
