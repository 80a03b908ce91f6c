/* A program that uses the installed talus_io as consumer.c uses the core: it reads a scene, records
 * a run, and reads the result back. A mistake in a scene must be told through the core's
 * tl_last_message(), whichever library found it. */
#include <talus/io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char scene[] = "{\"version\": 1, \"bodies\": ["
                            "{\"kind\": \"fixed\", \"shapes\": [{\"kind\": \"plane\"}]},"
                            "{\"name\": \"ball\", \"position\": [0, 0, 0.5],"
                            " \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]}]}";

static int fail(const char *what)
{
    fprintf(stderr, "consumer_io: %s: %s\n", what, tl_last_message());
    return 1;
}

static int check_message(void)
{
    tl_document *document = NULL;
    if (tl_document_parse("bad", "{\"version\": 2}", 14, 0, NULL, &document) != TL_BAD_DATA ||
        document || strncmp(tl_last_message(), "bad:1:13: version: ", 19) != 0)
        return fail("a bad scene");
    return 0;
}

static int record(const char *path, const tl_document *document, tl_world *world)
{
    const tl_record_def def = tl_document_record(document);
    tl_recorder *recorder = NULL;
    tl_report report;
    if (tl_recorder_create(path, true, document, world, &def, NULL, &recorder))
        return fail("making the result");
    for (int i = 0; i < 200; i++)
        if (tl_world_step(world, 1, &report) || tl_recorder_step(recorder, world, &report))
            return fail("recording");
    return tl_recorder_close(recorder, world) ? fail("closing the result") : 0;
}

static int read_back(const char *path)
{
    tl_result *result = NULL;
    tl_result_frame frame;
    if (tl_result_open(path, &result))
        return fail("opening the result");
    const uint64_t frames = tl_result_describe(result).frames;
    if (frames != 51 || tl_result_read_frame(result, frames - 1, &frame) ||
        frame.state.count != 1 || fabs(frame.state.positions[2] - 0.1) > 1e-3)
        return fail("the ball does not lie on the plane in the result");
    tl_result_close(result);
    printf("%s\n", tl_version());
    return 0;
}

int main(int argc, char **argv)
{
    tl_document *document = NULL;
    tl_world *world = NULL;
    const char *path = argc > 1 ? argv[1] : "consumer.h5";
    int failed = check_message();
    if (!failed && tl_document_parse("scene", scene, strlen(scene), 0, NULL, &document))
        failed = fail("reading the scene");
    if (!failed && tl_world_create(tl_document_scene(document), &world))
        failed = fail("making the world");
    if (!failed)
        failed = record(path, document, world);
    if (!failed)
        failed = read_back(path);
    tl_world_destroy(world);
    tl_document_destroy(document);
    return failed;
}
