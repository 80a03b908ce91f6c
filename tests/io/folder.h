/* Folders for a test's files. */
#ifndef TALUS_TESTS_FOLDER_H
#define TALUS_TESTS_FOLDER_H

#include "support.h"

#include <dirent.h>
#include <ftw.h>

static inline char *make_folder(char folder[64])
{
    snprintf(folder, 64, "/tmp/talus-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    return folder;
}

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *where)
{
    (void)s;
    (void)kind;
    (void)where;
    return remove(path);
}

static inline void remove_folder(const char *folder)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline size_t count_files(const char *folder)
{
    size_t count = 0;
    DIR *list = opendir(folder);
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(list);
    return count;
}

static inline char *in_folder(char path[256], const char *folder, const char *name)
{
    snprintf(path, 256, "%s/%s", folder, name);
    return path;
}

#endif
