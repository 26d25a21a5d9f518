/* Exercise 7: reads the marks of a class (0 to 100) and prints the best, the
 * mean, the median and how many fall into each band of twenty. */
#include <stdio.h>
#include <stdlib.h>

#define MAX_MARKS 500
#define BANDS 5

static int by_value(const void *left, const void *right)
{
    int a = *(const int *)left;
    int b = *(const int *)right;
    return (a > b) - (a < b);
}

static double mean(const int *marks, int count)
{
    long sum = 0;
    for (int i = 0; i < count; i++)
        sum += marks[i];
    return (double)sum / count;
}

static double median(const int *sorted, int count)
{
    int middle = count / 2;
    if (count % 2 == 1)
        return sorted[middle];
    return (sorted[middle - 1] + sorted[middle]) / 2.0;
}

int main(void)
{
    int marks[MAX_MARKS], bands[BANDS] = {0}, count = 0, mark;

    while (count < MAX_MARKS && scanf("%d", &mark) == 1) {
        if (mark < 0 || mark > 100)
            continue; /* a slip of the keyboard */
        marks[count++] = mark;
        /* 100 belongs to the top band, not to one of its own */
        bands[mark == 100 ? BANDS - 1 : mark / 20]++;
    }
    if (count == 0) {
        fprintf(stderr, "no marks\n");
        return 1;
    }
    qsort(marks, (size_t)count, sizeof marks[0], by_value);
    printf("best %d\n", marks[count - 1]);
    printf("mean %.2f\n", mean(marks, count));
    printf("median %.1f\n", median(marks, count));
    for (int i = 0; i < BANDS; i++)
        printf("%3d-%3d %d\n", i * 20, i == BANDS - 1 ? 100 : i * 20 + 19, bands[i]);
    return 0;
}
