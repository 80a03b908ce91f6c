/* The list of rods: one per entry, or many by "repeat". Called by parse_scene.c once all bodies are
 * known. */
#include "io/parse.h"

enum { NAME, BODIES, RADIUS, LENGTH, MATERIAL, GROUP, MASK, REPEAT, KEYS };
static const char *const keys[] = {"name",     "bodies", "radius", "length",
                                   "material", "group",  "mask",   "repeat"};
_Static_assert(sizeof keys / sizeof *keys == KEYS, "a name for each key");

static tl_status read_ends(const tl_reader *r, const tl_json *entry, const tl_json *list,
                           tl_rod_def *def)
{
    static const char expected[] = "an array of two: names of bodies";
    if (!list)
        return tl_read_missing(r, entry, "bodies", expected);
    if (list->kind != TL_JSON_ARRAY || list->count != 2)
        return tl_read_expected(r, list, expected);
    const tl_json *v = tl_json_first(r->tree, list);
    for (int e = 0; e < 2; e++, v = tl_json_next(r->tree, v)) {
        tl_body *body = e ? &def->b : &def->a;
        TL_TRY(tl_read_body(r, v, body));
        if (!body->index)
            return tl_read_expected(r, v, "a body: rods are between two");
    }
    return TL_OK;
}

static tl_status add_rod(tl_reader *r, const tl_json *entry, const tl_json *const *f)
{
    tl_rod_def def = tl_rod_default(0);
    if (r->stored.outline) /* the number is enough */
        return tl_read_charge(r, entry, 1, 1);
    TL_TRY(read_ends(r, entry, f[BODIES], &def));
    if (!f[RADIUS])
        return tl_read_missing(r, entry, "radius", "a number above 0 (m)");
    TL_TRY(tl_read_number(r, f[RADIUS], TL_ABOVE_0("m"), &def.radius));
    TL_TRY(tl_read_number(r, f[LENGTH], TL_ABOVE_0("m"), &def.length));
    TL_TRY(tl_read_material(r, f[MATERIAL], &def.material));
    r->filter = tl_no_filter;
    TL_TRY(tl_read_filter(r, f[GROUP], f[MASK], &r->filter));
    def.group = r->filter.group;
    def.mask = r->filter.mask;
    TL_TRY(tl_read_charge(r, entry, 1, 1));
    const tl_status status = tl_scene_add_rod(r->scene, &def, NULL);
    return status < 0 ? tl_read_refused(r, entry, status) : TL_OK;
}

static tl_status read_entry(tl_reader *r, const tl_json *entry, uint32_t number)
{
    const tl_json *f[KEYS];
    const size_t before = r->stored.outline ? r->bodies : tl_scene_body_count(r->scene);
    tl_span span = {
        .first = (uint32_t)before + 1, .count = 1, .entry = number, .section = TL_SECTION_RODS};
    TL_TRY(tl_read_fields(r, entry, "a rod", KEYS, keys, f));
    if (f[REPEAT]) {
        span.group = true;
        TL_TRY(tl_read_repeat(r, f[REPEAT], &span.count));
        for (uint32_t i = 0; i < span.count; i++) {
            tl_repeat_at(r, i);
            TL_TRY(add_rod(r, entry, f));
        }
        tl_repeat_end(r);
    } else {
        TL_TRY(add_rod(r, entry, f));
    }
    return tl_read_entry(r, entry, f[NAME], span);
}

tl_status tl_read_rods(tl_reader *r, const tl_json *list)
{
    uint32_t number = 0;
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of rods"));
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v))
        TL_TRY(read_entry(r, v, number++));
    if (number && r->settings.stepper != TL_STEPPER_PENALTY)
        return tl_read_fail(r, tl_json_first(r->tree, list),
                            "is a rod, which has no mass, and settings.stepper is \"%s\", expected "
                            "\"penalty\", or a capsule or a joint of kind \"distance\" instead",
                            tl_word(TL_WORDS_STEPPER, r->settings.stepper));
    return TL_OK;
}
