/* `talus import`: a scene in lines as JSON. */
#include "facts.h"
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int write_text(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    const bool failed = !file || fwrite(text, 1, length, file) != length;
    if ((file && fclose(file) != 0) || failed) {
        complain("%s: cannot be written: %s", path, strerror(errno));
        return EXIT_FILE;
    }
    return EXIT_OK;
}

static int tell(const options *given, const tl_document *document, const char *path)
{
    facts f;
    if (given->quiet && !given->json)
        return EXIT_OK;
    const tl_scene *scene = tl_document_scene(document);
    facts_start(&f, given->json);
    fact_text(&f, "file", given->file);
    fact_count(&f, "bodies", tl_scene_body_count(scene));
    fact_count(&f, "springs", tl_scene_joint_count(scene));
    fact_count(&f, "rods", tl_scene_rod_count(scene));
    fact_count(&f, "comments", tl_document_comments(document));
    fact_text(&f, "output", path);
    return facts_end(&f);
}

int command_import(const options *given)
{
    char path[512];
    tl_document *document = NULL;
    size_t length = 0;
    const char *slash = strrchr(given->file, '/'), *base = slash ? slash + 1 : given->file;
    const size_t stem = strlen(base) > 4 ? strlen(base) - 4 : 0;
    if (!tl_document_is_lines(given->file, "S", 1)) {
        complain("import: '%s' does not end in .txt, as scenes in lines do", given->file);
        return EXIT_USAGE;
    }
    snprintf(path, sizeof path, "%.*s.json", (int)(stem < 500 ? stem : 500), base);
    const char *output = given->output ? given->output : path;
    int code = check_scene_path(given, "import", "file", IMPORT_MARK, output);
    if (code != EXIT_OK)
        return code;
    const tl_status status = tl_document_import(given->file, given->ground, 0, NULL, &document);
    if (status < 0)
        return complain_of(status, PHASE_READING);
    const char *text = tl_document_text(document, &length);
    code = write_text(output, text, length);
    if (code == EXIT_OK)
        code = tell(given, document, output);
    tl_document_destroy(document);
    return code;
}
