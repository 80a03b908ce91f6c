/* Packing chunks: values are split into planes of bytes (what HDF5 calls shuffle), and the rows of
 * each frame in a plane become a block of a deflate stream (RFC 1950 and 1951). A block without
 * pattern, as the low bytes of real numbers are, is stored as it is; the others get a Huffman code
 * of their own, and runs: of one byte, of a pattern that comes again after 256 bytes, as the low
 * bytes of body indices do, or of bytes that are as in the frame before, as the high bytes of
 * bodies at rest are.
 */
#include "io/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LITERALS    286 /* bytes, the end of a block, lengths of runs */
#define END         256
#define LONGEST     258 /* bytes of a run */
#define FARTHEST    TL_PACK_REACH
#define STORED      65535
#define CODE_LIMIT  15
#define TABLE_BYTES 512 /* more than the head of any block takes */

void tl_packer_init(tl_packer *p)
{
    *p = (tl_packer){
        .values.item = 1, .planes.item = 1, .tokens.item = sizeof(uint16_t), .out.item = 1};
}

void tl_packer_free(tl_packer *p)
{
    tl_array *arrays[] = {&p->values, &p->planes, &p->tokens, &p->out};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        tl_array_free(arrays[i]);
}

/* ---- Bits ---- */

typedef struct bits {
    unsigned char *at;
    uint64_t held;
    unsigned count; /* below 32 between calls */
} bits;

/* At most 32 bits. */
static inline void put(bits *b, uint64_t value, unsigned count)
{
    b->held |= value << b->count;
    b->count += count;
    if (b->count >= 32) {
        const uint32_t word = (uint32_t)b->held;
        memcpy(b->at, &word, sizeof word); /* numbers in files and here are little-endian */
        b->at += sizeof word;
        b->held >>= 32;
        b->count -= 32;
    }
}

static void put_rest(bits *b)
{
    for (; b->count; b->count -= b->count < 8 ? b->count : 8) {
        *b->at++ = (unsigned char)b->held;
        b->held >>= 8;
    }
    b->held = 0;
}

/* ---- Huffman codes ---- */

typedef struct code {
    uint16_t word[LITERALS];
    uint8_t length[LITERALS];
} code;

typedef struct leaf {
    uint32_t count, symbol;
} leaf;

static int compare_leaves(const void *a, const void *b)
{
    const leaf *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* How many words of each length an optimal code of these counts, ascending, has; lengths above the
 * limit are brought down to it, which makes other words longer. */
static void count_lengths(const leaf *leaves, uint32_t n, unsigned limit, uint32_t *lengths)
{
    uint32_t weight[2 * LITERALS], parent[2 * LITERALS], depth[2 * LITERALS];
    uint32_t a = 0, b = n, nodes = n;
    for (uint32_t i = 0; i < n; i++)
        weight[i] = leaves[i].count;
    for (; nodes < 2 * n - 1; nodes++) { /* the two lightest of leaves and inner nodes */
        weight[nodes] = 0;
        for (int k = 0; k < 2; k++) {
            const bool leaf_next = a < n && (b == nodes || weight[a] <= weight[b]);
            const uint32_t taken = leaf_next ? a++ : b++;
            weight[nodes] += weight[taken];
            parent[taken] = nodes;
        }
    }
    depth[nodes - 1] = 0;
    for (uint32_t i = nodes - 1; i-- > 0;) {
        depth[i] = depth[parent[i]] + 1;
        if (i < n)
            lengths[depth[i] < limit ? depth[i] : limit]++;
    }
    uint64_t used = 0; /* of the room that words of all lengths share */
    for (unsigned i = 1; i <= limit; i++)
        used += (uint64_t)lengths[i] << (limit - i);
    for (; used > (uint64_t)1 << limit; used--) {
        unsigned i = limit - 1;
        while (!lengths[i])
            i--;
        lengths[limit]--;
        lengths[i]--;
        lengths[i + 1] += 2;
    }
}

static uint32_t reversed(uint32_t word, unsigned length)
{
    uint32_t r = 0;
    for (; length; length--, word >>= 1)
        r = r << 1 | (word & 1);
    return r;
}

/* A code for symbols with these counts, of which at least two are not 0. */
static void make_code(const uint32_t *counts, uint32_t symbols, unsigned limit, code *c)
{
    leaf leaves[LITERALS];
    uint32_t n = 0, lengths[LITERALS + 1] = {0}, next = 0;
    for (uint32_t i = 0; i < symbols; i++)
        if (counts[i])
            leaves[n++] = (leaf){counts[i], i};
    qsort(leaves, n, sizeof *leaves, compare_leaves);
    count_lengths(leaves, n, limit, lengths);
    memset(c->length, 0, sizeof c->length);
    uint32_t at = n; /* the most frequent get the shortest words */
    for (unsigned length = 1; length <= limit; length++)
        for (uint32_t k = 0; k < lengths[length]; k++)
            c->length[leaves[--at].symbol] = (uint8_t)length;
    for (unsigned length = 1; length <= limit; length++, next <<= 1)
        for (uint32_t i = 0; i < symbols; i++)
            if (c->length[i] == length)
                c->word[i] = (uint16_t)reversed(next++, length);
}

/* ---- Blocks ---- */

/* A run of `length` bytes as its symbol, with bits that follow. */
static uint32_t run_symbol(unsigned length, unsigned *extra, unsigned *value)
{
    const unsigned l = length - 3;
    *extra = *value = 0;
    if (l < 8)
        return 257 + l;
    if (length == LONGEST)
        return 285;
    *extra = 29 - (unsigned)__builtin_clz(l);
    *value = l & ((1u << *extra) - 1);
    return 257 + 4 * *extra + (l >> *extra);
}

static size_t same_bytes(const unsigned char *a, const unsigned char *b, size_t most)
{
    size_t n = 0;
    for (uint64_t x, y; n + 8 <= most; n += 8) {
        memcpy(&x, a + n, 8);
        memcpy(&y, b + n, 8);
        if (x != y)
            break;
    }
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

/* A distance as its symbol, with bits that follow. */
static uint32_t distance_symbol(size_t distance, unsigned *extra, unsigned *value)
{
    const unsigned d = (unsigned)distance - 1;
    *extra = *value = 0;
    if (d < 4)
        return d;
    *extra = 30 - (unsigned)__builtin_clz(d);
    *value = d & ((1u << *extra) - 1);
    return 2 * *extra + (d >> *extra);
}

/* Where runs are taken from, and from how many bytes on they pay. */
typedef struct source {
    size_t back; /* 0: there are none */
    size_t least;
} source;

/* Literals and runs (1000 + length) of bytes that are as those before; their counts by symbol. The
 * `before` bytes in front of the data can be taken from, too. */
static size_t make_tokens(const unsigned char *data, size_t size, size_t before, source from,
                          uint16_t *tokens, uint32_t *counts)
{
    const size_t back = from.back;
    size_t n = 0;
    memset(counts, 0, LITERALS * sizeof *counts);
    counts[END] = 1;
    for (size_t i = 0; i < size;) {
        const unsigned char *here = data + i;
        size_t length = 0;
        if (i + before >= back && *here == *(here - back))
            length = same_bytes(here, here - back, size - i < LONGEST ? size - i : LONGEST);
        if (length < from.least) {
            for (size_t k = length ? length : 1; k; k--) { /* a shorter run would not pay either */
                counts[data[i]]++;
                tokens[n++] = data[i++];
            }
        } else {
            unsigned extra, value;
            counts[run_symbol((unsigned)length, &extra, &value)]++;
            tokens[n++] = (uint16_t)(1000 + length);
            i += length;
        }
    }
    return n;
}

/* Counts of bytes without looking for runs; four tables, because the same byte often comes again
 * before its count is written. */
static void count_bytes(const unsigned char *data, size_t size, uint32_t *counts)
{
    uint32_t part[4][256] = {{0}};
    size_t i = 0;
    for (; i + 4 <= size; i += 4)
        for (size_t k = 0; k < 4; k++)
            part[k][data[i + k]]++;
    for (; i < size; i++)
        part[0][data[i]]++;
    memset(counts, 0, LITERALS * sizeof *counts);
    for (int k = 0; k < 256; k++)
        counts[k] = part[0][k] + part[1][k] + part[2][k] + part[3][k];
    counts[END] = 1;
}

/* The lengths of a code's words, then one distance: itself coded, zeros by how many there are. */
static void put_code(bits *b, const code *c, uint32_t distance)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                      11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint8_t all[LITERALS + 32], symbols[LITERALS + 32], rest[LITERALS + 32];
    uint32_t literals = LITERALS, n = 0, counts[19] = {0};
    while (literals > 257 && !c->length[literals - 1])
        literals--;
    const uint32_t total = literals + distance + 1;
    memcpy(all, c->length, literals);
    memset(all + literals, 0, distance);
    all[total - 1] = 1;
    for (uint32_t i = 0; i < total; n++) {
        uint32_t zeros = 0;
        while (i + zeros < total && zeros < 138 && !all[i + zeros])
            zeros++;
        symbols[n] = zeros >= 11 ? 18 : zeros >= 3 ? 17 : all[i];
        rest[n] = (uint8_t)(zeros >= 11 ? zeros - 11 : zeros >= 3 ? zeros - 3 : 0);
        i += zeros >= 3 ? zeros : 1;
        counts[symbols[n]]++;
    }
    code lengths;
    make_code(counts, 19, 7, &lengths); /* 1 and another: the code has two words or more */
    uint32_t sent = 19;
    while (sent > 4 && !lengths.length[order[sent - 1]])
        sent--;
    put(b, literals - 257, 5);
    put(b, distance, 5);
    put(b, sent - 4, 4);
    for (uint32_t i = 0; i < sent; i++)
        put(b, lengths.length[order[i]], 3);
    for (uint32_t i = 0; i < n; i++) {
        put(b, lengths.word[symbols[i]], lengths.length[symbols[i]]);
        if (symbols[i] >= 17)
            put(b, rest[i], symbols[i] == 17 ? 3 : 7);
    }
}

static void put_tokens(bits *b, const code *c, const uint16_t *tokens, size_t n, size_t back)
{
    unsigned far_extra, far_value;
    distance_symbol(back, &far_extra, &far_value);
    for (size_t i = 0; i < n; i++) {
        if (tokens[i] < END) {
            put(b, c->word[tokens[i]], c->length[tokens[i]]);
            continue;
        }
        unsigned extra, value;
        const uint32_t symbol = run_symbol(tokens[i] - 1000u, &extra, &value);
        put(b, c->word[symbol], c->length[symbol]);
        put(b, value, extra);
        put(b, (uint64_t)far_value << 1, 1 + far_extra); /* the only distance is one bit, 0 */
    }
    put(b, c->word[END], c->length[END]);
}

static void put_bytes(bits *b, const code *c, const unsigned char *data, size_t size)
{
    size_t i = 0;
    for (; i + 2 <= size; i += 2) { /* two words have at most 30 bits */
        const unsigned x = data[i], y = data[i + 1], length = c->length[x];
        put(b, c->word[x] | (uint64_t)c->word[y] << length, length + c->length[y]);
    }
    if (i < size)
        put(b, c->word[data[i]], c->length[data[i]]);
    put(b, c->word[END], c->length[END]);
}

static void put_stored(bits *b, const unsigned char *data, size_t size, bool last)
{
    do {
        const size_t part = size < STORED ? size : STORED;
        put(b, last && part == size, 3); /* kind 0 */
        put_rest(b);
        const uint16_t head[2] = {(uint16_t)part, (uint16_t)~part};
        memcpy(b->at, head, sizeof head);
        memcpy(b->at + sizeof head, data, part);
        b->at += sizeof head + part;
        data += part;
        size -= part;
    } while (size);
}

/* How unevenly the bytes of a sample are spread: the chance that two of them are the same, times
 * 256; 1 where they are random. Few bytes count as not random. */
static double unevenness(const unsigned char *data, size_t size)
{
    enum { SAMPLE = 768 };
    uint32_t counts[256] = {0};
    uint64_t sum = 0;
    const size_t stride = (size / SAMPLE) | 1; /* odd: patterns of 2, 4, ... bytes are seen */
    size_t taken = 0;
    for (size_t i = 0; i < size && taken < SAMPLE; i += stride, taken++)
        counts[data[i]]++;
    for (int i = 0; i < 256; i++)
        sum += (uint64_t)counts[i] * counts[i];
    if (size < 2 * SAMPLE)
        return 256;
    const double pairs = (double)taken * (double)(taken - 1);
    return fmax(256 * ((double)sum - (double)taken) / pairs, 1);
}

/* How many of these bytes lie in runs of bytes that are as those `back` before. */
static size_t count_in_runs(const unsigned char *data, size_t size, size_t back)
{
    enum { SHORTEST = 4 };
    size_t covered = 0, run = 0;
    for (size_t i = 0; i < size; i++) {
        if (data[i] == data[(ptrdiff_t)i - (ptrdiff_t)back]) {
            run++;
            continue;
        }
        covered += run >= SHORTEST ? run : 0;
        run = 0;
    }
    return covered + (run >= SHORTEST ? run : 0);
}

/* Looks in the middle of the data, of which `frame` bytes before are the frame before (0: none),
 * where runs can be taken from. */
static source find_source(const unsigned char *data, size_t size, size_t frame, double uneven)
{
    enum { SAMPLE = 512 };
    const size_t part = size / 2 < SAMPLE ? size / 2 : SAMPLE, middle = (size - part) / 2;
    const size_t backs[] = {1, 256, frame};
    size_t most = part / 4; /* fewer are not worth looking for */
    source best = {0, 0};
    for (size_t i = 0; i < sizeof backs / sizeof *backs; i++) {
        if (!backs[i] || (backs[i] != frame && middle < backs[i]))
            continue;
        const size_t covered = count_in_runs(data + middle, part, backs[i]);
        if (covered <= most)
            continue;
        unsigned extra, value;
        distance_symbol(backs[i], &extra, &value);
        /* A run takes about 6 bits besides its distance; a literal 8, or less. */
        const double literal = 8 - log2(uneven);
        const double least = ceil((6 + 1 + (double)extra) / fmax(literal, 0.1));
        most = covered;
        best = (source){backs[i], least < 3 ? 3 : least > 64 ? 64 : (size_t)least};
    }
    return best;
}

/* Bits that a block takes with this code, its runs from `back` bytes before. */
static uint64_t block_bits(const code *c, const uint32_t *counts, size_t back)
{
    unsigned far_extra = 0, value;
    if (back)
        distance_symbol(back, &far_extra, &value);
    uint64_t bits_taken = 8 * 100; /* about what the code itself takes */
    for (uint32_t i = 0; i < LITERALS; i++) {
        const uint32_t more = i < 265 || i == 285 ? 0 : (i - 261) / 4;
        bits_taken += (uint64_t)counts[i] * (c->length[i] + (i > END ? more + 1 + far_extra : 0));
    }
    return bits_taken;
}

/* The `frame` bytes in front of the data are the same plane of the frame before; 0: there is none.
 */
static void put_block(bits *b, const unsigned char *data, size_t size, size_t frame,
                      uint16_t *tokens, bool last)
{
    const double uneven = unevenness(data, size);
    const source from = find_source(data, size, frame, uneven);
    if (!from.back && uneven < 1.25) { /* a few percent are not worth the time */
        put_stored(b, data, size, last);
        return;
    }
    uint32_t counts[LITERALS];
    size_t n = 0;
    code c;
    if (from.back)
        n = make_tokens(data, size, frame, from, tokens, counts);
    else
        count_bytes(data, size, counts);
    make_code(counts, LITERALS, CODE_LIMIT, &c);
    if (block_bits(&c, counts, from.back) >= 8 * (uint64_t)size) {
        put_stored(b, data, size, last);
        return;
    }
    put(b, (last ? 1 : 0) | 2 << 1, 3); /* kind 2: with a code of its own */
    unsigned extra, value;
    put_code(b, &c, from.back ? distance_symbol(from.back, &extra, &value) : 0);
    if (from.back)
        put_tokens(b, &c, tokens, n, from.back);
    else
        put_bytes(b, &c, data, size);
}

/* Zeros, as many as there are at the end of a chunk that is filled up; in the code that needs no
 * table (kind 1). */
static void put_zeros(bits *b, size_t size, bool last)
{
    put(b, (last ? 1 : 0) | 1 << 1, 3);
    for (size_t i = 0; i < size;) {
        const size_t left = size - i;
        if (!i || left < 3) {
            put(b, reversed(0x30, 8), 8); /* a zero */
            i++;
            continue;
        }
        unsigned extra, value;
        const size_t length = left < LONGEST ? left : LONGEST;
        const uint32_t symbol = run_symbol((unsigned)length, &extra, &value);
        if (symbol < 280)
            put(b, reversed(symbol - 256, 7), 7);
        else
            put(b, reversed(0xc0 + symbol - 280, 8), 8);
        put(b, value, extra);
        put(b, 0, 5); /* distance 1 */
        i += length;
    }
    put(b, 0, 7); /* the end */
}

/* One frame of a plane. Gives how many bytes there are before the zeros at the end. */
static size_t put_plane(bits *b, const unsigned char *data, size_t size, size_t frame,
                        uint16_t *tokens, bool last)
{
    enum { FEW = 64, MANY = 4096 };
    size_t used = size;
    for (uint64_t word; used >= 8; used -= 8) {
        memcpy(&word, data + used - 8, 8);
        if (word)
            break;
    }
    if (size - used < FEW)
        used = size;
    if (used)
        put_block(b, data, used, frame, tokens, last && used == size);
    if (used == size)
        return used;
    if (size - used < MANY)
        put_zeros(b, size - used, last);
    else /* a code of its own makes runs of zeros shorter */
        put_block(b, data + used, size - used, 0, tokens, last);
    return used;
}

/* ---- The whole ---- */

/* The checksum of RFC 1950, gone on with by more bytes and then by so many zeros. */
static uint32_t adler32(uint32_t sum_before, const unsigned char *data, size_t size, size_t zeros)
{
    enum { BLOCK = 32, MOST = 5536 }; /* bytes until 32 bits could overflow */
    uint32_t a = sum_before & 0xffff, b = sum_before >> 16;
    while (size) {
        size_t part = size < MOST ? size : MOST;
        size -= part;
        for (; part >= BLOCK; part -= BLOCK, data += BLOCK) {
            uint32_t sum = 0, weighted = 0;
            for (uint32_t i = 0; i < BLOCK; i++) {
                sum += data[i];
                weighted += (BLOCK - i) * data[i];
            }
            b += BLOCK * a + weighted;
            a += sum;
        }
        for (; part; part--) {
            a += *data++;
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    b = (uint32_t)((b + (uint64_t)zeros * a) % 65521);
    return b << 16 | a;
}

/* To a multiple of `step`; adding and taking away a large number rounds to whole ones. */
static inline double to_step(double x, double step)
{
    const double large = 0x1.8p52, q = x / step;
    return fabs(q) < 0x1p51 ? (q + large - large) * step : x;
}

static inline float to_bits(float x, int kept)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    const uint32_t unit = 1u << (24 - kept);
    u = (u + unit / 2) & ~(unit - 1);
    memcpy(&x, &u, sizeof x);
    return x;
}

static void round_floats(float *values, size_t count, tl_rounding r)
{
    for (size_t i = 0; i < count && r.bits; i++)
        values[i] = to_bits(values[i], r.bits);
    for (size_t i = 0; i < count && r.step > 0; i++)
        values[i] = (float)to_step((double)values[i], r.step);
}

/* Takes one column out of rows. */
static void take_column(const void *rows, size_t count, uint32_t width, uint32_t column,
                        size_t size, tl_rounding r, void *to)
{
    if (size == 8) {
        const double *from = (const double *)rows + column;
        double *values = to;
        for (size_t i = 0; i < count; i++)
            values[i] = from[i * width];
        for (size_t i = 0; i < count && r.step > 0; i++)
            values[i] = to_step(values[i], r.step);
    } else { /* whole numbers or floats: the latter alone are rounded */
        const uint32_t *from = (const uint32_t *)rows + column;
        uint32_t *values = to;
        for (size_t i = 0; i < count; i++)
            values[i] = from[i * width];
        round_floats(to, count, r);
    }
}

/* The planes lie `apart` bytes from each other. */
static void split_planes(const void *values, size_t count, size_t size, unsigned char *planes,
                         size_t apart)
{
    const uint64_t *longs = values;
    const uint32_t *words = values;
    for (unsigned p = 0; p < size; p++) {
        unsigned char *plane = planes + p * apart;
        if (size == 8)
            for (size_t i = 0; i < count; i++)
                plane[i] = (unsigned char)(longs[i] >> 8 * p);
        else
            for (size_t i = 0; i < count; i++)
                plane[i] = (unsigned char)(words[i] >> 8 * p);
    }
}

tl_status tl_pack(tl_packer *p, const tl_pack_rows *from, size_t chunk, uint32_t column,
                  tl_rounding rounding, size_t *bytes)
{
    enum { PIECE = 1024 };
    const size_t size = from->size, count = from->count;
    const size_t frame = from->frame && from->frame < chunk ? from->frame : chunk;
    const size_t back = frame <= FARTHEST ? frame : 0, blocks = chunk / frame + 2;
    TL_TRY(tl_array_resize(&p->values, PIECE * size));
    TL_TRY(tl_array_resize(&p->planes, chunk * size));
    TL_TRY(tl_array_resize(&p->tokens, chunk));
    /* A block is never larger than its plane, its head, and what storing it takes. */
    const size_t room = size * (chunk + chunk / STORED * 8 + blocks * TABLE_BYTES) + 64;
    TL_TRY(tl_array_resize(&p->out, room));
    unsigned char *planes = p->planes.data;
    for (size_t at = 0; at < count; at += PIECE) { /* a piece that fits the fastest cache */
        const size_t part = count - at < PIECE ? count - at : PIECE;
        take_column((const char *)from->rows + at * from->width * size, part, from->width, column,
                    size, rounding, p->values.data);
        split_planes(p->values.data, part, size, planes + at, chunk);
    }
    for (size_t i = 0; i < size; i++)
        memset(planes + i * chunk + count, 0, chunk - count);

    unsigned char *out = p->out.data;
    bits b = {out + 2, 0, 0};
    memcpy(out, "\x78\x01", 2);
    uint32_t sum = 1;
    for (size_t i = 0; i < size; i++) {
        const unsigned char *plane = planes + i * chunk;
        for (size_t at = 0, part; at < chunk; at += part) {
            part = at < count && frame < chunk - at ? frame : chunk - at;
            const bool last = i + 1 == size && at + part == chunk;
            const size_t used =
                put_plane(&b, plane + at, part, at ? back : 0, p->tokens.data, last);
            sum = adler32(sum, plane + at, used, part - used);
        }
    }
    put_rest(&b);
    for (int shift = 24; shift >= 0; shift -= 8)
        *b.at++ = (unsigned char)(sum >> shift);
    *bytes = (size_t)(b.at - out);
    return TL_OK;
}
