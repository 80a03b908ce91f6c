/* PNG by libpng; png.h says who calls. */
#include "render/png.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char key_name[] = "Talus";

/* What libpng said last goes to the message. */
typedef struct trouble {
    char text[160];
} trouble;

static void on_error(png_structp png, png_const_charp text)
{
    trouble *t = png_get_error_ptr(png);
    snprintf(t->text, sizeof t->text, "%s", text);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static bool write_rows(FILE *file, int width, int height, const unsigned char *rgb, const char *key,
                       trouble *t)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, t, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return false;
    }
    png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE,
                     .key = (char *)key_name,
                     .text = (char *)key,
                     .text_length = strlen(key)};
    png_init_io(png, file);
    png_set_compression_level(png, 4);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_text(png, info, &text, 1);
    png_write_info(png, info);
    for (int y = 0; y < height; y++)
        png_write_row(png, rgb + (size_t)3 * (size_t)width * (size_t)y);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

tl_status tlr_png_write(const char *path, int width, int height, const unsigned char *rgb,
                        const char *key)
{
    char temporary[4200];
    trouble t = {.text = ""};
    if ((size_t)snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid()) >=
        sizeof temporary)
        return tl_fail(TL_FILE, "%s: the name is too long", path);
    errno = 0;
    FILE *file = fopen(temporary, "wb");
    bool good = file && write_rows(file, width, height, rgb, key, &t);
    int error = errno;
    if (good && fflush(file) != 0) {
        good = false;
        error = errno;
    }
    if (file && fclose(file) != 0 && good) {
        good = false;
        error = errno;
    }
    if (good && rename(temporary, path) != 0) {
        good = false;
        error = errno;
    }
    if (good)
        return TL_OK;
    if (file)
        unlink(temporary);
    return tl_fail(TL_FILE, "%s: cannot be written: %s", path,
                   error     ? strerror(error)
                   : *t.text ? t.text
                             : "unknown trouble");
}

/* Opens a PNG and reads what stands before the picture. */
static bool read_head(FILE *file, png_structp *png, png_infop *info, trouble *t)
{
    unsigned char start[8];
    snprintf(t->text, sizeof t->text, "it is no PNG file");
    if (fread(start, 1, 8, file) != 8 || png_sig_cmp(start, 0, 8))
        return false;
    *png = png_create_read_struct(PNG_LIBPNG_VER_STRING, t, on_error, on_warning);
    *info = *png ? png_create_info_struct(*png) : NULL;
    return *info != NULL;
}

static bool read_picture(FILE *file, int *width, int *height, unsigned char **rgb, trouble *t)
{
    enum { MOST = 1 << 14 };
    png_structp png = NULL;
    png_infop info = NULL;
    if (!read_head(file, &png, &info, t) || setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &info, NULL);
        return false;
    }
    png_init_io(png, file);
    png_set_sig_bytes(png, 8);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_strip_16(png);
    png_set_strip_alpha(png);
    png_set_gray_to_rgb(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    const png_uint_32 w = png_get_image_width(png, info), h = png_get_image_height(png, info);
    if (w > MOST || h > MOST || png_get_rowbytes(png, info) != 3 * (size_t)w)
        png_error(png, "its size is above 16384 pixels");
    *width = (int)w;
    *height = (int)h;
    *rgb = tl_alloc(3 * (size_t)w * h);
    if (!*rgb)
        png_error(png, "memory ran out");
    for (png_uint_32 y = 0; y < h; y++)
        png_read_row(png, *rgb + 3 * (size_t)w * y, NULL);
    png_read_end(png, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    return true;
}

tl_status tlr_png_read(const char *path, int *width, int *height, unsigned char **rgb)
{
    trouble t = {.text = ""};
    *rgb = NULL;
    *width = *height = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return tl_fail(TL_FILE, "%s: cannot be read: %s", path, strerror(errno));
    const bool good = read_picture(file, width, height, rgb, &t);
    fclose(file);
    if (good)
        return TL_OK;
    tl_free(*rgb, 3 * (size_t)*width * (size_t)*height);
    *rgb = NULL;
    return tl_fail(TL_BAD_DATA, "%s: is damaged: %s", path, t.text);
}

/* The key of the texts before the picture. */
static bool read_key(FILE *file, const char *key, trouble *t)
{
    png_structp png = NULL;
    png_infop info = NULL;
    png_textp texts = NULL;
    int count = 0;
    volatile bool same = false;
    if (!read_head(file, &png, &info, t) || setjmp(png_jmpbuf(png))) {
        png_destroy_read_struct(&png, &info, NULL);
        return false;
    }
    png_init_io(png, file);
    png_set_sig_bytes(png, 8);
    png_read_info(png, info);
    png_get_text(png, info, &texts, &count);
    for (int i = 0; i < count; i++)
        same = same || (!strcmp(texts[i].key, key_name) && !strcmp(texts[i].text, key));
    png_destroy_read_struct(&png, &info, NULL);
    return same;
}

bool tlr_png_fits(const char *path, const char *key)
{
    static const unsigned char end[8] = {'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    unsigned char last[8];
    trouble t;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    const bool good = read_key(file, key, &t) && fseek(file, -8, SEEK_END) == 0 &&
                      fread(last, 1, 8, file) == 8 && !memcmp(last, end, 8);
    fclose(file);
    return good;
}
