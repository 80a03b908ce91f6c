/* Meshes as the command reads and tells them; mesh.h says who calls. */
#include "mesh.h"

#include <math.h>
#include <stdio.h>

int read_mesh(const options *given, tl_mesh **mesh)
{
    static const double metres[] = {1, 0.01, 0.001, 1e-6, 0.0254, 0.3048}; /* by unit_words */
    const double unit = given->unit < 0 ? 1 : metres[given->unit];
    const double scale = isnan(given->scale) ? 1 : given->scale;
    const tl_status status =
        tl_mesh_read(given->file, unit * scale, isnan(given->merge) ? 0 : given->merge, mesh);
    return status < 0 ? complain_of(status, PHASE_READING) : EXIT_OK;
}

double mesh_density(const options *given)
{
    return isnan(given->density) ? tl_body_default().density : given->density;
}

void tell_mesh(facts *f, const tl_mesh *mesh)
{
    const tl_mesh_info info = tl_mesh_describe(mesh);
    fact_count(f, "vertices", info.vertex_count);
    fact_count(f, "merged_vertices", info.merged);
    fact_count(f, "triangles", info.triangle_count);
    fact_count(f, "dropped_triangles", info.dropped);
    fact_count(f, "components", info.components);
    fact_count(f, "open_edges", info.open_edges);
    fact_count(f, "crowded_edges", info.crowded_edges);
    fact_count(f, "turned_edges", info.turned_edges);
    fact_vector(f, "low", info.low, "m");
    fact_vector(f, "high", info.high, "m");
    fact_number(f, "area", info.area, "m^2");
    if (info.dropped)
        fact_warning(f, "%zu %s a vertex twice, of equal or merged ones, and %s dropped",
                     info.dropped, info.dropped == 1 ? "triangle has" : "triangles have",
                     info.dropped == 1 ? "was" : "were");
}

void tell_solid(facts *f, const tl_mesh_solid *solid)
{
    fact_number(f, "volume", solid->volume, "m^3");
    fact_number(f, "mass", solid->mass, "kg");
    fact_vector(f, "centre_of_mass", solid->centre, "m");
    fact_vector(f, "inertia", solid->moments, "kg m^2, principal");
    fact_quaternion(f, "principal_axes", solid->orientation, "their orientation (w, x, y, z)");
}

/* How much of its convex hull a solid is; 1 for what is convex. */
static int tell_hull(facts *f, const tl_mesh *mesh, const tl_mesh_solid *solid)
{
    const tl_mesh_info info = tl_mesh_describe(mesh);
    tl_mesh *hull = NULL;
    tl_mesh_solid around;
    tl_status status = tl_mesh_create_hull(info.vertex_count, info.vertices, &hull);
    if (status == TL_OK)
        status = tl_mesh_measure(hull, 1, &around);
    tl_mesh_destroy(hull);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    fact_number(f, "hull_volume", around.volume, "m^3");
    fact_number(f, "convexity", solid->volume / around.volume, "of the convex hull");
    return EXIT_OK;
}

static int tell_all(facts *f, const options *given, const tl_mesh *mesh)
{
    tl_mesh_solid solid;
    char text[1024];
    fact_text(f, "file", given->file);
    tell_mesh(f, mesh);
    const tl_status status = tl_mesh_measure(mesh, mesh_density(given), &solid);
    snprintf(text, sizeof text, "%s", tl_last_message());
    fact_flag(f, "solid", status == TL_OK);
    int code = EXIT_OK;
    if (status == TL_OK) {
        tell_solid(f, &solid);
        code = tell_hull(f, mesh, &solid);
    }
    if (code != EXIT_OK) {
        facts_drop(f);
        return code;
    }
    code = facts_end(f);
    if (status == TL_OK || code != EXIT_OK)
        return code;
    fprintf(stderr, "%s: %s\n", given->file, text);
    return exit_code(status, PHASE_READING);
}

int check_mesh(const options *given)
{
    tl_mesh *mesh = NULL;
    facts f;
    if (given->set_count) {
        complain("check: --set is for scenes; %s is a mesh", given->file);
        return EXIT_USAGE;
    }
    int code = read_mesh(given, &mesh);
    if (code == EXIT_OK) {
        facts_start(&f, given->json);
        facts_list_warnings(&f);
        code = tell_all(&f, given, mesh);
    }
    tl_mesh_destroy(mesh);
    return code;
}
