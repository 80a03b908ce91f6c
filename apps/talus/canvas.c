/* Lines, boxes and texts as SVG or PNG; canvas.h says who draws. The PNG is compressed by runs of
 * equal bytes, which is what a drawing consists of. */
#include "canvas.h"

#include "base/glyphs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE = 2, GLYPH_WIDTH = 6, GLYPH_HEIGHT = 7 };

static bool ends_in(const char *path, const char *end)
{
    const size_t n = strlen(path), m = strlen(end);
    return n > m && !strcmp(path + n - m, end);
}

bool canvas_knows(const char *path)
{
    return ends_in(path, ".svg") || ends_in(path, ".png");
}

bool canvas_open(canvas *c, const char *path, int width, int height)
{
    *c = (canvas){.file = fopen(path, "wb"), .width = width, .height = height};
    if (!c->file)
        return false;
    if (ends_in(path, ".png")) {
        const size_t bytes = (size_t)3 * SCALE * SCALE * (size_t)width * (size_t)height;
        c->pixels = malloc(bytes);
        if (!c->pixels) {
            fclose(c->file);
            return false;
        }
        memset(c->pixels, 255, bytes);
        return true;
    }
    fprintf(c->file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' width='%d' height='%d' "
            "font-family='Helvetica, Arial, sans-serif' font-size='12'>\n"
            "<rect width='%d' height='%d' fill='#ffffff'/>\n",
            width, height, width, height, width, height);
    return true;
}

/* --- pixels --- */

/* Mixes a colour into a pixel; what is outside is left out. */
static void blend(canvas *c, int x, int y, uint32_t colour, double part)
{
    if (x < 0 || y < 0 || x >= SCALE * c->width || y >= SCALE * c->height || !(part > 0))
        return;
    unsigned char *p = c->pixels + 3 * ((size_t)y * (size_t)(SCALE * c->width) + (size_t)x);
    for (int k = 0; k < 3; k++) {
        const double wanted = (double)(colour >> (16 - 8 * k) & 255);
        p[k] = (unsigned char)lround(p[k] + fmin(part, 1) * (wanted - p[k]));
    }
}

/* One piece of a line: pixels by how far their middle is from it. */
static void draw_piece(canvas *c, const double a[2], const double b[2], double width,
                       uint32_t colour)
{
    const double half = 0.5 * SCALE * width;
    const double ax = SCALE * a[0], ay = SCALE * a[1], bx = SCALE * b[0], by = SCALE * b[1];
    const double dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
    const int left = (int)floor(fmin(ax, bx) - half - 1),
              right = (int)ceil(fmax(ax, bx) + half + 1);
    const int top = (int)floor(fmin(ay, by) - half - 1), low = (int)ceil(fmax(ay, by) + half + 1);
    for (int y = top; y <= low; y++)
        for (int x = left; x <= right; x++) {
            const double px = x + 0.5 - ax, py = y + 0.5 - ay;
            const double along = square > 0 ? (px * dx + py * dy) / square : 0;
            const double t = fmin(1, fmax(0, along));
            const double ex = px - t * dx, ey = py - t * dy;
            blend(c, x, y, colour, half + 0.5 - sqrt(ex * ex + ey * ey));
        }
}

/* How many characters a text has: bytes that go on with one of UTF-8 do not count. */
static size_t letters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

double canvas_text_width(const char *text)
{
    return 6.5 * (double)letters(text);
}

static void draw_text(canvas *c, double x, double y, const char *text, anchor at, bool upwards)
{
    const double length = GLYPH_WIDTH * (double)letters(text) *
                          (at == ANCHOR_START    ? 0
                           : at == ANCHOR_MIDDLE ? 0.5
                                                 : 1);
    int pen = (int)lround(SCALE * (upwards ? y + length : x - length));
    const int line = (int)lround(SCALE * ((upwards ? x : y) - GLYPH_HEIGHT));
    for (; *text; text++) {
        const unsigned char letter = (unsigned char)*text;
        if ((letter & 0xc0) == 0x80)
            continue;
        const unsigned char *glyph = tl_glyph(letter);
        for (int i = 0; i < 5 * SCALE; i++)
            for (int k = 0; k < GLYPH_HEIGHT * SCALE; k++)
                if (glyph[i / SCALE] >> (k / SCALE) & 1)
                    blend(c, upwards ? line + k : pen + i, upwards ? pen - i : line + k, 0x333333,
                          1);
        pen += (upwards ? -1 : 1) * GLYPH_WIDTH * SCALE;
    }
}

/* --- drawing --- */

void canvas_line(canvas *c, size_t count, const double *points, double width, uint32_t colour)
{
    if (c->pixels) {
        for (size_t i = 0; i + 1 < count; i++)
            draw_piece(c, points + 2 * i, points + 2 * i + 2, width, colour);
        return;
    }
    fprintf(c->file, "<polyline fill='none' stroke='#%06x' stroke-width='%g' points='",
            (unsigned)colour, width);
    for (size_t i = 0; i < count; i++)
        fprintf(c->file, "%s%.2f,%.2f", i ? " " : "", points[2 * i], points[2 * i + 1]);
    fputs("'/>\n", c->file);
}

void canvas_box(canvas *c, double x, double y, double width, double height, uint32_t fill,
                uint32_t border)
{
    const double corners[10] = {x, y, x + width, y, x + width, y + height, x, y + height, x, y};
    if (c->pixels) {
        for (int k = (int)lround(SCALE * y); k < (int)lround(SCALE * (y + height)); k++)
            for (int i = (int)lround(SCALE * x); i < (int)lround(SCALE * (x + width)); i++)
                blend(c, i, k, fill, 1);
        canvas_line(c, 5, corners, 1, border);
        return;
    }
    fprintf(c->file,
            "<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='#%06x' stroke='#%06x'/>\n", x,
            y, width, height, (unsigned)fill, (unsigned)border);
}

void canvas_text(canvas *c, double x, double y, const char *text, anchor at, bool upwards)
{
    static const char *const words[] = {"start", "middle", "end"};
    if (c->pixels) {
        draw_text(c, x, y, text, at, upwards);
        return;
    }
    fprintf(c->file, "<text x='%.2f' y='%.2f' text-anchor='%s' fill='#333333'", x, y, words[at]);
    if (upwards)
        fprintf(c->file, " transform='rotate(-90 %.2f %.2f)'", x, y);
    fputc('>', c->file);
    for (; *text; text++) {
        if (*text == '<' || *text == '>' || *text == '&')
            fputs(*text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;", c->file);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, c->file);
    }
    fputs("</text>\n", c->file);
}

/* --- PNG --- */

/* Bytes, as bits with the lowest first, of a deflate stream. */
typedef struct packer {
    unsigned char *data;
    size_t used;
    uint32_t bits;
    int count;
} packer;

static void put_bits(packer *p, uint32_t value, int count)
{
    p->bits |= value << p->count;
    for (p->count += count; p->count >= 8; p->count -= 8, p->bits >>= 8)
        p->data[p->used++] = (unsigned char)p->bits;
}

/* A code of the fixed tables, whose highest bit comes first. */
static void put_code(packer *p, uint32_t code, int count)
{
    uint32_t turned = 0;
    for (int i = 0; i < count; i++)
        turned |= (code >> i & 1) << (count - 1 - i);
    put_bits(p, turned, count);
}

static void put_symbol(packer *p, uint32_t symbol)
{
    if (symbol < 144)
        put_code(p, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(p, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(p, symbol - 256, 7);
    else
        put_code(p, 0xc0 + symbol - 280, 8);
}

/* Runs of equal bytes: matches at distance 1, of the lengths that need no further bits. */
static void put_bytes(packer *p, const unsigned char *from, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t run = 0;
        while (i && i + run < count && run < 258 && from[i + run] == from[i - 1])
            run++;
        if (run < 3) {
            put_symbol(p, from[i++]);
            continue;
        }
        const size_t taken = run == 258 ? 258 : run < 10 ? run : 10;
        put_symbol(p, taken == 258 ? 285 : (uint32_t)(257 + taken - 3));
        put_code(p, 0, 5);
        i += taken;
    }
    put_symbol(p, 256);
}

static void put_word(unsigned char *to, uint32_t word)
{
    for (int k = 0; k < 4; k++)
        to[k] = (unsigned char)(word >> (24 - 8 * k));
}

static uint32_t crc(uint32_t sum, const unsigned char *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sum ^= data[i];
        for (int k = 0; k < 8; k++)
            sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
    }
    return sum;
}

static void put_chunk(FILE *file, const char *kind, const unsigned char *data, size_t count)
{
    unsigned char word[4];
    put_word(word, (uint32_t)count);
    fwrite(word, 1, 4, file);
    fwrite(kind, 1, 4, file);
    fwrite(data, 1, count, file);
    put_word(word, ~crc(crc(0xffffffffu, (const unsigned char *)kind, 4), data, count));
    fwrite(word, 1, 4, file);
}

/* Rows as differences from the row above, which are mostly 0. */
static void filter_rows(const canvas *c, unsigned char *rows)
{
    const size_t width = (size_t)3 * SCALE * (size_t)c->width;
    for (size_t y = 0; y < (size_t)(SCALE * c->height); y++) {
        unsigned char *row = rows + y * (width + 1);
        const unsigned char *now = c->pixels + y * width;
        *row++ = 2;
        for (size_t i = 0; i < width; i++)
            row[i] = (unsigned char)(now[i] - (y ? now[i - width] : 0));
    }
}

static bool write_png(const canvas *c)
{
    static const unsigned char mark[8] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
    const size_t bytes = ((size_t)3 * SCALE * (size_t)c->width + 1) * (size_t)(SCALE * c->height);
    unsigned char head[13] = {[8] = 8, [9] = 2};
    unsigned char *rows = malloc(bytes);
    packer p = {.data = malloc(bytes + bytes / 8 + 64)};
    if (rows && p.data) {
        uint32_t a = 1, b = 0;
        put_word(head, (uint32_t)(SCALE * c->width));
        put_word(head + 4, (uint32_t)(SCALE * c->height));
        filter_rows(c, rows);
        p.data[p.used++] = 0x78;
        p.data[p.used++] = 0x01;
        put_bits(&p, 3, 3); /* the last block, with fixed tables */
        put_bytes(&p, rows, bytes);
        put_bits(&p, 0, 7); /* up to a whole byte */
        for (size_t i = 0; i < bytes; i++) {
            a = (a + rows[i]) % 65521;
            b = (b + a) % 65521;
        }
        put_word(p.data + p.used, b << 16 | a);
        fwrite(mark, 1, sizeof mark, c->file);
        put_chunk(c->file, "IHDR", head, sizeof head);
        put_chunk(c->file, "IDAT", p.data, p.used + 4);
        put_chunk(c->file, "IEND", mark, 0);
    }
    const bool done = rows && p.data;
    free(rows);
    free(p.data);
    return done;
}

bool canvas_close(canvas *c)
{
    bool good = true;
    if (c->pixels)
        good = write_png(c);
    else
        fputs("</svg>\n", c->file);
    free(c->pixels);
    good = !ferror(c->file) && good;
    return fclose(c->file) == 0 && good;
}
