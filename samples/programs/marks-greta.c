#include <stdio.h>

/* Marks are whole numbers from 0 to 100, so there is nothing to sort and nothing
 * to store: it is enough to count how often each mark was given. */
static unsigned given[101];

/* The mark at a place in the sorted list, if there were one; places start at 0. */
static int mark_at(unsigned place)
{
    int m = 0;
    for (unsigned seen = given[0]; seen <= place; seen += given[m])
        ++m;
    return m;
}

static unsigned between(int low, int high)
{
    unsigned n = 0;
    while (low <= high)
        n += given[low++];
    return n;
}

int main(void)
{
    unsigned total = 0;
    double points = 0;
    for (int input; scanf("%d", &input) == 1;) {
        if (input >= 0 && input <= 100) {
            ++given[input];
            ++total;
            points += input;
        }
    }
    if (!total) {
        fputs("no marks\n", stderr);
        return 1;
    }

    double median = (mark_at((total - 1) / 2) + mark_at(total / 2)) * 0.5;
    printf("best %d\nmean %.2f\nmedian %.1f\n", mark_at(total - 1), points / total, median);

    static const int limits[][2] = {{0, 19}, {20, 39}, {40, 59}, {60, 79}, {80, 100}};
    for (unsigned b = 0; b < sizeof limits / sizeof *limits; ++b)
        printf("%3d-%3d %u\n", limits[b][0], limits[b][1], between(limits[b][0], limits[b][1]));
    return 0;
}
