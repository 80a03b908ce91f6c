/* OpenEXR, version 2, one part of scan lines; exr.h says who calls. All numbers are little-endian,
 * as is every machine that Embree runs on. */
#include "render/exr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { GUIDE_SAMPLES = 8, UINT = 0, FLOAT = 2 };

/* In the order of their names, as the format asks for. */
static const struct {
    const char *name;
    int32_t type;
} channels[] = {{"B", FLOAT},        {"G", FLOAT},        {"N.X", FLOAT}, {"N.Y", FLOAT},
                {"N.Z", FLOAT},      {"R", FLOAT},        {"Z", FLOAT},   {"albedo.B", FLOAT},
                {"albedo.G", FLOAT}, {"albedo.R", FLOAT}, {"body", UINT}};
enum { CHANNELS = sizeof channels / sizeof *channels };

static void put_attribute(FILE *file, const char *name, const char *type, const void *data,
                          int32_t size)
{
    fwrite(name, 1, strlen(name) + 1, file);
    fwrite(type, 1, strlen(type) + 1, file);
    fwrite(&size, sizeof size, 1, file);
    fwrite(data, 1, (size_t)size, file);
}

static void put_head(FILE *file, int32_t width, int32_t height)
{
    static const unsigned char magic[8] = {0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0};
    const int32_t window[4] = {0, 0, width - 1, height - 1}, ones[2] = {1, 1};
    const float aspect = 1, centre[2] = {0, 0};
    unsigned char list[CHANNELS * 40], none = 0;
    size_t used = 0;
    for (int i = 0; i < CHANNELS; i++) {
        const size_t length = strlen(channels[i].name) + 1;
        memcpy(list + used, channels[i].name, length);
        memcpy(list + used + length, &channels[i].type, 4);
        memset(list + used + length + 4, 0, 4); /* linear, reserved */
        memcpy(list + used + length + 8, ones, 8);
        used += length + 16;
    }
    list[used++] = 0;
    fwrite(magic, 1, sizeof magic, file);
    put_attribute(file, "channels", "chlist", list, (int32_t)used);
    put_attribute(file, "compression", "compression", &none, 1);
    put_attribute(file, "dataWindow", "box2i", window, sizeof window);
    put_attribute(file, "displayWindow", "box2i", window, sizeof window);
    put_attribute(file, "lineOrder", "lineOrder", &none, 1);
    put_attribute(file, "pixelAspectRatio", "float", &aspect, sizeof aspect);
    put_attribute(file, "screenWindowCenter", "v2f", centre, sizeof centre);
    put_attribute(file, "screenWindowWidth", "float", &aspect, sizeof aspect);
    fputc(0, file);
}

/* The channels of a pixel: radiance, and means of what is seen there. */
static void fill_pixel(const tlr_tracer *t, int x, int y, const float rgb[3], float out[CHANNELS])
{
    vec albedo = {0, 0, 0}, normal = {0, 0, 0};
    float depth = 0;
    for (uint32_t i = 0; i < GUIDE_SAMPLES; i++) {
        const tlr_guide g = tlr_path_guide(t, x, y, i);
        albedo = v_along(albedo, 1.0f / GUIDE_SAMPLES, g.albedo);
        normal = v_along(normal, 1.0f / GUIDE_SAMPLES, g.normal);
        depth += g.depth / GUIDE_SAMPLES;
    }
    const uint32_t number = tlr_path_number(t, x, y);
    const float values[CHANNELS - 1] = {rgb[2], rgb[1], normal.x, normal.y, normal.z,
                                        rgb[0], depth,  albedo.z, albedo.y, albedo.x};
    memcpy(out, values, sizeof values);
    memcpy(out + CHANNELS - 1, &number, sizeof number);
}

static tl_status put_lines(FILE *file, const tlr_tracer *t, const float *rgb)
{
    const int width = t->camera.width, height = t->camera.height;
    const size_t count = (size_t)CHANNELS * (size_t)width;
    const int32_t size = (int32_t)(count * sizeof(float));
    float *line = tl_alloc(count * sizeof *line);
    if (!line)
        return TL_NO_MEMORY;
    uint64_t at = (uint64_t)ftell(file) + 8 * (uint64_t)height;
    for (int y = 0; y < height; y++, at += 8 + (uint64_t)size)
        fwrite(&at, sizeof at, 1, file);
    for (int32_t y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            float pixel[CHANNELS];
            fill_pixel(t, x, y, rgb + 3 * ((size_t)y * (size_t)width + (size_t)x), pixel);
            for (int i = 0; i < CHANNELS; i++) /* as bytes: the number of a body is no float */
                memcpy(line + (size_t)i * (size_t)width + x, pixel + i, sizeof *line);
        }
        fwrite(&y, sizeof y, 1, file);
        fwrite(&size, sizeof size, 1, file);
        fwrite(line, 1, (size_t)size, file);
    }
    tl_free(line, count * sizeof *line);
    return TL_OK;
}

tl_status tlr_exr_write(const char *path, const tlr_tracer *t, const float *rgb)
{
    char temporary[4400];
    snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid());
    FILE *file = fopen(temporary, "wb");
    if (!file)
        return tl_fail(TL_FILE, "%s: cannot be written: %s", path, strerror(errno));
    put_head(file, t->camera.width, t->camera.height);
    const tl_status status = put_lines(file, t, rgb);
    errno = 0;
    const bool failed = ferror(file) || fflush(file) != 0;
    if (fclose(file) == 0 && !failed && status == TL_OK && rename(temporary, path) == 0)
        return TL_OK;
    const int error = errno;
    unlink(temporary);
    return status < 0 ? status
                      : tl_fail(TL_FILE, "%s: cannot be written: %s", path,
                                error ? strerror(error) : "no space is left, or the disk failed");
}
