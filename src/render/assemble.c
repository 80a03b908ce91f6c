/* From pictures to a movie: bands are stitched, missing pictures are told, the rest is ffmpeg's.
 * job.c calls. */
#include "render/job.h"

#include "render/movie.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How many bands the pictures of a folder were cut into; 0: there are no bands. Removes what was
 * left behind by those that were killed. */
static uint32_t look_around(const tlr_work *w)
{
    char path[8400];
    uint32_t bands = 0;
    DIR *folder = opendir(w->folder);
    if (!folder)
        return 0;
    for (const struct dirent *e; (e = readdir(folder));) {
        unsigned long long picture;
        unsigned band, all;
        const size_t length = strlen(e->d_name);
        if (sscanf(e->d_name, "frame_%llu_rows_%uof%u.png", &picture, &band, &all) == 3)
            bands = all > bands ? all : bands;
        if (!strncmp(e->d_name, "frame_", 6) && length > 5 &&
            !strcmp(e->d_name + length - 5, ".part")) {
            snprintf(path, sizeof path, "%s/%s", w->folder, e->d_name);
            unlink(path);
        }
    }
    closedir(folder);
    return bands;
}

/* Puts the bands of a picture together and drops them; false: some are missing. */
static tl_status stitch(tlr_work *w, uint64_t picture, uint32_t bands, const char *key, bool *whole)
{
    char path[4200];
    const int width = w->show.look->size[0];
    *whole = false;
    for (uint32_t b = 0; b < bands; b++) {
        const int rows = tlr_band_rows(w->show.look->size[1], (int)b, (int)bands);
        const size_t row = (size_t)3 * (size_t)width;
        int is_width, is_rows;
        unsigned char *rgb = NULL;
        tlr_work_path(w, picture, b, bands, path, sizeof path);
        if (!tlr_png_fits(path, key))
            return TL_OK;
        TL_TRY(tlr_png_read(path, &is_width, &is_rows, &rgb));
        const bool good = is_width == width && is_rows == rows;
        for (int y = 0; y < rows && good; y++)
            memcpy(w->rgb + row * (size_t)tlr_band_row(y, (int)b, (int)bands),
                   rgb + row * (size_t)y, row);
        tl_free(rgb, (size_t)3 * (size_t)is_width * (size_t)is_rows);
        if (!good)
            return TL_OK;
    }
    tlr_work_path(w, picture, 0, 1, path, sizeof path);
    TL_TRY(tlr_png_write(path, width, w->show.look->size[1], w->rgb, key));
    for (uint32_t b = 0; b < bands; b++) {
        tlr_work_path(w, picture, b, bands, path, sizeof path);
        unlink(path);
    }
    *whole = true;
    return TL_OK;
}

/* All pictures are there, whole; `hash` receives what they are made of. */
static tl_status complete(tlr_work *w, uint64_t *hash)
{
    const uint32_t bands = look_around(w);
    uint64_t missing = 0, first = 0;
    for (uint64_t i = 0; i < w->pictures; i++) {
        char key[TLR_KEY], path[4200];
        TL_TRY(tlr_work_key(w, i, key));
        tlr_work_path(w, i, 0, 1, path, sizeof path);
        bool there = tlr_png_fits(path, key);
        if (!there && bands > 1)
            TL_TRY(stitch(w, i, bands, key, &there));
        first = there || missing ? first : i;
        missing += !there;
        *hash = tlr_hash(*hash, key, strlen(key));
    }
    if (!missing)
        return TL_OK;
    return tl_fail(TL_FILE,
                   "%s: %llu of %llu pictures are missing or do not fit result and look, the first "
                   "of them number %llu",
                   w->folder, (unsigned long long)missing, (unsigned long long)w->pictures,
                   (unsigned long long)first);
}

/* The note beside the pictures that says what the movie was made of. */
static bool is_made(const tlr_work *w, const char *note, const char *text)
{
    char there[64] = "";
    FILE *file = fopen(note, "r");
    if (!file)
        return false;
    there[fread(there, 1, sizeof there - 1, file)] = 0;
    fclose(file);
    return !strcmp(there, text) && access(w->job->output, R_OK) == 0;
}

static tl_status write_note(const char *note, const char *text)
{
    FILE *file = fopen(note, "w");
    const bool good = file && fputs(text, file) >= 0;
    if ((file && fclose(file) != 0) || !good)
        return tl_fail(TL_FILE, "%s: cannot be written: %s", note, strerror(errno));
    return TL_OK;
}

static tl_status pipe_pictures(tlr_work *w, tlr_movie *movie)
{
    for (uint64_t i = 0; i < w->pictures; i++) {
        char path[4200];
        int width, height;
        unsigned char *rgb = NULL;
        if (w->job->stop && *w->job->stop)
            return (tl_status)1;
        tlr_work_path(w, i, 0, 1, path, sizeof path);
        TL_TRY(tlr_png_read(path, &width, &height, &rgb));
        const bool fits = width == w->show.look->size[0] && height == w->show.look->size[1];
        const tl_status status = fits ? tlr_movie_add(movie, rgb)
                                      : tl_fail(TL_BAD_DATA, "%s: is not %d x %d pixels large",
                                                path, w->show.look->size[0], w->show.look->size[1]);
        tl_free(rgb, (size_t)3 * (size_t)width * (size_t)height);
        TL_TRY(status);
    }
    return TL_OK;
}

tl_status tlr_work_assemble(tlr_work *w)
{
    const tlr_look *l = w->show.look;
    char note[4200], text[64];
    uint64_t hash = 0;
    tlr_movie *movie = NULL;
    TL_TRY(complete(w, &hash));
    if (!tlr_movie_knows(w->job->output))
        return TL_OK;
    hash = tlr_hash(hash, &l->fps, sizeof l->fps);
    snprintf(note, sizeof note, "%s/movie", w->folder);
    snprintf(text, sizeof text, "%016llx\n", (unsigned long long)hash);
    if (!w->job->force && is_made(w, note, text))
        return TL_OK;
    TL_TRY(tlr_movie_open(w->job->output, l->size[0], l->size[1], l->fps, &movie));
    tl_status status = pipe_pictures(w, movie);
    if (status != TL_OK) { /* the first trouble is the one to tell */
        char said[512];
        snprintf(said, sizeof said, "%s", tl_last_message());
        tlr_movie_close(movie, false);
        return status < 0 ? tl_fail(status, "%s", said) : status;
    }
    TL_TRY(tlr_movie_close(movie, true));
    return write_note(note, text);
}
