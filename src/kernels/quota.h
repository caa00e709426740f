// How many processors the control groups of this process leave it, by version
// 2 of them or 1.
#ifndef DUET_KERNELS_QUOTA_H
#define DUET_KERNELS_QUOTA_H

// The least quota of a group and of all those above it, rounded up; 0: none is
// set. `root` is where /proc and /sys are looked for: "".
int quota_processors(const char *root);

#endif
