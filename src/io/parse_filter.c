/* What collides with what: the names of groups, the groups and masks of shapes, and pairs of bodies
 * that are excluded. Called by parse_scene.c, parse_shape.c, parse_body.c and parse_fill.c. */
#include "io/parse.h"

#include "base/near.h"

enum { MOST_GROUPS = 31, MOST_PAIRS = 100000 }; /* "default" is one more group, the first */

tl_status tl_read_groups(tl_reader *r, const tl_json *list)
{
    static const char *const expected = "an array of names of groups";
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, expected));
    if (list->count > MOST_GROUPS)
        return tl_read_fail(r, list, "has %u names, expected at most %d", list->count, MOST_GROUPS);
    const size_t before = r->groups.count; /* those of other scopes are shared */
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v)) {
        const tl_text *known = r->groups.data;
        tl_text name = {0};
        TL_TRY(tl_read_string(r, v, "the name of a group", &name));
        if (tl_text_is(name, "default"))
            return tl_read_fail(r, v,
                                "is \"default\", the group of shapes that name none, "
                                "expected another name");
        size_t i = 0;
        while (i < r->groups.count && !tl_text_same(known[i], name))
            i++;
        if (i >= before && i < r->groups.count)
            return tl_read_fail(r, v, "names a group again, expected each once");
        if (i == MOST_GROUPS)
            return tl_read_fail(r, v, "is one more than %d groups, with those of fragments",
                                MOST_GROUPS);
        if (i == r->groups.count)
            TL_TRY(tl_array_append(&r->groups, &name, 1));
    }
    return TL_OK;
}

/* The bit of one group. */
static tl_status read_group(const tl_reader *r, const tl_json *value, uint32_t *bits)
{
    const tl_text *known = r->groups.data;
    tl_text name = {0};
    char text[64];
    TL_TRY(tl_read_string(r, value, "the name of a group", &name));
    if (tl_text_is(name, "default")) {
        *bits |= 1;
        return TL_OK;
    }
    tl_near near = tl_near_start(name);
    tl_near_offer(&near, tl_text_of("default"));
    for (size_t i = 0; i < r->groups.count; i++) {
        if (tl_text_same(known[i], name)) {
            *bits |= 2u << i;
            return TL_OK;
        }
        tl_near_offer(&near, known[i]);
    }
    return tl_read_fail(r, value,
                        "is %s, expected the name of a group, which 'groups' of the scene lists%s",
                        tl_read_show(r, value, text, sizeof text), tl_near_hint(&near));
}

/* A name, or an array of names. */
static tl_status read_bits(const tl_reader *r, const tl_json *value, bool some, uint32_t *bits)
{
    if (!value)
        return TL_OK;
    *bits = 0;
    if (value->kind == TL_JSON_STRING)
        return read_group(r, value, bits);
    TL_TRY(tl_read_array(r, value, "the name of a group, or an array of names"));
    if (some && !value->count)
        return tl_read_expected(r, value, "at least one group");
    for (const tl_json *v = tl_json_first(r->tree, value); v; v = tl_json_next(r->tree, v))
        TL_TRY(read_group(r, v, bits));
    return TL_OK;
}

tl_status tl_read_filter(const tl_reader *r, const tl_json *group, const tl_json *mask,
                         tl_filter *filter)
{
    TL_TRY(read_bits(r, group, true, &filter->group));
    return read_bits(r, mask, false, &filter->mask);
}

static tl_status read_exclusion(tl_reader *r, const tl_json *value)
{
    static const char *const two = "the names of two bodies or fills";
    const tl_span *a, *b;
    if (value->kind != TL_JSON_ARRAY || value->count != 2)
        return tl_read_expected(r, value, two);
    const tl_json *first = tl_json_first(r->tree, value);
    TL_TRY(tl_read_reference(r, first, &a));
    TL_TRY(tl_read_reference(r, tl_json_next(r->tree, first), &b));
    if (a == b)
        return tl_read_fail(r, value, "names one twice, expected %s", two);
    const uint64_t pairs = (uint64_t)a->count * b->count;
    if (pairs > MOST_PAIRS)
        return tl_read_fail(r, value,
                            "stands for %llu pairs of bodies, expected at most %d: "
                            "groups keep many apart",
                            (unsigned long long)pairs, MOST_PAIRS);
    TL_TRY(tl_read_charge(r, value, 0, pairs));
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++) {
            const tl_status status =
                tl_scene_exclude(r->scene, (tl_body){a->first + i, 1}, (tl_body){b->first + k, 1});
            if (status < 0)
                return tl_read_refused(r, value, status);
        }
    return TL_OK;
}

tl_status tl_read_exclusions(tl_reader *r, const tl_json *list)
{
    if (!list)
        return TL_OK;
    TL_TRY(tl_read_array(r, list, "an array of pairs of names"));
    for (const tl_json *v = tl_json_first(r->tree, list); v; v = tl_json_next(r->tree, v))
        TL_TRY(read_exclusion(r, v));
    return TL_OK;
}
