/* The memory and cores of a process: limits of control groups, in trees of files like those of
 * Linux. */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include "folder.h"
#include "machine.h"

#include <string.h>

/* Writes a file below the folder of the test, and makes its folders. */
static void put(const char *path, const char *content)
{
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s%s", test_folder, path);
    for (char *slash = strchr(name + strlen(test_folder) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(name, 0700);
        *slash = '/';
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void check(uint64_t memory, unsigned cores)
{
    tw_cgroup_limits limits = tw_read_cgroup_limits(test_folder);
    assert_int_equal(limits.memory_bytes, memory);
    assert_int_equal(limits.cores, cores);
}

static const char UNIFIED[] = "25 1 0:22 / /sys rw - sysfs sysfs rw\n"
                              "30 25 0:27 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";

static void no_groups_give_no_limits(void **state)
{
    (void)state;
    check(UINT64_MAX, UINT32_MAX);
    put("/proc/self/cgroup", "0::/\n");
    put("/proc/self/mountinfo", UNIFIED);
    check(UINT64_MAX, UINT32_MAX);
}

/* The smallest limit of a group and its parents counts. */
static void the_smallest_limit_of_nested_groups_counts(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/user/job/step\n");
    put("/proc/self/mountinfo", UNIFIED);
    put("/sys/fs/cgroup/user/job/step/memory.max", "max\n");
    put("/sys/fs/cgroup/user/job/step/cpu.max", "max 100000\n");
    check(UINT64_MAX, UINT32_MAX);
    put("/sys/fs/cgroup/user/job/memory.max", "536870912\n");
    put("/sys/fs/cgroup/user/memory.max", "1073741824\n");
    put("/sys/fs/cgroup/user/job/cpu.max", "400000 100000\n");
    put("/sys/fs/cgroup/user/cpu.max", "150000 100000\n");
    check(512 << 20, 2);
    put("/sys/fs/cgroup/user/job/step/memory.high", "268435456\n");
    check(256 << 20, 2);
}

/* A container sees its own group at the mount point of the hierarchy. */
static void the_group_of_a_container_is_found(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n"
                             "0::/\n");
    put("/proc/self/mountinfo",
        "31 25 0:28 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
        "32 25 0:29 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    check(9223372036854771712u, UINT32_MAX);
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "134217728\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
    check(128 << 20, 1);
}

/* The limits of this process are within those of the machine. */
static void this_process_is_within_the_machine(void **state)
{
    (void)state;
    assert_in_range(tw_cores(), 1, 1 << 20);
    assert_in_range(tw_machine_memory(), 1 << 20, UINT64_MAX);
    assert_true(tw_cores() <= tw_read_cgroup_limits("").cores);
    assert_true(tw_machine_memory() <= tw_read_cgroup_limits("").memory_bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_groups_give_no_limits, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(the_smallest_limit_of_nested_groups_counts, enter_folder,
                                        leave_folder),
        cmocka_unit_test_setup_teardown(the_group_of_a_container_is_found, enter_folder,
                                        leave_folder),
        cmocka_unit_test(this_process_is_within_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
