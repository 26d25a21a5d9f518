/* Any bytes as a notebook. Promise: it has a text or a reason. */
#include "convert.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tw_material from = {"a.ipynb", (const char *)data, size, (uint64_t)1 << 30, NULL};
    tw_converted to = {0};
    int status = tw_convert_notebook.convert(&from, &to);
    REQUIRE(status == TWINSET_OK || (status == TWINSET_IO && to.reason[0]));
    tw_bytes_free(&to.text);
    return 0;
}
