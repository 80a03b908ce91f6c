/* Kinds of files; files.h says who calls. */
#include "files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static file_kind kind_of_start(const char *start, size_t length)
{
    if (!length)
        return FILE_EMPTY;
    if (length >= 8 && !memcmp(start, "\211HDF\r\n\032\n", 8))
        return FILE_HDF5;
    if (length >= 8 && !memcmp(start, "TLUSCKP1", 8))
        return FILE_CHECKPOINT;
    const size_t mark = length >= 3 && !memcmp(start, "\xef\xbb\xbf", 3) ? 3 : 0;
    for (size_t i = mark; i < length; i++)
        if (!strchr(" \t\r\n", start[i]) || !start[i])
            return start[i] == '{' ? FILE_JSON : FILE_OTHER;
    return FILE_OTHER;
}

file_kind file_kind_of(const char *path)
{
    struct stat s;
    char start[512];
    if (stat(path, &s) != 0)
        return FILE_MISSING;
    if (!S_ISREG(s.st_mode))
        return S_ISDIR(s.st_mode) ? FILE_FOLDER : FILE_SPECIAL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return FILE_UNREADABLE;
    const size_t length = fread(start, 1, sizeof start, file);
    const file_kind kind = ferror(file) ? FILE_UNREADABLE : kind_of_start(start, length);
    fclose(file);
    return kind;
}

const char *file_kind_name(file_kind kind)
{
    static const char *const names[] = {
        [FILE_MISSING] = "not there",
        [FILE_EMPTY] = "an empty file",
        [FILE_FOLDER] = "a folder",
        [FILE_SPECIAL] = "not a regular file",
        [FILE_UNREADABLE] = "a file that cannot be read",
        [FILE_HDF5] = "a result",
        [FILE_CHECKPOINT] = "the checkpoint of a result",
        [FILE_JSON] = "a scene",
        [FILE_OTHER] = "neither a scene nor a result",
    };
    return names[kind];
}

bool is_result(const char *path)
{
    return file_kind_of(path) == FILE_HDF5;
}

/* An HDF5 file where a scene is wanted. */
static void complain_of_hdf5(const char *command, const char *path)
{
    tl_result *result = NULL;
    tl_contact_problem *problem = NULL;
    if (tl_result_open(path, &result) >= 0)
        complain("%s: %s is a result, not a scene; `talus info`, `resume`, `export` and `view` "
                 "take results",
                 command, path);
    else if (tl_contact_problem_load(path, &problem) >= 0)
        complain("%s: %s is a contact problem, not a scene; `talus solve` takes problems", command,
                 path);
    else
        complain("%s: %s is an HDF5 file, not a scene, and no result or contact problem that can "
                 "be opened",
                 command, path);
    tl_result_close(result);
    tl_contact_problem_destroy(problem);
}

int expect_scene(const char *command, const char *path)
{
    const file_kind kind = file_kind_of(path);
    if (kind == FILE_HDF5)
        complain_of_hdf5(command, path);
    else if (kind == FILE_CHECKPOINT)
        complain("%s: %s is the checkpoint of a result, not a scene; `talus resume` takes the "
                 "result beside it",
                 command, path);
    else
        return EXIT_OK;
    return EXIT_DATA;
}

int expect_result(const char *command, const char *path)
{
    const file_kind kind = file_kind_of(path);
    const bool lines = kind == FILE_OTHER && tl_document_is_lines(path, "S", 1);
    if (kind == FILE_JSON || lines)
        complain("%s: %s is a scene, not a result; `talus run` makes a result of it, and `talus "
                 "check`, `info` and `view` take scenes",
                 command, path);
    else if (kind == FILE_CHECKPOINT)
        complain("%s: %s is the checkpoint of a result; name the result, which lies beside it",
                 command, path);
    else if (kind == FILE_EMPTY || kind == FILE_OTHER)
        complain("%s: %s is %s", command, path, file_kind_name(kind));
    else
        return EXIT_OK;
    return EXIT_DATA;
}

/* --- outputs --- */

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return a && stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

int check_folder_of(const char *path)
{
    char folder[4096];
    struct stat s;
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return EXIT_OK;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    if (stat(folder, &s) == 0 && S_ISDIR(s.st_mode))
        return EXIT_OK;
    complain("cannot write %s: %s is not a folder that exists", path, folder);
    return EXIT_FILE;
}

/* What all kinds of output ask for; `input` says what the input is, `kind` receives what is there.
 */
static int check_output(const options *given, const char *command, const char *input,
                        const char *path, file_kind *kind)
{
    *kind = file_kind_of(path);
    if (same_file(given->file, path)) {
        complain("%s: -o names the %s itself", command, input);
        return EXIT_USAGE;
    }
    if (*kind == FILE_FOLDER || *kind == FILE_SPECIAL) {
        complain("cannot write %s: it is %s; %s", path, file_kind_name(*kind),
                 given->corpus ? "--corpus names another folder" : "-o needs the name of a file");
        return EXIT_FILE;
    }
    return check_folder_of(path);
}

/* --force replaces results alone. */
static int check_replaced(const char *path, file_kind kind)
{
    tl_result *result = NULL;
    if (kind != FILE_HDF5) {
        complain("--force replaces results alone: %s is %s; -o names another file", path,
                 file_kind_name(kind));
        return EXIT_FILE;
    }
    const tl_status status = tl_result_open(path, &result);
    tl_result_close(result);
    if (status >= 0)
        return EXIT_OK;
    complain("--force replaces results alone: %s is an HDF5 file and no Talus result that can be "
             "opened; remove it or name another file with -o (%s)",
             path, tl_last_message());
    return EXIT_FILE;
}

int check_result_path(const options *given, const char *command, const char *path)
{
    file_kind kind;
    char quoted[8192];
    const int code = check_output(given, command, "scene", path, &kind);
    if (code != EXIT_OK || kind == FILE_MISSING)
        return code;
    if (given->force)
        return kind == FILE_EMPTY ? EXIT_OK : check_replaced(path, kind);
    quote_argument(path, quoted, sizeof quoted);
    if (kind == FILE_HDF5)
        complain("%s exists; --force replaces it, -o names another, `talus resume %s` goes on with "
                 "it",
                 path, quoted);
    else
        complain("%s exists and is %s; -o names another file", path, file_kind_name(kind));
    return EXIT_FILE;
}

int check_export_path(const options *given, const char *path)
{
    file_kind kind;
    const int code = check_output(given, "export", "result", path, &kind);
    if (code != EXIT_OK || kind == FILE_MISSING)
        return code;
    if (kind == FILE_JSON || kind == FILE_HDF5 || kind == FILE_CHECKPOINT) {
        complain("%s exists and is %s, which an export never replaces; -o names another file", path,
                 file_kind_name(kind));
        return EXIT_FILE;
    }
    if (given->force)
        return EXIT_OK;
    complain("%s exists; --force replaces it, -o names another", path);
    return EXIT_FILE;
}

/* --force replaces contact problems alone. */
int check_problem_path(const options *given, const char *command, const char *path)
{
    file_kind kind;
    tl_contact_problem *problem = NULL;
    const char *instead = given->corpus ? "--corpus names another folder" : "-o names another file";
    const int code = check_output(given, command, "input", path, &kind);
    if (code != EXIT_OK || kind == FILE_MISSING)
        return code;
    if (!given->force) {
        complain("%s exists; --force replaces it, %s", path, instead);
        return EXIT_FILE;
    }
    const tl_status status = kind == FILE_EMPTY ? TL_OK : tl_contact_problem_load(path, &problem);
    tl_contact_problem_destroy(problem);
    if (status >= 0)
        return EXIT_OK;
    complain("--force replaces contact problems alone: %s is none; %s", path, instead);
    return EXIT_FILE;
}

/* Whether a file is a scene whose comment begins so. */
static bool has_mark(const char *path, const char *mark)
{
    char start[512] = "";
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    start[fread(start, 1, sizeof start - 1, file)] = 0;
    fclose(file);
    const char *comment = strstr(start, "\"comment\": \"");
    return comment && !strncmp(comment + strlen("\"comment\": \""), mark, strlen(mark));
}

int check_scene_path(const options *given, const char *command, const char *input, const char *mark,
                     const char *path)
{
    file_kind kind;
    const int code = check_output(given, command, input, path, &kind);
    if (code != EXIT_OK || kind == FILE_MISSING)
        return code;
    const bool own = has_mark(path, mark);
    if (given->force && own)
        return EXIT_OK;
    if (given->force)
        complain("--force replaces scenes that %s wrote alone: %s is none; -o names another file",
                 command, path);
    else
        complain("%s exists; %s-o names another", path, own ? "--force replaces it, " : "");
    return EXIT_FILE;
}
