#pragma once

// Functions marked so are compiled for several instruction sets; the loader picks the best one that the
// processor has, so that a binary built here also runs on older machines. It picks before a sanitizer is ready, hence
// builds with one go without.
#if defined(__x86_64__) && defined(__linux__) && __GNUC__ >= 12 && !defined(__clang__) && !defined(CHORDLEARN_NO_CLONES)
#define CHORDLEARN_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CHORDLEARN_CLONES
#endif
