// Quotas of control groups, read from folders that are made for it.
#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/quota.h"

static char root[] = "/tmp/quotaXXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof(path), "%s%s", root, name);
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    cr_assert(file != NULL);
    fputs(text, file);
    fclose(file);
}

static int take_away(const char *path, const struct stat *stat, int kind,
                     struct FTW *place)
{
    (void)stat, (void)kind, (void)place;
    return remove(path);
}

static void make_root(void)
{
    cr_assert(mkdtemp(root) != NULL);
}

static void remove_root(void)
{
    nftw(root, take_away, 8, FTW_DEPTH | FTW_PHYS);
}

#define GROUPS "/proc/self/cgroup"
#define QUOTA(name, what)                                                      \
    Test(quota, name, .init = make_root, .fini = remove_root,                  \
         .description = what)

QUOTA(none, "nothing is there, or no limit is set")
{
    cr_assert(quota_processors(root) == 0);
    write_file(GROUPS, "0::/a\nnonsense\n7:\n");
    cr_assert(quota_processors(root) == 0);
    write_file("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
    cr_assert(quota_processors(root) == 0);
}

QUOTA(own, "the group's own is rounded up")
{
    write_file(GROUPS, "0::/a/b\n");
    write_file("/sys/fs/cgroup/a/b/cpu.max", "250000 100000\n");
    cr_assert(quota_processors(root) == 3);
}

QUOTA(above, "a group above may have less")
{
    write_file(GROUPS, "0::/a/b/c\n");
    write_file("/sys/fs/cgroup/a/cpu.max", "100000 100000\n");
    write_file("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    write_file("/sys/fs/cgroup/a/b/c/cpu.max", "800000 100000\n");
    cr_assert(quota_processors(root) == 1);
}

QUOTA(container, "the root that a container sees is its group")
{
    write_file(GROUPS, "0::/host/knows/it\n");
    write_file("/sys/fs/cgroup/cpu.max", "400000 100000\n");
    cr_assert(quota_processors(root) == 4);
}

QUOTA(first_version, "version 1 has a hierarchy of its own for processors")
{
    write_file(GROUPS, "5:cpuset:/s\n4:cpuacct,cpu:/a/b\n0::/\n");
    write_file("/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
    write_file("/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
    cr_assert(quota_processors(root) == 0);
    write_file("/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "150000\n");
    write_file("/sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    cr_assert(quota_processors(root) == 2);
}
