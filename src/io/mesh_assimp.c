/* PLY, DAE and glTF, through assimp where Talus was built with it. All meshes of a file become one,
 * each where its scene puts it. assimp keeps coordinates in 32 bits. */
#include "io/mesh.h"

#ifdef TALUS_ASSIMP

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <math.h>
#include <string.h>

static tl_status add_mesh(tl_mesh_source *source, const struct aiMesh *mesh, unsigned number)
{
    const size_t first = source->vertices.count / 3;
    for (unsigned i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D *v = &mesh->mVertices[i];
        const double vertex[3] = {(double)v->x, (double)v->y, (double)v->z};
        if (!isfinite(vertex[0] + vertex[1] + vertex[2]))
            return tl_fail(TL_BAD_DATA,
                           "%s: vertex %u of mesh %u is (%g, %g, %g), expected three numbers",
                           source->name, i, number, vertex[0], vertex[1], vertex[2]);
        TL_TRY(tl_mesh_add_vertex(source, vertex));
    }
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        if (face->mNumIndices != 3) /* points and lines have no surface */
            continue;
        for (int k = 0; k < 3; k++)
            if (face->mIndices[k] >= mesh->mNumVertices)
                return tl_fail(TL_BAD_DATA,
                               "%s: triangle %u of mesh %u has vertex %u, expected one below %u",
                               source->name, i, number, face->mIndices[k], mesh->mNumVertices);
        TL_TRY(tl_mesh_add_triangle(source, (uint32_t)(first + face->mIndices[0]),
                                    (uint32_t)(first + face->mIndices[1]),
                                    (uint32_t)(first + face->mIndices[2])));
    }
    return TL_OK;
}

/* Refuses a PLY file whose head promises more than the file can hold: assimp would believe it. Each
 * element takes a byte at least. */
static tl_status check_ply(tl_mesh_source *source)
{
    while (source->at < source->length) {
        const tl_text word = tl_mesh_word(source);
        if (tl_text_is(word, "end_header"))
            return TL_OK;
        if (tl_text_is(word, "element")) {
            char shown[TL_MESH_SHOWN];
            const tl_text name = tl_mesh_word(source);
            double count;
            TL_TRY(tl_mesh_numbers(source, "the count of an element", 1, &count));
            if (!(count >= 0 && count <= (double)source->length))
                return tl_mesh_refuse(source,
                                      "says that there are %.0f of %s, in a file of %zu bytes",
                                      count, tl_mesh_show(name, shown), source->length);
        }
        tl_mesh_skip_line(source);
    }
    return tl_mesh_refuse(source, "the file ends, expected 'end_header'");
}

tl_status tl_mesh_read_assimp(tl_mesh_source *source, const char *extension)
{
    if (!strcmp(extension, "ply"))
        TL_TRY(check_ply(source));
    const unsigned wanted = aiProcess_Triangulate | aiProcess_PreTransformVertices;
    const struct aiScene *scene =
        source->path
            ? aiImportFile(source->path, wanted)
            : aiImportFileFromMemory(source->data, (unsigned)source->length, wanted, extension);
    if (!scene)
        return tl_fail(TL_BAD_DATA, "%s: assimp cannot read it: %s", source->name,
                       aiGetErrorString());
    tl_status status = TL_OK;
    for (unsigned i = 0; status == TL_OK && i < scene->mNumMeshes; i++)
        status = add_mesh(source, scene->mMeshes[i], i);
    aiReleaseImport(scene);
    return status;
}

#else

tl_status tl_mesh_read_assimp(tl_mesh_source *source, const char *extension)
{
    return tl_fail(TL_BAD_DATA,
                   "%s: is .%s, which needs assimp, and this Talus was built without it; .stl and "
                   ".obj do not need it",
                   source->name, extension);
}

#endif

bool tl_mesh_has_assimp(void)
{
#ifdef TALUS_ASSIMP
    return true;
#else
    return false;
#endif
}
