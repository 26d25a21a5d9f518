/*
 * Where the graph of clusters has its documents. Each cluster is a disc: its representative in the
 * middle, the others around it on a sunflower's spiral, in the order of the members. The discs
 * stand in rows, the largest first. Linear, without chance, and the same on every run; a cluster of
 * ten thousand is as readable as one of ten.
 */
#include "page.h"

#include <math.h>

static const double GOLDEN_ANGLE = 2.399963229728653; /* pi * (3 - sqrt(5)) */
static const double GAP = 1.6;                        /* between neighbours, and between discs */

static double radius_of(size_t members)
{
    return GAP * sqrt((double)members);
}

/* Places the members of a cluster around the middle of its disc. */
static void place_cluster(const twinset_result *result, const tw_cluster *cluster, double x,
                          double y, tw_point *points)
{
    size_t around = 1;
    for (size_t i = 0; i < cluster->count; i++) {
        bool is_centre = result->clusters.members[cluster->start + i] == cluster->representative;
        size_t step = is_centre ? 0 : around++;
        double far = GAP * 0.8 * sqrt((double)step), angle = GOLDEN_ANGLE * (double)step;
        points[cluster->start + i] =
            (tw_point){(float)(x + far * cos(angle)), (float)(y + far * sin(angle))};
    }
}

int tw_page_points(const twinset_result *result, tw_point **points)
{
    const tw_clusters *clusters = &result->clusters;
    double area = 0, x = 0, y = 0, height = 0;
    size_t members = 0;
    for (size_t i = 0; i < clusters->count; i++) {
        double side = 2 * radius_of(clusters->data[i].count) + GAP;
        area += side * side;
        members += clusters->data[i].count;
    }
    *points = tw_array(members + 1, sizeof **points);
    if (!*points)
        return TWINSET_NOMEM;
    double width = 1.7 * sqrt(area); /* twice as wide as high, where rows are not quite full */
    for (size_t i = 0; i < clusters->count; i++) {
        double radius = radius_of(clusters->data[i].count), side = 2 * radius + GAP;
        if (x > 0 && x + side > width) {
            x = 0;
            y += height;
            height = 0;
        }
        place_cluster(result, &clusters->data[i], x + radius, y + radius, *points);
        height = fmax(height, side);
        x += side;
    }
    return TWINSET_OK;
}
