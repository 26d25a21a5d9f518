// Hugo, group B - statistics for the marks of one class
#include <stdlib.h>
#include <stdio.h>

#define BANDS 5
#define MAX_MARKS 500

// works on sorted marks only
static double median(const int *sorted, int count) {
  int middle = count / 2;
  if (count % 2 == 1) return sorted[middle];
  return (sorted[middle - 1] + sorted[middle]) / 2.0;
}

static double mean(const int *marks, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) sum += marks[i];
  return (double)sum / count;
}

// for qsort: smallest mark first
static int by_value(const void *left, const void *right) {
  int b = *(const int *)right;
  int a = *(const int *)left;
  return (a > b) - (a < b);
}

int main(void) {
  int count = 0, mark;
  int bands[BANDS] = {0};
  int marks[MAX_MARKS];

  // read everything, leave out what cannot be a mark
  while (count < MAX_MARKS && scanf("%d", &mark) == 1) {
    if (mark < 0 || mark > 100) continue;
    bands[mark == 100 ? BANDS - 1 : mark / 20]++;
    marks[count++] = mark;
  }
  if (count == 0) {
    fprintf(stderr, "no marks\n");
    return 1;
  }

  // work it out first, print it afterwards
  double average = mean(marks, count);
  qsort(marks, (size_t)count, sizeof marks[0], by_value);
  double centre = median(marks, count);
  printf("best %d\n", marks[count - 1]);
  printf("mean %.2f\n", average);
  printf("median %.1f\n", centre);
  for (int i = 0; i < BANDS; i++)
    printf("%3d-%3d %d\n", i * 20, i == BANDS - 1 ? 100 : i * 20 + 19, bands[i]);
  return 0;
}
