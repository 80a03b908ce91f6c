/* Writing .vtp files. */
#include "io/export_vtp.h"
#include "io/export.h"

#include <inttypes.h>

static size_t type_bytes(tl_vtp_type type)
{
    return type == TL_VTP_F64 ? sizeof(double) : sizeof(float);
}

void tl_vtp_init(tl_vtp *vtp)
{
    *vtp = (tl_vtp){.points.item = 3 * sizeof(double),
                    .vertices.item = sizeof(int64_t),
                    .polygons.item = sizeof(int64_t),
                    .ends.item = sizeof(int64_t)};
}

void tl_vtp_free(tl_vtp *vtp)
{
    tl_array_free(&vtp->points);
    tl_array_free(&vtp->vertices);
    tl_array_free(&vtp->polygons);
    tl_array_free(&vtp->ends);
    for (uint32_t i = 0; i < vtp->field_count; i++)
        tl_array_free(&vtp->fields[i].rows);
}

void tl_vtp_clear(tl_vtp *vtp)
{
    vtp->points.count = vtp->vertices.count = vtp->polygons.count = vtp->ends.count = 0;
    for (uint32_t i = 0; i < vtp->field_count; i++)
        vtp->fields[i].rows.count = 0;
}

uint32_t tl_vtp_add_field(tl_vtp *vtp, const char *name, tl_vtp_type type, uint32_t width)
{
    vtp->fields[vtp->field_count] =
        (tl_vtp_field){name, type, width, {.item = width * type_bytes(type)}};
    return vtp->field_count++;
}

tl_status tl_vtp_add_point(tl_vtp *vtp, const double point[3])
{
    return tl_array_append(&vtp->points, point, 1);
}

tl_status tl_vtp_set(tl_vtp *vtp, uint32_t field, const void *row)
{
    return tl_array_append(&vtp->fields[field].rows, row, 1);
}

tl_status tl_vtp_add_vertex(tl_vtp *vtp)
{
    const int64_t point = (int64_t)vtp->points.count - 1;
    return tl_array_append(&vtp->vertices, &point, 1);
}

tl_status tl_vtp_add_polygon(tl_vtp *vtp, uint32_t corners)
{
    for (int64_t i = (int64_t)vtp->points.count - corners; i < (int64_t)vtp->points.count; i++)
        TL_TRY(tl_array_append(&vtp->polygons, &i, 1));
    const int64_t end = (int64_t)vtp->polygons.count;
    return tl_array_append(&vtp->ends, &end, 1);
}

tl_status tl_vtp_add_triangle(tl_vtp *vtp, int64_t first, const uint32_t corners[3])
{
    const int64_t points[3] = {first + corners[0], first + corners[1], first + corners[2]};
    TL_TRY(tl_array_append(&vtp->polygons, points, 3));
    const int64_t end = (int64_t)vtp->polygons.count;
    return tl_array_append(&vtp->ends, &end, 1);
}

/* The data of a file, one array after the other. Offsets of vertices are 1, 2, 3, ...: made when
 * they are written. */
typedef struct layout {
    FILE *file;
    uint64_t offset;
} layout;

static void declare(layout *l, const char *type, const char *name, uint32_t width, uint64_t bytes)
{
    fprintf(l->file,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%" PRIu32
            "\" format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
            type, name, width, l->offset);
    l->offset += sizeof(uint64_t) + bytes;
}

static uint64_t bytes_of(const tl_array *array)
{
    return array->count * array->item;
}

static void declare_all(const tl_vtp *v, FILE *file)
{
    static const char *const types[] = {"Float64", "Float32", "UInt32"};
    layout l = {file, 0};
    fprintf(file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n"
            "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n<PointData>\n",
            v->points.count, v->vertices.count, v->ends.count);
    for (uint32_t i = 0; i < v->field_count; i++)
        declare(&l, types[v->fields[i].type], v->fields[i].name, v->fields[i].width,
                bytes_of(&v->fields[i].rows));
    fputs("</PointData>\n<Points>\n", file);
    declare(&l, "Float64", "points", 3, bytes_of(&v->points));
    fputs("</Points>\n<Verts>\n", file);
    declare(&l, "Int64", "connectivity", 1, bytes_of(&v->vertices));
    declare(&l, "Int64", "offsets", 1, bytes_of(&v->vertices));
    fputs("</Verts>\n<Polys>\n", file);
    declare(&l, "Int64", "connectivity", 1, bytes_of(&v->polygons));
    declare(&l, "Int64", "offsets", 1, bytes_of(&v->ends));
    fputs("</Polys>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", file);
}

static void put_array(FILE *file, const tl_array *array)
{
    const uint64_t bytes = bytes_of(array);
    fwrite(&bytes, sizeof bytes, 1, file);
    if (bytes)
        fwrite(array->data, 1, bytes, file);
}

tl_status tl_vtp_write(const tl_vtp *v, const char *path, tl_export_info *info)
{
    tl_out out;
    TL_TRY(tl_out_open(&out, path));
    declare_all(v, out.file);
    for (uint32_t i = 0; i < v->field_count; i++)
        put_array(out.file, &v->fields[i].rows);
    put_array(out.file, &v->points);
    put_array(out.file, &v->vertices);
    const uint64_t bytes = bytes_of(&v->vertices);
    fwrite(&bytes, sizeof bytes, 1, out.file);
    for (int64_t end = 1; end <= (int64_t)v->vertices.count; end++)
        fwrite(&end, sizeof end, 1, out.file);
    put_array(out.file, &v->polygons);
    put_array(out.file, &v->ends);
    fputs("\n</AppendedData>\n</VTKFile>\n", out.file);
    info->rows += v->points.count;
    return tl_out_close(&out, TL_OK, info);
}
