/* The base of the library: status names, messages, the log, the allocator and growable arrays. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void statuses_have_names(void **state)
{
    (void)state;
    assert_string_equal(tl_status_name(TL_OK), "TL_OK");
    assert_string_equal(tl_status_name(TL_OVERLAPPING), "TL_OVERLAPPING");
    assert_string_equal(tl_status_name(TL_BAD_ARGUMENT), "TL_BAD_ARGUMENT");
    assert_string_equal(tl_status_name(TL_NO_MEMORY), "TL_NO_MEMORY");
    assert_string_equal(tl_status_name(TL_BAD_HANDLE), "TL_BAD_HANDLE");
    assert_string_equal(tl_status_name(TL_DIVERGED), "TL_DIVERGED");
    assert_string_equal(tl_status_name(TL_TOO_LARGE), "TL_TOO_LARGE");
    assert_string_equal(tl_status_name(TL_NO_BACKEND), "TL_NO_BACKEND");
    assert_string_equal(tl_status_name(TL_BAD_DATA), "TL_BAD_DATA");
    assert_string_equal(tl_status_name((tl_status)2), "unknown status");
    assert_string_equal(tl_status_name(TL_FILE), "TL_FILE");
    assert_string_equal(tl_status_name((tl_status)-9), "unknown status");
}

static void versions_agree(void **state)
{
    char text[32];
    (void)state;
    snprintf(text, sizeof text, "%d.%d.%d", TL_VERSION_MAJOR, TL_VERSION_MINOR, TL_VERSION_PATCH);
    assert_string_equal(tl_version(), text);
    assert_string_equal(TL_VERSION_STRING, text);
}

/* What a thread sees before and after its own failure. */
typedef struct thread_view {
    char before[64], after[64];
} thread_view;

static void *fail_in_thread(void *argument)
{
    thread_view *view = argument;
    snprintf(view->before, sizeof view->before, "%s", tl_last_message());
    tl_fail(TL_BAD_DATA, "from the other thread");
    snprintf(view->after, sizeof view->after, "%s", tl_last_message());
    return NULL;
}

static void messages_belong_to_their_thread(void **state)
{
    pthread_t thread;
    thread_view view;
    (void)state;
    assert_int_equal(tl_fail(TL_BAD_HANDLE, "%s %d", "number", 7), TL_BAD_HANDLE);
    assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, &view), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(view.before, "");
    assert_string_equal(view.after, "from the other thread");
    assert_string_equal(tl_last_message(), "number 7");
}

static void long_messages_are_cut(void **state)
{
    char text[3000];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    tl_fail(TL_BAD_ARGUMENT, "%s", text);
    size_t length = strlen(tl_last_message());
    assert_in_range(length, 500, sizeof text - 2);
    assert_memory_equal(tl_last_message(), text, length);
}

typedef struct log_view {
    int lines;
    tl_log_level level;
    char text[128];
} log_view;

static void take_line(tl_log_level level, const char *text, void *user)
{
    log_view *view = user;
    view->lines++;
    view->level = level;
    snprintf(view->text, sizeof view->text, "%s", text);
}

static void the_log_gets_every_line(void **state)
{
    log_view view = {0};
    (void)state;
    tl_set_log(take_line, &view);
    tl_fail(TL_BAD_ARGUMENT, "an error %d", 1);
    assert_int_equal(view.level, TL_LOG_ERROR);
    assert_string_equal(view.text, "an error 1");
    tl_fail(TL_OVERLAPPING, "a warning");
    assert_int_equal(view.level, TL_LOG_WARNING);
    assert_string_equal(view.text, "a warning");
    tl_note("a note of %s", "something");
    assert_int_equal(view.level, TL_LOG_INFO);
    assert_string_equal(view.text, "a note of something");
    assert_string_equal(tl_last_message(), "a warning"); /* a note is no failure */
    assert_int_equal(view.lines, 3);
    tl_set_log(NULL, NULL);
    tl_fail(TL_BAD_ARGUMENT, "unheard");
    tl_note("unheard");
    assert_int_equal(view.lines, 3);
}

static tl_status try_twice(tl_status first, int *reached)
{
    TL_TRY(first);
    ++*reached;
    return TL_OK;
}

static void try_returns_failures_only(void **state)
{
    int reached = 0;
    (void)state;
    assert_int_equal(try_twice(TL_DIVERGED, &reached), TL_DIVERGED);
    assert_int_equal(reached, 0);
    assert_int_equal(try_twice(TL_OVERLAPPING, &reached), TL_OK);
    assert_int_equal(try_twice(TL_OK, &reached), TL_OK);
    assert_int_equal(reached, 2);
}

/* An allocator that counts bytes and can refuse. */
typedef struct counter {
    size_t outstanding, blocks;
    int refuse;
} counter;

static void *count_allocate(size_t bytes, void *user)
{
    counter *c = user;
    if (c->refuse)
        return NULL;
    c->outstanding += bytes;
    c->blocks++;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}

static void count_release(void *memory, size_t bytes, void *user)
{
    counter *c = user;
    assert_non_null(memory);
    c->outstanding -= bytes;
    c->blocks--;
    free(memory);
}

static void use_counter(counter *c)
{
    tl_allocator allocator = {count_allocate, count_release, c};
    memset(c, 0, sizeof *c);
    tl_set_allocator(&allocator);
}

static void memory_is_aligned_and_counted(void **state)
{
    counter c;
    (void)state;
    use_counter(&c);
    for (size_t bytes = 1; bytes < 300; bytes += 37) {
        unsigned char *plain = tl_alloc(bytes), *zeroed = tl_alloc_zero(bytes);
        assert_int_equal((uintptr_t)plain % 64, 0);
        assert_int_equal((uintptr_t)zeroed % 64, 0);
        assert_int_equal(c.outstanding, 2 * bytes);
        memset(plain, 255, bytes);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(zeroed[i], 0);
        tl_free(plain, bytes);
        tl_free(zeroed, bytes);
        assert_int_equal(c.outstanding, 0);
    }
    assert_null(tl_alloc(0));
    assert_null(tl_alloc_zero(0));
    tl_free(NULL, 100);
    assert_int_equal(c.blocks, 0);
    tl_set_allocator(NULL);
    void *memory = tl_alloc(100); /* by the default allocator again */
    assert_int_equal(c.blocks, 0);
    assert_int_equal((uintptr_t)memory % 64, 0);
    tl_free(memory, 100);
}

static void refused_memory_says_how_much(void **state)
{
    counter c;
    (void)state;
    use_counter(&c);
    c.refuse = 1;
    assert_null(tl_alloc(1234));
    assert_string_equal(tl_last_message(), "out of memory: 1234 bytes were needed");
    c.refuse = 0;
    assert_null(tl_alloc(SIZE_MAX - 10)); /* no allocator is asked for what cannot be */
    assert_int_equal(c.blocks, 0);
    tl_set_allocator(NULL);
}

static void arrays_grow_and_keep_their_items(void **state)
{
    counter c;
    tl_array array = {.item = sizeof(int)};
    (void)state;
    use_counter(&c);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(tl_array_append(&array, &i, 1), TL_OK);
    assert_int_equal(array.count, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(((int *)array.data)[i], i);
    assert_true(array.capacity >= 1000 && array.capacity <= 1500);
    assert_int_equal(c.blocks, 1);
    assert_int_equal(c.outstanding, array.capacity * sizeof(int));

    void *data = array.data;
    assert_int_equal(tl_array_reserve(&array, 10), TL_OK); /* there is room: nothing moves */
    assert_ptr_equal(array.data, data);
    assert_int_equal(tl_array_resize(&array, 3), TL_OK);
    assert_int_equal(array.count, 3);
    assert_int_equal(tl_array_append(&array, NULL, 0), TL_OK);
    assert_int_equal(array.count, 3);
    assert_int_equal(tl_array_resize(&array, 5000), TL_OK);
    assert_int_equal(array.count, 5000);
    assert_int_equal(((int *)array.data)[2], 2);

    tl_array_free(&array);
    assert_null(array.data);
    assert_int_equal(array.count, 0);
    assert_int_equal(array.capacity, 0);
    assert_int_equal(array.item, sizeof(int)); /* still usable */
    assert_int_equal(c.outstanding, 0);
    tl_array_free(&array);
    tl_set_allocator(NULL);
}

static void arrays_survive_refused_memory(void **state)
{
    counter c;
    int items[4] = {1, 2, 3, 4};
    tl_array array = {.item = sizeof(int)};
    (void)state;
    use_counter(&c);
    assert_int_equal(tl_array_append(&array, items, 4), TL_OK);
    tl_array before = array;
    c.refuse = 1;
    assert_int_equal(tl_array_append(&array, items, 4), TL_NO_MEMORY);
    assert_int_equal(tl_array_reserve(&array, 100), TL_NO_MEMORY);
    assert_int_equal(tl_array_resize(&array, 100), TL_NO_MEMORY);
    c.refuse = 0;
    assert_int_equal(tl_array_reserve(&array, SIZE_MAX / 2), TL_NO_MEMORY);
    assert_memory_equal(&array, &before, sizeof array);
    assert_memory_equal(array.data, items, sizeof items);
    tl_array_free(&array);
    assert_int_equal(c.outstanding, 0);
    tl_set_allocator(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_have_names),
        cmocka_unit_test(versions_agree),
        cmocka_unit_test(messages_belong_to_their_thread),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(the_log_gets_every_line),
        cmocka_unit_test(try_returns_failures_only),
        cmocka_unit_test(memory_is_aligned_and_counted),
        cmocka_unit_test(refused_memory_says_how_much),
        cmocka_unit_test(arrays_grow_and_keep_their_items),
        cmocka_unit_test(arrays_survive_refused_memory),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
