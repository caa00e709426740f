// A group gets no more than those above it, whose quotas count therefore, too.
// A container may see its group as the root and still be told the path that
// its host knows: folders that are not there are passed by on the way up.
#include "kernels/quota.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PATH = 512 };

typedef struct Hierarchy {
    const char *folder;
    // Where quota and period stand: one after the other in a file, or in two.
    const char *files[2];
} Hierarchy;

static const Hierarchy unified = {"", {"cpu.max", NULL}};
static const Hierarchy of_processors = {
    "/cpu", {"cpu.cfs_quota_us", "cpu.cfs_period_us"}};

static int quota_of(const Hierarchy *hierarchy, const char *root,
                    const char *group)
{
    char path[2 * MOST_PATH];
    long long numbers[2] = {0, 0}; // no number, "max", means none
    int count = 0;
    for (int i = 0; i < 2 && hierarchy->files[i] != NULL; i++) {
        snprintf(path, sizeof(path), "%.400s/sys/fs/cgroup%s%s/%s", root,
                 hierarchy->folder, group, hierarchy->files[i]);
        FILE *file = fopen(path, "r");
        if (file != NULL) {
            count += fscanf(file, "%lld %lld", &numbers[count], &numbers[1]);
            fclose(file);
        }
    }
    return count == 2 && numbers[0] > 0 && numbers[1] > 0
               ? (int)((numbers[0] + numbers[1] - 1) / numbers[1])
               : 0;
}

static bool has_processors(const char *controllers)
{
    for (; *controllers != '\0'; controllers += *controllers == ',') {
        size_t length = strcspn(controllers, ",");
        if (length == 3 && memcmp(controllers, "cpu", 3) == 0) {
            return true;
        }
        controllers += length;
    }
    return false;
}

// The hierarchy that a line of /proc/self/cgroup, "4:cpu,cpuacct:/a/b" or
// "0::/a/b", speaks of, and its group; NULL: it has no quotas.
static const Hierarchy *read_line(char *line, char **group)
{
    line[strcspn(line, "\n")] = '\0';
    char *controllers = strchr(line, ':');
    *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (*group == NULL) {
        return NULL;
    }
    *(*group)++ = '\0';
    return controllers[1] == '\0'            ? &unified
           : has_processors(controllers + 1) ? &of_processors
                                             : NULL;
}

int quota_processors(const char *root)
{
    char line[MOST_PATH];
    int least = 0;
    snprintf(line, sizeof(line), "%.400s/proc/self/cgroup", root);
    FILE *file = fopen(line, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        char *group;
        const Hierarchy *hierarchy = read_line(line, &group);
        for (char *end = group; hierarchy != NULL && end != NULL;) {
            int quota = quota_of(hierarchy, root, group);
            least = quota > 0 && (least == 0 || quota < least) ? quota : least;
            end = strrchr(group, '/');
            if (end != NULL) {
                *end = '\0';
            }
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return least;
}
