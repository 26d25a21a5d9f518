/* The web page and the description of the API, which the build puts into the program. */
#include "page.h"

#include "http.h"

void answer_page(http_request *request)
{
    if (server_page_bytes == 0) {
        reply_error(request, MHD_HTTP_NOT_FOUND,
                    "This server was built without its page, which takes npm. The API under /v1 "
                    "is there; see /openapi.json.");
        return;
    }
    request->type = "text/html; charset=utf-8";
    request->fixed = (const char *)server_page;
    request->fixed_length = server_page_bytes;
}

void answer_openapi(http_request *request)
{
    request->type = "application/json";
    request->fixed = (const char *)server_openapi;
    request->fixed_length = server_openapi_bytes;
}
