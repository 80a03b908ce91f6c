/* Looks: templates and defaults; look.h says who calls. A template is the text of a look.json, read
 * by the same reader. */
#include "render/look.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const tlr_templates[] = {"studio", "daylight", "moon", "cutaway", "blueprint", NULL};

static const char studio[] =
    "{\"sky\": {\"kind\": \"gradient\", \"color\": [0.80, 0.88, 1.0], \"horizon\": [0.6, 0.62, "
    "0.66], \"ground\": [0.3, 0.29, 0.28], \"strength\": 0.42},"
    " \"background\": [0.56, 0.59, 0.63],"
    " \"lights\": [{\"kind\": \"disc\", \"azimuth\": -110, \"elevation\": 48, \"distance\": 3,"
    " \"radius\": 0.8, \"strength\": 9, \"color\": [1.0, 0.95, 0.88]}],"
    " \"moving\": {\"kind\": \"plastic\", \"roughness\": 0.35, \"color\": [0.8, 0.42, 0.16]},"
    " \"fixed\": {\"kind\": \"diffuse\", \"color\": [0.42, 0.45, 0.5]},"
    " \"floor\": {\"kind\": \"diffuse\", \"color\": [0.55, 0.56, 0.58]},"
    " \"color\": {\"by\": \"body\"}, \"walls\": \"open\"}";

static const char daylight[] =
    "{\"sky\": {\"kind\": \"clear\", \"turbidity\": 3, \"strength\": 1},"
    " \"sun\": {\"azimuth\": -125, \"elevation\": 40, \"strength\": 7, \"color\": [1.0, 0.93, "
    "0.82]},"
    " \"exposure\": 0.35,"
    " \"moving\": {\"kind\": \"diffuse\", \"color\": [0.62, 0.55, 0.45]},"
    " \"fixed\": {\"kind\": \"diffuse\", \"color\": [0.5, 0.5, 0.5]},"
    " \"floor\": {\"kind\": \"diffuse\", \"color\": [0.42, 0.4, 0.36]},"
    " \"color\": {\"by\": \"material\"}, \"walls\": \"open\", \"tone\": \"filmic\"}";

static const char moon[] = "{\"sky\": {\"kind\": \"uniform\", \"color\": [0.004, 0.004, 0.005]},"
                           " \"background\": [0, 0, 0],"
                           " \"sun\": {\"azimuth\": -150, \"elevation\": 22, \"strength\": 9},"
                           " \"exposure\": 0.5,"
                           " \"moving\": {\"kind\": \"diffuse\", \"color\": [0.42, 0.41, 0.4]},"
                           " \"fixed\": {\"kind\": \"diffuse\", \"color\": [0.32, 0.31, 0.3]},"
                           " \"floor\": {\"kind\": \"diffuse\", \"color\": [0.3, 0.29, 0.28]},"
                           " \"color\": {\"by\": \"material\"}, \"walls\": \"open\"}";

static const char cutaway[] =
    "{\"sky\": {\"kind\": \"uniform\", \"color\": [0.9, 0.92, 0.95], \"strength\": 0.75},"
    " \"background\": [0.93, 0.93, 0.94],"
    " \"lights\": [{\"kind\": \"disc\", \"azimuth\": -70, \"elevation\": 45, \"distance\": 3.5,"
    " \"radius\": 1, \"strength\": 7}],"
    " \"moving\": {\"kind\": \"diffuse\", \"color\": [0.8, 0.62, 0.4]},"
    " \"fixed\": {\"kind\": \"diffuse\", \"color\": [0.5, 0.52, 0.56]},"
    " \"floor\": null, \"color\": {\"by\": \"material\"}, \"walls\": \"solid\","
    " \"camera\": {\"azimuth\": -90, \"elevation\": 12},"
    " \"cut\": {\"normal\": [0, -1, 0]}}";

static const char blueprint[] =
    "{\"sky\": {\"kind\": \"uniform\", \"color\": [0.05, 0.16, 0.5], \"strength\": 1},"
    " \"background\": [0.015, 0.07, 0.27],"
    " \"moving\": {\"kind\": \"diffuse\", \"color\": [0.5, 0.5, 0.5]},"
    " \"fixed\": {\"kind\": \"diffuse\", \"color\": [0.28, 0.28, 0.28]},"
    " \"floor\": null, \"color\": {\"by\": \"\"}, \"walls\": \"open\","
    " \"camera\": {\"orthographic\": true, \"azimuth\": -60, \"elevation\": 25},"
    " \"outline\": 0.8, \"outline_color\": [0.75, 0.85, 1.0], \"clock\": true, \"scale_bar\": "
    "true}";

const char *tlr_template_text(const char *name)
{
    static const char *const texts[] = {studio, daylight, moon, cutaway, blueprint};
    for (size_t i = 0; tlr_templates[i]; i++)
        if (!strcmp(name, tlr_templates[i]))
            return texts[i];
    return NULL;
}

/* What holds where neither template nor look says anything. */
static void set_defaults(tlr_look *l)
{
    const tlr_material plain = {
        .kind = TLR_DIFFUSE, .color = {0.6f, 0.6f, 0.6f}, .roughness = 0.3f, .ior = 1.5f};
    l->size[0] = 1280;
    l->size[1] = 720;
    l->fps = 25;
    l->speed = 1;
    l->from = l->to = NAN;
    l->shutter = 0.5;
    l->samples = 64;
    l->exposure = 1;
    l->view = (tlr_view){.fov = 30, .azimuth = -60, .elevation = 20, .margin = 0.05};
    for (int k = 0; k < 3; k++)
        l->view.eye[k] = l->view.target[k] = l->view.up[k] = l->cut_point[k] = NAN;
    l->sky.color = l->sky.horizon = v3(1, 1, 1);
    l->sky.ground = v3(0.3f, 0.3f, 0.3f);
    l->sky.strength = 1;
    l->sky.turbidity = 3;
    l->sun.angle = 0.533;
    l->sun.strength = 5;
    l->sun.azimuth = -120;
    l->sun.elevation = 45;
    l->sun.color = v3(1, 1, 1);
    l->moving = l->fixed = l->floor = plain;
    l->color.range[0] = l->color.range[1] = NAN;
    l->cut_normal[1] = -1;
    l->input.scale = 1;
    l->outline_color = v3(0, 0, 0);
}

void tlr_look_free(tlr_look *l)
{
    if (!l)
        return;
    tl_free(l->materials, TLR_MOST_NAMED * sizeof *l->materials);
    tl_free(l->bodies, TLR_MOST_NAMED * sizeof *l->bodies);
    tl_free(l, sizeof *l);
}

tl_status tlr_look_create(const char *name, tlr_look **look)
{
    const char *text = tlr_template_text(name);
    *look = NULL;
    if (!text)
        return tl_fail(TL_BAD_ARGUMENT,
                       "render: there is no template '%s'; there are studio, daylight, moon, "
                       "cutaway, blueprint",
                       name);
    tlr_look *l = tl_alloc_zero(sizeof *l);
    if (!l)
        return TL_NO_MEMORY;
    set_defaults(l);
    l->materials = tl_alloc_zero(TLR_MOST_NAMED * sizeof *l->materials);
    l->bodies = tl_alloc_zero(TLR_MOST_NAMED * sizeof *l->bodies);
    tl_status status = l->materials && l->bodies ? TL_OK : TL_NO_MEMORY;
    if (status == TL_OK)
        status = tlr_look_parse(name, "", text, strlen(text), l);
    if (status < 0)
        tlr_look_free(l);
    else
        *look = l;
    return status;
}

bool tlr_look_link(tlr_look *l, const char *link)
{
    const char *at = strstr(link, "cam=");
    double x[3], around = 0, height = 0, distance = 0;
    char kind = 0;
    if (!at ||
        sscanf(at, "cam=%lf,%lf,%lf,%lf,%lf,%lf,%c", &x[0], &x[1], &x[2], &around, &height,
               &distance, &kind) != 7 ||
        (kind != 'o' && kind != 'p') || !(distance > 0) || !isfinite(x[0] + x[1] + x[2]) ||
        !isfinite(around + height + distance))
        return false;
    const double away[3] = {cos(height) * cos(around), cos(height) * sin(around), sin(height)};
    l->view.kind = TLR_VIEW_FIXED;
    l->view.fov = 40; /* of the viewer's camera */
    l->view.orthographic = kind == 'o';
    l->view.height = 2 * distance * tan(20 * 3.14159265358979 / 180);
    for (int k = 0; k < 3; k++) {
        l->view.target[k] = x[k];
        l->view.eye[k] = x[k] + distance * away[k];
        l->view.up[k] = k == 2;
    }
    return true;
}

tl_status tlr_look_write(const char *path, const char *name)
{
    char temporary[4200];
    const char *text = tlr_template_text(name);
    if (!text)
        return tl_fail(TL_BAD_ARGUMENT, "render: there is no template '%s'", name);
    snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid());
    FILE *file = fopen(temporary, "w");
    if (file)
        fprintf(file,
                "{\n"
                "    \"$schema\": \"look.schema.json\",\n"
                "    \"template\": \"%s\",\n"
                "    \"size\": [1280, 720],\n"
                "    \"fps\": 25,\n"
                "    \"speed\": 1,\n"
                "    \"shutter\": 0.5,\n"
                "    \"samples\": 64,\n"
                "    \"exposure\": 1,\n"
                "    \"camera\": {\"kind\": \"fit\", \"azimuth\": -60, \"elevation\": 20, \"fov\": "
                "30},\n"
                "    \"color\": {\"by\": \"speed\", \"map\": \"viridis\", \"legend\": true},\n"
                "    \"moving\": {\"kind\": \"plastic\", \"roughness\": 0.35},\n"
                "    \"fixed\": {\"kind\": \"diffuse\", \"color\": \"#9aa0a6\"},\n"
                "    \"materials\": {},\n"
                "    \"bodies\": {},\n"
                "    \"title\": \"\",\n"
                "    \"clock\": true,\n"
                "    \"scale_bar\": false\n"
                "}\n",
                name);
    const bool failed = !file || ferror(file);
    if ((file && fclose(file) != 0) || failed || rename(temporary, path) != 0) {
        const int error = errno;
        unlink(temporary);
        return tl_fail(TL_FILE, "%s: cannot be written: %s", path, strerror(error));
    }
    return TL_OK;
}
