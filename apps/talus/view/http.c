/* The page's files over HTTP, and the checks that keep strange pages and machines out. Only what is
 * embedded in the program is served: a path is looked up in a list and never touches the disk. */
#include "assets.h"
#include "server.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- checks ---- */

/* The length of the host in "host:port"; brackets belong to it. */
static size_t host_length(const char *host)
{
    const char *end = host[0] == '[' ? strchr(host, ']') : NULL;
    if (end) {
        return (size_t)(end + 1 - host);
    }
    return strcspn(host, ":");
}

static bool same_host(const char *host, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(host, name, length) == 0;
}

bool http_host_is_ours(const char *host, const char *bound, bool any)
{
    const size_t length = host_length(host);
    const char *port = host + length;
    if (length == 0 ||
        (*port && (*port != ':' || strspn(port + 1, "0123456789") != strlen(port + 1)))) {
        return false;
    }
    return any || same_host(host, length, "localhost") || same_host(host, length, "127.0.0.1") ||
           same_host(host, length, "[::1]") || same_host(host, length, bound) ||
           (host[0] == '[' && same_host(host + 1, length - 2, bound));
}

bool http_origin_is_ours(const char *origin, const char *host)
{
    const char *rest = NULL;
    if (strncasecmp(origin, "http://", 7) == 0) {
        rest = origin + 7;
    } else if (strncasecmp(origin, "https://", 8) == 0) {
        rest = origin + 8;
    }
    return rest && *rest && strcasecmp(rest, host) == 0;
}

bool http_token_is_right(const char *token, const char *given)
{
    const size_t length = strlen(token);
    if (strlen(given) != length) {
        return false;
    }
    unsigned differs = 0; /* in a time that tells nothing of the first difference */
    for (size_t i = 0; i < length; i++) {
        differs |= (unsigned)(token[i] ^ given[i]);
    }
    return differs == 0;
}

static bool token_of_request_is_right(const server *v, struct lws *wsi)
{
    char given[512] = ""; /* as long as any part of a query: the library looks at each in it */
    if (!v->token[0]) {
        return true;
    }
    const char *value = lws_get_urlarg_by_name(wsi, "token=", given, sizeof given);
    return value && http_token_is_right(v->token, value);
}

/* A header's text; false where it is missing, too long, or has a zero within. */
static bool header(struct lws *wsi, enum lws_token_indexes token, char *text, int room)
{
    const int length = lws_hdr_total_length(wsi, token);
    return length > 0 && lws_hdr_copy(wsi, text, room, token) > 0 && strlen(text) == (size_t)length;
}

/* ---- answers ---- */

/* The connection ends with it: the library's page of an error makes a browser ask for more. */
int http_refuse(struct lws *wsi, unsigned code, const char *why)
{
    lws_return_http_status(wsi, code, why);
    return -1;
}

/* Whether a websocket may be opened. 0, or as LWS_CALLBACK_HTTP_CONFIRM_UPGRADE wants it. */
static int confirm_upgrade(server *v, struct lws *wsi, const char *what)
{
    char host[256], origin[300], path[64], protocol[64];
    unsigned code = 0;
    const char *why = "";
    if (!bucket_take(&v->requests, 1, 500, 1000) || v->viewer_count >= SERVER_VIEWERS) {
        code = HTTP_STATUS_SERVICE_UNAVAILABLE;
        why = "too many viewers or requests";
    } else if (strcmp(what, "websocket") != 0 ||
               !header(wsi, WSI_TOKEN_GET_URI, path, sizeof path) || strcmp(path, "/stream") != 0) {
        code = HTTP_STATUS_NOT_FOUND;
        why = "there is no such stream";
    } else if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host) ||
               !http_host_is_ours(host, v->host, v->any_host)) {
        code = HTTP_STATUS_FORBIDDEN;
        why = "the Host header names another server";
    } else if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0 &&
               !(header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin) &&
                 http_origin_is_ours(origin, host))) {
        code = HTTP_STATUS_FORBIDDEN;
        why = "a page of another server may not open the stream";
    } else if (!token_of_request_is_right(v, wsi)) {
        code = HTTP_STATUS_FORBIDDEN;
        why = "the address needs its token";
    } else if (!header(wsi, WSI_TOKEN_PROTOCOL, protocol, sizeof protocol) ||
               strcmp(protocol, VIEW_PROTOCOL) != 0) {
        code = HTTP_STATUS_BAD_REQUEST;
        why = "the subprotocol has to be " VIEW_PROTOCOL;
    }
    if (!code) {
        return 0;
    }
    return http_refuse(wsi, code, why) < 0 ? -1 : 1;
}

static const view_asset *find_asset(const char *path)
{
    for (size_t i = 0; i < view_asset_count; i++) {
        if (strcmp(view_assets[i].path, path) == 0) {
            return &view_assets[i];
        }
    }
    return NULL;
}

static int add(struct lws *wsi, const char *name, const char *value, unsigned char **at,
               unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                       (const unsigned char *)value, (int)strlen(value), at, end);
}

static int add_security(struct lws *wsi, unsigned char **at, unsigned char *end)
{
    return add(wsi, "content-security-policy:",
               "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
               "style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; object-src 'none'; "
               "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
               at, end) ||
           add(wsi, "x-content-type-options:", "nosniff", at, end) ||
           add(wsi, "referrer-policy:", "no-referrer", at, end) ||
           add(wsi, "cross-origin-opener-policy:", "same-origin", at, end) ||
           add(wsi, "cross-origin-resource-policy:", "same-origin", at, end);
}

static bool header_has(struct lws *wsi, enum lws_token_indexes token, const char *word)
{
    char text[256];
    return header(wsi, token, text, sizeof text) && strstr(text, word);
}

static int send_asset(struct lws *wsi, const view_asset *asset, bool head, http_transfer *transfer)
{
    unsigned char buffer[LWS_PRE + 2048];
    unsigned char *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
    const bool same = header_has(wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, asset->etag);
    const bool packed = asset->packed && header_has(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, "gzip");
    const unsigned char *data = packed ? asset->packed : asset->data;
    const size_t bytes = (size_t)((packed ? asset->packed_end : asset->data_end) - data);
    const unsigned code = same ? HTTP_STATUS_NOT_MODIFIED : HTTP_STATUS_OK;
    /* asked for again each time, so that a page never outlives its program */
    if (lws_add_http_common_headers(wsi, code, asset->type,
                                    same ? LWS_ILLEGAL_HTTP_CONTENT_LEN : bytes, &at, end) ||
        add(wsi, "cache-control:", "no-cache", &at, end) ||
        add(wsi, "etag:", asset->etag, &at, end) ||
        add(wsi, "vary:", "accept-encoding", &at, end) ||
        (packed && !same && add(wsi, "content-encoding:", "gzip", &at, end)) ||
        add_security(wsi, &at, end) || lws_finalize_write_http_header(wsi, start, &at, end)) {
        return -1;
    }
    if (same || head || bytes == 0) {
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    }
    transfer->data = data;
    transfer->bytes = bytes;
    transfer->sent = 0;
    lws_callback_on_writable(wsi);
    return 0;
}

int http_send_bytes(struct lws *wsi, const char *type, const unsigned char *data, size_t bytes,
                    http_transfer *transfer)
{
    unsigned char buffer[LWS_PRE + 2048];
    unsigned char *start = buffer + LWS_PRE, *at = start, *end = buffer + sizeof buffer - 1;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, type, bytes, &at, end) ||
        add(wsi, "cache-control:", "no-store", &at, end) || add_security(wsi, &at, end) ||
        lws_finalize_write_http_header(wsi, start, &at, end)) {
        return -1;
    }
    transfer->data = data;
    transfer->bytes = bytes;
    transfer->sent = 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int answer(server *v, struct lws *wsi, const char *path, size_t length,
                  http_transfer *transfer)
{
    char host[256];
    const bool head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    if (!bucket_take(&v->requests, 1, 500, 1000)) {
        return http_refuse(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, "too many requests");
    }
    if (!head && lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) {
        return http_refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET and HEAD");
    }
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host) ||
        !http_host_is_ours(host, v->host, v->any_host)) {
        return http_refuse(wsi, HTTP_STATUS_FORBIDDEN, "the Host header names another server");
    }
    if (strcmp(path, "/picture") == 0 && strlen(path) == length && !head) {
        return token_of_request_is_right(v, wsi)
                   ? picture_request(v, wsi)
                   : http_refuse(wsi, HTTP_STATUS_FORBIDDEN, "the address needs its token");
    }
    const char *name = strcmp(path, "/") == 0 ? "/index.html" : path;
    const view_asset *asset = strlen(path) == length ? find_asset(name) : NULL;
    if (!asset) { /* or what follows a zero (%00) */
        return http_refuse(wsi, HTTP_STATUS_NOT_FOUND, "there is no such file");
    }
    if (strcmp(name, "/index.html") == 0 && !token_of_request_is_right(v, wsi)) {
        return http_refuse(wsi, HTTP_STATUS_FORBIDDEN,
                           "the address needs its token: open the one that talus printed");
    }
    return send_asset(wsi, asset, head, transfer);
}

static int go_on(struct lws *wsi, http_transfer *transfer)
{
    unsigned char chunk[LWS_PRE + 16384];
    size_t count = transfer->bytes - transfer->sent;
    if (!transfer->data || count == 0) {
        return 0;
    }
    count = count < sizeof chunk - LWS_PRE ? count : sizeof chunk - LWS_PRE;
    memcpy(chunk + LWS_PRE, transfer->data + transfer->sent, count);
    transfer->sent += count;
    const bool last = transfer->sent == transfer->bytes;
    if (lws_write(wsi, chunk + LWS_PRE, count, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) {
        return -1;
    }
    if (last) {
        transfer->data = NULL;
        free(transfer->owned);
        transfer->owned = NULL;
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

int http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                  size_t length)
{
    server *v = lws_context_user(lws_get_context(wsi));
    switch (reason) {
    case LWS_CALLBACK_HTTP: return answer(v, wsi, in, length, user);
    case LWS_CALLBACK_HTTP_WRITEABLE: return go_on(wsi, user);
    case LWS_CALLBACK_TIMER: return picture_look(v, wsi, user);
    case LWS_CALLBACK_CLOSED_HTTP:
        picture_forget(v, wsi);
        if (user) {
            free(((http_transfer *)user)->owned);
            ((http_transfer *)user)->owned = NULL;
        }
        return lws_callback_http_dummy(wsi, reason, user, in, length);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return confirm_upgrade(v, wsi, in);
    case LWS_CALLBACK_HTTP_BODY:
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return -1; /* no request has a body */
    default: return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}
