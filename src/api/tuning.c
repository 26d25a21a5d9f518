/* The public functions that choose bands and rows. */
#include "match.h"

int twinset_tune(const twinset_options *options, twinset_tuning *tuning, size_t size,
                 twinset_error *error)
{
    twinset_tuning chosen;
    if (!tuning)
        return tw_missing(error, "tuning");
    int status = tw_tune(options, &chosen, error);
    if (status != TWINSET_OK)
        return status;
    tw_tune_errors(&chosen);
    return tw_copy_struct(tuning, size, &chosen, sizeof chosen);
}

size_t twinset_tune_choices(const twinset_options *options)
{
    twinset_options resolved;
    return tw_tune_resolve(options, &resolved, NULL) == TWINSET_OK ? tw_tune_choices(&resolved) : 0;
}

int twinset_tune_choice(const twinset_options *options, size_t index, twinset_tuning *tuning,
                        size_t size)
{
    twinset_options resolved;
    twinset_tuning choice;
    if (tw_tune_resolve(options, &resolved, NULL) != TWINSET_OK ||
        !tw_tune_choice(&resolved, index, &choice))
        return TWINSET_USAGE;
    tw_tune_errors(&choice);
    return tw_copy_struct(tuning, size, &choice, sizeof choice);
}
