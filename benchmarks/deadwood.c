/* Least deadwood of hands of one pack without jokers: the algorithm of kernels/melding_plain.py,
 * line by line, as the measure of what its compiled code could cost.
 *
 * A mask holds suit s in bits 16 s .. 16 s + 15, rank r (ace 0) at bit r of its lane; bit 13 of a
 * run mask is the ace above the king. `ends` are the places allowed in runs. */
#include <stdint.h>

typedef uint64_t u64;
typedef int64_t i64;

#define ACES 0x0001000100010001ULL
#define ALL_CARDS 0x1FFF1FFF1FFF1FFFULL
#define LANE 0xFFFFULL
#define LANE_RANKS 0x1FFFULL
#define PIPS 0x03FEULL
#define FACES (0x1C00ULL * ACES)
/* Ranks 2 to 10 whose value has bit 0, 1, 2 or 3. */
#define ONE (0x0154ULL * ACES)
#define TWO (0x0266ULL * ACES)
#define FOUR (0x0078ULL * ACES)
#define EIGHT (0x0380ULL * ACES)

static inline i64 count(u64 mask) { return __builtin_popcountll(mask); }
static inline i64 highest(u64 mask) { return mask ? 63 - __builtin_clzll(mask) : -1; }
static inline i64 most(i64 a, i64 b) { return a > b ? a : b; }

static inline i64 value_of(u64 mask, i64 face) {
    return count(mask & ONE) + 2 * count(mask & TWO) + 4 * count(mask & FOUR)
         + 8 * count(mask & EIGHT) + face * count(mask & FACES);
}

static inline u64 in_runs(u64 mask, u64 ends) {
    u64 run = (mask | ((mask & ACES) << 13)) & ends;
    u64 low = run & (run >> 1) & (run >> 2);
    return low | (low << 1) | (low << 2);
}

static inline u64 three_suits(u64 mask) {
    u64 c = mask & LANE, d = (mask >> 16) & LANE, h = (mask >> 32) & LANE, s = mask >> 48;
    return (c & d & (h | s)) | (h & s & (c | d));
}

static inline u64 folded(u64 run) { return (run | ((run >> 13) & ACES)) & ALL_CARDS; }
static inline u64 torn(u64 run) { return run & (run >> 13) & ACES; }
static inline u64 left_of(u64 mask, u64 run, u64 sets) { return mask & ~(folded(run) | sets); }

static inline i64 value_left(u64 left, int discarding, i64 face, i64 ace) {
    i64 value = value_of(left, face) + count(left & ACES) * ace;
    if (!discarding) return value;
    u64 ranks = left | (left >> 32);
    ranks |= ranks >> 16;
    i64 dearest = most(highest(ranks & PIPS) + 1, ranks & FACES & LANE ? face : 0);
    return value - most(dearest, ranks & 1 ? ace : 0);
}

static inline i64 plain(u64 mask, int discarding, i64 face, i64 ace, u64 ends) {
    u64 run = in_runs(mask, ends), sets = mask & (three_suits(mask) * ACES);
    u64 left = left_of(mask, run, sets);
    i64 value = value_left(left, discarding, face, ace);
    int meeting = ((folded(run) & sets) | torn(run)) != 0;
    return meeting || (discarding && !left) ? -1 : value;
}

static inline u64 column(u64 mask, u64 ranks) { return mask & ((ranks & -ranks) * ACES); }
static inline int ways(u64 column) { i64 n = count(column); return n == 4 ? 6 : n == 3 ? 2 : 1; }

static inline u64 way(u64 column, int i) {
    if (i == 0) return 0;
    if (i == 1) return column;
    return column & ~((column & -column) << (16 * (i - 2)));
}

static i64 meeting(u64 mask, int discarding, i64 face, i64 ace, u64 ends) {
    u64 run = in_runs(mask, ends), three = three_suits(mask);
    u64 ranks = folded(run) & mask & (three * ACES);
    ranks |= ranks >> 32;
    ranks = (ranks | (ranks >> 16)) & LANE_RANKS;
    if (count(ranks) > 3 || torn(run)) return -1;
    u64 fixed = mask & ((three & ~ranks) * ACES);
    u64 a = column(mask, ranks);
    ranks &= ranks - 1;
    u64 b = column(mask, ranks);
    ranks &= ranks - 1;
    u64 c = column(mask, ranks);
    i64 least = 1 << 30;
    for (int i = 0; i < ways(a); i++)
        for (int j = 0; j < ways(b); j++)
            for (int k = 0; k < ways(c); k++) {
                u64 sets = fixed | way(a, i) | way(b, j) | way(c, k);
                u64 left = left_of(mask, in_runs(mask & ~sets, ends), sets);
                i64 value = value_left(left, discarding, face, ace);
                if (discarding && !left) value = count(mask) % 3 ? 0 : 1 << 29;
                if (value < least) least = value;
            }
    return least < 1 << 29 ? least : -1;
}

/* deadwood[i]: least value left of hand i, or -1 where the kernel would go on to search. */
void least_deadwood_many(const u64 *once, i64 n, int discarding, i64 face, i64 ace, u64 ends,
                         int32_t *deadwood) {
    if (discarding) {
        for (i64 i = 0; i < n; i++) deadwood[i] = (int32_t)plain(once[i], 1, face, ace, ends);
    } else {
        for (i64 i = 0; i < n; i++) deadwood[i] = (int32_t)plain(once[i], 0, face, ace, ends);
    }
    for (i64 i = 0; i < n; i++)
        if (deadwood[i] < 0) deadwood[i] = (int32_t)meeting(once[i], discarding, face, ace, ends);
}
