/* RIB; rib.h says who calls. Row vectors, a left-handed camera that looks along z, degrees: as the
 * RenderMan Interface has them. */
#include "render/rib.h"

#include <string.h>

#define DEGREES(x) (57.295779513f * (x))

static void put_camera(FILE *f, const tlr_camera *c)
{
    const float aspect = (float)c->width / (float)c->height;
    const vec r = c->right, u = c->up, d = c->forward;
    fprintf(f, "Format %d %d 1\nShutter 0 1\n", c->width, c->height);
    if (c->orthographic)
        fprintf(f, "ScreenWindow %.9g %.9g %.9g %.9g\nProjection \"orthographic\"\n",
                -aspect * c->half_height, aspect * c->half_height, -c->half_height, c->half_height);
    else
        fprintf(f, "ScreenWindow %.9g %.9g -1 1\nProjection \"perspective\" \"fov\" [%.9g]\n",
                -aspect, aspect, DEGREES(2 * atanf(c->half_height)));
    if (c->lens > 0) { /* the diameter is the focal length over the stop */
        const float length = 0.1f * c->focus;
        fprintf(f, "DepthOfField %.9g %.9g %.9g\n", length / (2 * c->lens), length, c->focus);
    }
    fprintf(f, "Transform [%.9g %.9g %.9g 0 %.9g %.9g %.9g 0 %.9g %.9g %.9g 0 %.9g %.9g %.9g 1]\n",
            r.x, u.x, d.x, r.y, u.y, d.y, r.z, u.z, d.z, -v_dot(c->eye, r), -v_dot(c->eye, u),
            -v_dot(c->eye, d));
}

static void put_lights(FILE *f, const tlr_lights *l)
{
    int number = 1;
    const vec sky = v_scale(l->sky.color, l->sky.strength);
    fprintf(f,
            "LightSource \"ambientlight\" %d \"intensity\" [1] \"lightcolor\" [%.6g %.6g %.6g]\n",
            number++, sky.x, sky.y, sky.z);
    if (l->has_sun) {
        const float size = 2 * TLR_PI * (1 - l->sun_cosine);
        const vec c = v_scale(l->sun_radiance, size / TLR_PI), s = l->sun;
        fprintf(f,
                "LightSource \"distantlight\" %d \"intensity\" [1] \"lightcolor\" [%.6g %.6g %.6g] "
                "\"from\" [%.6g %.6g %.6g] \"to\" [0 0 0]\n",
                number++, c.x, c.y, c.z, s.x, s.y, s.z);
    }
    for (size_t i = 0; i < l->area_count; i++) {
        const tlr_area *a = &l->areas[i];
        fprintf(f,
                "AttributeBegin\nAreaLightSource \"arealight\" %d \"intensity\" [1] \"lightcolor\" "
                "[%.6g %.6g %.6g]\nPolygon \"P\" [",
                number, a->radiance.x, a->radiance.y, a->radiance.z);
        const int corners = a->disc ? 32 : 4;
        for (int k = 0; k < corners; k++) {
            const float phi = 2 * TLR_PI * (float)k / (float)corners;
            const float x = a->disc ? cosf(phi) : k == 1 || k == 2 ? 1 : -1;
            const float y = a->disc ? sinf(phi) : k >= 2 ? 1 : -1;
            const vec p = v_along(v_along(a->centre, x, a->u), y, a->v);
            fprintf(f, "%s%.6g %.6g %.6g", k ? " " : "", p.x, p.y, p.z);
        }
        fprintf(f, "]\nAttributeEnd\nIlluminate %d 1\n", number++);
    }
}

/* Objects that items are instances of, each once. */
static void put_meshes(FILE *f, const tlr_stage *s, const tlr_moment *m)
{
    tlr_mesh_view mesh;
    for (uint32_t i = 0; tlr_stage_mesh(s, i, &mesh); i++) {
        bool used = false;
        for (size_t k = 0; k < m->item_count && !used; k++)
            used = m->items[k].mesh == i;
        if (!used)
            continue;
        fprintf(f, "ObjectBegin %u\nPointsPolygons [", i + 1);
        for (size_t k = 0; k < mesh.triangle_count; k++)
            fprintf(f, k ? " 3" : "3");
        fprintf(f, "] [");
        for (size_t k = 0; k < 3 * mesh.triangle_count; k++)
            fprintf(f, k ? " %u" : "%u", mesh.triangles[k]);
        fprintf(f, "] \"P\" [");
        for (size_t k = 0; k < 3 * mesh.vertex_count; k++)
            fprintf(f, k ? " %.9g" : "%.9g", mesh.vertices[k]);
        fprintf(f, "]\nObjectEnd\n");
    }
}

static void put_surface(FILE *f, const tlr_material *m, vec c)
{
    fprintf(f, "Color [%.6g %.6g %.6g]\n", c.x, c.y, c.z);
    switch (m->kind) {
    case TLR_DIFFUSE: fprintf(f, "Surface \"matte\"\n"); break;
    case TLR_METAL: fprintf(f, "Surface \"metal\" \"roughness\" [%.6g]\n", m->roughness); break;
    case TLR_PLASTIC: fprintf(f, "Surface \"plastic\" \"roughness\" [%.6g]\n", m->roughness); break;
    case TLR_GLASS: fprintf(f, "Surface \"glass\" \"ior\" [%.6g]\n", m->ior); break;
    }
}

/* A turn as one angle about an axis. */
static void put_rotation(FILE *f, vec rotation)
{
    const vec axis = v_unit(rotation);
    fprintf(f, "Rotate %.9g %.9g %.9g %.9g\n", DEGREES(v_length(rotation)), axis.x, axis.y, axis.z);
}

static void put_item(FILE *f, const tlr_moment *m, const tlr_item *item)
{
    const tlr_body *b = &m->bodies[item->body];
    const tlr_material *material = &m->materials[item->material];
    const tlr_pose_in in = tlr_item_pose(m, item);
    const vec x = b->place, y = v_add(b->place, b->move);
    if (material->hidden || item->mesh == TLR_NOT_DRAWN || item->left_out || !b->there)
        return;
    fprintf(f, "AttributeBegin\nAttribute \"identifier\" \"name\" [\"body %u\"]\n", b->number);
    put_surface(f, material, tlr_moment_color(m, item->body, material));
    if (m->moves && v_dot(b->move, b->move) > 0)
        fprintf(
            f, "MotionBegin [0 1]\nTranslate %.9g %.9g %.9g\nTranslate %.9g %.9g %.9g\nMotionEnd\n",
            x.x, x.y, x.z, y.x, y.y, y.z);
    else
        fprintf(f, "Translate %.9g %.9g %.9g\n", x.x, x.y, x.z);
    if (m->moves && v_dot(b->spin, b->spin) > 0) {
        const vec axis = v_unit(b->spin);
        fprintf(f, "MotionBegin [0 1]\nRotate 0 %.9g %.9g %.9g\n", axis.x, axis.y, axis.z);
        put_rotation(f, b->spin);
        fprintf(f, "MotionEnd\n");
    }
    put_rotation(f, turn_vector(b->turned));
    if (v_dot(in.at, in.at) > 0)
        fprintf(f, "Translate %.9g %.9g %.9g\n", in.at.x, in.at.y, in.at.z);
    if (item->mesh == TLR_BALL) {
        fprintf(f, "Sphere %.9g %.9g %.9g 360\n", item->radius, -item->radius, item->radius);
    } else {
        put_rotation(f, turn_vector(in.turned));
        fprintf(f, "Scale %.9g %.9g %.9g\nObjectInstance %u\n", in.scale.x, in.scale.y, in.scale.z,
                item->mesh + 1);
    }
    fprintf(f, "AttributeEnd\n");
}

static void put_bodies(FILE *f, const tlr_tracer *t)
{
    const tlr_moment *m = tlr_stage_moment(t->stage);
    for (size_t i = 0; i < m->item_count; i++)
        put_item(f, m, &m->items[i]);
}

void tlr_rib_write(FILE *f, const tlr_tracer *t, uint64_t frame, const char *name,
                   const double origin[3])
{
    const tlr_moment *m = tlr_stage_moment(t->stage);
    fprintf(f, "##RenderMan RIB-Structure 1.1\nversion 3.2\nFrameBegin %llu\n",
            (unsigned long long)frame + 1);
    fprintf(f, "# origin %.17g %.17g %.17g\n", origin[0], origin[1], origin[2]);
    fprintf(f, "Display \"%s\" \"file\" \"rgb\"\n", name);
    put_camera(f, &t->camera);
    put_meshes(f, t->stage, m);
    fprintf(f, "WorldBegin\n");
    put_lights(f, m->lights);
    put_bodies(f, t);
    fprintf(f, "WorldEnd\nFrameEnd\n");
}

/* --- a user's scene --- */

/* The word of a line "#inject WORD"; NULL: it is another line. */
static const char *directive(const char *line, size_t length, size_t *word)
{
    static const char key[] = "#inject ";
    size_t i = 0;
    while (i < length && (line[i] == ' ' || line[i] == '\t'))
        i++;
    if (length - i < sizeof key || memcmp(line + i, key, sizeof key - 1))
        return NULL;
    i += sizeof key - 1;
    *word = length - i;
    while (*word && strchr(" \t\r", line[i + *word - 1]))
        --*word;
    return line + i;
}

static bool is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && !memcmp(word, name, length);
}

/* Places are those of the world here, not counted from the middle. */
static tl_status put_injected(FILE *f, const tlr_tracer *t, const double origin[3],
                              const char *word, size_t length, const char *path, size_t line)
{
    const tlr_moment *m = tlr_stage_moment(t->stage);
    const bool lights = is(word, length, "lights"), bodies = is(word, length, "bodies");
    if (is(word, length, "camera")) {
        put_camera(f, &t->camera);
        fprintf(f, "Translate %.17g %.17g %.17g\n", -origin[0], -origin[1], -origin[2]);
        return TL_OK;
    }
    if (!lights && !bodies)
        return tl_fail(TL_BAD_DATA,
                       "%s:%zu: #inject: found '%.*s', expected bodies, camera or lights", path,
                       line, (int)(length < 40 ? length : 40), word);
    if (bodies)
        put_meshes(f, t->stage, m);
    fprintf(f, "%s\nTranslate %.17g %.17g %.17g\n", bodies ? "AttributeBegin" : "TransformBegin",
            origin[0], origin[1], origin[2]);
    if (lights)
        put_lights(f, m->lights);
    else
        put_bodies(f, t);
    fprintf(f, "%s\n", bodies ? "AttributeEnd" : "TransformEnd");
    return TL_OK;
}

tl_status tlr_rib_inject(FILE *f, const tlr_tracer *t, const char *path, const char *text,
                         size_t length, const double origin[3])
{
    size_t number = 1, injected = 0;
    for (size_t at = 0; at < length; number++) {
        const char *line = text + at, *end = memchr(line, '\n', length - at);
        const size_t bytes = end ? (size_t)(end - line) : length - at;
        size_t word = 0;
        const char *name = directive(line, bytes, &word);
        if (name) {
            TL_TRY(put_injected(f, t, origin, name, word, path, number));
            injected += is(name, word, "bodies");
        } else {
            fwrite(line, 1, bytes, f);
            fputc('\n', f);
        }
        at += bytes + 1;
    }
    return injected
               ? TL_OK
               : tl_fail(TL_BAD_DATA,
                         "%s: has no line '#inject bodies', which bodies take the place of", path);
}
